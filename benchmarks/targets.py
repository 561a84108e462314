"""What a measurement should reach; a target that is missed is marked as missed."""


def format_minimum(value: float, target: float, target_text: str) -> str:
    """Return what was asked for, such as "at least 5 x", and that it was missed if it was."""
    return _mark_if_missed(value >= target, f"at least {target_text}")


def format_maximum(value: float, target: float, target_text: str) -> str:
    """Return what was asked for, such as "at most 60 s", and that it was missed if it was."""
    return _mark_if_missed(value <= target, f"at most {target_text}")


def _mark_if_missed(is_met: bool, goal_text: str) -> str:
    return goal_text if is_met else f"**missed:** {goal_text}"
