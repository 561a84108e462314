"""Training: word vectors, and the runs that the book records."""
