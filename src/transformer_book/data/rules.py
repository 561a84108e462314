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
    ACTIONS,
    ADJECTIVES,
    ADVERBS,
    BEINGS,
    CHILDREN,
    CLEANED,
    DEEDS,
    DETERMINERS,
    DRY_CLEANED,
    MANY,
    MOODS,
    NOUNS,
    PLURAL_DETERMINERS,
    POSTURES,
    PREPOSITIONS,
    PRONOUNS,
    TIMES,
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

OWNERS = [word for word, chinese in DETERMINERS.items() if chinese.endswith("的")]
DETERMINERS_TO_DRAW = (*["the"] * 8, *DETERMINERS)
DETERMINERS_WITHOUT_OWNER = tuple(
    word for word in DETERMINERS_TO_DRAW if word not in OWNERS
)
SUBJECTS_TO_DRAW = (*BEINGS, *CHILDREN)
VERBS_TO_DRAW = (*POSTURES, *POSTURES, *ACTIONS, *DEEDS)
SINGULAR = {plural: one for one, (plural, _, _) in NOUNS.items()}
NO_WORDS = ("", "")


def fill(pattern, **fillings):
    """Put English and Chinese into the slots of a pattern."""
    english, orders = words_of(pattern)
    filled = [fillings[word][0] if word in fillings else word for word in english]
    ways = [
        (tuple([fillings[w][1] if w in fillings else w for w in order]), times)
        for order, times in orders
    ]
    text = " ".join([word for word in filled if word])
    return text, ways[0][0] if len(ways) == 1 else ways


@cache
def words_of(pattern):
    """Return a pattern's words in English, and each of its orders in Chinese with how often."""
    english, orders = PATTERNS[pattern]
    if isinstance(orders, str):
        orders = {orders: 1}
    return english.split(), [(order.split(), n) for order, n in orders.items()]


def pick_or_none(pick, options, one_in=2):
    """Pick an option, or None; an option one time in so many."""
    return pick(or_none(tuple(options), one_in)) if options else None


@cache
def or_none(options, one_in):
    """Return the options with so many times None that one in so many is an option."""
    return options + (None,) * (len(options) * (one_in - 1))


def with_chinese(word, table):
    """Put a word beside its Chinese; None is nothing in both."""
    return (word, table[word]) if word else NO_WORDS


@cache
def choices(nouns, mood, adjective):
    """Return what may come next in a phrase: moods, adjectives, and nouns by their names."""
    if mood:
        nouns = [noun for noun in nouns if noun in BEINGS]
    if adjective:
        nouns = [noun for noun in nouns if adjective in ADJECTIVES[noun]]
    moods = list(MOODS) if any(noun in BEINGS for noun in nouns) else []
    return moods, list(dict.fromkeys(a for n in nouns for a in ADJECTIVES[n])), nouns


def phrase(pick, nouns, determiner):
    """Name something: the black cat, 黑猫; two black cats, 两只黑猫. And its pronoun."""
    nouns, many = tuple(nouns), determiner in PLURAL_DETERMINERS
    # Two 的 in one phrase are clumsy: 我的快乐的猫.
    moods = [] if determiner in OWNERS else choices(nouns, None, None)[0]
    mood = pick_or_none(pick, moods, 3)
    adjective = pick_or_none(pick, choices(nouns, mood, None)[1])
    fitting = choices(nouns, mood, adjective)[2]
    noun = pick([NOUNS[one][0] for one in fitting] if many else fitting)
    one = SINGULAR[noun] if many else noun
    _, measure, chinese = NOUNS[one]
    if adjective and one == "child":
        chinese = "孩子"  # 小孩 is small already: 大小孩 is no child
    it = PRONOUNS[one]
    return *fill(
        "phrase",
        which=(determiner, DETERMINERS[determiner].format(measure)),
        mood=with_chinese(mood, MOODS),
        adjective=with_chinese(adjective, ADJECTIVES[one]),
        noun=(noun, chinese),
    ), (MANY[0], it[1] + MANY[1]) if many else it


def where(pick, preposition=None, which=DETERMINERS_TO_DRAW):
    """Say where: on the rug, 地毯上. And what stands for the rug, if it can be cleaned."""
    preposition = preposition or pick(list(PREPOSITIONS))
    chinese, nouns = PREPOSITIONS[preposition]
    thing = phrase(pick, nouns.split(), pick(which))
    noun = thing[0].split()[-1]
    can_be_cleaned = SINGULAR.get(noun, noun) in DRY_CLEANED
    place = fill("where", preposition=(preposition, chinese), thing=thing)
    return *place, thing[2] if can_be_cleaned else NO_WORDS


def perhaps_located(pick, one):
    """Tell one from others by its place: the cat on the rug, 地毯上的猫."""
    if "的" in str(one[1]):
        return one
    preposition = pick_or_none(pick, PREPOSITIONS, 5)
    if not preposition:
        return one
    place = where(pick, preposition, DETERMINERS_WITHOUT_OWNER)
    return *fill("located", thing=one, where=place), one[2]


def subject(pick, determiner):
    """Name one, or two with the same determiner: the cat and the dog, 猫和狗."""
    one = phrase(pick, SUBJECTS_TO_DRAW, determiner)
    if not pick_or_none(pick, ["and"], 4):
        return perhaps_located(pick, one)
    other = phrase(pick, SUBJECTS_TO_DRAW, pick([determiner]))
    pronouns = {one[2][1].strip(MANY[1]), other[2][1].strip(MANY[1])}
    # 他们 are boys and girls; of a girl and a dog nobody says "they" in one word.
    if len(pronouns) == 1:
        they = pronouns.pop()
    else:
        they = "他" if "它" not in pronouns else ""
    return *fill("both", one=one, other=other), (they and MANY[0], they + MANY[1])


def clause(pick, pronouns=()):
    """Say who did what, where, and perhaps how and when. And which pronouns may follow.

    A pronoun has two meanings in Chinese, of who acts and of what can be cleaned, or has one:
    "they" may be 她们, the girls that sat on two rugs, or 它们, the rugs.
    """
    fillings: dict[str, tuple]
    place, first = ("", "", NO_WORDS), pick([*DETERMINERS_TO_DRAW, *[*pronouns] * 20])
    if first in pronouns:
        of_actor, of_cleaned = pronouns[first]
        verbs = [*VERBS_TO_DRAW] if of_actor else []
        be = "were dry-cleaned" if first == MANY[0] else "was dry-cleaned"
        did = pick(verbs + [be] * (of_cleaned != "") * max(1, len(verbs) // 2))
        who = (first, of_cleaned if did in CLEANED else of_actor, NO_WORDS)
    else:
        who = subject(pick, first)
        did = pick(VERBS_TO_DRAW)
    if did in CLEANED:
        pattern, fillings = "cleaned", {"did": (did, CLEANED[did])}
    elif did in DEEDS:
        chinese, nouns = DEEDS[did]
        # Never two objects: "saw A and B and C slept" would mean two things.
        whom = perhaps_located(pick, phrase(pick, nouns, pick(DETERMINERS_TO_DRAW)))
        pattern, fillings = "deed", {"did": (did, chinese), "whom": whom}
    else:
        pattern = "posture" if did in POSTURES else "action"
        *chinese, adverbs = (POSTURES | ACTIONS)[did]
        how = with_chinese(pick_or_none(pick, adverbs.split()), ADVERBS)
        place = where(pick)
        fillings = {"did": (did, chinese[0]), "doing": ("", chinese[-1])}
        fillings |= {"how": how, "where": place}
    when = with_chinese(pick_or_none(pick, TIMES, 3), TIMES)
    topic = fill("topic", who=who, when=when)
    follow = {} if pattern == "deed" else {"actor": who[2], "cleaned_thing": place[2]}
    return *fill(pattern, topic=topic, when=when, **fillings), meanings(**follow)


def meanings(actor=NO_WORDS, cleaned_thing=NO_WORDS):
    """Return for each pronoun what it is in Chinese: of who acts, of what is cleaned."""
    words = dict.fromkeys(filter(None, (actor[0], cleaned_thing[0])))
    return {
        word: tuple(
            chinese if it == word else "" for it, chinese in (actor, cleaned_thing)
        )
        for word in words
    }


def sentence(pick):
    """Make a sentence of one clause or two: and, between clauses, is ，."""
    english, chinese, pronouns = clause(pick)
    if pick_or_none(pick, ["and"]):
        one, other = (english, chinese), clause(pick, pronouns)
        english, chinese = fill("clauses", one=one, other=other)
    english = re.sub(r"\ba (?=[aeiou])", "an ", english)
    return english[0].upper() + english[1:] + ".", (chinese, "。")
