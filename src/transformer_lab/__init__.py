"""What is measured: runs and their records, evaluation, word vectors, torch beside ours."""
