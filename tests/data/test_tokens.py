"""Word tokens are NLTK's or those of Moses, and bad input is named."""

import pytest

from tests.data.real import FOLDER, needs, typed
from transformer_book.data import DataError, Subwords, moses_tokens, word_tokens
from transformer_book.data.aligned import read_lines


def test_a_full_stop_inside_the_text_stays_with_its_word():
    text = "The cat slept on the couch.It was too tired to get up."
    assert word_tokens(text) == [
        "The",
        "cat",
        "slept",
        "on",
        "the",
        "couch.It",
        "was",
        "too",
        "tired",
        "to",
        "get",
        "up",
        ".",
    ]


def test_it_is_nltks_treebank_tokeniser():
    from nltk.tokenize import NLTKWordTokenizer

    text = "They'll say \"it isn't so\", won't they? (Perhaps.) It cost $3.88!"
    assert word_tokens(text) == NLTKWordTokenizer().tokenize(text)


# Cut by the tokeniser of sacremoses 0.1.1, a port of Moses's own, from the sentence in lower case.
MOSES = {
    "A man's dog isn't on the well-dressed man's lap, is it?": "a man &apos;s dog isn &apos;t on the "
    "well-dressed man &apos;s lap , is it ?",
    "Two U.S. soldiers, aged 1,000 and 3.5 (both), & the dogs' toys.": "two u.s. soldiers , "
    "aged 1,000 and 3.5 ( both ) , &amp; the dogs &apos; toys .",
    'Mr. Smith is here... he eats 50% of "it".': "mr. smith is here ... he eats 50 % of &quot; it &quot; .",
    "That's 'quoted' [7's] / a:b; x_y@z | t-shirt <no>!": "that &apos;s &apos; quoted &apos; &#91; 7 "
    "&apos;s &#93; / a : b ; x _ y @ z &#124; t-shirt "
    "&lt; no &gt; !",
    "He lives in the U.S.": "he lives in the u.s.",
    "It costs 3.50.": "it costs 3.50 .",
    'Stop. "Go."': "stop . &quot; go . &quot;",
}


@pytest.mark.parametrize("sentence", MOSES)
def test_the_tokens_of_moses(sentence):
    assert moses_tokens(sentence) == MOSES[sentence].split(" ")


def test_typographic_quotes_are_straight_for_moses():
    assert moses_tokens("The man’s “dog”") == moses_tokens('The man\'s "dog"')


@needs("multi30k-en-de/train.en")
def test_published_sentences_are_cut_as_published():
    lines = read_lines(FOLDER / "multi30k-en-de" / "train.en")
    sentences = [Subwords.join(line.split()) for line in lines]
    other = [words for words in sentences if moses_tokens(typed(words)) != words]
    # One word of training is published unparted.
    assert [words[-1] for words in other] == ["adult&apos;"]


@pytest.mark.parametrize("cut", [word_tokens, moses_tokens])
@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_text(cut, text):
    with pytest.raises(
        DataError, match=rf"{cut.__name__}: the text is .*; expected at least one word"
    ):
        cut(text)


@pytest.mark.parametrize("cut", [word_tokens, moses_tokens])
@pytest.mark.parametrize("text", [None, ["a", "b"], 3])
def test_something_else_than_a_text(cut, text):
    with pytest.raises(
        DataError, match=f"the text is a {type(text).__name__}; expected a string"
    ):
        cut(text)
