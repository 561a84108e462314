"""What is run again, and what is not, when something changes."""

import pytest

from tests.tools.conftest import Project

pytestmark = pytest.mark.build
BOTH = {"first", "part/second"}


def test_a_first_build_runs_everything(tmp_path):
    assert Project(tmp_path / "new").built() == BOTH


def test_nothing_changed_runs_nothing(built):
    assert built.built() == set()


def test_a_change_in_prose_runs_nothing_and_reaches_the_page(built):
    built.edit("book/part/second.md", "# Second", "# Second\n\nNew prose.")
    assert built.built() == set()
    assert "New prose." in built.page("part/second")


def test_a_change_in_a_cell_runs_that_chapter_alone(built):
    built.edit("book/part/second.md", 'print("second")', 'print("changed")')
    assert built.built() == {"part/second"}
    assert "changed" in built.page("part/second")


def test_a_change_in_the_package_runs_all_and_no_stale_output_stays(built, tmp_path):
    # The chapter reads a file that the cache's key of the notebook knows nothing of.
    counter = tmp_path / "value.txt"
    counter.write_text("stale-output")
    built.edit(
        "book/part/second.md",
        'print("second")',
        f"print(open({str(counter)!r}).read())",
    )
    built.built()
    counter.write_text("fresh-output")
    assert built.built() == set()
    (built.root / "src" / "transformer_book" / "new.py").write_text("x = 1\n")
    assert built.built() == BOTH
    page = built.page("part/second")
    assert "fresh-output" in page and "stale-output" not in page


def test_a_change_in_the_versions_runs_all(built):
    built.edit("requirements.txt", "torch==", "torch ==")
    assert built.built() == BOTH


def test_other_data_runs_all(built, tmp_path):
    folder = tmp_path / "data" / "text8"
    folder.mkdir(parents=True)
    (folder / "text8.gz").write_bytes(b"not really")
    elsewhere = {
        "TRANSFORMER_BOOK_DATA": str(folder.parent),
        "TRANSFORMER_BOOK_CORPUS": "text8",
    }
    assert built.built(**elsewhere) == BOTH
    assert built.built(**elsewhere) == set()
    assert built.built() == BOTH


def test_a_cell_that_raises_fails_the_build_and_is_named(built):
    built.edit("book/part/second.md", 'print("second")', "print(1)\n1 / 0")
    result = built.build()
    assert result.returncode == 1
    assert "part/second.md: code cell 1, from line 15 raised" in result.stderr
    assert "ZeroDivisionError" in result.stderr
    built.edit("book/part/second.md", "1 / 0", "")
    assert built.built() == {"part/second"}  # what had run is kept


def test_a_kernel_that_dies_fails_the_build_and_its_chapter_is_named(built):
    built.edit(
        "book/part/second.md", 'print("second")', "import os\nos.kill(os.getpid(), 9)"
    )
    result = built.build()
    assert result.returncode == 1
    assert "part/second.md: its kernel died" in result.stderr


@pytest.mark.parametrize(
    "fault",
    [
        "[nowhere](missing.md)",
        "{glue:text}`missing`",
        "{cite:t}`nobody2050`",
        "{nonsense}`x`",
    ],
)
def test_a_warning_fails_the_build(built, fault):
    built.edit("book/part/second.md", "# Second", f"# Second\n\n{fault}")
    result = built.build()
    assert (
        result.returncode == 1
        and "WARNING" in result.stderr
        and "second.md" in result.stderr
    )


def test_output_on_stderr_fails_the_build(built):
    built.edit(
        "book/part/second.md",
        'print("second")',
        "import warnings\nwarnings.warn('careless')",
    )
    result = built.build()
    assert (
        result.returncode == 1
        and "stderr was found in the cell outputs" in result.stderr
    )
