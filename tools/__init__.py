"""How the book is built: executing chapters, making the site, publishing notebooks."""
