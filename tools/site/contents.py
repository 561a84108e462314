"""What the site's extensions ask of all pages: their names and order, and when to write them anew."""

import posixpath

from sphinx import addnodes


def record_page_names(app, env):
    """What the contents call each page, where that is not its title."""
    tree = env.get_doctree(app.config.root_doc)
    names = {
        page: name
        for toctree in tree.findall(addnodes.toctree)
        for name, page in toctree["entries"]
        if name
    }
    return update_shared_value(env, "names_in_contents", names)


def update_shared_value(env, name, value):
    """Keep a value that all pages show; return all of them if it is a new one."""
    old = getattr(env, name, None)
    setattr(env, name, value)
    return [] if old == value else sorted(env.found_docs)


def name_in_contents(app, page):
    """What the contents call a page, or else its title."""
    names = app.env.names_in_contents
    return names.get(page) or app.env.titles[page].astext()


def linked_page(page, link):
    """The page that a link of another leads to."""
    if link == "#":
        return page
    path = posixpath.join(posixpath.dirname(page), link.removesuffix(".html"))
    return posixpath.normpath(path)


def setup(app):
    app.connect("env-updated", record_page_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
