"""Nothing is published that was not tested, and no job may do more than it must."""

import re
import subprocess
import sys

import pytest
import yaml

from tests.conftest import ROOT

FOLDER = ROOT / ".github" / "workflows"
TEXT = (FOLDER / "ci.yml").read_text("utf-8")
WORKFLOW = yaml.safe_load(TEXT)
JOBS = WORKFLOW["jobs"]
PUBLISHING = ["pages", "notebooks"]
BY_NIGHT = "night"
TESTING = [name for name in JOBS if name not in (*PUBLISHING, BY_NIGHT)]
STEPS = [step for job in JOBS.values() for step in job["steps"]]


def uses(job, action):
    """Return the steps of a job that use an action."""
    return [
        step
        for step in JOBS[job]["steps"]
        if step.get("uses", "").startswith(f"actions/{action}@")
    ]


def test_there_is_one_workflow():
    assert [path.name for path in FOLDER.iterdir()] == ["ci.yml"]


def test_every_action_is_pinned_by_its_hash_and_says_its_version():
    used = re.findall(r"uses: (.*)", TEXT)
    assert len(used) == sum("uses" in step for step in STEPS)
    for line in used:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)
    assert len({line.split("@")[0] for line in used}) == len(set(used))


def test_jobs_only_read_unless_they_publish():
    assert WORKFLOW["permissions"] == {"contents": "read"}
    for job in (*TESTING, BY_NIGHT):
        assert "permissions" not in JOBS[job]
        (checkout,) = uses(job, "checkout")
        assert checkout["with"]["persist-credentials"] is False
    assert JOBS["pages"]["permissions"] == {"pages": "write", "id-token": "write"}
    assert JOBS["notebooks"]["permissions"] == {"contents": "write"}


@pytest.mark.parametrize("job", PUBLISHING)
def test_what_publishes_waits_for_every_test_and_is_for_main_alone(job):
    assert {*JOBS[job]["needs"]} == {*TESTING}
    assert JOBS[job]["if"] == "github.ref == 'refs/heads/main'"


def test_nothing_is_published_by_night():
    """A job is skipped where those that it needs are."""
    for job in TESTING:
        assert JOBS[job]["if"] == "github.event_name != 'schedule'"
    assert "github.event_name == 'schedule'" in JOBS[BY_NIGHT]["if"]


def test_every_job_ends_in_time_and_what_a_push_waits_for_within_half_an_hour():
    assert all("timeout-minutes" in JOBS[job] for job in (*TESTING, BY_NIGHT))
    assert JOBS["gate"]["timeout-minutes"] <= 30
    assert JOBS["test"]["timeout-minutes"] <= 45  # nothing kept, and the set-up as well


def test_what_decides_takes_nothing_that_was_kept_and_leaves_nothing_out():
    text = (ROOT / ".ci" / "run").read_text("utf-8")
    assert (
        "TRANSFORMER_BOOK_STORE=off" in text and "TRANSFORMER_BOOK_REQUIRE=all" in text
    )
    assert text.rstrip().endswith("make test")
    assert not uses("test", "cache") and "env" not in JOBS["test"]
    for job in ("gate", "check", BY_NIGHT):
        assert JOBS[job]["env"]["TRANSFORMER_BOOK_REQUIRE"] == "all"


def test_the_store_is_found_by_the_pins_and_kept_where_the_gate_looks():
    (cache,) = uses("gate", "cache")
    known = cache["with"]
    assert JOBS["gate"]["env"]["TRANSFORMER_BOOK_STORE"].endswith(f"/{known['path']}")
    assert "hashFiles('requirements.txt')" in known["key"]
    assert all(
        known["key"].startswith(old) for old in known["restore-keys"].splitlines()
    )


def test_every_python_is_tested_by_day_and_by_night():
    pythons = {"3.11", "3.12", "3.13"}
    assert {*JOBS[BY_NIGHT]["strategy"]["matrix"]["python"]} == pythons
    (setup,) = uses("test", "setup-python")
    by_day = {
        setup["with"]["python-version"],
        *JOBS["check"]["strategy"]["matrix"]["python"],
    }
    assert by_day == pythons


def test_what_other_systems_import_can_be_imported():
    command = [sys.executable, str(ROOT / ".ci" / "imports.py")]
    result = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert result.returncode == 0, result.stderr
    assert "modules are imported" in result.stdout


@pytest.mark.parametrize("job", PUBLISHING)
def test_what_publishes_builds_nothing(job):
    run = "\n".join(step.get("run", "") for step in JOBS[job]["steps"])
    assert not re.search(r"make|pip|python|npm|\.ci", run)


def test_what_was_tested_is_what_is_published():
    steps = JOBS["test"]["steps"]
    tested = next(i for i, step in enumerate(steps) if step.get("run") == ".ci/run")
    assert all("uses" in step for step in steps[tested + 1 :])  # nothing changes it
    (site,), (notebooks,) = (
        uses("test", f"upload-{name}artifact") for name in ("pages-", "")
    )
    assert steps.index(site) > tested and steps.index(notebooks) > tested
    assert site["with"]["path"] == "_build/html"
    assert notebooks["with"]["path"] == "_build/notebooks"
    (download,) = uses("notebooks", "download-artifact")
    assert download["with"]["name"] == notebooks["with"]["name"]
