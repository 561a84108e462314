"""English sentences with their Chinese translations, from a small grammar.

First the words, then the word order of both languages, then the rules that fill it.
Every choice is made by ``pick``: a random one draws a sentence, a scripted one
derives a given sentence.
"""

import random
import re
from itertools import pairwise

from .errors import DataError

# Of singular and of plural; {} is the place of the measure word that the noun asks for.
SINGULAR_DETERMINERS = {
    "the": "",
    "a": "一{}",
    "this": "这{}",
    "that": "那{}",
    "my": "我的",
    "her": "她的",
    "our": "我们的",
}
PLURAL_DETERMINERS = {"two": "两{}", "three": "三{}", "four": "四{}", "these": "这些"}
DETERMINERS = SINGULAR_DETERMINERS | PLURAL_DETERMINERS

# Singular, plural, measure word, Chinese.
ANIMALS = {
    "cat": ("cats", "只", "猫"),
    "dog": ("dogs", "只", "狗"),
    "rabbit": ("rabbits", "只", "兔子"),
    "duck": ("ducks", "只", "鸭子"),
    "fox": ("foxes", "只", "狐狸"),
    "sheep": ("sheep", "只", "羊"),
    "horse": ("horses", "匹", "马"),
    "cow": ("cows", "头", "牛"),
    "pig": ("pigs", "头", "猪"),
}
CHILDREN = {
    "child": ("children", "个", "孩子"),
    "boy": ("boys", "个", "男孩"),
    "girl": ("girls", "个", "女孩"),
}
THINGS = {
    "couch": ("couches", "张", "沙发"),
    "table": ("tables", "张", "桌子"),
    "bed": ("beds", "张", "床"),
    "rug": ("rugs", "块", "地毯"),
    "mat": ("mats", "块", "垫子"),
    "chair": ("chairs", "把", "椅子"),
    "umbrella": ("umbrellas", "把", "伞"),
    "box": ("boxes", "个", "箱子"),
    "boat": ("boats", "条", "船"),
    "car": ("cars", "辆", "汽车"),
}
PLACES = {
    "house": ("houses", "座", "房子"),
    "garden": ("gardens", "座", "花园"),
    "bridge": ("bridges", "座", "桥"),
    "tree": ("trees", "棵", "树"),
}
BEINGS = ANIMALS | CHILDREN
NOUNS = BEINGS | THINGS | PLACES

# The noun decides which adjectives fit it, and what "old" is in Chinese.
MOODS = {"happy": "快乐的", "tired": "疲倦的", "clever": "聪明的", "hungry": "饥饿的"}
SIZES = {"big": "大", "small": "小"}
COATS = SIZES | {"black": "黑", "white": "白", "brown": "棕", "grey": "灰", "old": "老"}
PAINTS = SIZES | {
    "black": "黑",
    "white": "白",
    "red": "红",
    "blue": "蓝",
    "green": "绿",
    "old": "旧",
    "new": "新",
}
ADJECTIVES = (
    dict.fromkeys(ANIMALS, COATS)
    | dict.fromkeys(CHILDREN, SIZES)
    | dict.fromkeys(THINGS, PAINTS)
    | dict.fromkeys(PLACES, SIZES)
)

# Chinese, then what a place like this can be.
PREPOSITIONS = {
    "on": ("上", "couch table bed rug mat chair box boat bridge"),
    "in": ("里", "car house garden"),
    "under": ("下面", "couch table bed chair umbrella car bridge tree"),
    "behind": ("后面", "couch table chair box car house garden tree"),
    "beside": ("旁边", "couch table bed rug chair umbrella boat car house garden"),
    "in front of": ("前面", "couch bed car house garden tree"),
}

# Chinese, then the adverbs that fit, or who and what it can be done to.
POSTURES = {
    "sat": ("坐", "quietly happily comfortably patiently"),
    "slept": ("睡", "quietly comfortably"),
    "stood": ("站", "quietly patiently"),
    "lay": ("躺", "happily comfortably"),
    "hid": ("躲", "quietly patiently"),
}
ACTIONS = {
    "rested": ("休息", "quietly comfortably"),
    "sang": ("唱歌", "happily slowly"),
    "waited": ("等待", "quietly patiently"),
    "played": ("玩", "quietly happily"),
    "ate": ("吃东西", "quietly happily slowly quickly"),
    "danced": ("跳舞", "happily slowly quickly"),
}
DEEDS = {
    "saw": ("看见了", BEINGS | THINGS),
    "found": ("找到了", BEINGS | THINGS),
    "met": ("遇见了", BEINGS),
    "helped": ("帮助了", BEINGS),
}
ADVERBS = {
    "quietly": "静静地",
    "happily": "快乐地",
    "slowly": "慢慢地",
    "quickly": "飞快地",
    "comfortably": "舒服地",
    "patiently": "耐心地",
}
TIMES = {
    "yesterday": "昨天",
    "today": "今天",
    "last night": "昨晚",
    "this morning": "今天早上",
    "on Monday": "星期一",
    "on Sunday": "星期天",
}

# The word order of both languages. What is no slot (and, 在, 的, 和, ，) stays.
FORMS = {
    "phrase": ("which mood adjective noun", "which mood adjective noun"),
    "where": ("preposition thing", "thing preposition"),
    "located": ("thing where", "where 的 thing"),
    "both": ("one and other", "one 和 other"),
    "posture": ("who did how where", "who how did 在 where"),
    "action": ("who did how where", "who 在 where how did"),
    "deed": ("who did whom", "who did whom"),
    "dated": ("clause when", "when clause"),
    "clauses": ("one and other", "one ， other"),
}

# Pairs of neighbours that training never sees; every test sentence has one or more.
# "brown dog" is held out, so "brown dogs" is, too.
HELD_OUT = {
    "big": "fox chair",
    "small": "cow bridge",
    "black": "horse umbrella",
    "white": "rabbit table",
    "brown": "dog",
    "grey": "duck",
    "red": "couch",
    "blue": "car",
    "green": "box",
    "new": "boat",
    "old": "pig bed",
    "happy": "girl",
    "tired": "sheep",
    "clever": "cat",
    "hungry": "cow",
    "sat": "comfortably",
    "slept": "quietly",
    "ate": "happily",
    "danced": "slowly",
    "waited": "quietly",
}
OFTEN_THE = (*["the"] * 8, *DETERMINERS)
SELDOM = (False, False, False, True)
LONGEST = 20  # words in an English sentence, its full stop counted
MOST = 1_000_000
SINGULAR = {plural: one for one, (plural, _, _) in NOUNS.items()}
ONCE = {*NOUNS, *SINGULAR, *(time.split()[-1] for time in TIMES)}


def fill(form, **slots):
    """Put pairs of English and Chinese into the slots of a form."""
    english, chinese = (
        [slots[word][side] if word in slots else word for word in order.split()]
        for side, order in enumerate(FORMS[form])
    )
    return " ".join(filter(None, english)), "".join(chinese)


def row(pick, table):
    """Pick a word of the table, or none: with its Chinese."""
    word = pick(list(table)) if table and pick((True, False)) else ""
    return word, table.get(word, "")


def phrase(pick, nouns, determiner=None):
    """Name something: the black cat, 黑猫; two black cats, 两只黑猫."""
    determiner = determiner or pick(OFTEN_THE)
    one = pick(list(nouns))
    plural, measure, chinese = NOUNS[one]
    counted = DETERMINERS[determiner].format(measure)
    # Two 的 in one phrase are clumsy: 我的快乐的猫.
    feels = one in BEINGS and not counted.endswith("的")
    return fill(
        "phrase",
        which=(determiner, counted),
        mood=row(pick, MOODS if feels else {}),
        adjective=row(pick, ADJECTIVES[one]),
        noun=(one if determiner in SINGULAR_DETERMINERS else plural, chinese),
    )


def where(pick):
    """Say where: on the rug, 地毯上."""
    preposition = pick(list(PREPOSITIONS))
    chinese, nouns = PREPOSITIONS[preposition]
    thing = phrase(pick, nouns.split())
    return fill("where", preposition=(preposition, chinese), thing=thing)


def perhaps_located(pick, one):
    """Tell one from others by its place: the cat on the rug, 地毯上的猫."""
    located = fill("located", thing=one, where=where(pick)) if pick(SELDOM) else one
    return one if located[1].count("的") > 1 else located


def subject(pick):
    """Name one, or two with the same determiner: the cat and the dog, 猫和狗."""
    determiner = pick(OFTEN_THE)
    one = phrase(pick, BEINGS, determiner)
    if pick(SELDOM):
        return fill("both", one=one, other=phrase(pick, BEINGS, determiner))
    return perhaps_located(pick, one)


def clause(pick):
    """Say who did what, where, and perhaps how and when."""
    form = pick(("posture", "posture", "action", "deed"))
    who = subject(pick)
    if form == "deed":
        did = pick(list(DEEDS))
        chinese, beings = DEEDS[did]
        # Never two objects: "saw A and B and C slept" would mean two things.
        whom = perhaps_located(pick, phrase(pick, beings))
        said = fill(form, who=who, did=(did, chinese), whom=whom)
    else:
        verbs = {"posture": POSTURES, "action": ACTIONS}[form]
        did = pick(list(verbs))
        chinese, adverbs = verbs[did]
        how = row(pick, {adverb: ADVERBS[adverb] for adverb in adverbs.split()})
        said = fill(form, who=who, did=(did, chinese), how=how, where=where(pick))
    when = row(pick, TIMES) if pick((True, False)) else ("", "")
    return fill("dated", clause=said, when=when)


def sentence(pick):
    """Make a sentence of one clause or two: and, between clauses, is ，."""
    said = clause(pick)
    if pick((True, False)):
        said = fill("clauses", one=said, other=clause(pick))
    english = re.sub(r"\ba (?=[aeiou])", "an ", said[0])
    return english[0].upper() + english[1:] + ".", said[1] + "。"


def held_out(english):
    """Find the neighbours in a sentence that training never sees.

    Parameters
    ----------
    english : str
        A sentence of the grammar.

    Returns
    -------
    list of (str, str)
        Pairs of ``HELD_OUT``, nouns in the singular.
    """
    said = [SINGULAR.get(word, word) for word in words(english)]
    return [(a, b) for a, b in pairwise(said) if b in HELD_OUT.get(a, "").split()]


def words(english):
    """Cut a sentence of the grammar, its full stop left out."""
    return english.removesuffix(".").split()


def fits(english):
    """Say whether a sentence is short and names no noun and no time twice."""
    said = words(english)
    nouns = [word for word in said if word in ONCE]
    return len(said) < LONGEST and len(nouns) == len(set(nouns))


def grammar_pairs(n, seed=0):
    """Draw English sentences with their Chinese translations.

    Parameters
    ----------
    n : int
        How many pairs; all are different.
    seed : int
        The same seed gives the same pairs, and a smaller ``n`` the first of them.

    Returns
    -------
    list of (str, str)
        English, Chinese. No English sentence has two translations.

    Raises
    ------
    DataError
        If ``n`` is not a whole number from 0 to 1,000,000.
    """
    if not isinstance(n, int) or not 0 <= n <= MOST:
        raise DataError(
            f"grammar_pairs: n is {n!r}; expected a whole number from 0 to "
            f"{MOST:,}. Give such a number."
        )
    pick = random.Random(seed).choice
    pairs = {}
    while len(pairs) < n:
        english, chinese = sentence(pick)
        if fits(english):
            pairs[english] = chinese
    return list(pairs.items())
