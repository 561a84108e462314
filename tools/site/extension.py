"""What the site needs beside the theme: no other host, links to notebooks, lighter pages."""

import re
from pathlib import Path

from docutils import nodes

EXTENSION_NAMES = (
    *("changed_outputs", "style_sheets", "formulas", "icons", "search"),
    *("bundled_scripts", "bundled_styles"),
    *("citations", "chinese", "neighbours", "minute_labels", "moved_sections"),
    *("descriptions", "preview"),
    *("reading_progress", "search_names", "terms"),
)
SCRIPT_AT_ONCE = "documentation_options.js"
TEMPLATE_FOLDER = Path(__file__).parent / "templates"
# A second element around the same words, thousands of times on the package's page.
SIGNATURE_SPAN = re.compile(
    r'(<span class="(?:n|p|o|k|default_value)">)<span class="pre">([^<]*)</span></span>'
)
PARAMETER_LIST = re.compile(r"<dl>\n((?:<dd><em class=\"sig-param\".*</dd>\n)+)</dl>")


def remove_thebe_scripts(app, pagename, templatename, context, doctree):
    """jupyter-book brings Thebe, which would load its script from another host."""
    for kind in ("script_files", "css_files"):
        context[kind] = [
            item
            for item in context[kind]
            if "thebe" not in _describe_asset(item).lower()
        ]


def defer_scripts(app, pagename, templatename, context, doctree):
    """Let the scripts of files wait until the page is read; then each runs in a task of its own.

    Without that, all of them wait for one event, and what they do is one long task. The search page
    is left as it is: its own scripts, which follow, call the others as they load.
    """
    if pagename == "search":
        return
    context["script_files"] = [
        type(script)(
            script.filename,
            priority=script.priority,
            **{**script.attributes, "defer": "defer"},
        )
        if _is_deferrable(script)
        else script
        for script in context["script_files"]
    ]


def _is_deferrable(script):
    """Tell whether it is a file that no script inside the page calls; a module waits by itself."""
    at_once = str(script.filename).endswith(SCRIPT_AT_ONCE)
    return bool(script.filename) and not at_once and "type" not in script.attributes


def _describe_asset(asset) -> str:
    return f"{asset.filename} {asset.attributes}"


def remove_thebe_settings(app, doctree, docname):
    for node in list(doctree.findall(nodes.raw)):
        if "x-thebe-config" in node.astext() or node.astext().startswith(
            "<script>kernelName"
        ):
            node.parent.remove(node)


def add_script_remover_to_context(app, pagename, templatename, context, doctree):
    context["leave_out"] = remove_script_elements


def remove_script_elements(html_text: str, *file_names):
    """Return the HTML without the script elements that load these files."""
    for name in file_names:
        html_text = re.sub(
            rf"<script\b[^>]*[/\"]{re.escape(name)}\b[^>]*></script>\s*", "", html_text
        )
    return html_text


def remove_toggle_labels(app, pagename, templatename, context, doctree):
    """Let the line that unfolds code be called what it says."""
    if "body" in context:
        label = ' aria-label="Toggle hidden content"'
        context["body"] = context["body"].replace(f"<summary{label}>", "<summary>")


def mend_list_markup(app, pagename, templatename, context, doctree):
    """Make lists of definitions without terms (Sphinx) and of entries of no list (docutils)."""
    if "body" in context:
        body = context["body"].replace('role="doc-biblioentry"', 'role="listitem"')
        body = SIGNATURE_SPAN.sub(r"\1\2</span>", body)
        context["body"] = PARAMETER_LIST.sub(_definitions_to_list, body)


def _definitions_to_list(match: re.Match) -> str:
    return f"<ul>{match[1].replace('<dd>', '<li>').replace('</dd>', '</li>')}</ul>"


def link_to_notebooks(app, pagename, templatename, context, doctree):
    """Let Colab and Binder open the published notebook, not its Markdown source.

    Their logos say no more than their names, which stand beside them.
    """
    for group in context.get("header_buttons", []):
        for button in group.get("buttons", []):
            if str(button.get("icon", "")).startswith("_static/images/logo_"):
                del button["icon"]
            if button.get("url", "").endswith(f"{pagename}.md"):
                button["url"] = button["url"].removesuffix(".md") + ".ipynb"


def setup(app):
    for name in EXTENSION_NAMES:
        app.setup_extension(f"tools.site.{name}")
    app.config.templates_path.append(str(TEMPLATE_FOLDER))
    app.connect("html-page-context", add_script_remover_to_context)
    app.connect("html-page-context", mend_list_markup)
    app.connect("html-page-context", remove_toggle_labels)
    # After the theme has put its buttons there.
    app.connect("html-page-context", link_to_notebooks, priority=900)
    app.connect("html-page-context", remove_thebe_scripts, priority=900)
    app.connect("html-page-context", defer_scripts, priority=900)
    app.connect("doctree-resolved", remove_thebe_settings, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
