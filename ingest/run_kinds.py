"""Runs of several kinds, told by labels: texts in their names, and numbers that are no order.

They are no series, nor are they repetitions: one kind is modelled, the one with the most points.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingest.errors import RunNameError
from ingest.run_names import VERSION
from ingest.run_proposal import texts_of

KIND = "kind"
"""What the texts in names tell, as `--group-by` takes it."""

LABELS = frozenset(
    (
        *("algorithm", "case", "config", "configuration", "kind", "method", "mode", "option", "problem"),
        *("scheme", "solver", "type", "v", "variant", "version"),
    )
)
"""Last words of names whose numbers stand for one of several things."""

SEPARATE = "give the directory of one kind, or list the runs: `pipeline inspect DIR --propose` writes a list"

Point = tuple[float, ...]
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
    parameters: Sequence[str], values: Sequence[Point], texts: Sequence[str], where: str
) -> Labelled:
    """Separate parameters from labels: numbers that are 0 or 1, or whose name says what they stand for.

    Args:
        values: one row per run.
        texts: those in the name of each run, which tell kinds, too; empty if they say nothing.

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
    return Labelled(
        parameters=tuple(name for name in parameters if name not in labels),
        values=tuple(rows),
        labels=tuple(labels),
        kinds=tuple(told),
    )


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
