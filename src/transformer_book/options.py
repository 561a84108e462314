"""A setting, declared once: its check, its documentation and its option follow from that."""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, field, fields, is_dataclass

from .expect import expect, is_finite_number, is_integer


class ConfigError(ValueError):
    """A setting that cannot be; the message says which and what is expected."""


def with_python_numbers(value):
    """Return Python's own number for one of NumPy's, which JSON does not know; others as they are."""
    if isinstance(value, tuple):
        return tuple(map(with_python_numbers, value))
    if is_integer(value):
        return int(value)
    return float(value) if is_finite_number(value) else value


def integer(
    help: str, default=MISSING, least: int = 1, expected: str | None = None, **metadata
):
    """Declare an integer, a field of a dataclass; None is one too if it is the default.

    Parameters
    ----------
    help : str
        What it is for, in documentation and on a command line.
    default : int or None, optional
    least : int
    expected : str, optional
        What an error says of it.
    **metadata
        ``option``: its name on a command line, if that is not the field's.
    """
    expected = expected or f"a whole number of at least {least}"

    def is_valid(value) -> bool:
        return value is default is None or (is_integer(value) and value >= least)

    return _setting_field(help, default, int, is_valid, expected, **metadata)


def number(help: str, default, is_in_range: Callable, expected: str, **metadata):
    """Declare a finite number for which ``is_in_range`` holds; None too if it is the default."""

    def is_valid(value) -> bool:
        return value is default is None or (
            is_finite_number(value) and is_in_range(value)
        )

    return _setting_field(help, default, float, is_valid, expected, **metadata)


def choice(help: str, default: str, choices: tuple[str, ...], **metadata):
    """Declare a word out of ``choices``; metadata as of :func:`integer`."""
    is_valid, expected = (lambda value: value in choices), f"one of {choices}"
    return _setting_field(
        help, default, str, is_valid, expected, choices=choices, **metadata
    )


def flag(help: str, default: bool, **metadata):
    """Declare a yes or no."""
    is_valid, expected = (lambda value: isinstance(value, bool)), "True or False"
    return _setting_field(help, default, bool, is_valid, expected, **metadata)


def integers(help: str, default: tuple[int, ...] | None, least: int = 0, **metadata):
    """Declare a tuple of integers; None is one too if it is the default."""
    expected = f"whole numbers of at least {least}, in a tuple"

    def is_valid(value) -> bool:
        return value is default is None or (
            isinstance(value, tuple)
            and all(is_integer(entry) and entry >= least for entry in value)
        )

    return _setting_field(help, default, tuple, is_valid, expected, **metadata)


def nested_settings(help: str, settings_class: type, *default, **metadata):
    """Declare a dataclass of further settings, by default ``settings_class()``."""
    default, expected = (
        (default or (settings_class(),))[0],
        f"a {settings_class.__name__}",
    )

    def is_valid(value) -> bool:
        return value is default is None or isinstance(value, settings_class)

    return _setting_field(help, default, settings_class, is_valid, expected, **metadata)


def _setting_field(
    help: str,
    default,
    setting_type: type,
    is_valid: Callable,
    expected: str,
    **metadata,
):
    metadata |= dict(help=help, type=setting_type, is_valid=is_valid, expected=expected)
    return field(default=default, metadata=metadata)


def check_and_convert_options(settings, class_name: str) -> None:
    """Raise ConfigError at the first field whose value is not as declared; make NumPy's numbers Python's.

    Parameters
    ----------
    settings : dataclass
    class_name : str
        For the error.
    """
    for setting in fields(settings):
        name, declared = setting.name, setting.metadata
        value = _from_json(getattr(settings, name), declared["type"])
        remedy = f"Change {name}."
        if setting.default is not MISSING:
            remedy = f"Change {name}, or leave it out for its default."
        valid, actual = declared["is_valid"](value), f"{name} is {value!r}"
        expect(valid, ConfigError, class_name, actual, declared["expected"], remedy)
        object.__setattr__(
            settings, name, with_python_numbers(value)
        )  # also of a frozen one


def _from_json(value, setting_type: Callable):
    """Return the tuple or dataclass of a setting for which JSON has a list or a mapping."""
    if setting_type is tuple and isinstance(value, list):
        return tuple(value)
    if is_dataclass(setting_type) and isinstance(value, dict):
        return setting_type(**value)
    return value


def command_line_options(
    settings, field_names: Sequence[str] | None = None
) -> dict[str, Field]:
    """Return the fields that have an option on a command line, by the option's name.

    Parameters
    ----------
    settings : dataclass
    field_names : sequence of str, optional
        By default all.
    """
    return {
        setting.metadata.get("option", setting.name): setting
        for setting in fields(settings)
        if field_names is None or setting.name in field_names
    }


def document_settings(settings_class):
    """Add to a dataclass's docstring what its fields say of themselves."""
    lines = [settings_class.__doc__, "", "Parameters", "----------"]
    for setting in fields(settings_class):
        choices = setting.metadata.get("choices", ())
        kind = " or ".join(f'"{word}"' for word in choices)
        kind = kind or setting.metadata["type"].__name__
        lines += [f"{setting.name} : {kind}"]
        help = setting.metadata["help"]
        help = f"{help[0].upper()}{help[1:]}."
        lines += textwrap.wrap(
            help, 84, initial_indent="    ", subsequent_indent="    "
        )
    lines += ["", "Raises", "------", "ConfigError"]
    lines += ["    Naming the setting, what was given and what is expected."]
    settings_class.__doc__ = "\n".join(lines)
    return settings_class
