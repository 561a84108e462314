"""The workshop: functions that the reader writes, checked, and told which mistake is in them."""

from .notebook import check, check_answer

__all__ = ["check", "check_answer"]
