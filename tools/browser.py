"""Which Chromium prints the papers and drives the tests, and how it is started."""

import shutil

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
NAMES = ("chromium", "chromium-browser", "google-chrome")


def find(playwright):
    """Return the path of Debian's Chromium, or else of Playwright's own."""
    found = (shutil.which(name) for name in NAMES)
    return next(filter(None, found), playwright.chromium.executable_path)


def launch(playwright):
    return playwright.chromium.launch(executable_path=find(playwright), args=FLAGS)
