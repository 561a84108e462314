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
from tests.data import test_placeholders as placeholder_cases
from tests.nn import models
from tests.traced import changed, traced
from tests.train import cases
from transformer_book import by_hand, data, decode, nn, train
from transformer_book.data import BOS, EOS, PAD, UNK, ParallelCorpus
from transformer_lab.translations.interventions import changed as taken_from
from transformer_lab.translator import site_translator

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
TEXTS = [
    "The cat slept on the couch.It was too tired to get up.",
    "Sit, cat!",
    "who (or what): a cat;",
    "  two   dogs\tsat at 10:30 , 1,000 times .  ",
    "couch",
    "the cat.",
    "cat .",
    "What? No.",
    "I can't. Don't! 'Tis a dog's life, isn't it? They'll've gone.",
    "Cannot you gimme more'n I'm gonna get, d'ye hear? I wanna go. 'Twas so.",
    '\u201cHi,\u201d he said\u2026 \u2018no\u2019 \u2014 don\u2019t: \u00abso\u00bb; "quoted." ("a")',
    "$3.14, 1,000 & 50% at a@b.c -- [x] {y} <eos> ... * # ''z'' ``w``",
    "the dogs' bones ' rock 'n' roll 'quoted' ''",
    "caf\u00e9 na\u00efve \U0001f600\U0001f600 \u6f22\u5b57 \U0001d4b3",
    "a\u0301 'a\u0301 \u00bd \u0663,\u0664 x:\u0664 '\u017f CANNOT",
    "ALL CAPITALS. " + 380 * "x",
]
TYPED_TO_CUT = [
    *TEXTS,
    "sofa sofas umbrellas",
    "caaat ttt",
    "\U0001f600a \u6f22",
    "\u201cIt\u2019s the cat\u2019s\u2026\u201d \u2018No,\u2019 isn\u2019t it?",
]
TYPED = [
    "cat",
    "catt",
    "umbrela",
    "Mondy",
    "z",
    "kitten",
    "housee",
    "frog",
    "dog's",
    "wnidow",
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
    expected = [
        torch.tensor(row).double().softmax(0).nan_to_num().tolist() for row in SCORES
    ]
    log = [torch.tensor(row).double().log_softmax(0).tolist() for row in LOGITS]
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
    names = (
        "X",
        "W_Q",
        "W_K",
        "W_V",
        "W_O",
        "WEIGHTS_1",
        "WEIGHTS_2",
        "Z_1",
        "Z_2",
        "H",
        "CAUSAL_1",
        "CAUSAL_2",
    )
    return {name: getattr(worked_example, name) for name in names}


def norm(rng):
    x, gamma, beta = (
        rng.normal(3, 2, size=(5, 8)),
        rng.normal(size=8),
        rng.normal(size=8),
    )
    x[1] = 7.0
    expected = F.layer_norm(
        *map(torch.tensor, (x,)), (8,), *map(torch.tensor, (gamma, beta))
    )
    return {"x": x, "gamma": gamma, "beta": beta, "y": expected}


def feed_forward(rng):
    shapes = {"x": (3, 4), "W_1": (4, 7), "b_1": 7, "W_2": (7, 4), "b_2": 4}
    given = {
        name: torch.tensor(rng.normal(size=shape)) for name, shape in shapes.items()
    }
    hidden = F.relu(F.linear(given["x"], given["W_1"].T, given["b_1"]))
    return given | {"y": F.linear(hidden, given["W_2"].T, given["b_2"])}


def heads(rng):
    shapes = {
        "queries": (3, 8),
        "keys": (5, 8),
        "values": (5, 8),
        "W_Q": (8, 6),
        "W_K": (8, 6),
        "W_V": (8, 9),
        "W_O": (9, 8),
    }
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
                made.append(
                    {"name": name, "value": value, "logits": given, "kept": kept}
                )
    return made


def sentences():
    """The grammar's own, texts beyond it, what is near to a typed word, and Chinese."""
    from nltk import edit_distance

    pairs = data.grammar_pairs(1_500, seed=1)
    tokens = [
        (tuple(data.word_tokens(english)), tuple(chinese)) for english, chinese in pairs
    ]
    corpus = ParallelCorpus.of(
        tokens,
        tokens[:1],
        tokens[:1],
        name="",
        title="",
        terms="",
        source_language="en",
        target_language="zh",
    )
    source, target = corpus.source_vocabulary, corpus.target_vocabulary
    ids = [target.ids(chinese) for _, chinese in tokens[:40]]
    written = [
        ids[0],
        [*ids[1], EOS],
        [*ids[2], EOS, PAD, 7],
        [BOS, *ids[3][:3], UNK, PAD, EOS],
    ]
    words = list(source)[4:]
    return {
        "vocabulary": {"source": list(source), "target": list(target)},
        "english": [
            {"text": text, "tokens": cut, "ids": source.ids(cut)}
            for (text, _), (cut, _) in zip(pairs, tokens)
        ],
        "texts": [{"text": text, "tokens": data.word_tokens(text)} for text in TEXTS],
        "slips": [
            {
                "word": word,
                "to": words,
                "bounds": [
                    [
                        edit_distance(word, known, transpositions=swaps)
                        for swaps in (True, False)
                    ]
                    for known in words
                ],
            }
            for word in TYPED
        ],
        "chinese": [
            {
                "ids": some,
                "words": corpus.target_words(some),
                "text": corpus.target_sentence(some),
            }
            for some in written
        ],
    }


def glosses():
    """The English of each word, and texts, right and wrong, cut into words."""
    draw = np.random.default_rng(0)
    right = [chinese for _, chinese in data.grammar_pairs(300, seed=2)]
    wrong = ["".join(draw.permutation(list(text))) for text in right]
    texts = [*right, *wrong, "紫猫沙", "猫"]
    return {
        "gloss": data.glosses(),
        "texts": [{"text": text, "words": data.gloss(text)} for text in texts],
    }


def subwords():
    """Merges of the grammar's words, a vocabulary without some of their pieces, texts cut."""
    english = [data.word_tokens(text) for text, _ in data.grammar_pairs(300, seed=2)]
    cutter = data.Subwords.learn((word for words in english for word in words), 200)
    pieces = data.Vocabulary(p for words in english for p in cutter.cut(words))
    known = [piece for i, piece in enumerate(pieces) if i < 4 or i % 5]
    known += sorted(
        {c + "@@" for words in english for w in words for c in w} - {*known}
    )
    texts = [text for text, _ in data.grammar_pairs(20, seed=3)] + TYPED_TO_CUT
    plain = [text.translate(site_translator.PLAIN) for text in texts]
    words = [[cutter.cut([w], known) for w in data.word_tokens(text)] for text in plain]
    number = {piece: i for i, piece in enumerate(known)}
    return {
        "merges": cutter.merges,
        "pieces": known,
        "cut": [
            {
                "text": text,
                "words": own,
                "ids": [number.get(piece, UNK) for word in own for piece in word],
            }
            for text, own in zip(texts, words)
        ],
    }


COPIED_TEXTS = [
    *TYPED_TO_CUT,
    "Please meet Jennifer Lopez at 7:45 in Room 312.",
    "It costs $40, \u20ac1,234.56 or 20 %; not 50 percent.",
    "I was born on the 3rd of May, 1998. In 2013 he left.",
    "Don't call +1 555-1234 before 5pm, Mr. O'Brien's 13-year-old son said \"no\"!",
    "2.5 million, 3 billion, 600 thousand or 1.2345678 million",
    "Visit https://example.com/a?b=1, www.x.org or mail me@x.org.",
    "WE LOVE PARIS. Crocodiles bite. Kevin's dog bit Sophie. U.S.",
    "1 2 3 4 5 6 COVID-19 MP3 <n1> <w1> \ue000 '\ue001",
]


def masked():
    """Words that are known, and texts with marks for what is copied: typical ones, and odd ones."""
    english = [data.word_tokens(text) for text, _ in data.grammar_pairs(300, seed=2)]
    known = sorted({word for words in english for word in words if word[0].isalpha()})
    draw, texts = np.random.default_rng(0), [*COPIED_TEXTS]
    parts = [*placeholder_cases.PARTS, "Tom", "Mr.", "cat", " million", " percent"]
    for _ in range(3_000):
        some = draw.choice(parts, size=draw.integers(1, 9))
        texts.append(draw.choice(["", " "]).join(some))
    texts = [text for text in texts if text.strip()]
    words = [data.placeholders.mask(text, {*known}) for text in texts]
    return {
        "marks": data.placeholders.MARKS,
        "known": known,
        "cases": [
            {
                "text": text,
                "words": own,
                "texts": {
                    str(one): one.text
                    for one in own
                    if isinstance(one, data.placeholders.Placeholder)
                },
            }
            for text, own in zip(texts, words)
        ],
    }


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
    made = models.model(
        models.config(
            norm=norm_,
            share=share,
            words=(WORDS, WORDS),
            h=2,
            N=2,
            d_model=16,
            d_ff=24,
        )
    )
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
    (folder / f"{norm_}-{share}.json").write_text(
        json.dumps(cases_, default=plain), "utf-8"
    )


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
    text = json.dumps(
        {"source": source, "target": target, "cases": found}, default=plain
    )
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
    train.train(
        made,
        corpus,
        train.Settings(steps=100, tokens=400, warmup=60, validate_every=100),
    )
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
    settings = product((1, 2, 4, 7), (0.0, 0.6, 2.0), (None, 5))
    return {
        "source": source[0],
        "greedy": decode.greedy(made, source)[0],
        "short": decode.greedy(made, source, max_length=3)[0],
        "copied": {
            "ids": COPIED,
            "greedy": decode.greedy(made, source, copied=COPIED)[0],
            "beam": [
                vars(one)
                for one in decode.beam_search(made, source, 4, 0.6, copied=COPIED)[0]
            ],
        },
        "changed": with_changes(made, source),
        "beams": [
            {
                "beams": beams,
                "alpha": alpha,
                "longest": longest,
                "found": [
                    vars(one)
                    for one in decode.beam_search(
                        made, source, beams, alpha, max_length=longest
                    )[0]
                ],
            }
            for beams, alpha, longest in settings
        ],
        "steps": [vars(step) for step in decode.steps(made, source, need_weights=True)],
    }
