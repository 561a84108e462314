"""The test set holds what training never showed; sentences become ids and come back."""

import dataclasses
import hashlib

import pytest

from transformer_book.data import (
    BOS,
    EOS,
    PAD,
    PARALLEL_CORPUS_LOADERS,
    UNK,
    DataError,
    ParallelCorpus,
    Subwords,
    detokenize,
    grammar,
    lexicon,
    load_parallel,
    tokenize,
    word_tokens,
)
from transformer_book.data.parallel_corpora import split_grammar_pairs

FOLLOWED = "The black cat sat on the couch and the brown dog slept on the rug."
TRANSLATED = "黑猫坐在沙发上，棕狗睡在地毯上。"


@pytest.fixture(scope="session")
def corpus(grammar_corpus):
    return grammar_corpus


def english(pairs):
    return [" ".join(source) for source, _ in pairs]


def toy(train, test=(), **about):
    about = {"source_language": "en", "target_language": "de"} | about
    return ParallelCorpus.from_pairs(
        train, (), test, name="toy", title="toy", terms="none", **about
    )


@pytest.mark.parametrize("joint", [False, True])
def test_a_word_spelled_like_a_mark_is_a_word(joint):
    pair = (("a", "<eos>", "<pad>"), ("b", "<bos>", "<eos>", "c"))
    corpus = toy((pair,), joint_vocabulary=joint)
    ((source, target),) = corpus.ids([pair])
    assert not {PAD, BOS, EOS} & {*source, *target}
    assert source[1:] == [UNK, UNK]
    assert corpus.target_words(target) == ["b", "<unk>", "<unk>", "c"]


def test_the_parts_are_apart_and_as_large_as_they_should_be(corpus):
    parts = corpus.train, corpus.validation, corpus.test
    assert [len(part) for part in parts] == [40_000, 500, 1_000]
    assert len({sentence for part in parts for sentence in english(part)}) == 41_500


def test_every_test_sentence_has_neighbours_that_training_never_sees(corpus):
    # Not with held_out, which the corpus was made with: written out, one and many.
    plurals = {one: plural for one, (plural, _, _) in lexicon.NOUNS.items()}
    held = [
        f" {first} {noun} "
        for first, row in grammar.HELD_OUT_NEIGHBOURS_BY_WORD.items()
        for second in row.split()
        for noun in {second, plurals.get(second, second)}
    ]
    for part in (corpus.train, corpus.validation):
        text = " ".join(english(part))
        assert not [pair for pair in held if pair in text]
    assert all(
        any(pair in sentence for pair in held) for sentence in english(corpus.test)
    )


def test_every_word_of_the_test_is_seen_in_training(corpus):
    for side in (0, 1):
        seen = {token for pair in corpus.train for token in pair[side]}
        for part in (corpus.validation, corpus.test):
            assert {token for pair in part for token in pair[side]} <= seen
    assert all(UNK not in ids for pair in corpus.ids(corpus.test) for ids in pair)


def test_the_sentence_of_the_book_is_in_the_test(corpus):
    assert (tuple(word_tokens(FOLLOWED)), tuple(TRANSLATED)) in corpus.test
    assert corpus.test.count((tuple(word_tokens(FOLLOWED)), tuple(TRANSLATED))) == 1


def test_references_are_all_right_translations(corpus):
    pair = tuple(word_tokens(FOLLOWED)), tuple(TRANSLATED)
    references = corpus.references(pair)
    assert references == {tuple(each) for each in grammar.translations(FOLLOWED)}
    assert pair[1] in references and len(references) == 4
    # One alone, where the corpus knows no others.
    assert toy((pair,)).references(pair) == {pair[1]}


def test_tokens_are_those_that_a_reader_gets(corpus):
    for source, target in corpus.train[:300] + corpus.test[:300]:
        assert tuple(tokenize(detokenize(source, "en"), "en")) == source
        assert tuple(tokenize(detokenize(target, "zh"), "zh")) == target


def test_the_vocabularies_number_the_training_sentences_alone():
    train = ((("a", "b"), ("x",)),)
    test = ((("a", "c"), ("y",)),)
    corpus = toy(train, test)
    assert list(corpus.source_vocabulary) == [
        "<pad>",
        "<unk>",
        "<bos>",
        "<eos>",
        "a",
        "b",
    ]
    assert list(corpus.target_vocabulary) == ["<pad>", "<unk>", "<bos>", "<eos>", "x"]
    assert corpus.ids(test) == [([4, UNK], [UNK])]


def test_a_joint_vocabulary_is_one_of_both_sides():
    corpus = toy(((("a", "b"), ("b", "x")),), joint_vocabulary=True)
    assert corpus.source_vocabulary is corpus.target_vocabulary
    assert list(corpus.source_vocabulary)[4:] == ["b", "a", "x"]
    assert corpus.ids([(("x",), ("a",))]) == [([6], [5])]


def test_subwords_of_a_sentence_and_back():
    subwords = Subwords([("l", "o"), ("lo", "w"), ("e", "r</w>")])
    pair = ("the", "low@@", "er", "."), ("lo@@", "w", "e@@", "r", "low")
    corpus = toy(
        (pair, (("t@@", "h@@", "e", "l@@", "o@@", "w"), ("x",))), subwords=subwords
    )
    assert corpus.source_vocabulary.tokens(corpus.source_ids("lower the.")) == [
        "low@@",
        "er",
        "t@@",
        "h@@",
        "e",
        ".",
    ]
    # Training has "lo@@" on the other side alone, so it is cut again.
    assert corpus.source_vocabulary.tokens(corpus.source_ids("low")) == [
        "l@@",
        "o@@",
        "w",
    ]
    ((_, target),) = corpus.ids([pair])
    assert corpus.target_words([BOS, *target, EOS, *target]) == ["low", "er", "low"]
    assert corpus.target_sentence(target) == "low er low"
    # Also of what has no id, and of the other language.
    assert corpus.join_tokens(("z@@", "z", "low@@", "er", ".")) == ["zz", "lower", "."]


def test_a_character_that_training_never_saw_is_named():
    corpus = toy(((("a@@", "b"), ("x",)),), subwords=Subwords([]))
    with pytest.raises(DataError, match="'c' \\(nearest: '") as caught:
        corpus.source_ids("ab ac")
    assert "'a@@' (" not in str(caught.value)


def test_words_of_moses_and_back():
    pair = (
        ("a", "man", "isn", "&apos;t", "here", "."),
        ("&quot;", "r", "&amp;", "b", "&quot;", "."),
    )
    corpus = toy((pair,), moses=True)
    ((source, target),) = corpus.ids([pair])
    assert corpus.source_ids("A man isn't here.") == source
    assert corpus.target_words(target) == list(pair[1])
    assert corpus.target_sentence(target) == '"r & b".'
    words = corpus.join_tokens(pair[1])
    assert words == list(pair[1]) and corpus.write_sentence(words) == '"r & b".'
    assert (
        toy((pair,)).write_sentence(["r", "&amp;", "b"]) == "r &amp; b"
    )  # not of Moses


def test_target_words_of_the_grammar_are_characters(corpus):
    ((_, target),) = corpus.ids([(word_tokens(FOLLOWED), list(TRANSLATED))])
    assert corpus.target_words([BOS, *target, EOS, *target, PAD]) == list(TRANSLATED)
    assert corpus.join_tokens(tuple(TRANSLATED)) == list(TRANSLATED)
    assert corpus.write_sentence(list(TRANSLATED)) == TRANSLATED


def test_the_marks_have_their_ids(corpus):
    for vocabulary in (corpus.source_vocabulary, corpus.target_vocabulary):
        assert vocabulary.ids(["<pad>", "<unk>", "<bos>", "<eos>"]) == [
            PAD,
            UNK,
            BOS,
            EOS,
        ]


def test_there_and_back(corpus):
    ((source, target),) = corpus.ids([(word_tokens(FOLLOWED), list(TRANSLATED))])
    assert corpus.source_ids(FOLLOWED) == source
    assert corpus.target_sentence([BOS, *target, EOS, *target, PAD]) == TRANSLATED
    assert corpus.target_sentence(target) == TRANSLATED
    assert corpus.target_sentence([BOS, EOS]) == ""


def test_unknown_words_are_all_named_with_their_nearest(corpus):
    with pytest.raises(DataError) as caught:
        corpus.source_ids("The blck cat sat on the sofa and the blck dgo slept.")
    said = str(caught.value)
    assert "'blck' (nearest: 'black')" in said and "'dgo' (nearest: 'dog')" in said
    assert "'sofa' (nearest: " in said and "'cat'" not in said
    assert said.count("'blck'") == 1
    with pytest.raises(DataError) as caught:
        corpus.source_ids("The pad cat.")
    assert "'pad' (nearest: " in str(caught.value) and "<pad>" not in str(caught.value)


@pytest.mark.parametrize("sentence", ["", "  "])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_empty_sentence(corpus, sentence, language):
    with pytest.raises(DataError, match="empty"):
        tokenize(sentence, language)
    with pytest.raises(DataError, match="empty"):
        corpus.source_ids(sentence)


def test_something_else_than_a_sentence():
    with pytest.raises(DataError, match="a list; expected a string"):
        tokenize(["猫"], "zh")


def test_chinese_is_cut_into_characters():
    assert tokenize("黑猫 坐，\n", "zh") == ["黑", "猫", "坐", "，"]


def test_words_are_written_as_a_sentence():
    text = "They'll say it isn't so, won't they?"
    assert detokenize(word_tokens(text), "en") == text


def test_the_parts_of_the_grammar_are_the_first_of_its_corpus(corpus):
    seen, unseen = split_grammar_pairs(1_000)
    assert len(seen) > 700 and seen == corpus.train[: len(seen)]
    assert len(unseen) > 100 and unseen == corpus.test[: len(unseen)]


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(
        DataError, match="named 'grammer'. Known: " + ", ".join(PARALLEL_CORPUS_LOADERS)
    ):
        load_parallel("grammer")


def test_the_corpus_is_the_same_in_every_process_and_stays_so(corpus, elsewhere):
    parts = repr((corpus.train, corpus.validation, corpus.test))
    assert elsewhere["parts"] == hashlib.sha256(parts.encode()).hexdigest()
    with pytest.raises(dataclasses.FrozenInstanceError):
        corpus.train = ()
