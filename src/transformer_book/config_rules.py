"""Rules for settings of a Transformer that are right one by one, and may not fit together."""

from typing import TYPE_CHECKING

from .expect import expect
from .options import ConfigError

if TYPE_CHECKING:
    from .config import TransformerConfig


def check_settings_fit(config: "TransformerConfig") -> None:
    """Raise ConfigError unless the settings of a ``TransformerConfig`` fit together."""
    for check in (
        _check_heads_and_rotation,
        _check_pad_id,
        _check_active_experts,
        _check_shared_vocabulary,
        _check_image_settings,
    ):
        check(config)


def _check_heads_and_rotation(c: "TransformerConfig") -> None:
    if c.d_k is None:
        fits = not (c.d_model % c.h or c.d_model % 2)
        multiple = f"an even multiple of h, which is {c.h}"
        _expect_setting(fits, "d_model", c.d_model, multiple)
    divides = c.g is None or c.h % c.g == 0
    _expect_setting(divides, "g", c.g, f"a number that divides h, which is {c.h}")
    for rotation in (c.rotation, c.window_rotation or c.rotation):
        turning = rotation.turning_dimensions(c.head_width)
        expect(
            c.positions != "rope" or (turning % 2 == 0 and turning > 0),
            ConfigError,
            "TransformerConfig",
            f"{turning} of the {c.head_width} dimensions of a head turn",
            "an even number of at least 2, as they turn in pairs",
            "Change rotation.part, or the width of a head, which is d_k or d_model / h.",
        )


def _check_pad_id(c: "TransformerConfig") -> None:
    words = min(c.source_words or c.target_words, c.target_words)
    expected = f"an id of the vocabulary, below {words}"
    _expect_setting(c.pad_id < words, "pad_id", c.pad_id, expected)


def _check_active_experts(c: "TransformerConfig") -> None:
    if c.experts is None:
        _expect_setting(
            c.active is None, "active", c.active, "None, as experts is None"
        )
    else:
        within = c.active in range(1, c.experts + 1)
        _expect_setting(within, "active", c.active, f"1 to {c.experts}")


def _check_shared_vocabulary(c: "TransformerConfig") -> None:
    two_embeddings = c.share not in ("all", "embeddings")
    fits = two_embeddings or c.source_words in (0, c.target_words)
    words = (c.source_words, c.target_words)
    expected = f"one vocabulary, or share='target' for {words} words"
    _expect_setting(fits, "share", c.share, expected)


def _check_image_settings(c: "TransformerConfig") -> None:
    has_input = c.source_words > 0 or c.image is not None
    _expect_setting(
        has_input, "source_words", 0, "the size of a vocabulary, or an image"
    )
    if c.image is None or c.patch is None:
        fits = c.image is c.patch
    else:
        fits = c.image % c.patch == 0
    expected = f"a number that divides image, which is {c.image}"
    expected = "None, as image is" if c.image is None else expected
    _expect_setting(fits, "patch", c.patch, expected)
    can_read = c.image is None or c.kind == "encoder-only"
    _expect_setting(
        can_read, "image", c.image, "None, as only an encoder alone reads images"
    )


def _expect_setting(
    condition: bool, setting_name: str, value: object, expected: str
) -> None:
    actual, remedy = (
        f"{setting_name} is {value!r}",
        "Change this setting, or the other.",
    )
    expect(condition, ConfigError, "TransformerConfig", actual, expected, remedy)
