"""What is measured: translators, small language models, costs and word vectors, each run with its record."""
