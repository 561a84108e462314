"""Publish the executed chapters as notebooks."""


def publish(root, build):
    pass
