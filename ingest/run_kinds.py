"""Runs of several kinds, told by labels: texts in their names, numbers that are no order, texts they state.

They are no series, nor are they repetitions: one kind is modelled, the one with the most points.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingest.errors import RunNameError
from ingest.parameter_roles import is_function
from ingest.run_names import VERSION
from ingest.run_proposal import texts_of
from ingest.run_settings import COMMON_NAMES

KIND = "kind"
"""What the texts in names tell, as `--group-by` takes it."""

LABELS = frozenset(
    (
        *("algorithm", "case", "config", "configuration", "kind", "method", "mode", "option", "problem"),
        *("scheme", "solver", "type", "v", "variant", "version"),
    )
)
"""Last words of names whose numbers stand for one of several things."""

_BUILDS = frozenset(re.sub(r"\W", "_", name.lower()) for common in COMMON_NAMES.values() for name in common)
_OCCASION = re.compile(
    r"(user|host|job|launch|node|slurm|pbs)\w*"
    r"|\w*(date|day|time|stamp|path|dir|directory|folder|file|list|libraries|command|cmd|line|args|arguments"
    r"|executable|log|owner)"
    r"|(\w*_)?u?id"
)
"""Names of texts that say when, where or by whom a program was run, not what ran."""
_NO_KIND = re.compile(r"[/\\\[\]{}\n]|\d{4}-\d\d|\d:\d\d|.{100}")  # paths, lists, dates

SEPARATE = "give the directory of one kind, or list the runs: `pipeline inspect DIR --propose` writes a list"

Point = tuple[float, ...]
_NUMBER = re.compile("[0-9]")
_WORDS = re.compile(rf"{VERSION.pattern}|[^\W\d_]+", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """Runs whose labels are set apart from their parameters.

    Attributes:
        values: of the parameters, one row per run.
        labels: the names of the labels.
        kinds: the labels of each run, as texts by name.
    """

    parameters: tuple[str, ...]
    values: tuple[Point, ...]
    labels: tuple[str, ...]
    kinds: tuple[Mapping[str, str], ...]


def set_labels_apart(
    parameters: Sequence[str],
    values: Sequence[Point],
    texts: Sequence[str],
    stated: Sequence[Mapping[str, str]],
    where: str,
) -> Labelled:
    """Separate parameters from labels: numbers that are 0 or 1, or whose name says what they stand for.

    Args:
        values: one row per run.
        texts: those in the name of each run, which tell kinds, too; empty if they say nothing.
        stated: the texts that each profile states, by name; none of a run that cannot be read.

    Raises:
        RunNameError: if texts differ between runs with the same parameters, and no kind has two points.
    """
    columns = [{row[i] for row in values} for i in range(len(parameters))]
    is_label = [
        len(column) > 1 and (column == {0, 1} or not LABELS.isdisjoint(_words(name)[-1:]))
        for name, column in zip(parameters, columns, strict=True)
    ]
    rows = [tuple(v for v, label in zip(row, is_label, strict=True) if not label) for row in values]
    told = [
        {n: f"{v:.15g}" for n, v, label in zip(parameters, row, is_label, strict=True) if label}
        for row in values
    ]
    labels = [name for name, label in zip(parameters, is_label, strict=True) if label]
    if kinds := kinds_of(texts, values, where):
        labels.append(KIND)
        told = [{**of, KIND: kind} for of, kind in zip(told, kinds, strict=True)]
    for name in _telling_names(stated, rows, told):
        labels.append(name)
        told = [{**of, name: run.get(name, "")} for of, run in zip(told, stated, strict=True)]
    return Labelled(
        parameters=tuple(name for name in parameters if name not in labels),
        values=tuple(rows),
        labels=tuple(labels),
        kinds=tuple(told),
    )


def _telling_names(
    stated: Sequence[Mapping[str, str]], points: Sequence[Point], told: Sequence[Mapping[str, str]]
) -> list[str]:
    """Return the names of texts that tell kinds, without those that follow from others or from labels."""
    runs = [run for run in stated if run]
    names = set(runs[0]).intersection(*runs) if runs else set()
    at = [point for point, run in zip(points, stated, strict=True) if run]
    known: list[tuple[str, ...]] = [tuple(of.values()) for of, run in zip(told, stated, strict=True) if run]
    chosen = []
    for name in sorted(names, key=lambda name: (_identifier(name) not in _BUILDS, name)):
        column = [run[name] for run in runs]
        if _tells(_identifier(name), column, at) and not is_function(known, column):
            chosen.append(name)
            known = [(*of, text) for of, text in zip(known, column, strict=True)]
    return chosen


def _tells(name: str, column: Sequence[str], points: Sequence[Point]) -> bool:
    """Return whether texts tell kinds: runs of a point differ, or other builds and machines made some points.

    What differs in each run tells nothing, nor do names of hosts and the like, which have numbers.
    """
    if _OCCASION.fullmatch(name) or any(map(_NO_KIND.search, column)):
        return False
    if is_function(points, column):
        pairs = set(zip(points, column, strict=True))
        return name in _BUILDS and len({text for _, text in pairs}) > 1 and len(set(column)) < len(pairs)
    says_so = name in _BUILDS or not LABELS.isdisjoint(name.split("_"))
    return len(set(column)) < len(column) and (says_so or not any(map(_NUMBER.search, column)))


def _identifier(name: str) -> str:
    """Return a name in one form: ``problem_name`` for ``ProblemName`` and ``problem name``."""
    return "_".join(_words(name))


def _words(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)]


def telling_texts(names: Sequence[str]) -> list[str]:
    """Return the texts in names; nothing if they seem to be random: all different, names equally long."""
    texts = list(map(texts_of, names))
    return [] if len(set(texts)) == len(texts) and len(set(map(len, names))) == 1 else texts


def kinds_of(texts: Sequence[str], points: Sequence[Point], where: str) -> list[str]:
    """Tell runs at one point apart whose names have other texts, such as strong and weak.

    Returns:
        What each run is called apart from what all are; empty if no two runs of a point differ.

    Raises:
        RunNameError: if no kind has two points.
    """
    different = list(dict.fromkeys(texts))
    first: dict[Point, int] = {}
    others = [i for i, point in enumerate(points) if texts and texts[first.setdefault(point, i)] != texts[i]]
    if not others:
        return []
    words = [
        dict.fromkeys(word.lstrip("-_") for word in _WORDS.findall(re.sub(r"[^\W\d_]+#", "#", text)))
        for text in texts
    ]
    own = [" ".join(word for word in of if any(word not in other for other in words)) for of in words]
    kinds = own if len(set(own)) == len(different) and all(own) else list(texts)
    scales = [{point for point, of in zip(points, texts, strict=True) if of == text} for text in different]
    if max(map(len, scales)) < 2:
        one, other = kinds[first[points[others[0]]]], kinds[others[0]]
        what = f"runs of several kinds have the same parameters: '{one}' and '{other}'"
        raise RunNameError(what, where=where, hint=SEPARATE)
    return kinds
