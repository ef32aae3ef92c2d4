"""Studies, models and predictions as tables of pandas."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ingest.arrays import FloatArray
from ingest.experiment import Experiment
from ingest.record_codec import document
from ingest.run_settings import SETTING, metadata_of, stated
from pipeline.columns.answers import expectations_table, isoefficiency_table, jobs_table
from pipeline.columns.cells import DataTable
from pipeline.columns.changes import measured_at
from pipeline.columns.column import ENDS
from pipeline.columns.kernels import CELLS, RankedKernels
from pipeline.columns.scales import SCALES, WHERE_MEASURED
from pipeline.gate.check_result import CheckResult
from pipeline.models.kernels import SECOND_UNITS
from pipeline.models.prediction import Prediction
from pipeline.questions.analysis import Level, Outlook
from pipeline.questions.choice import JobChoice
from pipeline.questions.isoefficiency import Isoefficiency
from pipeline.questions.runtime.runtime import Runtime
from pipeline.wording.quantities import counted

if TYPE_CHECKING:
    from pipeline.columns.two_machines import StudyOnTwoMachines
    from pipeline.projection.applications.projections import ApplicationProjection

_ROWS_SHOWN = 15

Columns = dict[str, Any]


def runs_frame(experiment: Experiment) -> pd.DataFrame:
    """Return one row per run: path, parameters, repetition, processes, CPU locations, what describes it."""
    runs = experiment.runs
    points = experiment.points[[run.point for run in runs]] if runs else experiment.points[:0]
    columns: Columns = {"path": [run.source for run in runs]}
    _add_parameters(columns, experiment.parameters, points, ("repetition", "processes", "locations"))
    columns |= {
        "repetition": [run.repetition + 1 for run in runs],
        "processes": [len(np.unique(run.process)) for run in runs],
        "locations": [len(run.process) for run in runs],
    }
    described = [stated(run.attributes, SETTING) | metadata_of(run.attributes) for run in runs]
    for name in sorted({name for of_run in described for name in of_run}):
        columns[f"{name}_" if name in columns else name] = [of_run.get(name, "") for of_run in described]
    return pd.DataFrame(columns)


def measurements_frame(experiment: Experiment) -> pd.DataFrame:
    """Return one row per call path, point and repetition that was measured.

    Columns are ``callpath`` (a tuple of region names), ``region``, the parameters, ``repetition`` from 1, and
    the exclusive values of every metric summed over CPU locations; of extremes of single visits, such as
    ``max_time``, the most extreme one. The time of profiles has two columns:
    ``time``, the mean of a location in seconds, and ``effort``, the sum over locations in core-seconds.
    """
    metrics: dict[str, FloatArray] = {}
    for metric in experiment.metrics:
        reduction = experiment.values[metric.name]
        if experiment.runs and metric.name == "time" and metric.unit in SECOND_UNITS:
            metrics |= {"time": reduction.mean, "effort": reduction.sum}
        else:
            metrics[metric.name] = reduction.overall(metric.kind)
    measured = np.any([np.isfinite(values) for values in metrics.values()], axis=0)
    node, point, repetition = np.nonzero(measured)
    paths = list(experiment.callpaths)
    columns: Columns = {
        "callpath": [paths[n] for n in node.tolist()],
        "region": [paths[n][-1] for n in node.tolist()],
    }
    _add_parameters(columns, experiment.parameters, experiment.points[point], ("repetition", *metrics))
    columns["repetition"] = repetition + 1
    return pd.DataFrame(columns | {name: values[measured] for name, values in metrics.items()})


def models_frame(level: Level, outlook: Outlook) -> pd.DataFrame:
    """Return one row per kernel with its model, the largest at the target of the outlook first.

    The columns are those of `CELLS`, whose names all tables of kernels have. ``kernel`` is a call path as a
    tuple or the name of a region; call paths have their ``id``.
    """
    found = RankedKernels(level=level, outlook=outlook, chosen=outlook.order)
    columns: Columns = {}
    for column in CELLS:
        values = list(map(column.in_files, column.of(found)))
        if not column.kind.may_lack or any(value is not None for value in values):
            columns[column.file_name] = values
    names = kernel_names(level)
    return pd.DataFrame(columns | {"kernel": [names[k] for k in found.chosen.tolist()]})


def kernel_names(level: Level) -> list[str | tuple[str, ...]]:
    """Return the names of regions, or the call paths as tuples."""
    regions = (level.kernels.node < 0).all()
    return [path[0] if regions else path for path in level.kernels.callpaths]


def predictions_frame(
    names: Sequence[str | tuple[str, ...]], parameters: Sequence[str], points: FloatArray, found: Prediction
) -> pd.DataFrame:
    """Return one row per kernel and point with value and interval, the largest at the last point first."""
    order = np.argsort(-found.value[:, -1], kind="stable")
    columns: Columns = {"kernel": [names[k] for k in order.tolist() for _ in points]}
    _add_parameters(columns, parameters, np.tile(points, (len(names), 1)), ENDS)
    return pd.DataFrame(columns | {end: getattr(found, end)[order].ravel() for end in ENDS})


_USUAL = ("speedup", "efficiency", "weak_efficiency", "work_rate", "core_hours")


def runtime_frame(found: Runtime, parameters: Sequence[str], *, full: bool) -> pd.DataFrame:
    """Return one row per measured point and per target, in this order.

    Columns are the parameters, ``measured``, ``locations``, ``extrapolation``, and each figure of `SCALES`
    and `WHERE_MEASURED` with its interval: ``wall_seconds``, ``wall_seconds_lower``, ``wall_seconds_upper``;
    those that hold nothing are left out. Unless `full`, only `_USUAL` and the interval of the first figure
    are returned.
    """
    figures = found.figures
    rows: Columns = {name: getattr(figures, name) for name in ("measured", "locations", "extrapolation")}
    for column in (*SCALES, *WHERE_MEASURED):
        rows |= {cells.name: np.array(cells.values, dtype=np.float64) for cells in column.filled(figures)}
    first: Columns = {}
    _add_parameters(first, parameters, figures.points, tuple(rows))
    table = pd.DataFrame(first | rows).dropna(axis="columns", how="all")
    main = "wall_seconds" if "wall_seconds" in table else "effort"
    usual = (*first, "measured", main, f"{main}_lower", f"{main}_upper", *_USUAL)
    return table if full else table[[name for name in usual if name in table]]


def jobs_frame(found: JobChoice) -> pd.DataFrame:
    """Return one row per scale of a job, with the columns of `jobs_table`; ``attrs`` holds the rest."""
    return _table_frame(jobs_table(found), document(found), "jobs")


def isoefficiency_frame(found: Isoefficiency) -> pd.DataFrame:
    """Return one row per place of `isoefficiency_table`; ``attrs`` holds the rest."""
    return _table_frame(isoefficiency_table(found), document(found), "kept")


def _table_frame(table: DataTable, document: Mapping[str, Any], rows: str) -> pd.DataFrame:
    """Return a table for programs with all of a document but its rows as ``attrs``."""
    frame = pd.DataFrame(
        {key: cells.values for key, cells in zip(table.keys, table.for_programs, strict=True)}
    )
    frame.attrs.update({key: value for key, value in document.items() if key != rows})
    return frame


def expectations_frame(result: CheckResult) -> pd.DataFrame:
    """Return one row per expectation of a check; ``attrs`` has its outcome."""
    outcome = {"outcome": result.outcome.name.lower()}
    return _table_frame(expectations_table(result.expectations), outcome, "")


def checked_kernels_frame(document: Mapping[str, Any]) -> pd.DataFrame:
    """Return one row per kernel of a check, from the content of ``check.json``.

    ``ratio`` is candidate over baseline, with the ends of its interval, where ``ratio_at`` says: that
    which the verdict rests on, else that at the largest common point.
    """
    rows = []
    for kernel in document["kernels"]:
        ratio = kernel["stated"] or {}
        rows.append(
            {
                "level": kernel["level"],
                "kernel": tuple(kernel["callpath"]) if kernel["level"] == "callpath" else kernel["region"],
                "verdict": kernel["verdict"],
                **{end: ratio.get(end, np.nan) for end in ("ratio", "lower", "upper")},
                "ratio_at": measured_at(ratio["at"]) if ratio else "",
                "evidence": "; ".join(evidence["text"] for evidence in kernel["evidence"]),
            }
        )
    columns = ["level", "kernel", "verdict", "ratio", "lower", "upper", "ratio_at", "evidence"]
    return pd.DataFrame(rows, columns=columns)


def projection_frame(projection: "ApplicationProjection") -> pd.DataFrame:
    """Return one row per part of a projection and one for the total, in SI units."""
    from ingest.units import unit_text

    lines = (*projection.parts, projection.total)
    return pd.DataFrame(
        {
            "part": ["/".join(line.path) for line in lines],
            "value": [line.value for line in lines],
            "lower": [line.lower for line in lines],
            "upper": [line.upper for line in lines],
            "unit": [unit_text(line.dimension) for line in lines],
            "share": [np.nan if line.share is None else line.share for line in lines],
        }
    )


def two_machines_frame(study: "StudyOnTwoMachines") -> pd.DataFrame:
    """Return one row per scale: seconds here and there and their ratio; ``attrs`` holds the document."""
    here, there = (side.summary.runtime.at if side.summary.runtime else () for side in study.sides)
    rows = []
    for before, after, gain in zip(here, there, study.faster_by, strict=True):
        figures = {"here": before.wall_seconds, "there": after.wall_seconds, "faster_by": gain}
        columns = {
            name if end == "value" else f"{name}_{end}": getattr(figure, end)
            for name, figure in figures.items()
            for end in ENDS
        }
        rows.append({**before.point, "measured": before.measured, **columns})
    frame = pd.DataFrame(rows)
    frame.attrs.update(document(study))
    return frame


def _add_parameters(
    columns: Columns, parameters: Sequence[str], points: FloatArray, following: Sequence[str]
) -> None:
    """Add a column per parameter; ``_`` is appended to the name of one that is taken by another column."""
    taken = {*columns, *following}
    for d, name in enumerate(parameters):
        columns[f"{name}_" if name in taken else name] = points[:, d]


def frame_html(title: str, frame: pd.DataFrame) -> str:
    """Return the first rows of a table under a title, as notebooks show it."""
    rest = len(frame) - _ROWS_SHOWN
    more = f"<p>and {counted(rest, 'more row')}</p>" if rest > 0 else ""
    return f"<p>{escape(title)}</p>{frame.head(_ROWS_SHOWN).to_html(index=False)}{more}"


def facts_html(title: str, facts: Mapping[str, str]) -> str:
    """Return names and values under a title, as notebooks show them."""
    rows = "".join(f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in facts.items())
    return f"<p>{escape(title)}</p><table>{rows}</table>"
