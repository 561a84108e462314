"""The ids that every vocabulary of this book begins with."""

PAD, UNK, BOS, EOS = range(4)  # padding, an unknown word, the beginning, the end
