"""What every way has to do: the same model, the same batches, the same loss, the same Adam."""

from dataclasses import dataclass

import torch
from torch.nn.functional import cross_entropy

from transformer_book import nn

NO_LABEL = -1  # the label of a place where a text has ended


@dataclass(frozen=True)
class TrainingTask:
    """Sizes of the model and of its batches; a batch's texts are of different lengths.

    ``parts`` is into how many parts a pipeline cuts a batch.
    """

    d_model: int = 64
    d_ff: int = 128
    h: int = 4
    layers: int = 4
    words: int = 256
    batch: int = 8
    length: int = 32
    steps: int = 3
    parts: int = 4
    seed: int = 0

    def model(self) -> nn.LanguageModel:
        """Return the untrained model, in float64, so that a difference is no rounding."""
        config = nn.TransformerConfig(
            self.words,
            self.words,
            d_model=self.d_model,
            d_ff=self.d_ff,
            h=self.h,
            N=self.layers,
            dropout=0.0,
            norm="pre",
            share="none",
            max_length=self.length,
        )
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(self.seed)
            return nn.LanguageModel(config).double()

    def batches(self):
        """Yield ids and labels of each step, both (batch, n); random texts, the first the longest."""
        draw = torch.Generator().manual_seed(self.seed)
        for _ in range(self.steps):
            text = torch.randint(
                self.words, (self.batch, self.length + 1), generator=draw
            )
            ends = self.length - (torch.arange(self.batch) * self.length) // (
                2 * self.batch
            )
            labels = text[:, 1:].clone()
            labels[torch.arange(self.length) >= ends[:, None]] = NO_LABEL
            yield text[:, :-1], labels


def summed_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Return the sum of the losses of all labels but ``NO_LABEL``."""
    return cross_entropy(
        logits.flatten(0, 1), labels.flatten(), ignore_index=NO_LABEL, reduction="sum"
    )


def label_count(labels: torch.Tensor) -> int:
    """Return how many labels there are to predict."""
    return int((labels != NO_LABEL).sum())


def adam_optimiser(model: torch.nn.Module) -> torch.optim.Adam:
    """Return the optimiser of every way."""
    return torch.optim.Adam(model.parameters(), lr=0.01)


class SingleProcess:
    """One process: what the others are compared with."""

    def __init__(self, task):
        self.model = task.model()
        self.adam = adam_optimiser(self.model)

    def step(self, ids: torch.Tensor, labels: torch.Tensor) -> float:
        """Make one step; return the loss, a mean over all labels of the batch."""
        self.adam.zero_grad()
        loss = summed_loss(self.model(ids)[0], labels) / label_count(labels)
        loss.backward()
        self.adam.step()
        return loss.item()

    def gathered_gradients(self) -> dict[str, torch.Tensor]:
        """Return the gradient of each parameter of the model, by its name."""
        return {name: W.grad for name, W in self.model.named_parameters()}

    def stored_weight_count(self) -> int:
        """Return how many numbers of the model's weights this process keeps between steps."""
        return sum(W.numel() for W in self.model.parameters())

    def formula_numbers_sent(self, task: TrainingTask, p, rank):
        """Return how many numbers the formula says that a process sends in a step."""
        return 0
