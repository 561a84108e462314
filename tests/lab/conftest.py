from tests.train.conftest import one_thread

__all__ = ["one_thread"]
