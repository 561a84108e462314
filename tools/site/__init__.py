"""The site: jupyter-book's, with our extensions."""
