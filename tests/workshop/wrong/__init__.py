"""Functions with a mistake of the book's lists, written in other ways than the workshop's own."""

WRONG = []  # the mistake's number, the task, and the function


def wrong(mistake, *tasks):
    """Keep a function that makes a mistake in some of the tasks."""

    def keep(function):
        WRONG.extend((mistake, task, function) for task in tasks)
        return function

    return keep
