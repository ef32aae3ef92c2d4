"""What the heading of a column says: its name, its unit, and what its words mean in four languages."""

import math
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib.resources import files

from ingest.reading.csv_files import NO_VALUE
from ingest.run_names import COUNTERS, PROCESS_PARAMETERS
from ingest.units import SECONDS, work_rate

_CLOCK = re.compile(
    r"(?:(?P<days>\d{1,6})(?:-|\s+days?,?\s+))?(?:(?P<hours>\d{1,9}):)?"
    r"(?P<minutes>\d{1,9}):(?P<seconds>\d{1,2}(?:[.,]\d+)?)"
)
_PART = re.compile(r"(\d+(?:[.,]\d+)?)\s*([^\W\d_]+)\.?\s*")
TWO_PARTS = re.compile(r"\s*\d{1,9}:\d{1,2}\s*")
"""What may be minutes and seconds, or hours and minutes."""


def number(text: str) -> float:
    """Return a number, NaN if there is none; ValueError if it is something else."""
    text = text.strip()
    if text in NO_VALUE:
        return math.nan
    if "_" in text:  # Python accepts 1_000
        raise ValueError(text)
    return float(text)


def is_number(text: str) -> bool:
    """Return whether a text is a number."""
    try:
        return not math.isnan(number(text))
    except ValueError:
        return False


def seconds_of(text: str, form: str = "") -> float:
    """Return seconds of a time with colons or units, else ValueError; `form` says what ``1:30`` is."""
    if found := _CLOCK.fullmatch(text.strip()):
        days, hours, minutes, seconds = (float((part or "0").replace(",", ".")) for part in found.groups())
        scale = 60.0 if form in ("hh:mm", "h:mm") and TWO_PARTS.fullmatch(text) else 1.0
        return (((24 * days + hours) * 60 + minutes) * 60 + seconds) * scale
    units = {"m": 60.0, **TIME_UNITS}
    parts = [(value.replace(",", "."), unit.lower()) for value, unit in _PART.findall(text)]
    if not parts or _PART.sub("", text).strip() or not all(unit in units for _, unit in parts):
        raise ValueError(text)
    return sum(float(value) * units[unit] for value, unit in parts)


_WORDS = tomllib.loads((files(__package__) / "column_names.toml").read_text("utf-8"))

TIME_UNITS: dict[str, float] = dict(SECONDS) | {
    name: float(unit) for unit, names in _WORDS.pop("time_units").items() for name in names
}
"""Seconds per unit as headings and cells write it, in lower case."""

_WORDS["processes"] += sorted(PROCESS_PARAMETERS)
_WORDS["repetitions"] = [*sorted(COUNTERS - {"profile"}), *_WORDS["repetitions"]]
COLUMN_NAMES: Mapping[str, tuple[str, ...]] = {meaning: tuple(names) for meaning, names in _WORDS.items()}
"""Words by what they mean; of several that a table has, the first one counts."""

STATISTICS = ("mean", "median", "least", "most")
"""What may stand for the time of several measurements, the first one that a table has."""

MOST_LETTERS = 80  # of a name that are looked at

_TIMES = ("spread", "halfclocks", "cpuclocks", "wall", "totals", "times", "runs", "small")
_SETS = {meaning: frozenset(names) for meaning, names in COLUMN_NAMES.items()}
_OF_TIMES = frozenset().union(*(_SETS[name] for name in (*STATISTICS, *_TIMES)))
_COUNTABLE = _SETS["processes"].union(*(_SETS[name] for name in ("cores", "gpus", "threads", "nodes")))
_SIGNS = {
    "#": " number ",
    "%": " percent ",
    "±": " std ",
    "+/-": " std ",
    "+-": " std ",
    "σ": " std ",
    "ø": " mean ",
    "œ": "oe",
}
_UNIT = re.compile(r"^(?P<name>.*?)\s*[\[(](?P<unit>[^\][()]*)[\])]\s*$")
_SLASH = re.compile(r"^(?P<name>[^/]*[^/\s])\s*/\s*(?P<unit>[^\W\d_]+)$")
_SUFFIX = re.compile(
    r"^(?P<name>.+?)(?:[\s_,.-]+(?:in|en))?(?:(?P<gap>[\s_,.-]+)|(?<=[a-z])(?=[A-Z]))(?P<unit>[^\W\d_]+)$"
)
_NUMBERED = re.compile(r"([^\W\d_]+)(\d{1,4})")


@dataclass(frozen=True, kw_only=True)
class Heading:
    """A heading, and what its words say of a time."""

    header: str = ""  # as the table has it; without its unit it is `name`
    name: str
    unit: str = ""
    ambiguous: bool = False  # whether the unit may be a word of the name: ``time_min``
    statistic: str = ""  # of `STATISTICS`, or ``spread``; empty if it is none
    clock: str = ""  # ``wall``, ``cpuclocks`` or ``halfclocks``; empty if none is named
    total: bool = False  # whether it is called the whole
    named: bool = False  # whether another word says that it is a time
    repetition: str = ""  # the number of the measurement, empty if there is none
    numbered: bool = False  # whether a word says that the number counts measurements
    base: tuple[str, ...] = ()  # the other words, such as those of a part

    @property
    def seconds(self) -> float | None:
        """Seconds per unit, None if it has no unit of time."""
        return TIME_UNITS.get(self.unit.lower())

    @property
    def plain(self) -> bool:
        """Whether it is neither a statistic nor a repetition."""
        return not self.statistic and not self.repetition

    @cached_property
    def key(self) -> str:
        """The name as the tables of words have it."""
        return "".join(_words(self.name))

    def means(self, *meanings: str) -> bool:
        """Return whether the whole name is a word for one of some meanings."""
        return any(self.key in _SETS[meaning] for meaning in meanings)

    def counts(self, *meanings: str) -> bool:
        """Return whether the name says how many there are of something: ``No. of MPI ranks``."""
        return any(_counted(self.key, _SETS[meaning]) for meaning in meanings)

    @property
    def shown(self) -> str:
        """What a parameter is called: ``ranks`` for ``MPI ranks``, else its name without blanks."""
        name = self.name.removeprefix("parameter_")
        parts = re.findall(r"\w+", name)
        if not parts or re.fullmatch(r"[^\W\d][\w.]*", name):
            return name
        counted = [part for part in parts if _counted("".join(_words(part)), _COUNTABLE)]
        return counted[-1] if counted else "_".join(parts)


def read_headings(headers: Sequence[str]) -> list[Heading]:
    """Read the headings of a table; what they mean may depend on the others."""
    extremes = any(_time(header).statistic in ("mean", "median", "most") for header in headers)
    quotients = any(
        _is_time(match["name"]) and match["unit"].lower() in TIME_UNITS
        for match in filter(None, map(_SLASH.match, map(str.strip, headers)))
    )
    split = [_split(header, extremes=extremes, quotients=quotients) for header in headers]
    said = [_time(name) for name, _, _ in split]
    shared = Counter(time.base for time in said)
    found = []
    for header, (name, unit, ambiguous), time in zip(headers, split, said, strict=True):
        single = time.base and shared[time.base] == 1
        said_of = Heading(name=name, named=time.named, base=_words(name)) if single else time
        found.append(replace(said_of, header=header, unit=unit, ambiguous=ambiguous))
    return found


def split_unit(header: str) -> tuple[str, str]:
    """Split a header such as ``time [us]``, ``time / ms`` or ``duration_ns`` into name and unit."""
    return _split(header, extremes=False, quotients=False)[:2]


def _split(header: str, *, extremes: bool, quotients: bool) -> tuple[str, str, bool]:
    """Return name and unit, and whether the unit may be a word of the name.

    With `extremes` ``min`` is the least, as other headings name the mean or the most; with `quotients` other
    headings have a unit of time behind a slash, as ISO 80000 writes them.
    """
    text = header.strip(" *`'\"")
    if match := _UNIT.match(text):
        unit = match["unit"].strip().rstrip(".")
        known = unit.lower() in TIME_UNITS and not (extremes and unit.lower() == "min")
        if known or not _is_time(unit):
            return match["name"], unit, False
        text = f"{match['name']} {unit}"
    if len(text) > MOST_LETTERS:
        return text, "", False
    if match := _SLASH.match(text):
        name, unit = match["name"].strip(), match["unit"]
        if unit.lower() in TIME_UNITS and (_is_time(name) or (quotients and not counts_work(name))):
            return name, unit, False
        if name.lower() in TIME_UNITS and counts_work(unit):
            return f"time per {unit}", name, False
    elif (match := _SUFFIX.match(text)) and (seconds := TIME_UNITS.get(match["unit"].lower())):
        least = match["unit"].lower() == "min"
        timed = _is_time(match["name"]) or (seconds <= 1 and (match["gap"] or "").strip())
        if timed and not (least and extremes) and not work_rate(text) and not is_no_time(text):
            return match["name"], match["unit"], least
    return text, "", False


def _is_time(name: str) -> bool:
    time = _time(name)
    said = time.statistic or time.clock or time.total or time.named or time.numbered
    return bool(said) and not is_no_time(name)


def is_no_time(header: str) -> bool:
    """Return whether a heading names no measured time of a run: ``ideal time``, ``timeout``."""
    for meaning in ("nottimes", "derived"):
        found, rest = _without(_words(header), _SETS[meaning])
        while found and (more := _without(rest, _SETS[meaning]))[0]:
            rest = more[1]
        if found and not _time(" ".join(word for word in rest if word not in TIME_UNITS)).base:
            return True
    return False


def counts_work(text: str) -> bool:
    """Return whether a text names what programs do so many of in a second: ``GB``, ``atom-steps``."""
    words = _words(text) or ("",)
    last = ("".join(words[-2:]), words[-1], re.sub("^[kmgtpe]", "", words[-1]))
    return not _SETS["work"].isdisjoint(last)


@lru_cache(maxsize=1 << 12)
def _words(text: str) -> tuple[str, ...]:
    """Return the words of a name in lower case, without accents; a number behind one of times is a word."""
    text = text[:MOST_LETTERS]
    for sign, word in _SIGNS.items():
        text = text.replace(sign, word)
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    numbered = [(word, _NUMBERED.fullmatch(word)) for word in re.findall(r"[^\W_]+", plain)]
    of_times = _SETS["runs"] | _SETS["times"]
    return tuple(
        part
        for word, match in numbered
        for part in (match.groups() if match and match[1] in of_times else (word,))
    )


def _counted(key: str, names: Collection[str]) -> bool:
    """Return whether a key is a name with or without words that say that it is counted."""
    cut = [of(key, word) for word in COLUMN_NAMES["counting"] for of in (str.removeprefix, str.removesuffix)]
    return key in names or any(2 < len(rest) < len(key) and _counted(rest, names) for rest in cut)


def _without(words: tuple[str, ...], names: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """Take the longest of the words, or of what they are together, that is one of the names."""
    for size in range(min(len(words), 4), 0, -1):
        for start in range(len(words) - size + 1):
            if (found := "".join(words[start : start + size])) in names:
                return found, words[:start] + words[start + size :]
    return "", words


def _time(name: str) -> Heading:
    """Return what a name says of a time."""
    words, found = _words(name), dict[str, str]()
    if not any("".join(words[a:b]) in _OF_TIMES for a in range(len(words)) for b in range(a + 1, a + 5)):
        return Heading(name=name, base=words)
    for meaning in ("spread", *STATISTICS, "halfclocks", "cpuclocks", "wall", "totals", "times"):
        found[meaning], words = _without(words, _SETS[meaning])
    statistic = next((name for name in ("spread", *STATISTICS) if found[name]), "")
    numbers = [word for word in words if word.isdecimal()]
    numbered, rest = _without(words, _SETS["runs"]) if len(numbers) == 1 else ("", words)
    counting = bool(numbered) or (bool(found["times"]) and words == tuple(numbers))
    if statistic or counting:
        words = tuple(word for word in (rest if counting else words) if not word.isdecimal())
    return Heading(
        name=name,
        statistic=statistic,
        clock=next((clock for clock in ("halfclocks", "cpuclocks", "wall") if found[clock]), ""),
        total=bool(found["totals"]),
        named=bool(found["times"]),
        repetition=numbers[0] if len(numbers) == 1 and counting and not statistic else "",
        numbered=bool(numbered),
        base=tuple(word for word in words if word not in _SETS["small"]),
    )
