"""Numbers that Python computes and the JavaScript modules must reproduce, as files in a folder."""

import json
from itertools import product

import numpy as np
import torch
from safetensors import safe_open
from safetensors.numpy import save_file
from safetensors.torch import save_file as save_torch
from torch.nn import functional as F

from tests import worked_example
from tests.js.texts import glosses, masked, sentences, subwords
from tests.nn import models
from tests.traced import changed, traced
from tests.train import cases
from transformer_book import by_hand, decode, nn, train
from transformer_book.data import BOS, EOS, PAD
from transformer_lab.translations.interventions import model_without_parts as taken_from

NORMS, SHARES = ("post", "pre"), ("all", "target", "none")
WORDS = 14
SCORES = [[0.5, -1.25, 3.0], [1e4, 1e4 - 1, -np.inf], [-1e4, -2e4, -1e4], [-np.inf] * 3]
LOGITS = [
    [1.0, 3.0, 3.0, -2.0, 0.5, 3.0],
    [0.0] * 5,
    [-9.0, 2.0, -np.inf, 1.5],
    [4.0],
    [50.0, 0.0, -3.0],
]


def write(folder):
    """Write every file into the folder."""
    rng = np.random.default_rng(0)
    for name, numbers in {
        "softmax": softmax(),
        "attention": attention(rng),
        "worked_example": worked(),
        "positions": by_hand.positional_encoding(60, 34),
        "norm": norm(rng),
        "feed_forward": feed_forward(rng),
        "heads": heads(rng),
        "choices": choices(),
        "sentences": sentences(),
        "glosses": glosses(),
        "subwords": subwords(),
        "placeholders": masked(),
        "rows": rows(folder),
    }.items():
        text = json.dumps(numbers, default=plain, ensure_ascii=False)
        (folder / f"{name}.json").write_text(text, "utf-8")
    halves(folder / "halves.safetensors")
    for norm_, share in product(NORMS, SHARES):
        model(folder, norm_, share)
    for norm_ in NORMS:
        traces(folder, norm_)
    learner(folder)


def plain(value):
    if isinstance(value, (torch.Tensor, np.ndarray)):
        return value.tolist()
    raise TypeError(type(value))


def finite(array):
    """JSON has no word for minus infinity; it travels as null."""
    return [[None if np.isneginf(x) else x for x in row] for row in array]


def softmax():
    scores, logits = (
        [torch.tensor(row).double() for row in rows] for rows in (SCORES, LOGITS)
    )
    expected = [row.softmax(0).nan_to_num().tolist() for row in scores]
    log = [row.log_softmax(0).tolist() for row in logits]
    return {
        "scores": finite(SCORES),
        "weights": expected,
        "logits": finite(LOGITS),
        "log": finite(log),
    }


def attention(rng):
    Q, K, V = (rng.normal(size=shape) for shape in ((4, 6), (5, 6), (5, 3)))
    some = rng.random((4, 5)) < 0.5
    some[2] = False
    padding = by_hand.padding_mask(np.array([7, 7, 3, 0, 0]), 0)
    masks = {"none": None, "some": some, "padding": padding}
    cases = {}
    for name, mask in masks.items():
        output, weights = by_hand.scaled_dot_product_attention(Q, K, V, mask)
        cases[name] = {"mask": mask, "output": output, "weights": weights}
    return {"Q": Q, "K": K, "V": V, "cases": cases, "causal": by_hand.causal_mask(5)}


def worked():
    names = "X W_Q W_K W_V W_O WEIGHTS_1 WEIGHTS_2 Z_1 Z_2 H CAUSAL_1 CAUSAL_2"
    return {name: getattr(worked_example, name) for name in names.split()}


def norm(rng):
    x = rng.normal(3, 2, size=(5, 8))
    gamma, beta = rng.normal(size=(2, 8))
    x[1] = 7.0
    of_torch = map(torch.tensor, (gamma, beta))
    expected = F.layer_norm(torch.tensor(x), (8,), *of_torch)
    return {"x": x, "gamma": gamma, "beta": beta, "y": expected}


def feed_forward(rng):
    shapes = {"x": (3, 4), "W_1": (4, 7), "b_1": 7, "W_2": (7, 4), "b_2": 4}
    given = {
        name: torch.tensor(rng.normal(size=shape)) for name, shape in shapes.items()
    }
    hidden = F.relu(F.linear(given["x"], given["W_1"].T, given["b_1"]))
    return given | {"y": F.linear(hidden, given["W_2"].T, given["b_2"])}


def heads(rng):
    shapes = {"queries": (3, 8), "keys": (5, 8), "values": (5, 8)}
    shapes |= {"W_Q": (8, 6), "W_K": (8, 6), "W_V": (8, 9), "W_O": (9, 8)}
    given = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    mask = rng.random((3, 5)) < 0.6
    output, weights = by_hand.multi_head_attention(*given.values(), h=3, mask=mask)
    return given | {
        "mask": mask,
        "output": output,
        "weights": weights,
        "split": by_hand.split_heads(given["keys"], 4),
    }


def choices():
    """Temperature, top-k and top-p, each on logits with ties."""
    made = []
    for logits in map(torch.tensor, LOGITS):
        for name, values in {
            "with_temperature": (0.3, 1.0, 7.5),
            "keep_top_k": (1, 2, 4, 9),
            "keep_top_p": (1e-9, 0.3, 0.5, 0.9, 1.0),
        }.items():
            for value in values:
                kept = getattr(decode.sampling, name)(logits.double(), value)
                given, kept = finite([logits.tolist(), kept.tolist()])
                case = {"name": name, "value": value, "logits": given, "kept": kept}
                made.append(case)
    return made


def rows(folder):
    """A file with its matrices as whole numbers of 8 bits and a scale for each row."""
    path = folder / "post-target.safetensors"
    model(folder, "post", "target")
    with safe_open(path, framework="np") as file:
        stored = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        metadata = file.metadata()
    made, scaled = {}, {}
    for name, x in stored.items():
        made[name] = x
        if x.ndim == 2:
            scale = (np.abs(x).max(axis=1) / 127).astype(np.float32)
            made[name] = np.round(x / scale[:, None]).astype(np.int8)
            made[name + ".scale"] = scale
            if not name.endswith("W_QKV"):  # those are cut in three
                scaled[name] = made[name] * scale.astype(np.float64)[:, None]
    save_file(made, folder / "rows.safetensors", metadata)
    return {"scaled": scaled}


def halves(path):
    """Every finite number of 16 bits, of both kinds, and the same in more bits."""
    numbers = np.arange(2**16, dtype=np.uint16).view(np.float16)
    numbers = numbers[np.isfinite(numbers)]
    wide = {"single": numbers.astype(np.float32), "double": numbers.astype(np.float64)}
    save_file({"half": numbers, **wide}, path)
    bits = torch.arange(2**16, dtype=torch.int32).to(torch.int16)
    numbers = bits.view(torch.bfloat16)
    numbers = numbers[numbers.isfinite()]
    wide = {"half": numbers, "single": numbers.float()}
    save_torch(wide, path.with_name("bfloats.safetensors"))


def model(folder, norm_, share):
    """The file of a small random model, and its logits and weights for a few sentences."""
    sizes = dict(words=(WORDS, WORDS), h=2, N=2, d_model=16, d_ff=24)
    made = models.model(models.config(norm=norm_, share=share, **sizes))
    path = folder / f"{norm_}-{share}.safetensors"
    nn.save_weights(path, made, torch.float16)
    config, W = by_hand.load_weights(path)
    W = {name: value.astype(np.float64) for name, value in W.items()}
    cases_ = []
    for length in (1, 4, 12):
        rng = np.random.default_rng(length)
        source = np.array([[*rng.integers(4, WORDS, size=length), EOS, PAD, PAD]])
        target = np.array([[BOS, *rng.integers(4, WORDS, size=5)]])
        logits, weights = by_hand.transformer(source, target, W, config)
        cases_.append(
            {
                "source": source[0],
                "target": target[0],
                "logits": logits[0],
                "weights": {name: A[0] for name, A in weights.items()},
            }
        )
    path.with_suffix(".json").write_text(json.dumps(cases_, default=plain), "utf-8")


CHANGES = (
    {},
    {"silenced": [["encoder.0.self_attention", 1], ["decoder.1.cross_attention", 0]]},
    {"scale": False},
    {"causal": False},
    {"positions": False},
    {"residual": False},
    {"residual": ["encoder.1.feed_forward", "decoder.0.cross_attention"]},
    {"scale": False, "causal": False, "silenced": [["decoder.0.self_attention", 0]]},
)


def traces(folder, norm_):
    """All that PyTorch makes on the way, as it is and with each change."""
    made = nn.load_weights(folder / f"{norm_}-target.safetensors").double().eval()
    sizes = made.config.max_length, made.config.d_model
    made.PE = nn.positional_encoding(*sizes, dtype=torch.float64)
    source, target = [5, 9, 4, 9, EOS], [BOS, 6, 11, 8]
    found = []
    for changes in CHANGES:
        with changed(made, **changes):
            found.append({"changes": changes, "made": traced(made, source, target)})
    found = {"source": source, "target": target, "cases": found}
    text = json.dumps(found, default=plain)
    (folder / f"traces-{norm_}.json").write_text(text, "utf-8")


CHANGED = (
    {},
    {"scale": False},
    {"causal": False},
    {"positions": ["source"]},
    {"positions": ["target"]},
    {"residual": ["decoder.0.feed_forward"]},
    {"silenced": [["decoder.1.cross_attention", 0]], "causal": False},
)


def with_changes(made, source):
    """What the model writes with each change, and the odds of each step."""
    found = []
    for changes in CHANGED:
        with taken_from(made, **changes), torch.inference_mode():
            (ids,) = decode.greedy(made, source, max_length=12, use_cache=False)
            begun = [[BOS, *ids[:k]] for k in range(len(ids) + 1)]
            odds = [made(source, torch.tensor([one]))[0][0, -1] for one in begun[:12]]
        odds = [one.softmax(-1) for one in odds]
        found.append({"changes": changes, "greedy": ids, "odds": odds})
    return found


def learner(folder):
    """A model that has half learned to write words backwards: it hesitates, and is often wrong."""
    corpus = cases.corpus(lambda word: word[::-1], n=600, lengths=(1, 8), unseen=8)
    made = cases.model(corpus, N=2)
    settings = train.Settings(steps=100, tokens=400, warmup=60, validate_every=100)
    train.train(made, corpus, settings)
    nn.save_weights(folder / "learner.safetensors", made, torch.float16)
    words = {"source": corpus.source_vocabulary, "target": corpus.target_vocabulary}
    (folder / "vocabulary.json").write_text(json.dumps(words, default=list), "utf-8")
    made = nn.load_weights(folder / "learner.safetensors").double()
    sources = [torch.tensor([[*ids, EOS]]) for ids, _ in corpus.ids(corpus.test)]
    searched = [searches(made, source) for source in sources]
    assert len({len(one["greedy"]) for one in searched}) > 2, "it always says the same"
    (folder / "learner.json").write_text(json.dumps(searched, default=plain), "utf-8")


COPIED = (4, 6, 7)


def searches(made, source):
    def greedy(**options):
        return decode.greedy(made, source, **options)[0]

    def beams(*search, **options):
        (found,) = decode.beam_search(made, source, *search, **options)
        return [vars(one) for one in found]

    settings = product((1, 2, 4, 7), (0.0, 0.6, 2.0), (None, 5))
    copied = {
        "greedy": greedy(copied_ids=COPIED),
        "beam": beams(4, 0.6, copied_ids=COPIED),
    }
    return {
        "source": source[0],
        "greedy": greedy(),
        "short": greedy(max_length=3),
        "copied": {"ids": COPIED, **copied},
        "changed": with_changes(made, source),
        "beams": [
            {"beams": b, "alpha": a, "longest": n, "found": beams(b, a, max_length=n)}
            for b, a, n in settings
        ],
        "steps": [vars(step) for step in decode.steps(made, source, need_weights=True)],
    }
