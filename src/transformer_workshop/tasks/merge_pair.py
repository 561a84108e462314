"""One merge of byte-pair encoding."""

from collections.abc import Iterator, Set

from ..task import Property, Slip, Task

STUB = '''
def merge_pair(pieces, pair):  # list of str, (str, str) -> list of str
    """Join the two pieces of the pair wherever they are next to each other, in this order.

    Go from left to right: with the pair ("a", "a"), ["a", "a", "a"] becomes ["aa", "a"]. Return a new
    list of strings, and leave pieces unchanged. If the pair does not occur, the new list equals pieces.
    """
'''

SLIPS = (
    Slip(
        "first only",
        "joined only one occurrence of the pair, and left the others as they were",
        repair="Go on to the end of the list after you have joined a pair.",
    ),
    Slip(
        "right to left",
        "joined the pairs from right to left",
        repair="Go from left to right: where two pairs overlap, as in a, a, a, the left pair is joined.",
    ),
    Slip(
        "second stays",
        "looked at the second piece of a joined pair again, as if it were still there",
        repair="After a match, move on by two pieces, past the pair.",
    ),
    Slip(
        "loses end",
        "lost the last piece where it is not part of a pair",
        repair="The last piece has no right neighbour, but it belongs to the result.",
    ),
    Slip(
        "every second",
        "moved on by two pieces even where there was no match, so you skipped neighbours",
        repair="Move on by one piece where nothing was joined.",
    ),
    Slip(
        "inside",
        "joined pieces that merely end or begin with the letters of the pair",
        repair='Compare whole pieces. A search in a text with spaces finds "a b" in "xa by", too.',
    ),
    Slip(
        "letters",
        "compared the joined letters, which can be the same for other pairs of pieces",
        repair="Compare the first piece with pair[0], and the second piece with pair[1].",
    ),
    Slip(
        "either order",
        "joined the pair in the opposite order, too",
        repair="The order counts: a before b is not b before a.",
    ),
    Slip(
        "nothing",
        "returned the pieces without joining any",
        repair="Look at the comparison: in Python, a list never equals a tuple.",
    ),
    Slip(
        "space",
        "put a space between the two pieces that you joined",
        repair="The new piece is the first piece with the second directly after it.",
    ),
    Slip(
        "one text",
        "returned one string with spaces instead of a list",
        repair="Return a list of strings, one for each piece.",
    ),
)


def reference(pieces, pair, slips: Set[str] = frozenset()):
    first, second = pair
    pieces = list(pieces)
    if "inside" in slips and "nothing" not in slips:
        joined = first + (" " if "space" in slips else "") + second
        text = " ".join(pieces)
        text = text.replace(
            f"{first} {second}", joined, 1 if "first only" in slips else -1
        )
        return text if "one text" in slips else text.split(" ")
    backwards = "right to left" in slips
    if backwards:
        pieces.reverse()
    merged, i, found = [], 0, 0
    while i < len(pieces):
        left, right = (pieces[i], *pieces[i + 1 : i + 2], None)[:2]
        if backwards:
            left, right = right, left
        match = (left, right) == pair
        if "either order" in slips:
            match = match or (right, left) == pair
        if "letters" in slips and left and right:
            match = match or left + right == first + second
        if "nothing" in slips or ("first only" in slips and found):
            match = False
        last = i == len(pieces) - 1
        if match:
            found += 1
            merged.append(f"{left} {right}" if "space" in slips else f"{left}{right}")
            i += 1 if "second stays" in slips else 2
        elif "every second" in slips and not last:
            merged += pieces[i : i + 2]
            i += 2
        else:
            if not (last and "loses end" in slips):
                merged.append(pieces[i])
            i += 1
    if backwards:
        merged.reverse()
    return " ".join(merged) if "one text" in slips else merged


def merge_pair(pieces, pair):
    merged, i = [], 0
    while i < len(pieces):
        if tuple(pieces[i : i + 2]) == pair:
            merged.append(pieces[i] + pieces[i + 1])
            i += 2
        else:
            merged.append(pieces[i])
            i += 1
    return merged


def trial_arguments(rng) -> Iterator[tuple]:
    yield ["a", "b"], ("a", "b")
    yield ["a", "b", "c"], ("a", "b")
    yield ["c", "a", "b"], ("a", "b")
    yield ["b", "a", "c"], ("a", "b")
    yield ["a", "b", "a", "b"], ("a", "b")
    yield ["a", "a", "a"], ("a", "a")
    yield ["a"], ("a", "a")
    yield ["xa", "b", "a", "bx"], ("a", "b")
    yield ["a", "bc", "ab", "c", "d"], ("ab", "c")
    yield ["th", "e", "·"], ("th", "e")
    yield ["o", "th", "er"], ("th", "er")
    yield [*"the·cat·sat·on·the·mat·"], ("t", "·")
    yield [*"abaabaaabbaaaaa"], ("a", "a")


def contains_pair(pieces: list[str], pair: tuple[str, str]) -> bool:
    """Whether the pair still stands in a list."""
    return any(tuple(pieces[i : i + 2]) == pair for i in range(len(pieces) - 1))


TASK = Task(
    "merge_pair",
    "words/tokens#byte-pair-encoding-joins-letters-into-subwords",
    STUB,
    reference,
    merge_pair,
    trial_arguments,
    SLIPS,
    properties=(
        Property(
            "letters were lost, added or moved: the result does not spell the same text as pieces",
            lambda function, x, returned_arrays: (
                "".join(returned_arrays[0].tolist()) == "".join(x[0])
            ),
        ),
        Property(
            "the pair still occurs in the result",
            lambda function, x, returned_arrays: (
                not contains_pair(returned_arrays[0].tolist(), x[1])
            ),
        ),
    ),
    hints=(
        "Read the list from left to right and build a new list while you read.",
        "Compare the next two pieces with the pair. If they match, add the joined piece to the new list "
        "and move on past both. If not, add only the first of the two and move on by one piece.",
        "while i < len(pieces): if tuple(pieces[i:i + 2]) == pair, append pieces[i] + pieces[i + 1] "
        "and add 2 to i; otherwise append pieces[i] and add 1 to i.",
    ),
)
