"""One example of every figure the book can draw."""

import functools
import warnings

import numpy as np

from tests.press.figures.drawn import SAY, later
from transformer_press import figures

X = np.array([[1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]])
W_Q = np.array([[1, 0], [0, 1], [0, 0], [1, 1]])
WEIGHTS = np.array(
    [[0.045, 0.768, 0.187], [0.029, 0.486, 0.485], [0.011, 0.795, 0.194]]
)
GLOSSED = ["黑\nblack", "猫\ncat", "</s>"]
WORDS = ["The", "cat", "sat", "on", "the", "mat", "."]


def waves(n, d):
    """Sinusoids, written out once more so that the figure does not depend on the package."""
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d)


def own():
    fig, ax = figures.new_figure()
    ax.plot([1, 2, 3], [3, 1, 2])
    ax.set_xlabel("costs $5 or $6")
    return figures.finish(fig, **SAY)


EXAMPLES = {
    "heat_map": later.heat_map(
        WEIGHTS,
        row_labels=WORDS[:3],
        column_labels=WORDS[:3],
        highlight=(1, 2),
        row_title="query",
    ),
    "heat_map masked": later.heat_map(
        np.where(np.tri(3, dtype=bool), WEIGHTS, -np.inf), mask=np.tri(3, dtype=bool)
    ),
    "heat_map signed": later.heat_map(WEIGHTS - 0.3, signed=True),
    "heat_map bare": later.heat_map(waves(32, 32), signed=True, fmt=None),
    "heat_map glossed": later.heat_map(
        WEIGHTS, row_labels=GLOSSED, column_labels=GLOSSED, column_title="key"
    ),
    "heat_map glossed aslant": later.heat_map(
        np.eye(30), fmt=None, row_labels=GLOSSED * 10, column_labels=GLOSSED * 10
    ),
    "matrices": later.matrices(
        [("X", X, "ink"), ("Q", X @ W_Q, "q")], row_labels=WORDS[:3]
    ),
    "matrix_product": later.matrix_product(
        X, W_Q, X @ W_Q, cell=(1, 1), row_labels=WORDS[:3]
    ),
    "crossings": later.crossings(
        X, [("W_Q", W_Q, "Q", X @ W_Q, "q", 1)] * 3, row=1, row_labels=WORDS[:3]
    ),
    "row_softmax": later.row_softmax(
        np.log(WEIGHTS), WEIGHTS, cell=(0, 1), row_labels=WORDS[:3]
    ),
    "one_word_attention": later.one_word_attention(
        WORDS[:3],
        2,
        query=np.ones(2),
        keys=np.zeros((3, 2)),
        scores=np.zeros(3),
        weights=np.full(3, 1 / 3),
        values=np.eye(3) - 0.5,
        output=np.full(3, -1 / 6),
    ),
    "arcs": later.arcs(WORDS, np.arange(7) / 21, 1),
    "arcs in Chinese": later.arcs(["我", "喜欢", "猫"], [0.2, 0.3, 0.5], 2),
    "arcs glossed": later.arcs(GLOSSED, [0.2, 0.3, 0.5], 1),
    "paged_blocks": later.paged_blocks(
        [["The", "cat"], ["sat", "on"], ["", ""], ["in", ""]],
        {"A": [0, 1], "B": [0, 3]},
    ),
    "context_window": later.context_window(WORDS, 2, 2),
    "token_strip": later.token_strip(["The", " c<at", "\x00"], [464, 3797, 0]),
    "token_strip glossed": later.token_strip(GLOSSED, [1, 2, 3]),
    "dots": later.dots(
        {"ours, <three>": [41.5, 42.0, 41.7], "theirs": 41.0},
        marks={"goal": 41.2},
        x_label="BLEU",
    ),
    "subword_cuts": later.subword_cuts(
        "The c<t",
        {"letters": list("Thec<t"), "words": ["The", "c<t"]},
        roles={"words": "v"},
    ),
    "bpe_merges": later.bpe_merges(
        {"low": [list("low·"), ["lo", "w", "·"]], "old": [list("old·")] * 2}, ["l + o"]
    ),
    "paths": later.paths(
        {"RNN": [0, *range(51)], "attention": [0, 50]}, 51, roles={"RNN": "k"}
    ),
    "encoder_decoder": later.encoder_decoder(
        ["feles", "dormit"], ["the", "cat", "sleeps", "</s>"]
    ),
    "position_map": later.position_map(waves(64, 128)),
    "word_map": later.word_map(
        waves(7, 2), WORDS, groups=list("aabbccc"), highlight="cat"
    ),
    "lines": later.lines(
        {"RNN": ([1, 10, 100], [1, 10, 100]), "attention": ([1, 10, 100], [1, 1.2, 1])},
        x_label="words",
        y_label="steps",
        log_x=True,
        log_y=True,
    ),
    "bars": later.bars({"CBOW": 0.5, "a shift": -0.25}, x_label="cosine"),
    "bars glossed": later.bars(
        dict(zip(GLOSSED, [0.5, 0.3, 0.2])), x_label="probability"
    ),
    "lines marked": later.lines(
        {"a": ([0.1, 1, 10], [1, 2, 3])},
        marks={"here": 2},
        log_x=True,
        x_label="x",
        y_label="y",
    ),
    "clock_hands": later.clock_hands(
        np.arange(6).reshape(2, 3),
        row_labels=["0", "1"],
        column_labels=["a", "b", "c"],
        row_title="position",
        column_title="slower",
    ),
    "clock_turns": later.clock_turns(
        [(0.4, 1.6, "pos 1", "pos 4"), (3, 2, "pos 6", "pos 9")]
    ),
    "small_maps": later.small_maps(
        [("few", WEIGHTS), ("more", WEIGHTS / 2)],
        row_labels=WORDS[:3],
        column_labels=WORDS[:3],
    ),
    "small_maps glossed": later.small_maps(
        [("one", WEIGHTS)], row_labels=GLOSSED, column_labels=GLOSSED
    ),
    "small_maps of many": later.small_maps(
        [("one", np.eye(9)), ("other", np.eye(9) / 2)],
        row_labels=list("abcdefghi"),
        column_labels=[f"long word {k}" for k in range(9)],
    ),
    "head_maps": later.head_maps(
        {"self": np.stack([np.eye(9)] * 4), "cross": np.full((4, 12, 9), 1 / 9)}
    ),
    "split_and_merge": later.split_and_merge(
        np.array([["a<0", "a1", "a2", "a3"], ["b0", "b1", "b2", "b3"]]), 2, mark=(1, 2)
    ),
    "split_and_merge of numbers": later.split_and_merge(
        np.arange(24.0).reshape(2, 12), 4, name="K", role="k", row_labels=WORDS[:2]
    ),
    "memory_strips": later.memory_strips(
        {"one": [(f"word {k}", k % 4 + 1) for k in range(16)], "other": [("a", 1)]},
        role="v",
    ),
    "weights_over_image": later.weights_over_image(
        [(f"p{k}", waves(8, 8) ** 2, WEIGHTS[:2, :2]) for k in range(5)],
        captions=["<a>"] * 5,
    ),
    "layer of the encoder": later.layer("encoder"),
    "layer of the encoder, one wiring": later.layer("encoder", norm="post"),
    "layer of the decoder": later.layer("decoder"),
    "layer of a language model": later.layer("decoder-only"),
    "stacks": later.stacks(3),
    "stacks in pairs": later.stacks(2, paired_layers=True),
    "shares": later.shares(
        {
            "numbers": {"a<b": 1, "long name of a part": 2, "c": 0, "d": 9, "e": 30},
            "work": {"a<b": 10, "long name of a part": 5, "c": 5, "d": 1, "e": 0},
        }
    ),
    "timeline": later.timeline(
        {
            "one <by> one": {"a<b": [(0, 3, "wait"), (3, 9.5, "work")], "b": []},
            "together": {"a long name": [(0, 4, "work"), (4, 9, "pad")]},
        },
        {"work": "attention", "wait": "wrong", "pad": "wrong"},
        x_label="passes",
    ),
    "scaled_dot_product": later.scaled_dot_product("cross"),
    "scaled_dot_product masked": later.scaled_dot_product(["self", "masked"]),
    "multi_head": later.multi_head(8, 512),
    "feed_forward": later.feed_forward(["the", "<cat>", "sat"], 512, 2048),
    "residual_path": later.residual_path(3),
    "shared_heads": later.shared_heads(4, (4, 2, 1), latent=True),
    "attention_ribbons": later.attention_ribbons(
        ["the", "<black>", "cat"], ["黑\nblack", "猫\ncat"], WEIGHTS[:2, :3]
    ),
    "stations": later.stations(
        ["id", "vector", "attention", "<heads>", "layers", "translation", "choice"],
        [
            ("id", 35),
            ("numbers", X - 1),
            ("arcs", WEIGHTS[1]),
            ("maps", np.stack([WEIGHTS, WEIGHTS])),
            ("layers", 2),
            ("ribbons", WEIGHTS[:2]),
            ("bars", WEIGHTS[0]),
        ],
    ),
    "attention_uses": later.attention_uses(2),
    "own": own,
    "architecture": later.architecture(
        {"softmax": "words/tokens.html", "add_and_norm": "a.html#b", "linear": None}
    ),
}


@functools.cache
def figure_of(name):
    """Draw an example, once in a process: first the page's picture, then the notebook's."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = EXAMPLES[name]()
        assert figure.html and figure.png
    return figure
