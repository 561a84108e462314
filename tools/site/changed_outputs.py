"""Read a page again when its outputs are others: Sphinx looks only at the page's file."""


def find_changed_pages(app, env, added, changed, removed) -> list:
    """Return the pages whose outputs are not those that they were read with."""
    now, before = app.config.outputs_of_pages, getattr(env, "outputs_of_pages", {})
    env.outputs_of_pages = dict(now)
    return [page for page in env.found_docs if now.get(page) != before.get(page)]


def setup(app):
    app.add_config_value("outputs_of_pages", {}, "", [dict])
    app.connect("env-get-outdated", find_changed_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
