"""The rules of the book's grammar, which write a sentence in English and Chinese at once.

First the word order of both languages, then the rules that fill it with the words of
``lexicon``, from left to right in English. ``pick`` takes every choice: a random one draws a
sentence, one that reads finds the choices that lead to the sentence it reads.

The Chinese side of what a rule writes is a string, a tuple of parts that stand in a row, or
ways to say it, each with how often it is drawn: a dictionary, or pairs.
"""

import re
from functools import cache

from .lexicon import (
    ACTION_VERBS,
    ADJECTIVES_BY_NOUN,
    ADVERBS,
    BEINGS,
    CHILDREN,
    DETERMINERS,
    DRY_CLEANABLE_THINGS,
    DRY_CLEANING_VERBS,
    MOOD_ADJECTIVES,
    NOUNS,
    PLURAL_DETERMINERS,
    PLURAL_PRONOUN,
    POSTURE_VERBS,
    PREPOSITIONS,
    PRONOUNS_BY_NOUN,
    TIME_PHRASES,
    TRANSITIVE_VERBS,
)

# The word order of both languages. What is no slot (and, 在, 的, 和, ，) stays. Where Chinese has
# several orders, each stands with how often of ten it is drawn.
PATTERNS: dict[str, tuple[str, str | dict[str, int]]] = {
    "phrase": ("which mood adjective noun", "which mood adjective noun"),
    "where": ("preposition thing", "thing preposition"),
    "located": ("thing where", "where 的 thing"),
    "both": ("one and other", "one 和 other"),
    "topic": ("who", {"when who": 6, "who when": 4}),
    "posture": (
        "topic did how where when",
        {
            "topic how did 在 where": 7,
            "topic 在 where how doing": 2,
            "topic how 在 where doing": 1,
        },
    ),
    "action": (
        "topic did how where when",
        {"topic 在 where how did": 6, "topic how 在 where did": 4},
    ),
    "deed": ("topic did whom when", "topic did whom"),
    "cleaned": ("topic did when", "topic did"),
    "clauses": ("one and other", "one ， other"),
}

POSSESSIVE_DETERMINERS = [
    word for word, chinese in DETERMINERS.items() if chinese.endswith("的")
]
DETERMINERS_TO_DRAW = (*["the"] * 8, *DETERMINERS)
NON_POSSESSIVE_DETERMINERS = tuple(
    word for word in DETERMINERS_TO_DRAW if word not in POSSESSIVE_DETERMINERS
)
SUBJECTS_TO_DRAW = (*BEINGS, *CHILDREN)
VERBS_TO_DRAW = (*POSTURE_VERBS, *POSTURE_VERBS, *ACTION_VERBS, *TRANSITIVE_VERBS)
SINGULAR_BY_PLURAL = {plural: one for one, (plural, _, _) in NOUNS.items()}
NO_WORDS = ("", "")


def fill_sentence_pattern(pattern_name, **fillings) -> tuple:
    """Put English and Chinese into the slots of the pattern of that name."""
    english, orders = pattern_words(pattern_name)
    filled = [fillings[word][0] if word in fillings else word for word in english]
    ways = [
        (tuple([fillings[w][1] if w in fillings else w for w in order]), times)
        for order, times in orders
    ]
    text = " ".join([word for word in filled if word])
    return text, ways[0][0] if len(ways) == 1 else ways


@cache
def pattern_words(pattern_name) -> tuple:
    """Return a pattern's words in English, and each of its orders in Chinese with how often."""
    english, orders = PATTERNS[pattern_name]
    if isinstance(orders, str):
        orders = {orders: 1}
    return english.split(), [(order.split(), n) for order, n in orders.items()]


def pick_or_none(pick, options, one_in=2):
    """Pick an option, or None; an option one time in so many."""
    return pick(options_with_none(tuple(options), one_in)) if options else None


@cache
def options_with_none(options, one_in):
    """Return the options with so many times None that one in so many is an option."""
    return options + (None,) * (len(options) * (one_in - 1))


def pair_with_chinese(word, table):
    """Put a word beside its Chinese; None is nothing in both."""
    return (word, table[word]) if word else NO_WORDS


@cache
def noun_phrase_choices(nouns, mood_adjective, adjective) -> tuple:
    """Return what may come next in a phrase: moods, adjectives, and nouns by their names."""
    if mood_adjective:
        nouns = [noun for noun in nouns if noun in BEINGS]
    if adjective:
        nouns = [noun for noun in nouns if adjective in ADJECTIVES_BY_NOUN[noun]]
    moods = list(MOOD_ADJECTIVES) if any(noun in BEINGS for noun in nouns) else []
    return (
        moods,
        list(dict.fromkeys(a for n in nouns for a in ADJECTIVES_BY_NOUN[n])),
        nouns,
    )


def build_noun_phrase(pick, nouns, determiner) -> tuple:
    """Name something: the black cat, 黑猫; two black cats, 两只黑猫. And its pronoun."""
    nouns, many = tuple(nouns), determiner in PLURAL_DETERMINERS
    # Two 的 in one phrase are clumsy: 我的快乐的猫.
    moods = (
        []
        if determiner in POSSESSIVE_DETERMINERS
        else noun_phrase_choices(nouns, None, None)[0]
    )
    mood = pick_or_none(pick, moods, 3)
    adjective = pick_or_none(pick, noun_phrase_choices(nouns, mood, None)[1])
    fitting = noun_phrase_choices(nouns, mood, adjective)[2]
    noun = pick([NOUNS[one][0] for one in fitting] if many else fitting)
    one = SINGULAR_BY_PLURAL[noun] if many else noun
    _, measure, chinese = NOUNS[one]
    if adjective and one == "child":
        chinese = "孩子"  # 小孩 is small already: 大小孩 is no child
    it = PRONOUNS_BY_NOUN[one]
    return *fill_sentence_pattern(
        "phrase",
        which=(determiner, DETERMINERS[determiner].format(measure)),
        mood=pair_with_chinese(mood, MOOD_ADJECTIVES),
        adjective=pair_with_chinese(adjective, ADJECTIVES_BY_NOUN[one]),
        noun=(noun, chinese),
    ), (PLURAL_PRONOUN[0], it[1] + PLURAL_PRONOUN[1]) if many else it


def build_place(pick, preposition=None, determiners=DETERMINERS_TO_DRAW) -> tuple:
    """Say where: on the rug, 地毯上. And what stands for the rug, if it can be cleaned."""
    preposition = preposition or pick(list(PREPOSITIONS))
    chinese, nouns = PREPOSITIONS[preposition]
    thing = build_noun_phrase(pick, nouns.split(), pick(determiners))
    noun = thing[0].split()[-1]
    can_be_cleaned = SINGULAR_BY_PLURAL.get(noun, noun) in DRY_CLEANABLE_THINGS
    place = fill_sentence_pattern(
        "where", preposition=(preposition, chinese), thing=thing
    )
    return *place, thing[2] if can_be_cleaned else NO_WORDS


def perhaps_add_place(pick, noun_phrase):
    """Tell one from others by its place: the cat on the rug, 地毯上的猫."""
    if "的" in str(noun_phrase[1]):
        return noun_phrase
    preposition = pick_or_none(pick, PREPOSITIONS, 5)
    if not preposition:
        return noun_phrase
    place = build_place(pick, preposition, NON_POSSESSIVE_DETERMINERS)
    return *fill_sentence_pattern(
        "located", thing=noun_phrase, where=place
    ), noun_phrase[2]


def build_subject(pick, determiner):
    """Name one, or two with the same determiner: the cat and the dog, 猫和狗."""
    one = build_noun_phrase(pick, SUBJECTS_TO_DRAW, determiner)
    if not pick_or_none(pick, ["and"], 4):
        return perhaps_add_place(pick, one)
    other = build_noun_phrase(pick, SUBJECTS_TO_DRAW, pick([determiner]))
    pronouns = {
        one[2][1].strip(PLURAL_PRONOUN[1]),
        other[2][1].strip(PLURAL_PRONOUN[1]),
    }
    # 他们 are boys and girls; of a girl and a dog nobody says "they" in one word.
    if len(pronouns) == 1:
        they = pronouns.pop()
    else:
        they = "他" if "它" not in pronouns else ""
    return *fill_sentence_pattern("both", one=one, other=other), (
        they and PLURAL_PRONOUN[0],
        they + PLURAL_PRONOUN[1],
    )


def build_clause(pick, pronouns=()) -> tuple:
    """Say who did what, where, and perhaps how and when. And which pronouns may follow.

    A pronoun has two meanings in Chinese, of who acts and of what can be cleaned, or has one:
    "they" may be 她们, the girls that sat on two rugs, or 它们, the rugs.
    """
    fillings: dict[str, tuple]
    place, first = ("", "", NO_WORDS), pick([*DETERMINERS_TO_DRAW, *[*pronouns] * 20])
    if first in pronouns:
        of_actor, of_cleaned = pronouns[first]
        verbs = [*VERBS_TO_DRAW] if of_actor else []
        be = "were dry-cleaned" if first == PLURAL_PRONOUN[0] else "was dry-cleaned"
        did = pick(verbs + [be] * (of_cleaned != "") * max(1, len(verbs) // 2))
        who = (first, of_cleaned if did in DRY_CLEANING_VERBS else of_actor, NO_WORDS)
    else:
        who = build_subject(pick, first)
        did = pick(VERBS_TO_DRAW)
    if did in DRY_CLEANING_VERBS:
        pattern, fillings = "cleaned", {"did": (did, DRY_CLEANING_VERBS[did])}
    elif did in TRANSITIVE_VERBS:
        chinese, nouns = TRANSITIVE_VERBS[did]
        # Never two objects: "saw A and B and C slept" would mean two things.
        whom = perhaps_add_place(
            pick, build_noun_phrase(pick, nouns, pick(DETERMINERS_TO_DRAW))
        )
        pattern, fillings = "deed", {"did": (did, chinese), "whom": whom}
    else:
        pattern = "posture" if did in POSTURE_VERBS else "action"
        *chinese, adverbs = (POSTURE_VERBS | ACTION_VERBS)[did]
        how = pair_with_chinese(pick_or_none(pick, adverbs.split()), ADVERBS)
        place = build_place(pick)
        fillings = {"did": (did, chinese[0]), "doing": ("", chinese[-1])}
        fillings |= {"how": how, "where": place}
    when = pair_with_chinese(pick_or_none(pick, TIME_PHRASES, 3), TIME_PHRASES)
    topic = fill_sentence_pattern("topic", who=who, when=when)
    follow = {} if pattern == "deed" else {"actor": who[2], "cleaned_thing": place[2]}
    return *fill_sentence_pattern(
        pattern, topic=topic, when=when, **fillings
    ), pronoun_meanings(**follow)


def pronoun_meanings(actor=NO_WORDS, cleaned_thing=NO_WORDS) -> dict:
    """Return for each pronoun what it is in Chinese: of who acts, of what is cleaned."""
    words = dict.fromkeys(filter(None, (actor[0], cleaned_thing[0])))
    return {
        word: tuple(
            chinese if it == word else "" for it, chinese in (actor, cleaned_thing)
        )
        for word in words
    }


def build_sentence(pick) -> tuple:
    """Make a sentence of one clause or two: and, between clauses, is ，."""
    english, chinese, pronouns = build_clause(pick)
    if pick_or_none(pick, ["and"]):
        one, other = (english, chinese), build_clause(pick, pronouns)
        english, chinese = fill_sentence_pattern("clauses", one=one, other=other)
    english = re.sub(r"\ba (?=[aeiou])", "an ", english)
    return english[0].upper() + english[1:] + ".", (chinese, "。")
