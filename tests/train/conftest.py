import pytest
import torch


@pytest.fixture
def one_thread():
    """As many as the child processes have: sums in another order round otherwise."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
