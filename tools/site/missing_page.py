"""The page that a host shows for an address that it does not have."""

import html

# Shown at any depth, so it has no relative address and no style sheet.
MISSING_PAGE_TEMPLATE = """<!doctype html>
<html lang="en">
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="robots" content="noindex" />
<title>No such page — {title}</title>
<style>
  :root {{ color-scheme: light dark; }}
  body {{ max-width: 34rem; margin: 20vh auto 0; padding: 0 1rem; font: 1.125rem/1.6 system-ui, sans-serif; }}
  h1 {{ font: 600 1.75rem/1.25 Georgia, serif; }}
</style>
<h1>There is no page at this address</h1>
<p>The page may have moved, or the address may have a typing error. You can begin at the
<a href="{site}intro.html">first page</a>, or look for a word with the
<a href="{site}search.html">search</a>.</p>
</html>
"""


def write_missing_page(site_folder, book_title, site_address):
    """Write 404.html.

    Parameters
    ----------
    site_folder : pathlib.Path
        Of the site.
    book_title, site_address : str
        The book's title, and the address that the site has, with a slash at its end.
    """
    page = MISSING_PAGE_TEMPLATE.format(
        title=html.escape(book_title), site=html.escape(site_address)
    )
    (site_folder / "404.html").write_text(page, "utf-8")
