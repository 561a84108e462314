"""Links from the foot of every page to the papers, while the papers say what the site says."""

import hashlib
import re
import shutil

from tools.cache.file_set import FileSet

NAME = "executable-transformer"
KINDS = ("pdf", "epub")
# The footer in _config.yml leaves this place; nothing stands in it where there are no papers.
PLACE = re.compile(r'<span class="tb-paper">.*?</span>', re.DOTALL)
WORDS = 'The whole book: <a href="{pdf}">PDF</a>, <a href="{epub}">EPUB</a>.'


def folder(build):
    """Where the papers are, in the site."""
    return build / "html" / "paper"


def pages(build):
    """The pages of the site that have a foot."""
    site = build / "html"
    paths = [
        path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts
    ]
    return [path for path in paths if PLACE.search(path.read_text(encoding="utf-8"))]


def key(root, build):
    """A digest of all that the papers depend on."""
    digest = hashlib.sha256()
    for path in pages(build):
        digest.update(PLACE.sub("", path.read_text(encoding="utf-8")).encode())
    sources = [*root.glob("tools/paper/*.py"), *root.glob("tools/paper/templates/*")]
    for path in [
        *sorted(sources),
        root / "_config.yml",
        root / "_toc.yml",
        root / "CITATION.cff",
        root / "package-lock.json",  # browser and fonts
        root / "tools" / "programs" / "fonts.py",
    ]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def file(kind):
    """The name of a paper's file."""
    return f"{NAME}.{kind}"


def papers(build):
    """The papers in the build; the site has copies."""
    return FileSet(build / "paper", "papers")


def link(root, build):
    """Link to the papers from every page; where they say something else, take them away."""
    are_current = papers(build).names() and papers(build).is_current(key(root, build))
    shutil.rmtree(folder(build), ignore_errors=True)
    if are_current:
        folder(build).mkdir()
        for kind in KINDS:
            shutil.copyfile(build / "paper" / file(kind), folder(build) / file(kind))
    for path in pages(build):
        up = "../" * (len(path.relative_to(build / "html").parts) - 1)
        files = {kind: f"{up}paper/{file(kind)}" for kind in KINDS}
        place = f'<span class="tb-paper">{WORDS.format(**files) if are_current else ""}</span>'
        text = path.read_text(encoding="utf-8")
        if (linked := PLACE.sub(place, text)) != text:
            path.write_text(linked, encoding="utf-8")
