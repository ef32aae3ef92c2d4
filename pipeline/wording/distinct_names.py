"""Call paths that stand beside each other: shortened so that no two of them read the same."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import PurePath

from pipeline.wording.escaping import shown_name, visible
from pipeline.wording.quantities import ARROW, ELLIPSIS, callpath_text, shorten_middle

CallPath = tuple[str, ...]
Call = tuple[str, int]
Form = Callable[[Sequence[CallPath], int], list[str]]
_READABLE = 7  # characters of a name that say something
_ROOMY = 16  # characters from which on a text keeps both of its ends
_CLOSE = ARROW.strip()


def distinct_texts(callpaths: Sequence[Sequence[str]], width: int) -> list[str]:
    """Write call paths within `width`, different ones differently.

    They are written as `callpath_text` does. Those that would read the same show instead the names in which
    they differ; if these are too long or alike without return types and parameters, the place in the text
    where they differ; and if there is no room for that either, a number.
    """
    paths = [tuple(map(visible, callpath)) for callpath in callpaths]
    texts = {path: callpath_text(path, width) for path in dict.fromkeys(paths)}
    counts = Counter(texts.values())
    found = {path: text for path, text in texts.items() if counts[text] == 1}
    used = set(found.values())
    for alike in (text for text, count in counts.items() if count > 1):
        found |= _told_apart([path for path in texts if texts[path] == alike], width, used)
    return [found[path] for path in paths]


def distinct_names(one: str, other: str) -> tuple[str, str]:
    """Return the last parts of two paths that differ; of files of one kind without their endings."""
    first, second = PurePath(one), PurePath(other)
    if first.suffix == second.suffix and first.suffix[1:].isalpha() and first.stem != second.stem:
        return first.stem, second.stem
    parts = zip(reversed(first.parts), reversed(second.parts), strict=False)
    return next(((a, b) for a, b in parts if a != b), (one, other))


def _told_apart(paths: list[CallPath], width: int, used: set[str]) -> dict[CallPath, str]:
    """Return a text for each of some call paths that is not used yet, and add it to those used."""
    found: dict[CallPath, str] = {}
    for form in _FORMS:
        texts = form(paths, width)
        counts, left = Counter(texts), []
        for path, text in zip(paths, texts, strict=True):
            if counts[text] == 1 and text not in used:
                found[path] = text
                used.add(text)
            else:
                left.append(path)
        paths = left
    for path in paths:
        numbered = _numbered(callpath_text(path, width), width)
        used.add(found.setdefault(path, next(text for text in numbered if text not in used)))
    return found


def _numbered(text: str, width: int) -> Iterator[str]:
    number = 1
    while True:
        mark = f"~{number}"
        yield shorten_middle(text, max(width - len(mark), 0)) + mark
        number += 1


def _by_names(paths: Sequence[CallPath], width: int) -> list[str]:
    """Write each call path by its last name and those that most of the others lack."""
    calls = [_calls(path) for path in paths]
    members: dict[Call, int] = {}  # for each call the call paths that have it, as bits
    for number, path in enumerate(calls):
        for call in path:
            members[call] = members.get(call, 0) | 1 << number
    names = sorted({name for path in paths for name in path})
    return [
        _fitting(path, _telling(calls[number], number, members), names, width)
        for number, path in enumerate(paths)
    ]


def _calls(path: CallPath) -> list[Call]:
    """Return every name with the number of times that it occurs from there on: recursion distinguishes."""
    seen: Counter[str] = Counter()
    found = []
    for name in reversed(path):
        seen[name] += 1
        found.append((name, seen[name]))
    return found[::-1]


def _telling(path: Sequence[Call], number: int, members: dict[Call, int]) -> set[int]:
    """Return the positions of the last name and of those that distinguish a call path from the others."""
    last = len(path) - 1
    kept, rivals = {last}, members[path[last]] & ~(1 << number)
    while rivals:
        best = min(range(last, -1, -1), key=lambda position: (members[path[position]] & rivals).bit_count())
        left = members[path[best]] & rivals
        if left == rivals:
            break
        name = path[best][0]
        kept |= {position for position in range(best, last) if path[position][0] == name}
        rivals = left
    return kept


def _fitting(path: CallPath, kept: set[int], names: Sequence[str], width: int) -> str:
    """Write some names of a call path, with its caller and its root if there is room.

    If there is too little, the gaps are written closer, then the longest names but the last shorter, each by
    the place in which it differs from the other names.
    """
    caller, root = {max(len(path) - 2, 0)}, {0}
    for more in (caller | root, caller, root, set()):
        text = _with_gaps(path, kept | more)
        if len(text) <= width:
            return text
    for longest in range(max(len(path[position]) for position in kept), _READABLE - 1, -1):
        shortened = dict(zip(names, _by_place([(name,) for name in names], longest), strict=True))
        text = _with_gaps([*(shortened[name] for name in path[:-1]), path[-1]], kept, _CLOSE)
        if len(text) <= width:
            return text
    return shorten_middle(text, width).replace(2 * ELLIPSIS, ELLIPSIS)


def _with_gaps(path: Sequence[str], kept: set[int], arrow: str = ARROW) -> str:
    """Join some names of a call path; ellipses stand for those between, without arrows if they are close."""
    text, before = "", -1
    for position in sorted(kept):
        gap = position > before + 1
        if arrow == _CLOSE and gap:
            text += ELLIPSIS
        elif gap:
            text += (arrow if text else "") + ELLIPSIS + arrow
        elif text:
            text += arrow
        text += path[position]
        before = position
    return text.replace(2 * ELLIPSIS, ELLIPSIS)


def _by_place(paths: Sequence[CallPath], width: int) -> list[str]:
    """Write the ends of each call path and the place where it begins to differ from those most like it."""
    texts = [ARROW.join(path) for path in paths]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    place = [0] * len(texts)
    for one, next_one in pairwise(order):
        shared = _common(texts[one], texts[next_one])
        place[one], place[next_one] = max(place[one], shared), max(place[next_one], shared)
    return [_around(text, where, width) for text, where in zip(texts, place, strict=True)]


def _common(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def _around(text: str, place: int, width: int) -> str:
    """Shorten a text to both of its ends and what stands at a place."""
    if len(text) <= width:
        return text
    if width < _ROOMY:
        start = max(min(place, len(text) - width + 1), 0)
        if start <= 1:
            return text[: width - 1] + ELLIPSIS
        rest = text[start:]
        shown = rest if len(rest) < width else rest[: max(width - 2, 0)] + ELLIPSIS
        return (ELLIPSIS + shown)[:width]
    tail, middle = width // 4, width // 3
    head = width - tail - middle - 2 * len(ELLIPSIS)
    start = place - middle // 4
    if start <= head + 1:
        return text[: width - tail - 1] + ELLIPSIS + text[-tail:]
    if start + middle >= len(text) - tail - 1:
        return text[:head] + ELLIPSIS + text[-(width - head - 1) :]
    return text[:head] + ELLIPSIS + text[start : start + middle] + ELLIPSIS + text[-tail:]


def _in_short(form: Form) -> Form:
    """Write call paths in a form, without return types and parameters."""
    return lambda paths, width: form([tuple(map(shown_name, path)) for path in paths], width)


_FORMS: tuple[Form, ...] = (_in_short(_by_names), _in_short(_by_place), _by_names, _by_place)
