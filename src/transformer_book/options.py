"""A setting, declared once: its check, its documentation and its option follow from that."""

import textwrap
from collections.abc import Callable
from dataclasses import MISSING, field, fields, is_dataclass

from .expect import expect, is_number, is_whole


class ConfigError(ValueError):
    """A setting that cannot be; the message says which and what is expected."""


def as_python(value):
    """Return Python's own number for one of NumPy's, which JSON does not know; others as they are."""
    if isinstance(value, tuple):
        return tuple(map(as_python, value))
    if is_whole(value):
        return int(value)
    return float(value) if is_number(value) else value


def whole(help, default=MISSING, least=1, expected=None, **metadata):
    """Declare a whole number, a field of a dataclass; None is one too if it is the default.

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

    def fits(value):
        return value is default is None or (is_whole(value) and value >= least)

    return _setting(help, default, int, fits, expected, **metadata)


def number(help, default, right, expected, **metadata):
    """Declare a finite number for which ``right`` holds; None is one too if it is the default."""

    def fits(value):
        return value is default is None or (is_number(value) and right(value))

    return _setting(help, default, float, fits, expected, **metadata)


def choice(help, default, choices, **metadata):
    """Declare one of some words; metadata as of :func:`whole`."""
    right, expected = (lambda value: value in choices), f"one of {choices}"
    return _setting(help, default, str, right, expected, choices=choices, **metadata)


def flag(help, default, **metadata):
    """Declare a yes or no."""
    right, expected = (lambda value: isinstance(value, bool)), "True or False"
    return _setting(help, default, bool, right, expected, **metadata)


def wholes(help, default, least=0, **metadata):
    """Declare whole numbers, a tuple of them; None is one too if it is the default."""
    expected = f"whole numbers of at least {least}, in a tuple"

    def fits(value):
        return value is default is None or (
            isinstance(value, tuple)
            and all(is_whole(one) and one >= least for one in value)
        )

    return _setting(help, default, tuple, fits, expected, **metadata)


def record(help, kind, *default, **metadata):
    """Declare settings of their own, a record of some kind; by default a plain one."""
    default, expected = (default or (kind(),))[0], f"a {kind.__name__}"

    def fits(value):
        return value is default is None or isinstance(value, kind)

    return _setting(help, default, kind, fits, expected, **metadata)


def _setting(help, default, kind, right, expected, **metadata):
    told = dict(help=help, type=kind, right=right, expected=expected) | metadata
    return field(default=default, metadata=told)


def check_options(settings, who):
    """Raise ConfigError at the first field whose value is not as declared; make numbers Python's own.

    Parameters
    ----------
    settings : dataclass
    who : str
        For the error.
    """
    for one in fields(settings):
        told, value = one.metadata, _read(getattr(settings, one.name), one.metadata)
        right, given = told["right"](value), f"{one.name} is {value!r}"
        expect(right, ConfigError, who, given, told["expected"])
        object.__setattr__(settings, one.name, as_python(value))  # also of a frozen one


def _read(value, told):
    """Return a value as its field has it, where JSON has lists and names for it."""
    make: Callable = told["type"]
    if make is tuple and isinstance(value, list):
        return tuple(value)
    if is_dataclass(told["type"]) and isinstance(value, dict):
        return make(**value)
    return value


def options(settings, names=None):
    """Return the fields that have an option on a command line, by the option's name.

    Parameters
    ----------
    settings : dataclass
    names : sequence of str, optional
        Of the fields; by default all.
    """
    return {
        one.metadata.get("option", one.name): one
        for one in fields(settings)
        if names is None or one.name in names
    }


def documented(settings):
    """Add to a dataclass's docstring what its fields say of themselves."""
    lines = [settings.__doc__, "", "Parameters", "----------"]
    for one in fields(settings):
        among = one.metadata.get("choices")
        kind = " or ".join(f'"{word}"' for word in among or ())
        kind = kind or one.metadata["type"].__name__
        lines += [f"{one.name} : {kind}"]
        help = one.metadata["help"]
        help = f"{help[0].upper()}{help[1:]}."
        lines += textwrap.wrap(
            help, 84, initial_indent="    ", subsequent_indent="    "
        )
    lines += ["", "Raises", "------", "ConfigError"]
    lines += ["    Naming the setting, what was given and what is expected."]
    settings.__doc__ = "\n".join(lines)
    return settings
