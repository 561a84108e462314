"""While one writes, the page that is open in the browser follows the file."""

import os
import re
import socket
import subprocess
import sys
import time

import pytest

from tests.tools.conftest import Project

pytestmark = [pytest.mark.browser, pytest.mark.build]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def answers(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def watched(tmp_path):
    """A small book that is watched, where it is shown, and what the watcher says."""
    project, port = Project(tmp_path / "watched"), free_port()
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "tools.watch", "--port", str(port)],
        cwd=project.root,
        env=os.environ | {"PYTHONPATH": project.path()},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    wait_for(process.stdout, "Built in")
    while not answers(port):
        assert process.poll() is None, process.stdout.read()
        time.sleep(0.1)
    yield project, f"http://127.0.0.1:{port}", process.stdout
    process.kill()
    process.wait()


def wait_for(lines, pattern):
    """Read lines until one has this."""
    said = []
    for line in lines:
        said.append(line)
        if re.search(pattern, line):
            return
    pytest.fail("".join(said))


def test_the_open_page_follows_the_file(watched, visit):
    project, address, said = watched
    page = visit(f"{address}/part/second.html")
    page.set_default_timeout(120_000)  # a build beside other tests
    project.edit("book/part/second.md", "# Second", "# Second\n\nFresh prose.")
    page.get_by_text("Fresh prose.").wait_for()
    # What breaks a rule is named.
    wait_for(said, r"book/first\.md:\d+: .*page\.ran\(\)")
    project.edit("book/part/second.md", 'print("second")', "1 / 0")
    wait_for(said, "ZeroDivisionError")
    wait_for(said, "Not built")
    page.get_by_text("Fresh prose.").wait_for()  # the site stays
    project.edit("book/part/second.md", "1 / 0", 'print("mended")')
    page.get_by_text("mended", exact=True).first.wait_for()
