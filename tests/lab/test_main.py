"""The one command line of the laboratory."""

import pytest

from transformer_lab.__main__ import COMMANDS
from transformer_lab.__main__ import main as command_line


def test_the_one_command_line_names_its_commands(capsys):
    for words in (["--help"], [], ["nothing"]):
        with pytest.raises(SystemExit) as left:
            command_line(words)
        said = "".join(capsys.readouterr())
        assert (left.value.code == 0) == (words == ["--help"])
        assert all(name in said for name in COMMANDS) or words == []
    for name in COMMANDS:
        with pytest.raises(SystemExit):
            command_line([name, "--help"])
        assert f"usage: python -m transformer_lab {name} " in capsys.readouterr().out
