"""Which of the files that pages ask for holds a module of a widget; their source maps say it."""

import json


def bundle_of(site, module):
    """Return the address, below the site, of the bundle that holds a module of _static/js."""
    static = site / "_static"
    for source_map in sorted((static / "live").rglob("*.js.map")):
        sources = json.loads(source_map.read_text("utf-8"))["sources"]
        modules = {(source_map.parent / source).resolve() for source in sources}
        if (static / "js" / module).resolve() in modules:
            return source_map.with_suffix("").relative_to(site).as_posix()
    raise ValueError(f"no bundle holds {module}")
