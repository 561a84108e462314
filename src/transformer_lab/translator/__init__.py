"""A translator: trained by a recipe, scored, compared with its other choices, and made ready for the site."""
