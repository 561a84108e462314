"""Single words: their vectors, analogies between them, and the English of Chinese ones."""
