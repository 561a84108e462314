"""Which models are written, under which names, and that they come back."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests import test_storage
from tests.nn.models import config, ids, model
from transformer_book import by_hand, nn
from transformer_book.storage import StorageError

path = test_storage.path
saved = test_storage.saved
SENTENCES = ids(11, [5, 3], 1), ids(11, [4, 2], 2)


def language_model(**changes):
    torch.manual_seed(0)
    return nn.LanguageModel(config(N=2, **changes)).eval()


def same_logits(given, expected):
    assert torch.equal(given(*SENTENCES)[0], expected(*SENTENCES)[0])


FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16]


@pytest.mark.parametrize("own", FLOATS)
@pytest.mark.parametrize("dtype", [None, *FLOATS])
def test_every_loader_reads_the_numbers_that_were_written(path, own, dtype):
    made = model(config(share="target"), dtype=own)
    nn.save_weights(path, made, dtype)
    theirs, again = load_file(path), nn.load_weights(path)
    _, W = by_hand.load_weights(path)
    for name, p in made.named_parameters():
        expected = p.detach() if dtype is None else p.detach().to(dtype)
        assert theirs[name].dtype == expected.dtype
        assert torch.equal(theirs[name], expected)
        # Two bytes are enough to keep a number, and too few to compute with it.
        wide = torch.promote_types(expected.dtype, torch.float32)
        for given in (again.get_parameter(name), torch.from_numpy(W[name])):
            assert given.dtype == wide and torch.equal(given, expected.to(wide)), name


def compiled(made):
    return torch.compile(made, backend="eager")


def compiled_in_parts(made):
    made.encoder[0] = compiled(made.encoder[0])
    made.decoder[1].feed_forward = compiled(made.decoder[1].feed_forward)
    return made


def adapted(made):
    made = nn.adapt(made, 2, alpha=3.0)
    with torch.no_grad():
        for W in made.parameters():
            if W.requires_grad:
                W.add_(0.1)
    return made


def compiled_and_adapted(made):
    return compiled(adapted(made))


@pytest.mark.parametrize(
    "change", [compiled, compiled_in_parts, adapted, compiled_and_adapted]
)
def test_a_changed_model_is_written_under_the_names_of_the_plain_one(path, change):
    made = model(config(), dtype=torch.float32)
    names = [name for name, _ in made.named_parameters()]
    made = change(made)
    expected = made(*SENTENCES)[0]
    nn.save_weights(path, made)
    assert {*load_file(path)} == {*names}
    assert torch.equal(nn.load_weights(path)(*SENTENCES)[0], expected)
    assert torch.equal(made(*SENTENCES)[0], expected)  # it is as it was


def test_an_adapted_language_model_is_written_as_its_merged_one(path):
    made = adapted(language_model(g=2, positions="rope"))
    nn.save_weights(path, made)
    again = nn.load_language_model(path)
    assert torch.equal(again(SENTENCES[0])[0], nn.merge(made)(SENTENCES[0])[0])


def test_names_of_a_compiled_model_in_an_older_file_are_read(saved):
    """As this book wrote them, or somebody the ``state_dict`` of a compiled model."""
    named = {f"_orig_mod.{name}": W for name, W in load_file(saved).items()}
    save_file(named, saved, {"config": json.dumps(config().as_dict())})
    same_logits(nn.load_weights(saved), model(config(), dtype=torch.float32))
    assert "source_embedding" in by_hand.load_weights(saved)[1]


def with_more(made):
    made.encoder.append(nn.EncoderLayer(16, 4, 32))


def with_less(made):
    del made.decoder[-1]


def with_bias(made):
    made.extra = torch.nn.Linear(2, 2)


def untied(made):
    made.output = torch.nn.Parameter(made.output.detach() + 1)


def wider(made):
    made.encoder[0].feed_forward = nn.FeedForward(16, 48)


@pytest.mark.parametrize("change", [with_more, with_less, with_bias, untied, wider])
def test_weights_that_the_configuration_does_not_have_are_not_written(saved, change):
    before = saved.read_bytes()
    made = model(config(), dtype=torch.float32)
    change(made)
    with pytest.raises(StorageError, match="is not what its configuration says: .*"):
        nn.save_weights(saved, made)
    assert saved.read_bytes() == before


@pytest.mark.parametrize(
    "wrap",
    [
        torch.nn.DataParallel,
        torch.nn.Sequential,
        lambda made: nn.Encoder(made.config.changed(kind="encoder-only")),
        lambda made: made.encoder,
    ],
)
def test_what_is_no_model_of_ours_is_refused_at_the_door(path, wrap):
    with pytest.raises(StorageError, match="the model is of <class .*expected an nn.T"):
        nn.save_weights(path, wrap(model(config())))
    assert not path.exists()


def test_two_names_of_one_memory_are_written_as_two(path):
    made = model(config(share="none"), dtype=torch.float32)
    made.output.data = made.target_embedding.data
    nn.save_weights(path, made)
    same_logits(nn.load_weights(path), made)


def test_a_loaded_model_computes_in_float64_what_the_one_that_was_saved_does(path):
    """Its table of positions is not rounded with the weights."""
    made = model(config(), dtype=torch.float64).float()
    nn.save_weights(path, made)
    fresh = nn.Transformer(config()).eval()
    nn.set_weights(fresh, dict(made.named_parameters()))
    for again in (nn.load_weights(path), fresh):
        assert again.PE.dtype == torch.float64
        exact = nn.positional_encoding(24, 16, dtype=torch.float64)
        assert torch.equal(again.double().PE, exact)


def test_each_weight_keeps_its_own_precision(path):
    made = model(config(), dtype=torch.float32)
    made.encoder[0].add_and_norm_1.double()
    nn.save_weights(path, made)
    again = nn.load_weights(path)
    for (name, a), b in zip(made.named_parameters(), again.parameters(), strict=True):
        assert a.dtype == b.dtype and torch.equal(a, b), name


def test_a_file_of_the_other_kind_of_model_names_its_reader(path, saved):
    with pytest.raises(StorageError, match="of a Transformer; .*nn.load_weights"):
        nn.load_language_model(saved)
    nn.save_weights(path, language_model(g=2))
    with pytest.raises(StorageError, match="of a LanguageModel; .*load_language_model"):
        nn.load_weights(path)
    with pytest.raises(StorageError, match="expected the weights of a Transformer"):
        by_hand.load_weights(path)
