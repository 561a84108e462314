"""Nothing is published that was not tested, and no job may do more than it must."""

import re

import pytest
import yaml

from tests.conftest import ROOT

FOLDER = ROOT / ".github" / "workflows"
WORKFLOW = yaml.safe_load((FOLDER / "ci.yml").read_text("utf-8"))
JOBS = WORKFLOW["jobs"]
PUBLISHING = [name for name in JOBS if name != "test"]
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
    used = re.findall(r"uses: (.*)", (FOLDER / "ci.yml").read_text("utf-8"))
    assert len(used) == sum("uses" in step for step in STEPS)
    for line in used:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)
    assert len({line.split("@")[0] for line in used}) == len(set(used))


def test_jobs_only_read_unless_they_publish():
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert "permissions" not in JOBS["test"]
    (checkout,) = uses("test", "checkout")
    assert checkout["with"]["persist-credentials"] is False
    assert JOBS["pages"]["permissions"] == {"pages": "write", "id-token": "write"}
    assert JOBS["notebooks"]["permissions"] == {"contents": "write"}


@pytest.mark.parametrize("job", PUBLISHING)
def test_what_publishes_waits_for_the_tests_and_is_for_main_alone(job):
    assert JOBS[job]["needs"] == "test"
    assert JOBS[job]["if"] == "github.ref == 'refs/heads/main'"


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
    assert site["if"] == notebooks["if"]  # both of one Python
