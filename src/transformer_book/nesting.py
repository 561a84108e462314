"""Calls within calls: what is done at the first of them alone."""

import threading


class InsideCallFlag(threading.local):
    """Whether this thread is inside a call, so that those below it are parts of it."""

    inside = False
