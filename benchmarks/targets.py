"""What a measurement should reach; a target that is missed is marked as missed."""


def at_least(value, target, words):
    """Return what was asked for, such as "at least 5 x", and that it was missed if it was."""
    return _report(value >= target, f"at least {words}")


def at_most(value, target, words):
    """Return what was asked for, such as "at most 60 s", and that it was missed if it was."""
    return _report(value <= target, f"at most {words}")


def _report(met, goal):
    return goal if met else f"**missed:** {goal}"
