"""The site: jupyter-book's, with extensions of our own."""
