"""What Python makes of texts: tokens, pieces, glosses and marks, which the JavaScript must make, too."""

import numpy as np

from tests.data import test_placeholders as placeholder_cases
from transformer_book import data
from transformer_book.data import BOS, EOS, PAD, UNK, ParallelCorpus
from transformer_lab.translator import site_translator

TEXTS = [
    "The cat slept on the couch.It was too tired to get up.",
    "Sit, cat!",
    "who (or what): a cat;",
    "  two   dogs\tsat at 10:30 , 1,000 times .  ",
    "couch",
    "the cat.",
    "cat .",
    "What? No.",
    "I can't. Don't! 'Tis a dog's life, isn't it? They'll've gone.",
    "Cannot you gimme more'n I'm gonna get, d'ye hear? I wanna go. 'Twas so.",
    '\u201cHi,\u201d he said\u2026 \u2018no\u2019 \u2014 don\u2019t: \u00abso\u00bb; "quoted." ("a")',
    "$3.14, 1,000 & 50% at a@b.c -- [x] {y} <eos> ... * # ''z'' ``w``",
    "the dogs' bones ' rock 'n' roll 'quoted' ''",
    "caf\u00e9 na\u00efve \U0001f600\U0001f600 \u6f22\u5b57 \U0001d4b3",
    "a\u0301 'a\u0301 \u00bd \u0663,\u0664 x:\u0664 '\u017f CANNOT",
    "ALL CAPITALS. " + 380 * "x",
]
TYPED_TO_CUT = [
    *TEXTS,
    "sofa sofas umbrellas",
    "caaat ttt",
    "\U0001f600a \u6f22",
    "\u201cIt\u2019s the cat\u2019s\u2026\u201d \u2018No,\u2019 isn\u2019t it?",
]
TYPED = "cat catt umbrela Mondy z kitten housee frog dog's wnidow".split()


def sentences():
    """The grammar's own, texts beyond it, what is near to a typed word, and Chinese."""
    from nltk import edit_distance

    pairs = data.grammar_pairs(1_500, seed=1)
    tokens = [(tuple(data.word_tokens(en)), tuple(zh)) for en, zh in pairs]
    about = dict(
        name="", title="", terms="", source_language="en", target_language="zh"
    )
    corpus = ParallelCorpus.from_pairs(tokens, tokens[:1], tokens[:1], **about)
    source, target = corpus.source_vocabulary, corpus.target_vocabulary
    ids = [target.ids(chinese) for _, chinese in tokens[:40]]
    written = [
        ids[0],
        [*ids[1], EOS],
        [*ids[2], EOS, PAD, 7],
        [BOS, *ids[3][:3], UNK, PAD, EOS],
    ]
    words = list(source)[4:]
    return {
        "vocabulary": {"source": list(source), "target": list(target)},
        "english": [
            {"text": text, "tokens": cut, "ids": source.ids(cut)}
            for (text, _), (cut, _) in zip(pairs, tokens)
        ],
        "texts": [{"text": text, "tokens": data.word_tokens(text)} for text in TEXTS],
        "slips": [
            {
                "word": word,
                "to": words,
                "bounds": [
                    [
                        edit_distance(word, known, transpositions=swaps)
                        for swaps in (True, False)
                    ]
                    for known in words
                ],
            }
            for word in TYPED
        ],
        "chinese": [
            {
                "ids": some,
                "words": corpus.target_words(some),
                "text": corpus.target_sentence(some),
            }
            for some in written
        ],
    }


def glosses():
    """The English of each word, and texts, right and wrong, cut into words."""
    draw = np.random.default_rng(0)
    right = [chinese for _, chinese in data.grammar_pairs(300, seed=2)]
    wrong = ["".join(draw.permutation(list(text))) for text in right]
    texts = [*right, *wrong, "紫猫沙", "猫"]
    return {
        "gloss": data.grammar_glosses(),
        "texts": [{"text": text, "words": data.gloss_words(text)} for text in texts],
    }


def subwords():
    """Merges of the grammar's words, a vocabulary without some of their pieces, texts cut."""
    english = [data.word_tokens(text) for text, _ in data.grammar_pairs(300, seed=2)]
    cutter = data.Subwords.learn((word for words in english for word in words), 200)
    pieces = data.Vocabulary(p for words in english for p in cutter.cut(words))
    known = [piece for i, piece in enumerate(pieces) if i < 4 or i % 5]
    known += sorted(
        {c + "@@" for words in english for w in words for c in w} - {*known}
    )
    texts = [text for text, _ in data.grammar_pairs(20, seed=3)] + TYPED_TO_CUT
    plain = [text.translate(site_translator.PLAIN_PUNCTUATION_TABLE) for text in texts]
    words = [[cutter.cut([w], known) for w in data.word_tokens(text)] for text in plain]
    number = {piece: i for i, piece in enumerate(known)}
    return {
        "merges": cutter.merges,
        "pieces": known,
        "cut": [
            {
                "text": text,
                "words": own,
                "ids": [number.get(piece, UNK) for word in own for piece in word],
            }
            for text, own in zip(texts, words)
        ],
    }


COPIED_TEXTS = [
    *TYPED_TO_CUT,
    "Please meet Jennifer Lopez at 7:45 in Room 312.",
    "It costs $40, \u20ac1,234.56 or 20 %; not 50 percent.",
    "I was born on the 3rd of May, 1998. In 2013 he left.",
    "Don't call +1 555-1234 before 5pm, Mr. O'Brien's 13-year-old son said \"no\"!",
    "2.5 million, 3 billion, 600 thousand or 1.2345678 million",
    "Visit https://example.com/a?b=1, www.x.org or mail me@x.org.",
    "WE LOVE PARIS. Crocodiles bite. Kevin's dog bit Sophie. U.S.",
    "1 2 3 4 5 6 COVID-19 MP3 <n1> <w1> \ue000 '\ue001",
]


def masked():
    """Words that are known, and texts with marks for what is copied: typical ones, and odd ones."""
    english = [data.word_tokens(text) for text, _ in data.grammar_pairs(300, seed=2)]
    known = sorted({word for words in english for word in words if word[0].isalpha()})
    draw, texts = np.random.default_rng(0), [*COPIED_TEXTS]
    parts = [*placeholder_cases.PARTS, "Tom", "Mr.", "cat", " million", " percent"]
    for _ in range(3_000):
        some = draw.choice(parts, size=draw.integers(1, 9))
        texts.append(draw.choice(["", " "]).join(some))
    texts = [text for text in texts if text.strip()]
    words = [data.placeholders.mark_sentence(text, {*known}) for text in texts]
    return {
        "marks": data.placeholders.PLACEHOLDER_MARKS,
        "known": known,
        "cases": [
            {
                "text": text,
                "words": own,
                "texts": {
                    str(one): one.text
                    for one in own
                    if isinstance(one, data.placeholders.Placeholder)
                },
            }
            for text, own in zip(texts, words)
        ],
    }
