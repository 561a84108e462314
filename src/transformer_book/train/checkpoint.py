"""The folder of a run: one file from which it goes on, to the same losses."""

import hashlib
import json
import math
from pathlib import Path

import torch
from safetensors.torch import save

from .. import storage
from ..nn import save_weights, set_weights
from ..nn.weights import model_and_weights_to_save, shapes_by_name, weights_by_name
from ..storage import StorageError
from . import averaging, distributed
from .history import History

CHECKPOINT_FILE, BEST_FILE = "checkpoint.safetensors", "best.safetensors"
ADAM_MOMENTS = ("exp_avg", "exp_avg_sq")  # torch's names of Adam's m and v
HISTORY_COUNTS = ("tokens", "seconds", "epoch", "batch")
CHANGEABLE_SETTINGS = {"steps", "validate_every", "checkpoint_every", "snapshots"}


class RunFolder:
    """Where a run keeps its files. Only process 0 writes.

    Parameters
    ----------
    path : path-like or None
        None keeps nothing.
    model : Transformer
        Perhaps with parameters that do not learn, or adapted, or compiled.
    adam : torch.optim.Adam
        Of ``model.parameters()``.
    settings : Settings
    pairs : list of (list of int, list of int)
        What is learned from; a checkpoint goes on with nothing else.
    """

    def __init__(self, path, model, adam, settings, pairs):
        self.path = None if path is None else Path(path)
        self.model, self.adam, self.snapshots = model, adam, settings.snapshots
        self.parameters = weights_by_name(model)
        text = repr(pairs).encode()
        frozen = [n for n, p in self.parameters.items() if not p.requires_grad]
        self.identity = {
            "config": model.config.as_dict(),
            "settings": settings.as_dict() | ({"frozen": frozen} if frozen else {}),
            "corpus": {"corpus": hashlib.sha256(text).hexdigest()[:16]},
        }

    def begin_anew(self):
        """Make the folder and return an empty history.

        Raises
        ------
        StorageError
            If the folder cannot be made, or holds a checkpoint, which would be lost, or no file of
            the model's weights could be read back.
        """
        if self.path is not None:
            model_and_weights_to_save(self.path / BEST_FILE, self.model)
            if (self.path / CHECKPOINT_FILE).exists():
                raise StorageError(
                    f"{self.path} holds the checkpoint of a run. Resume it, or choose another "
                    "folder, or delete the file yourself to start anew."
                )
            try:
                self.path.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StorageError(
                    f"{self.path} cannot be a folder: {error.strerror}. Choose another."
                ) from error
        return History()

    def resume(self):
        """Set model and optimiser to what the checkpoint holds, and return its history.

        Raises
        ------
        StorageError
            If there is none, or it is truncated, no safetensors file, or of another run.
        """
        if self.path is None:
            raise StorageError(
                "There is no checkpoint to resume from; give the run's folder."
            )
        path = self.path / CHECKPOINT_FILE
        if not path.is_file():
            raise StorageError(
                f"There is no checkpoint {path} to resume from. "
                "Check the folder, or start anew."
            )
        # What a process that was killed has left half written.
        for part in self.path.glob(".*.safetensors.*.part"):
            part.unlink(missing_ok=True)
        tensors, metadata = storage.stored_tensors(path, "pt")
        history = self._history_of_checkpoint(path, tensors, metadata)
        parameters, every = self.parameters, torch.tensor(float(history.step_count))
        steps = {name: tensors.pop(f"step.{name}", every) for name in parameters}
        # Adam keeps nothing for a parameter that has had no gradient.
        learned = [
            n for n in parameters if any(f"{m}.{n}" in tensors for m in ADAM_MOMENTS)
        ]
        expected = {f"weights.{name}": p for name, p in parameters.items()}
        expected |= {f"{m}.{n}": parameters[n] for n in learned for m in ADAM_MOMENTS}
        storage.check_names_and_shapes(path, *map(shapes_by_name, (tensors, expected)))
        weights = {name: tensors[f"weights.{name}"] for name in parameters}
        set_weights(self.model, weights, path)
        # Cloned, as tensors that are read are windows into the file.
        state = {
            i: {"step": steps[name].clone()}
            | {m: tensors[f"{m}.{name}"].clone() for m in ADAM_MOMENTS}
            for i, name in enumerate(parameters)
            if name in learned
        }
        groups = self.adam.state_dict()["param_groups"]
        self.adam.load_state_dict({"state": state, "param_groups": groups})
        return history

    def save(self, history):
        """Write the checkpoint, in one step: a crash leaves this one or the one before.

        Raises
        ------
        FloatingPointError
            If a weight is not finite.
        StorageError
            If the file cannot be written. In both cases the checkpoint before stays.
        """
        if self.path is None or distributed.rank():
            return
        tensors = {
            "losses": torch.tensor(history.losses, dtype=torch.float64),
            "validation": torch.tensor(history.validation, dtype=torch.float64),
        }
        if history.synthetic is not None:
            lengths = [len(ids) for ids in history.synthetic]
            joined = [i for ids in history.synthetic for i in ids]
            tensors["synthetic"] = torch.tensor(joined, dtype=torch.int32)
            tensors["synthetic_lengths"] = torch.tensor(lengths)
        for name, weight in self.parameters.items():
            total = weight.sum().item()  # finite only if every weight is
            check_finite(f"{name} after step {history.step_count} is not finite", total)
            tensors[f"weights.{name}"] = weight
            state = self.adam.state.get(weight, {})  # empty without a gradient
            tensors |= {f"{key}.{name}": value for key, value in state.items()}
        tensors = {
            name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()
        }
        counts = {name: getattr(history, name) for name in HISTORY_COUNTS}
        described = self.identity | {"history": counts}
        metadata = {name: json.dumps(value) for name, value in described.items()}
        storage.write_file(self.path / CHECKPOINT_FILE, save(tensors, metadata))

    def save_best(self, history):
        """Write the weights alone, if the last validation is the best so far."""
        if self.path is not None and not distributed.rank() and history.is_best_so_far:
            save_weights(self.path / BEST_FILE, self.model)

    def save_snapshot(self, history):
        """Write the weights after a validation, and remove those that are now too old."""
        if self.path is None or not self.snapshots or distributed.rank():
            return
        save_weights(
            self.path / averaging.SNAPSHOT_NAME.format(history.step_count), self.model
        )
        last = averaging.snapshot_paths(self.path, history, self.snapshots).values()
        for old in set(self.path.glob(averaging.SNAPSHOT_NAME.format("[0-9]*"))) - set(
            last
        ):
            old.unlink(missing_ok=True)

    def _history_of_checkpoint(self, path, tensors, metadata):
        try:
            described = {name: json.loads(text) for name, text in metadata.items()}
            losses = tensors.pop("losses").tolist()
            validation = [
                (int(step), loss) for step, loss in tensors.pop("validation").tolist()
            ]
            history = History(losses, validation, **described["history"])
            if "synthetic" in tensors:
                lengths = tensors.pop("synthetic_lengths").tolist()
                parts = tensors.pop("synthetic").split(lengths)
                history.synthetic = [part.tolist() for part in parts]
            theirs = {name: dict(described[name]) for name in self.identity}
        except (KeyError, TypeError, ValueError) as error:
            raise StorageError(
                f"{path} is a safetensors file, but no checkpoint of a training run "
                f"({type(error).__name__}: {error}). Use the one that the run wrote."
            ) from error
        self._check_same_run(path, theirs)
        return history

    def _check_same_run(self, path, saved_identity):
        cools = self.identity["settings"]["cooldown"] > 0
        # When it cools down hangs on how many steps there are.
        free = CHANGEABLE_SETTINGS - {"steps"} if cools else CHANGEABLE_SETTINGS
        different = [
            f"{name} is {saved_identity[part].get(name)!r} there and {ours.get(name)!r} here"
            for part, ours in self.identity.items()
            for name in {**ours, **saved_identity[part]}
            if name not in free and saved_identity[part].get(name) != ours.get(name)
        ]
        if different:
            raise StorageError(
                f"{path} is of another run: {'; '.join(different[:4])}. "
                "Resume with its own settings, or choose another folder."
            )


def check_finite(value_description, value):
    """Raise FloatingPointError with a remedy unless the value is a finite number."""
    if not math.isfinite(value):
        raise FloatingPointError(
            f"train: {value_description}; expected a finite number. Nothing more can be learned: lower the "
            "factor, lengthen the warm-up or clip the gradients, and start from the last "
            "checkpoint, which is as it was."
        )
