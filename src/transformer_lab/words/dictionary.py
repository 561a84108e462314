"""A short English gloss for each Chinese word of a corpus, out of the dictionary CC-CEDICT.

Of all senses of a word in the dictionary the corpus chooses one: that whose English stands
most often in the translations of sentences with the word. CC-CEDICT is under CC BY-SA 4.0, and so is
what comes of it.
"""

import gzip
import re
from collections import Counter, defaultdict
from pathlib import Path

from transformer_book.data.errors import DataError
from transformer_book.data.glosses import cut_known_words

DICTIONARY_TITLE = "CC-CEDICT, published by MDBG"
LICENCE = "CC BY-SA 4.0"
MAX_GLOSS_LETTERS = 16  # letters of a gloss: more does not fit under two characters
MAX_WORD_CHARACTERS = 8  # of the longest word that is looked for
# An agreement below this chooses nothing: the first sense stands.
LEAST_SENSE_AGREEMENT = 0.02
# What no single English word says, or the dictionary says with many; and names of the corpus.
_WORDS_BY_GLOSS = {
    "(of)": "的 之",
    "(done)": "了",
    "(-ing)": "着 著",
    "(ever)": "过 過",
    "(-ly)": "地",
    "(so)": "得",
    "(plural)": "们 們",
    "(question)": "吗 嗎 呢 么 麼",
    "(surely)": "吧",
    "(oh)": "啊",
    "(object)": "把",
    "(passive)": "被",
    "(what)": "所",
    "(-th)": "第",
    "(measure)": "本 个 個 张 張 条 條 场 場 辆 輛 份 件 只 隻 副 封",
    "(briefly)": "一下",
    "I": "我",
    "you": "你 您",
    "he": "他",
    "she": "她",
    "it": "它",
    "is": "是",
    "have": "有",
    "not": "不 没 沒",
    "not have": "没有 沒有",
    "will not, cannot": "不会 不會",
    "not want": "不想",
    "that is": "那是",
    "is just": "就是",
    "at": "在",
    "and": "和",
    "also": "也",
    "all": "都",
    "then": "就",
    "very": "很",
    "one": "一",
    "will, can": "会 會",
    "to, give": "给 給",
    "to, right": "对 對",
    "to, reach": "到",
    "reached": "到了",
    "with": "跟",
    "this": "这 這",
    "that": "那",
    "on": "上",
    "in": "里 裡 裏",
    "want, think": "想",
    "want": "要",
    "let": "让 讓",
    "for": "为 為",
    "from": "从 從",
    "than": "比",
    "times": "次",
    "original": "原",
    "read": "读 讀",
    "early": "早点 早點",
    "what thing": "什么事 什麼事",
    "Tom": "汤姆 湯姆",
    "Mary": "玛丽 瑪麗 玛利 瑪莉",
    "John": "约翰 約翰",
}
GLOSS_BY_WORD = {
    word: english
    for english, words in _WORDS_BY_GLOSS.items()
    for word in words.split()
}
ENTRY_LINE_PATTERN = re.compile(r"(\S+) (\S+) \[[^\]]*\] /(.*)/\s*")
# In the dictionary, and in sentences mostly two words.
EXCLUDED_WORDS = {"在地"}
OMITTED_SENSE_PATTERN = re.compile(
    r"CL:|surname |(old |erroneous |Japanese )?variant|see |abbr\.|used in|also written|"
    r"same as|Kangxi|erhua|.*Japanese surname|\((archaic|old|dialect|literary|Tw|slang)"
)
PLACEHOLDER_WORD_PATTERN = re.compile(r"\.\.\.|\b(sb|sth)\b")


def read_dictionary(path) -> tuple[dict[str, list[str]], str]:
    """Read CC-CEDICT's file ``cedict_1_0_ts_utf-8_mdbg.txt``, or that file compressed.

    Parameters
    ----------
    path : path-like
        Ending in ``.gz`` if compressed.

    Returns
    -------
    senses : dict of str to list of str
        What each word means, in traditional and in simplified characters.
    date : str
        Of the dictionary.

    Raises
    ------
    DataError
        If it cannot be read, or is another file.
    """
    try:
        opener = gzip.open if Path(path).suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise DataError(
            f"{path} cannot be read ({type(error).__name__}: {error}); expected the dictionary "
            "CC-CEDICT, in UTF-8. Download cedict_1_0_ts_utf-8_mdbg.txt.gz again."
        ) from error
    senses, date = defaultdict(list), None
    for line in lines:
        if line.startswith("#! date="):
            date = line.removeprefix("#! date=")[:10]
        elif entry := ENTRY_LINE_PATTERN.fullmatch(line):
            traditional, simplified, english = entry.groups()
            for word in {traditional, simplified}:
                senses[word] += english.split("/")
    if date is None or not senses:
        raise DataError(
            f"{path} is not CC-CEDICT: it has {len(senses):,} entries and "
            f"{'a' if date else 'no'} date; expected entries such as '貓 猫 [mao1] /cat/' below a "
            "head with '#! date='. Download cedict_1_0_ts_utf-8_mdbg.txt.gz again."
        )
    return dict(senses), date


def choose_glosses(
    pairs, senses_by_word: dict[str, list[str]], further_texts=()
) -> dict[str, str]:
    """Choose a gloss for each word of the dictionary that a corpus has, and for each character.

    Parameters
    ----------
    pairs : sequence of (str, str)
        English sentences and their Chinese.
    senses_by_word : dict of str to list of str
        As :func:`read_dictionary` returns them.
    further_texts : sequence of str
        Chinese whose words need a gloss as well; it does not choose.

    Returns
    -------
    dict of str to str
        At most ``MAX_GLOSS_LETTERS`` letters each; none for signs, digits and Latin letters.
    """
    short_senses_of = {
        word: short_senses(senses) for word, senses in senses_by_word.items()
    }
    known = {
        word for word in short_senses_of if short_senses_of[word]
    } - EXCLUDED_WORDS | GLOSS_BY_WORD.keys()
    english_of, occurrences, stems = defaultdict(Counter), Counter(), Counter()
    for english, chinese in pairs:
        english_stems = {_stem(word) for word in re.findall(r"[a-z]+", english.lower())}
        stems.update(english_stems)
        for word in known.intersection(
            cut_known_words(chinese, known, MAX_WORD_CHARACTERS)
        ):
            english_of[word].update(english_stems)
            occurrences[word] += 1

    def agreement(word: str, sense: str) -> float:
        """Dice's coefficient of a word and the best of a sense's words."""
        return max(
            (
                2 * english_of[word][stem] / max(1, occurrences[word] + stems[stem])
                for stem in map(_stem, re.findall(r"[a-z]+", sense.lower()))
            ),
            default=0.0,
        )

    texts = [*further_texts, *(chinese for _, chinese in pairs)]
    words = {character for text in texts for character in text}
    glosses = {sign: "" for sign in words if sign.isascii() or not sign.isalpha()}
    words.update(
        *(cut_known_words(text, known, MAX_WORD_CHARACTERS) for text in further_texts)
    )
    for word in english_of.keys() | words & known:
        best_sense = max(
            short_senses_of.get(word, ()),
            key=lambda sense: agreement(word, sense),
            default="",
        )
        if best_sense and agreement(word, best_sense) < LEAST_SENSE_AGREEMENT:
            best_sense = short_senses_of[word][0]
        glosses[word] = GLOSS_BY_WORD.get(word, best_sense)
    return dict(sorted(glosses.items()))


def short_senses(senses: list[str]) -> list[str]:
    """Return those senses of a word that fit under it, without the remarks on them.

    Parameters
    ----------
    senses : list of str
        For example ``["to speak (a language)", "CL:個|个[ge4]"]``.

    Returns
    -------
    list of str
        ``["speak"]``. A measure word's is "(measure)".
    """
    shortened = []
    for sense in senses:
        if sense.startswith("classifier"):
            shortened.append("(measure)")
        if sense.startswith("classifier") or OMITTED_SENSE_PATTERN.match(sense):
            continue
        for part in re.split(r"[;,]", re.sub(r"\([^)]*\)|\[[^\]]*\]", "", sense)):
            part = re.sub(r"^(to be|to|the|a|an) ", "", " ".join(part.split()))
            part = part.rstrip("?!")
            if (
                part
                and len(part) <= MAX_GLOSS_LETTERS
                and part.isascii()
                and not PLACEHOLDER_WORD_PATTERN.search(part)
            ):
                shortened.append(part)
    return list(dict.fromkeys(shortened))


def _stem(word: str) -> str:
    # Enough to see that "dogs" and "dog", "loved" and "love" are one word.
    for end in ("ing", "ed", "es", "s", "e"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            return word.removesuffix(end)
    return word
