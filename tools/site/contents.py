"""What the site's extensions ask of all pages: their names and order, and when to write them anew."""

import posixpath

from sphinx import addnodes


def record_names_in_contents(app, env):
    """What the contents call each page, where that is not its title."""
    tree = env.get_doctree(app.config.root_doc)
    names = {
        page: name
        for toctree in tree.findall(addnodes.toctree)
        for name, page in toctree["entries"]
        if name
    }
    return update_shared_value(env, "names_in_contents", names)


def update_shared_value(env, attribute_name: str, value) -> list:
    """Keep a value that all pages show; return all of them if it is a new one."""
    old = getattr(env, attribute_name, None)
    setattr(env, attribute_name, value)
    return [] if old == value else sorted(env.found_docs)


def name_in_contents(app, page_name: str) -> str:
    """What the contents call a page, or else its title."""
    names = app.env.names_in_contents
    return names.get(page_name) or app.env.titles[page_name].astext()


def linked_page_name(page_name: str, link_address: str) -> str:
    """The page that a link of another leads to."""
    if link_address == "#":
        return page_name
    path = posixpath.join(
        posixpath.dirname(page_name), link_address.removesuffix(".html")
    )
    return posixpath.normpath(path)


def setup(app):
    app.connect("env-updated", record_names_in_contents)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
