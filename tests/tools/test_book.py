"""What is run again, and what is not, when something changes."""

import os
import subprocess
import sys
import threading

import pytest
from filelock import FileLock

from tests.tools.conftest import Project

pytestmark = pytest.mark.build
BOTH = {"first", "part/second"}


def test_a_first_build_runs_everything(tmp_path):
    assert Project(tmp_path / "new").built() == BOTH


def test_nothing_changed_runs_nothing(built):
    assert built.built() == set()


def test_another_clone_takes_from_the_store_what_has_run_before(tmp_path):
    one, two = Project(tmp_path / "one"), Project(tmp_path / "two")
    store = {"TRANSFORMER_BOOK_STORE": str(tmp_path / "store")}
    assert one.ran(**store) == BOTH
    assert two.ran(**store) == set()
    two.edit("book/part/second.md", 'print("second")', 'print("changed")')
    assert two.ran(**store) == {"part/second"}
    for path in (tmp_path / "store" / "pages").iterdir():
        path.write_bytes(path.read_bytes()[:100])
    assert Project(tmp_path / "three").ran(**store) == BOTH  # never taken damaged


def test_the_locale_changes_no_page(built, tmp_path):
    other = Project(tmp_path / "other")
    for project in (built, other):
        project.edit("book/first.md", "# First", "# First\n\n猫 − é.")
    built.built()
    ascii_alone = dict(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert other.built(**ascii_alone) == BOTH
    files = [*built.html.rglob("*.[hj][ts]*")]
    assert len(files) > 20
    for path in files:
        same = other.html / path.relative_to(built.html)
        assert same.read_bytes() == path.read_bytes(), path


@pytest.mark.parametrize("damage", ["truncated", "missing", "other bytes"])
def test_damaged_outputs_of_the_build_are_made_anew(built, damage):
    for path in (built.root / "_build" / "executed" / "pages").iterdir():
        if damage == "missing":
            path.unlink()
        else:
            data = path.read_bytes()
            path.write_bytes(data[:50] if damage == "truncated" else data[::-1])
    assert built.ran() == BOTH
    assert built.ran() == set()


@pytest.mark.parametrize("folder", ["html", "notebooks", ".doctrees", "executed"])
def test_what_is_damaged_in_the_build_is_made_anew(built, folder):
    places = [p for p in (built.root / "_build" / folder).rglob("*") if p.is_file()]
    before = {path: path.read_bytes() for path in places}
    for path in places:
        path.write_bytes(b"")
    built.built()
    for path, data in before.items():
        assert path.suffix not in {".html", ".ipynb"} or path.read_bytes() == data, path


def test_a_change_in_prose_runs_nothing_and_reaches_the_page(built):
    built.edit("book/part/second.md", "# Second", "# Second\n\nNew prose.")
    assert built.built() == set()
    assert "New prose." in built.page("part/second")


def test_a_site_is_what_its_sources_make_of_it_whatever_was_built_before(
    built, tmp_path
):
    """Among it are the addresses of style sheets and the index of the search."""
    other = Project(tmp_path / "other")
    entry = "# Second\n\n```{glossary}\na black cat\n  An animal.\n```"
    for project in (built, other):
        project.edit("book/part/second.md", "# Second", entry)
    built.built()
    for project in (built, other):
        project.edit("book/first.md", "# First", "# First\n\nNew prose.")
        project.built()
    again, anew = (
        {path.name: path.read_bytes() for path in project.html.rglob("*.[hj][ts]*")}
        for project in (built, other)
    )
    assert b"a black cat" in anew["searchindex.js"]
    assert [name for name in anew if anew[name] != again.get(name)] == []


def test_a_change_in_a_cell_runs_that_page_alone(built):
    built.edit("book/part/second.md", 'print("second")', 'print("changed")')
    assert built.built() == {"part/second"}
    assert "changed" in built.page("part/second")


def with_two_modules(project):
    project.package(
        __init__="from .near import told\nfrom .shown import drawn\n",
        near="from . import far\n\n\ndef told():\n    return far.WORD\n",
        far="WORD = 'stale-output'\n",
        shown="def drawn():\n    return 1  # stale-comment\n",
        idle="from small import told\n\nNUMBER = 1\n",
    )
    project.edit(
        "book/part/second.md",
        'print("second")',
        "import small\nfrom transformer_press import page\n"
        "print(small.told())\npage.source(small.drawn)",
    )
    project.built()


@pytest.fixture
def two_modules(again):
    """The second page uses one module of a package, and shows another."""
    return again("two modules", with_two_modules)


def test_a_change_in_the_package_runs_who_uses_it_and_no_stale_output_stays(
    two_modules,
):
    assert "stale-output" in two_modules.page("part/second")
    two_modules.edit("src/small/far.py", "stale-output", "fresh-output")
    assert two_modules.built() == {"part/second"}
    page = two_modules.page("part/second")
    assert "fresh-output" in page and "stale-output" not in page
    # What the cache held before is not taken out again.
    two_modules.edit("src/small/far.py", "fresh-output", "stale-output")
    assert two_modules.built() == {"part/second"}
    assert "stale-output" in two_modules.page("part/second")


def test_a_comment_runs_only_the_pages_that_show_it(two_modules):
    two_modules.edit("src/small/far.py", "WORD", "# A remark.\nWORD")
    two_modules.edit("src/small/idle.py", "NUMBER = 1", "NUMBER = 2")
    assert two_modules.ran() == set()
    two_modules.edit("src/small/shown.py", "stale-comment", "fresh-comment")
    assert two_modules.built() == {"part/second"}
    page = two_modules.page("part/second")
    assert "fresh-comment" in page and "stale-comment" not in page


def test_only_pages_whose_outputs_are_others_are_read_again(two_modules):
    doctrees = two_modules.root / "_build" / ".doctrees"
    first, second = doctrees / "first.doctree", doctrees / "part" / "second.doctree"
    before = first.stat().st_mtime_ns, second.stat().st_mtime_ns
    two_modules.edit("src/small/far.py", "stale-output", "fresh-output")
    two_modules.built()
    assert first.stat().st_mtime_ns == before[0]
    assert second.stat().st_mtime_ns > before[1]
    # A page that ran and gave the same stays, too.
    before = second.stat().st_mtime_ns
    two_modules.edit("src/small/far.py", "WORD =", "NUMBER, WORD = 1,")
    assert two_modules.built() == {"part/second"}
    assert second.stat().st_mtime_ns == before


def test_a_change_in_the_versions_runs_all(built):
    built.edit("requirements.txt", "torch==", "torch ==")
    assert built.ran() == BOTH


def test_other_data_runs_all(built, tmp_path):
    folder = tmp_path / "data" / "text8"
    folder.mkdir(parents=True)
    (folder / "text8.gz").write_bytes(b"not really")
    elsewhere = {
        "TRANSFORMER_BOOK_DATA": str(folder.parent),
        "TRANSFORMER_BOOK_CORPUS": "text8",
    }
    assert built.ran(**elsewhere) == BOTH
    assert built.ran(**elsewhere) == set()
    assert built.ran() == BOTH


def test_a_cell_that_raises_fails_the_build_and_is_named(built):
    built.edit("book/part/second.md", 'print("second")', "print(1)\n1 / 0")
    result = built.build()
    assert result.returncode == 1
    assert "part/second.md: code cell 1, from line 15 raised" in result.stderr
    assert "ZeroDivisionError" in result.stderr
    built.edit("book/part/second.md", "1 / 0", "")
    assert built.ran() == {"part/second"}  # what had run is kept


def test_a_kernel_that_dies_fails_the_build_and_its_page_is_named(built):
    built.edit(
        "book/part/second.md", 'print("second")', "import os\nos.kill(os.getpid(), 9)"
    )
    result = built.build()
    assert result.returncode == 1
    assert "part/second.md: its kernel died" in result.stderr


def test_every_warning_fails_the_build_and_is_named(built):
    faults = {
        "[nowhere](missing.md)": "missing.md",
        "{glue:text}`missing`": "'missing'",
        "{cite:t}`nobody2050`": "nobody2050",
        "{nonsense}`x`": "nonsense",
    }
    told = "\n\n".join(faults)
    built.edit("book/part/second.md", "# Second", f"# Second\n\n{told}")
    careless = "import warnings\nwarnings.warn('careless')"
    built.edit("book/part/second.md", 'print("second")', careless)
    result = built.build()
    assert result.returncode == 1
    warnings = [line for line in result.stderr.splitlines() if "second.md" in line]
    for named in (*faults.values(), "stderr was found in the cell outputs"):
        assert any(named in line for line in warnings), named


def test_one_warning_fails_the_build(built):
    built.edit("book/part/second.md", "# Second", "# Second\n\n{nonsense}`x`")
    result = built.build()
    assert result.returncode == 1 and "WARNING" in result.stderr


def test_a_warning_that_is_not_mended_fails_the_next_build_too(built):
    built.edit("book/part/second.md", "# Second", "# Second\n\n{nonsense}`x`")
    for _ in range(2):
        result = built.build()
        assert result.returncode == 1 and "nonsense" in result.stderr
    built.edit("book/part/second.md", "{nonsense}`x`", "Mended.")
    built.built()
    assert "Mended." in built.page("part/second")


def test_a_second_build_in_the_same_folder_waits_for_the_first(built):
    command = [sys.executable, "-u", "-m", "tools.book", "--draft"]
    environment = os.environ | {"PYTHONPATH": built.path()}
    with FileLock(built.root / "_build" / "lock"):
        second = subprocess.Popen(
            command,
            cwd=built.root,
            env=environment | {"TRANSFORMER_BOOK_STORE": "off"},
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        patience = threading.Timer(60, second.kill)
        patience.start()
        assert any("this one waits" in line for line in second.stdout)
        patience.cancel()
        assert second.poll() is None
    assert "Nothing has changed" in second.communicate()[0] and not second.returncode


def test_a_full_disk_is_one_clear_sentence_and_the_next_build_is_right(built):
    built.edit("book/part/second.md", 'print("second")', 'print("changed")')
    full = "import errno, runpy, sys\nfrom tools.cache import store\n"
    full += "def full_disk(path, data): raise OSError(errno.ENOSPC, 'No space left on device')\n"
    full += "store.replace_file = full_disk\nsys.argv[1:] = ['--draft']\n"
    full += "runpy.run_module('tools.book', run_name='__main__')"
    result = built.build("-c", full)
    assert result.returncode == 1 and "Traceback" not in result.stderr
    assert "No space left on device. Make room" in result.stderr
    assert built.built() == {"part/second"}
    assert "changed" in built.page("part/second")


def test_a_page_that_broke_a_rule_stops_the_build_unless_it_is_a_draft(built):
    result = built.build("-m", "tools.book")
    assert result.returncode == 1
    assert "book/first.md" in result.stderr and "page.ran()" in result.stderr
    result = built.build("-m", "tools.book", "--draft")
    assert result.returncode == 0, result.stderr
