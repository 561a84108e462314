"""The papers: a PDF and an EPUB of the built site."""
