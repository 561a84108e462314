"""Import every module of the package and compute one attention, where the book itself is not built."""

import importlib
import pkgutil

import numpy as np
import torch

import transformer_book
import transformer_lab
import transformer_press
from transformer_book import by_hand, nn

count = 0
for package in (transformer_book, transformer_lab, transformer_press):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
            count += 1

Q = np.array([[1.0, 0.0], [0.0, 1.0]])
Z, A = by_hand.scaled_dot_product_attention(Q, Q, Q)
Z_torch, _ = nn.scaled_dot_product_attention(*(torch.from_numpy(Q),) * 3)
assert np.allclose(Z, A) and np.allclose(Z, Z_torch.numpy())
print(
    f"{count} modules are imported, and two words attend to each other:\n{A.round(3)}"
)
