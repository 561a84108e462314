"""A run in which not all of a model learns, or not in its usual form, goes on from its checkpoint."""

import pytest
import torch
from safetensors.torch import load_file

from tests.train import cases
from tests.train.test_checkpoint import FEW, break_off, check_same, run, without
from transformer_book import nn
from transformer_book.nn import load_weights
from transformer_book.storage import StorageError
from transformer_book.train import loop, train
from transformer_book.train.checkpoint import BEST_FILE, CHECKPOINT_FILE


def encoder_frozen(model):
    model.encoder.requires_grad_(False)
    return model


def adapted(model):
    return nn.adapt(model, 2, ("W_QKV", "W_1"), alpha=3.0)


def compiled(model):
    return torch.compile(model, backend="eager")


def changed_run(change, settings, folder=None, **options):
    corpus = cases.copying()
    model = change(cases.model(corpus, dropout=0.2))
    return train(model, corpus, settings, folder, **options), model


@pytest.mark.parametrize("change", [encoder_frozen, adapted, compiled])
def test_a_run_in_which_not_all_learn_goes_on_as_if_never_stopped(change, tmp_path):
    expected = changed_run(change, FEW)
    parameters = expected[1].named_parameters()
    frozen = {name: p.clone() for name, p in parameters if not p.requires_grad}
    break_off(lambda: changed_run(change, FEW, tmp_path))
    resumed = changed_run(change, FEW, tmp_path, resume=True)
    check_same(resumed, expected)
    assert bool(frozen) == (change is not compiled)
    for name, p in frozen.items():
        assert torch.equal(resumed[1].get_parameter(name), p), name


@pytest.mark.parametrize("change", [encoder_frozen, adapted, compiled])
def test_the_best_weights_of_such_a_run_are_those_that_it_computed_with(
    change, tmp_path
):
    history, _ = changed_run(change, FEW.changed(steps=3), tmp_path)
    assert history.is_best_so_far
    corpus = cases.copying()
    again = load_weights(tmp_path / BEST_FILE)
    loss = loop.validation_loss(again, corpus.ids(corpus.validation), FEW)
    assert loss == history.validation[-1][1]


def test_what_a_compiled_model_has_learned_a_plain_one_goes_on_with(tmp_path):
    changed_run(compiled, FEW.changed(steps=6), tmp_path)
    check_same(changed_run(lambda model: model, FEW, tmp_path, resume=True), run(FEW))


def test_a_run_in_which_others_learn_is_another_run(tmp_path):
    changed_run(encoder_frozen, FEW, tmp_path)
    said = "of another run: frozen is .* and None here"
    with pytest.raises(StorageError, match=said):
        changed_run(lambda model: model, FEW, tmp_path, resume=True)


def test_a_parameter_that_begins_to_learn_later_goes_on_with_its_own_steps(tmp_path):
    """Adam divides by 1 - beta**t, and t is how often this parameter was changed."""

    def thaw(model):
        def report(history):
            model.encoder.requires_grad_(history.step_count >= 3)

        return report

    def part(steps, folder=None, **options):
        corpus = cases.copying()
        model = encoder_frozen(cases.model(corpus, dropout=0.2))
        options |= {"report": thaw(model)}
        settings = FEW.changed(steps=steps)
        return train(model, corpus, settings, folder, **options), model

    expected = part(9)
    part(6, tmp_path)
    steps = load_file(tmp_path / CHECKPOINT_FILE)
    assert steps["step.encoder.0.feed_forward.b_1"] == 3
    assert steps["step.decoder.0.feed_forward.b_1"] == 6

    corpus = cases.copying()
    model = encoder_frozen(cases.model(corpus, dropout=0.2))
    first = loop.take_training_step

    def thawed(model, *args):
        model.encoder.requires_grad_(True)
        return first(model, *args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "take_training_step", thawed)
        settings = FEW.changed(steps=9)
        resumed = train(model, corpus, settings, tmp_path, resume=True), model
    check_same(resumed, expected)


def test_a_checkpoint_without_the_steps_of_each_is_read(tmp_path):
    """Those that were written before each parameter had its own."""
    changed_run(lambda model: model, FEW.changed(steps=6), tmp_path)
    without(tmp_path / CHECKPOINT_FILE, "step.")
    check_same(run(FEW, tmp_path, resume=True), run(FEW))


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_a_run_goes_on_in_the_precision_of_its_weights(dtype, tmp_path):
    of_dtype = lambda model: model.to(dtype)  # noqa: E731
    settings = FEW.changed(factor=0.01)
    expected = changed_run(of_dtype, settings)
    changed_run(of_dtype, settings.changed(steps=6), tmp_path)
    resumed = changed_run(of_dtype, settings, tmp_path, resume=True)
    check_same(resumed, expected)
    assert {p.dtype for p in resumed[1].parameters()} == {dtype}


def test_a_model_whose_weights_no_file_can_hold_is_refused_before_it_learns(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(loop, "take_training_step", None)

    def changed(model):
        model.encoder.append(nn.EncoderLayer(16, 2, 32))
        return model

    with pytest.raises(StorageError, match="is not what its configuration says"):
        changed_run(changed, FEW, tmp_path / "run")
    assert not (tmp_path / "run").exists()
