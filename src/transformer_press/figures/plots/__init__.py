"""Charts of numbers that a page has computed."""
