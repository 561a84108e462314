"""Links from the foot of every page to the papers, while the papers say what the site says."""

import hashlib
import re
import shutil

from tools.cache.file_set import FileSet

FILE_STEM = "executable-transformer"
PAPER_KINDS = ("pdf", "epub")
# The footer in _config.yml leaves this place; nothing stands in it where there are no papers.
LINK_PLACE = re.compile(r'<span class="tb-paper">.*?</span>', re.DOTALL)
LINK_TEXT = 'The whole book: <a href="{pdf}">PDF</a>, <a href="{epub}">EPUB</a>.'


def paper_folder_in_site(build):
    """Where the papers are, in the site."""
    return build / "html" / "paper"


def pages_with_footer(build):
    """The pages of the site that have a foot."""
    site = build / "html"
    paths = [
        path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts
    ]
    return [
        path for path in paths if LINK_PLACE.search(path.read_text(encoding="utf-8"))
    ]


def papers_key(root, build):
    """A digest of all that the papers depend on."""
    digest = hashlib.sha256()
    for path in pages_with_footer(build):
        digest.update(LINK_PLACE.sub("", path.read_text(encoding="utf-8")).encode())
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


def paper_file_name(kind):
    """The name of a paper's file."""
    return f"{FILE_STEM}.{kind}"


def paper_file_set(build):
    """The papers in the build; the site has copies."""
    return FileSet(build / "paper", "papers")


def link_papers(root, build):
    """Link to the papers from every page; where they say something else, take them away."""
    are_current = paper_file_set(build).file_names() and paper_file_set(
        build
    ).is_current(papers_key(root, build))
    shutil.rmtree(paper_folder_in_site(build), ignore_errors=True)
    if are_current:
        paper_folder_in_site(build).mkdir()
        for kind in PAPER_KINDS:
            shutil.copyfile(
                build / "paper" / paper_file_name(kind),
                paper_folder_in_site(build) / paper_file_name(kind),
            )
    for path in pages_with_footer(build):
        up = "../" * (len(path.relative_to(build / "html").parts) - 1)
        files = {kind: f"{up}paper/{paper_file_name(kind)}" for kind in PAPER_KINDS}
        place = f'<span class="tb-paper">{LINK_TEXT.format(**files) if are_current else ""}</span>'
        text = path.read_text(encoding="utf-8")
        if (linked := LINK_PLACE.sub(place, text)) != text:
            path.write_text(linked, encoding="utf-8")
