"""The pins, as the index would have them: what is missing, what conflicts, and when nobody answers."""

import re
import sys
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT
from tools.gate import omissions, pins

LINES = (ROOT / "requirements.txt").read_text("utf-8").splitlines()


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / "requirements.txt").write_text(
        "# Pins\nnumpy==2.4.6\ntriton==3.7.1 ; sys_platform == 'linux'\n", "utf-8"
    )
    return tmp_path


@pytest.fixture
def index(monkeypatch):
    """Answer for uv: the lines it would resolve to, or what it would raise, by Python and system."""
    asked = []

    def answer(what):
        def resolve(root, *options):
            asked.append(options)
            found = what(*options) if callable(what) else what
            if isinstance(found, Exception):
                raise found
            return found

        monkeypatch.setattr(pins, "resolve_requirements", resolve)
        return asked

    return answer


def test_pins_that_cover_everything_are_fine_on_every_python_and_system(
    checkout, index
):
    asked = index(["numpy==2.4.6"])
    assert pins.find_pin_faults(checkout) == []
    places = {(words[2], words[4]) for words in asked}
    assert (
        len(places)
        == len(asked)
        == len(pins.PYTHON_VERSIONS) * len(pins.UV_PLATFORM_BY_SYSTEM)
    )
    assert {python for python, _ in places} == {*pins.PYTHON_VERSIONS}


def test_a_dependency_that_is_not_pinned_is_named_with_where(checkout, index):
    index(lambda *words: ["numpy==2.4.6", "einops==0.8.2"] if "3.12" in words else [])
    (fault,) = pins.find_pin_faults(checkout)
    assert fault.startswith("Python 3.12 on Linux, 3.12 on macOS, 3.12 on Windows: ")
    assert (
        "requirements.txt does not pin einops==0.8.2." in fault and "numpy" not in fault
    )


def test_what_contradicts_the_index_is_told_once(checkout, index):
    index(pins.PinConflict("torch==2.13.0 depends on triton==3.7.1"))
    (fault,) = pins.find_pin_faults(checkout)
    assert (
        "torch==2.13.0 depends on triton==3.7.1" in fault and "3.13 on Windows" in fault
    )


def test_what_pytorch_wants_of_cuda_need_not_be_pinned(checkout, index):
    index(["nvidia-cudnn-cu13==9.20.0.48", "cuda-bindings==13.5.0", "numpy==2.4.6"])
    assert pins.find_pin_faults(checkout) == []


@pytest.mark.parametrize(
    "said, error",
    [
        ("error: No solution found when resolving dependencies", pins.PinConflict),
        (
            "error: error sending request for url (x)",
            pins.IndexUnreachable,
        ),
    ],
)
def test_uv_that_fails_says_why(monkeypatch, tmp_path, said, error):
    failing = [sys.executable, "-c", f"import sys; sys.exit({said!r})"]
    run = pins.subprocess.run
    monkeypatch.setattr(
        pins.subprocess, "run", lambda words, **how: run(failing, **how)
    )
    with pytest.raises(error, match=re.escape(said)):
        pins.resolve_requirements(tmp_path)


def test_uv_asks_its_own_index_whatever_this_machine_is_set_to(monkeypatch, tmp_path):
    seen = {}

    class Result:
        returncode, stdout, stderr = 0, "numpy==2.4.6\n    # via x\n\n", ""

    def run(words, env, **how):
        seen.update(words=words, env=env)
        return Result

    monkeypatch.setattr(pins.subprocess, "run", run)
    monkeypatch.setenv("UV_FIND_LINKS", "/wheels")
    assert pins.resolve_requirements(tmp_path) == ["numpy==2.4.6"]
    assert {"--no-build", "--no-config"} <= {*seen["words"]}
    assert "UV_FIND_LINKS" not in seen["env"]


@pytest.fixture
def command(monkeypatch, tmp_path):
    """Run the command line; return its status and the notes on what was left out."""
    notes = tmp_path / "notes"
    monkeypatch.setenv(omissions.NOTES_FILE_VARIABLE, str(notes))

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["pins", *words])
        try:
            pins.main()
            status = 0
        except SystemExit as ended:
            status = ended.code
        return status, omissions.read_omission_notes(notes)

    return run


def test_where_the_index_does_not_answer_the_check_is_left_out_and_named(
    index, command
):
    index(pins.IndexUnreachable("no route"))
    status, (note,) = command()
    assert status == 0 and "index did not answer" in note


def test_a_fault_fails_the_check_and_says_what_to_do(index, command):
    index(["einops==0.8.2"])
    status, notes = command()
    assert (
        "einops==0.8.2" in status and "tools.gate.pins --write" in status and not notes
    )


def test_options_of_uv_are_for_writing(command, capsys):
    assert command("--upgrade")[0] == 2
    assert "only --write passes words on" in capsys.readouterr().err


def test_what_is_written_has_a_head_and_no_library_of_cuda(checkout, monkeypatch):
    def resolve(root, *options):
        target = options[options.index("--output-file") + 1]
        assert "--universal" in options and options[-1] == "--upgrade"
        lines = ["appnope==1.0 ; sys_platform == 'darwin'", "nvidia-nvtx==13.0.85"]
        lines += ["httpx2-jsfetch==1.0 ; sys_platform == 'emscripten'", "numpy==2.4.6"]
        (root / target).write_text("\n".join(lines), "utf-8")

    monkeypatch.setattr(pins, "resolve_requirements", resolve)
    pins.write_requirements(checkout, ["--upgrade"])
    written = (checkout / "requirements.txt").read_text("utf-8").splitlines()
    assert written[: len(pins.REQUIREMENTS_HEADER)] == pins.REQUIREMENTS_HEADER
    assert written[len(pins.REQUIREMENTS_HEADER) :] == [
        "appnope==1.0 ; sys_platform == 'darwin'",
        "numpy==2.4.6",
    ]


def test_requirements_are_as_they_are_written():
    assert LINES[: len(pins.REQUIREMENTS_HEADER)] == pins.REQUIREMENTS_HEADER
    assert not any(pins.UNPINNED_REQUIREMENT.match(line) for line in LINES)
    for line in LINES[len(pins.REQUIREMENTS_HEADER) :]:
        (specifier,) = Requirement(line).specifier
        assert specifier.operator == "=="


def test_every_dependency_of_the_project_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["book"]
    names = {canonicalize_name(Requirement(each).name) for each in wanted}
    assert names <= pins.package_names(LINES)
