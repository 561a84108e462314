"""What the site changes of the theme's pages."""

import pytest
from sphinx.builders.html._assets import _JavaScript

from tools.site import extension


def deferred_files(pagename):
    """Return which of a page's scripts wait until it is read."""
    scripts = [
        _JavaScript("documentation_options.js", priority=200),
        _JavaScript("doctools.js", priority=200),
        _JavaScript("", body="let answer = 42;"),
        _JavaScript("tabs.js", **{"data-prefix": "tab-"}),
        _JavaScript("terms.js", defer="defer"),
        _JavaScript("live/book.js", type="module"),
    ]
    context = {"script_files": scripts}
    extension.defer_scripts(None, pagename, "page.html", context, None)
    changed = context["script_files"]
    assert [script.filename for script in changed] == [s.filename for s in scripts]
    assert changed[3].attributes["data-prefix"] == "tab-"
    return {script.filename for script in changed if "defer" in script.attributes}


@pytest.mark.parametrize(
    ("pagename", "expected"),
    [
        ("words/positions", {"doctools.js", "tabs.js", "terms.js"}),
        ("search", {"terms.js"}),
    ],
)
def test_scripts_wait_except_where_others_call_them(pagename, expected):
    assert deferred_files(pagename) == expected
