"""Links from the foot of every page to the papers, while the papers say what the site says."""

import hashlib
import re
import shutil

from tools.cache.file_set import FileSet

PAPER_FILE_STEM = "executable-transformer"
PAPER_KINDS = ("pdf", "epub")
# The footer in _config.yml leaves this place; nothing stands in it where there are no papers.
PAPER_LINK_PLACE = re.compile(r'<span class="tb-paper">.*?</span>', re.DOTALL)
PAPER_LINK_TEMPLATE = (
    'The whole book: <a href="{pdf}">PDF</a>, <a href="{epub}">EPUB</a>.'
)


def paper_folder_in_site(build_folder):
    """Where the papers are, in the site."""
    return build_folder / "html" / "paper"


def paths_of_pages_with_footer(build_folder) -> list:
    """The pages of the site that have a foot."""
    site = build_folder / "html"
    paths = [
        path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts
    ]
    return [
        path
        for path in paths
        if PAPER_LINK_PLACE.search(path.read_text(encoding="utf-8"))
    ]


def hash_paper_sources(root, build_folder) -> str:
    """A digest of all that the papers depend on."""
    digest = hashlib.sha256()
    for path in paths_of_pages_with_footer(build_folder):
        digest.update(
            PAPER_LINK_PLACE.sub("", path.read_text(encoding="utf-8")).encode()
        )
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


def paper_file_name(paper_kind: str) -> str:
    """The name of a paper's file."""
    return f"{PAPER_FILE_STEM}.{paper_kind}"


def paper_file_set(build_folder) -> FileSet:
    """The papers in the build; the site has copies."""
    return FileSet(build_folder / "paper", "papers")


def update_paper_links(root, build_folder):
    """Link to the papers from every page; where they say something else, take them away."""
    are_current = paper_file_set(build_folder).file_names() and paper_file_set(
        build_folder
    ).is_current(hash_paper_sources(root, build_folder))
    shutil.rmtree(paper_folder_in_site(build_folder), ignore_errors=True)
    if are_current:
        paper_folder_in_site(build_folder).mkdir()
        for kind in PAPER_KINDS:
            shutil.copyfile(
                build_folder / "paper" / paper_file_name(kind),
                paper_folder_in_site(build_folder) / paper_file_name(kind),
            )
    for path in paths_of_pages_with_footer(build_folder):
        up = "../" * (len(path.relative_to(build_folder / "html").parts) - 1)
        files = {kind: f"{up}paper/{paper_file_name(kind)}" for kind in PAPER_KINDS}
        place = f'<span class="tb-paper">{PAPER_LINK_TEMPLATE.format(**files) if are_current else ""}</span>'
        text = path.read_text(encoding="utf-8")
        if (linked := PAPER_LINK_PLACE.sub(place, text)) != text:
            path.write_text(linked, encoding="utf-8")
