"""Times that pages quote: recorded, so that each build makes the same page, or measured anew.

The records lie beside this file. ``python -m tools.measure`` makes them.
"""

import hashlib
import inspect
import json
import os
import sys
import textwrap
from datetime import date
from importlib import resources
from pathlib import Path

TIMES_SETTING = "TRANSFORMER_BOOK_TIMES"
RECORDED_VALUE = "recorded"  # its value while the book is built; else it names a folder
_records_read = {}  # those that this page has read, by name


def names() -> list[str]:
    """Return the names of all records, sorted."""
    files = [Path(file.name) for file in resources.files(__name__).iterdir()]
    return sorted(file.stem for file in files if file.suffix == ".json")


def load(name) -> dict:
    """Return a record: its numbers, and the command, code, date, versions and hardware behind them.

    Parameters
    ----------
    name : str
        One of ``names()``.

    Returns
    -------
    dict

    Raises
    ------
    ValueError
        If there is no such record.
    """
    if name not in names():
        raise ValueError(
            f"There is no record of the measurement {name!r}. Run python -m tools.measure PAGE, "
            "where PAGE is the page that measures it, such as attention/heads_lab."
        )
    return json.loads(
        resources.files(__name__).joinpath(f"{name}.json").read_text("utf-8")
    )


def measured(name, measure):
    """Return what a function measures: here and now, or as recorded while the book is built.

    Parameters
    ----------
    name : str
        Of the record. Write it out, so that the page runs again when this record changes.
    measure : function
        Without arguments. What it returns is as JSON has it: numbers and strings, in lists, or in
        dicts whose keys are strings. It is made by ``def``, whose text goes with the record.

    Returns
    -------
    object
        As ``measure`` returns it.

    Raises
    ------
    TypeError
        If JSON cannot give back what was measured.
    ValueError
        If the book is being built and there is no record, or it is of other code.
    """
    setting, code = os.environ.get(TIMES_SETTING), code_hash(measure)
    if setting == RECORDED_VALUE:
        record = load(name)
        if record.get("code") != code or "numbers" not in record:
            raise ValueError(
                f"The record of the measurement {name!r} was made by another version of "
                f"{measure.__name__}. Run {record.get('command', 'python -m tools.measure')}."
            )
        _records_read[name] = record
        return record["numbers"]
    numbers = _measure_keeping_random_state(measure)
    _check_json(name, numbers)
    if setting:
        text = json.dumps({"code": code, "numbers": numbers})
        Path(setting, f"{name}.json").write_text(text, "utf-8")
    return numbers


def code_hash(measure) -> str:
    """Return a hash of a function's source text."""
    text = textwrap.dedent(inspect.getsource(measure)).strip()
    return hashlib.sha256(text.encode()).hexdigest()


def _measure_keeping_random_state(measure):
    """Measure, and put torch's random numbers back: a page goes on alike, measured or recorded."""
    torch = sys.modules.get("torch")
    before = torch and torch.get_rng_state()
    numbers = measure()
    if torch:
        torch.set_rng_state(before)
    return numbers


def _check_json(name, numbers):
    try:
        same = json.loads(json.dumps(numbers, allow_nan=False)) == numbers
    except (TypeError, ValueError):
        same = False
    if not same:
        raise TypeError(
            f"The measurement {name!r} returned {numbers!r}; expected numbers and strings, in "
            "lists, or in dicts whose keys are strings. Convert them: float(x), x.tolist(), "
            "list(x), {str(key): x}."
        )


def measurement_note() -> str:
    """Say when and on what the recorded times of this page were measured; nothing without any."""
    lines = {_measurement_sentence(record) for record in _records_read.values()}
    return "\n".join(sorted(lines))


def _measurement_sentence(record) -> str:
    day, hardware = date.fromisoformat(record["date"]), record["hardware"]
    cores = hardware["cores"]
    torch = record["versions"]["torch"].partition("+")[0]
    return (
        f"The times on this page were measured on {day.day} {day:%B %Y} with {cores} "
        f"{'core' if cores == 1 else 'cores'} ({hardware['cpu']}) and PyTorch {torch}. "
        "A notebook measures your own machine."
    )
