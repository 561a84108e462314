"""What a measurement should reach; a target that is missed is said to be missed."""


def at_least(value, target, said):
    """Return what was asked for, such as "at least 5 x", and that it was missed if it was."""
    return _report(value >= target, f"at least {said}")


def at_most(value, target, said):
    """Return what was asked for, such as "at most 60 s", and that it was missed if it was."""
    return _report(value <= target, f"at most {said}")


def _report(met, asked):
    return asked if met else f"**missed:** {asked}"
