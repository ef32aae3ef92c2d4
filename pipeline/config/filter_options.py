"""The options of `pipeline filter`, read into a `FilterRequest`."""

from enum import Enum
from pathlib import Path
from typing import TypeVar

from filters.budget import Budget
from filters.instrumenters import Instrumenter
from filters.layout import Form, Layout
from filters.paper_rule import PaperRule
from filters.prediction import Application
from filters.wishes import Wishes
from ingest.errors import UsageError
from pipeline.stages.filter import FilterRequest

SCOREP = "scorep"
Choice = TypeVar("Choice", bound=Enum)


def filter_request(
    rule: PaperRule,
    *,
    max_overhead: str | None = None,
    applied: str | None = None,
    protect: tuple[str, ...] = (),
    drop: tuple[str, ...] = (),
    form: str = "shorter",
    abridged: bool = False,
    whole_files: bool = False,
    to: str = SCOREP,
    merge: Path | None = None,
    event_cost: float | None = None,
    baseline: float | None = None,
    reduced: Path | None = None,
) -> FilterRequest:
    """Make a request from what the command line gives.

    Raises:
        UsageError: for a choice that is none, a budget that is no share, or options that exclude each other.
    """
    where = None if applied is None else chosen(Application, applied.replace("-", " "), "--applied")
    budget = None if max_overhead is None else Budget(share(max_overhead), where)
    if where is not None and budget is None:
        raise UsageError("needs --max-overhead", where="--applied", hint="say how much measuring may cost")
    if to != SCOREP and merge is not None:
        raise UsageError("only Score-P's filters can be merged", where="--merge", hint="leave --to out")
    if sum(given is not None for given in (event_cost, reduced)) > 1:
        raise UsageError("the event cost is given twice", where="--event-cost", hint="leave --calibrate out")
    return FilterRequest(
        rule,
        budget,
        Wishes(protect, drop),
        Layout(chosen(Form, form, "--form"), abridged, whole_files),
        None if to == SCOREP else chosen(Instrumenter, to, "--to"),
        merge,
        event_cost,
        baseline,
        reduced,
    )


def chosen(choices: type[Choice], text: str, option: str) -> Choice:
    """Return the choice of that value.

    Raises:
        UsageError: where there is none.
    """
    for choice in choices:
        if choice.value == text:
            return choice
    known = ", ".join(str(choice.value).replace(" ", "-") for choice in choices)
    raise UsageError(f"'{text}' is no choice", where=option, hint=f"choose from {known}")


def share(text: str) -> float:
    """Read ``5%`` or ``0.05``.

    Raises:
        UsageError: where it is neither.
    """
    try:
        value = float(text.removesuffix("%").strip()) / (100.0 if text.endswith("%") else 1.0)
    except ValueError:
        value = 0.0
    if not 0.0 < value < float("inf"):
        raise UsageError(f"'{text}' is no share", where="--max-overhead", hint="write 5% or 0.05")
    return value
