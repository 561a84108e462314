"""Drawings of how something is built."""
