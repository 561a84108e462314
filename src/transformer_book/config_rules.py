"""Rules for settings of a Transformer that are right one by one, and may not fit together."""

from .expect import expect
from .options import ConfigError


def check_together(config):
    """Raise ConfigError unless the settings of a ``TransformerConfig`` fit together."""
    for check in (_widths, _ids, _experts, _vocabularies, _images):
        check(config)


def _widths(c):
    name, width, even = "d_k", c.d_k, "an even number"
    if c.d_k is None:
        name, width, even = (
            "d_model",
            c.d_model,
            f"an even multiple of h, which is {c.h}",
        )
        _expect(not (width % c.h or width % 2), name, width, even)
    shared = c.g is None or c.h % c.g == 0
    _expect(shared, "g", c.g, f"a number that divides h, which is {c.h}")
    for rotation in (c.rotation, c.window_rotation or c.rotation):
        turned = rotation.dimensions(c.width)
        fits = c.positions != "rope" or (turned % 2 == 0 and turned > 0)
        _expect(fits, name, width, f"{even}, as dimensions turn in pairs")


def _ids(c):
    fewer = min(c.source_words or c.target_words, c.target_words)
    expected = f"an id of the vocabulary, below {fewer}"
    _expect(c.pad_id < fewer, "pad_id", c.pad_id, expected)


def _experts(c):
    if c.experts is None:
        _expect(c.active is None, "active", c.active, "None, as experts is None")
    else:
        among = c.active in range(1, c.experts + 1)
        _expect(among, "active", c.active, f"1 to {c.experts}")


def _vocabularies(c):
    apart = c.share not in ("all", "embeddings")
    one = apart or c.source_words in (0, c.target_words)
    words = (c.source_words, c.target_words)
    expected = f"one vocabulary, or share='target' for {words} words"
    _expect(one, "share", c.share, expected)


def _images(c):
    reads = c.source_words > 0 or c.image is not None
    _expect(reads, "source_words", 0, "the size of a vocabulary, or an image")
    if c.image is None or c.patch is None:
        fits = c.image is c.patch
    else:
        fits = c.image % c.patch == 0
    expected = f"a number that divides image, which is {c.image}"
    expected = "None, as image is" if c.image is None else expected
    _expect(fits, "patch", c.patch, expected)
    alone = c.image is None or c.kind == "encoder-only"
    _expect(alone, "image", c.image, "None, as only an encoder alone reads images")


def _expect(right, name, value, expected):
    given, remedy = f"{name} is {value!r}", "Change this setting, or the other."
    expect(right, ConfigError, "TransformerConfig", given, expected, remedy)
