"""Every option on which results depend makes stored results invalid; the others leave them as they are."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from ingest.options import declaration
from ingest.run_names import RunSpec
from pipeline.config.options import Options, reuse_key
from pipeline.stages.run import run

OTHER_VALUES = {
    "metric": "visits",
    "at": ({"p": 64.0},),
    "runs": (RunSpec(Path("app.p1.r1"), {"p": 1.0}),),
    "prior": {(Fraction(1), 0): 1.0},
    "exponents": ((Fraction(1), 0),),
    "max_overhead": 0.05,
    "protect": ("solve*",),
    "drop": ("sum",),
    "scheduler": "tcp://localhost:1",
}


def declared(record: Any) -> Iterator[tuple[tuple[str, ...], Any, bool]]:
    """Yield every option: its path through the records, another value, and whether results depend on it."""
    kinds = get_type_hints(type(record))
    for one in fields(record):
        value = getattr(record, one.name)
        if is_dataclass(value):
            yield from (((one.name, *path), other, counts) for path, other, counts in declared(value))
        else:
            found = declaration(one)
            yield (one.name,), another(one.name, value, kinds[one.name]), found is None or found.recompute


def another(name: str, value: Any, kind: Any) -> Any:
    if name in OTHER_VALUES:
        return OTHER_VALUES[name]
    kind = next((part for part in get_args(kind) if part is not type(None)), kind) if value is None else kind
    if get_origin(kind) is Literal:
        return next(choice for choice in get_args(kind) if choice != value)
    if kind is bool:
        return not value
    if kind is Path:
        return Path("elsewhere")
    if kind is str:
        return f"{value}x"
    return (value or 0) + (1 if kind is int else 0.125)


def changed(options: Any, path: tuple[str, ...], value: Any) -> Any:
    name, *inner = path
    return replace(
        options, **{name: changed(getattr(options, name), tuple(inner), value) if inner else value}
    )


EVERY = list(declared(Options()))


@pytest.mark.parametrize(("path", "other", "counts"), EVERY, ids=[".".join(path) for path, *_ in EVERY])
def test_a_changed_option_recomputes_if_results_depend_on_it(path, other, counts):
    assert (reuse_key(changed(Options(), path, other)) != reuse_key(Options())) == counts


def test_only_options_that_change_no_result_leave_stored_ones_valid():
    kept = {path[-1] for path, _, counts in EVERY if not counts}
    assert kept == {"out", "jobs", "strict", "engine", "scheduler"}


def test_the_key_can_be_stored(tmp_path):
    import json

    options = Options()
    for path, other, _ in EVERY:
        options = changed(options, path, other)
    assert json.loads(json.dumps(reuse_key(options))) == reuse_key(options)


@pytest.mark.parametrize(
    ("change", "reused"),
    [
        ({}, True),
        ({"jobs": 2}, True),
        ({"strict": True}, True),
        ({"at": ({"p": 64.0},)}, False),
        ({"scaling": "weak"}, False),
        ({"models": {"rivals": 2}}, False),
        ({"models": {"prior": "simple"}}, False),
        ({"filter": {"per_visit": 0.5}}, False),
        ({"filter": {"drop": ("sum",)}}, False),
    ],
)
def test_a_run_reuses_results_of_the_same_options_only(
    strong_study, tmp_path, change: Mapping[str, Any], reused
):
    options = Options(out=tmp_path / "out")
    run(strong_study, options)
    for name, value in change.items():
        new = replace(getattr(options, name), **value) if isinstance(value, dict) else value
        options = replace(options, **{name: new})
    assert run(strong_study, options).reused is reused
