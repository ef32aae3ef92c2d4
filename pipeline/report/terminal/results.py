"""Ranking, models, predictions, efficiency and call tree of a study, from the content of summary.json."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from rich.console import Console

from ingest.arrays import FloatArray
from ingest.experiment import per_text
from pipeline.columns.answers import efficiency_columns, held_out_tables, jobs_table
from pipeline.columns.cells import DataTable
from pipeline.columns.column import filled
from pipeline.columns.kernel_tables import (
    TABLE_NAMES,
    brackets_sentence,
    kernel_names,
    leading_rows,
    left_out,
    measured_by_point,
    models_table,
    predictions_by_target,
    ranking_table,
    remark_sentences,
)
from pipeline.columns.kernels import kernel_columns
from pipeline.columns.shown_tree import shown_tree, tree_table
from pipeline.columns.summary import Rows, Summary
from pipeline.columns.target_sentences import far_targets, share_sentence, total_sentences
from pipeline.models.kernels import FACTORS
from pipeline.questions import extra_p, held_out, pop_efficiency, resource_use
from pipeline.questions.analysis import Analysis
from pipeline.questions.choice import JobAtScale, JobChoice
from pipeline.questions.crossovers import NamedCrossover, leading_crossovers
from pipeline.report.render.console import show_sentence
from pipeline.report.render.terminal_tables import side_by_side, terminal_table
from pipeline.wording.distinct_names import distinct_texts
from pipeline.wording.escaping import shown_name
from pipeline.wording.quantities import counted, range_text, shorten_middle

_CROSSING_WIDTH = 60


def show_head(out: Console, summary: Summary) -> None:
    """Say what was measured and how it scales."""
    points = summary.points
    ranges = "; ".join(measured_values(name, points) for name in summary.parameters)
    most = max((row["quality"]["repetitions"] for row in summary.kernels), default=0)
    repetitions = counted(most, "repetition")
    callpaths, regions = (
        counted(len(summary.rows(key)) + summary.beyond(key), TABLE_NAMES[key])
        for key in ("kernels", "regions")
    )
    show_sentence(
        out,
        f"{counted(len(points), 'measurement point')} ({ranges}), up to {repetitions}, "
        f"{callpaths} in {regions}",
    )
    show_sentence(out, f"Scaling: {summary.scaling_reason}")
    _show_per(out, summary)


def _show_per(out: Console, summary: Summary) -> None:
    if summary.per:
        show_sentence(out, f"All values are {per_text(summary.per)}.")


def measured_values(name: str, points: Sequence[Mapping[str, float]]) -> str:
    """Write the values of a parameter at some points."""
    return range_text(name, [point[name] for point in points])


def show_ranking(out: Console, summary: Summary, *, by: str = "regions", limit: int = 15) -> None:
    """Print kernels as a ranked table, the largest at the last target first; see `ranking_table`."""
    if not summary.rows(by):
        return
    if summary.targets:
        table = ranking_table(summary, by=by, limit=limit, last=True)
    else:
        table = measured_by_point(summary, by=by, limit=limit)
    out.print(terminal_table(table, out.width))
    _show_rest(out, summary, by, leading_rows(summary.rows(by), limit))


def _show_rest(out: Console, summary: Summary, by: str, shown: Rows) -> None:
    for text in left_out(summary.rows(by), shown, summary.beyond(by)):
        out.print(text, style="dim")


def _show_factors(out: Console, summary: Summary, *, by: str = "regions", limit: int = 15) -> None:
    """Print what effort consists of for kernels with a count that varies: how often, and how long each time.

    Arguments are those of `show_ranking`.
    """
    for factor in FACTORS:
        if not {factor.count, factor.each} <= summary.metrics.keys():
            continue
        count, each = (
            {tuple(row["callpath"]): row for row in summary.metrics[name].get(by, ())}
            for name in (factor.count, factor.each)
        )
        both = count.keys() & each.keys()
        shown = [row for row in leading_rows(summary.rows(by), limit) if tuple(row["callpath"]) in both]
        if not shown:
            continue
        (growth,) = kernel_columns("growth_class")
        cells = [
            cells
            for heading, rows in (
                ("growth", shown),
                (f"= {factor.count}", [count[tuple(row["callpath"])] for row in shown]),
                (f"x time per {factor.noun}", [each[tuple(row["callpath"])] for row in shown]),
            )
            for cells in replace(growth, heading=heading).filled(rows)
        ]
        title = f"{factor.whole} is {factor.count} times the time per {factor.noun}"
        table = filled(kernel_names(by), shown, title=title)
        out.print(terminal_table(replace(table, columns=[*table.columns, *cells]), out.width))
        out.print()


def show_total(out: Console, summary: Summary, *, by: str) -> None:
    """Print the predictions of the whole program, and what takes most of them."""
    for text, style in total_sentences(summary, by):
        show_sentence(out, text, style)


def show_held_out(out: Console, summary: Summary) -> None:
    """Compare what was held out with what is predicted, if anything was."""
    show_held_out_tables(out, held_out_tables(summary.answers.of(held_out.QUESTION)))


def show_held_out_tables(out: Console, tables: Iterable[DataTable]) -> None:
    """Print what was held out beside what is predicted."""
    for table in tables:
        out.print(terminal_table(table, out.width))
        for note in table.notes:
            show_sentence(out, f"{note[0].upper()}{note[1:]}.")


def show_crossovers(
    out: Console, summary: Summary, *, by: str = "regions", limit: int = 8, seen: str = "seen"
) -> None:
    """Say which kernel overtakes which, at which scale, and whether that was seen or how sure it is."""
    found = summary.crossovers_of(by)
    if found:
        out.print("Crossovers")
    for sentence in crossover_sentences(summary, leading_crossovers(found, limit), by=by, seen=seen):
        show_sentence(out, f"  {sentence}")
    if len(found) > limit:
        out.print(f"  and {len(found) - limit} more", style="dim")


def crossover_sentences(
    summary: Summary, shown: Sequence[NamedCrossover], *, by: str, seen: str = "seen"
) -> Iterator[str]:
    """Yield a sentence per crossover of a level of a summary."""
    paths = [
        path[-1:] if by == "regions" else path for one in shown for path in (one.overtakes, one.overtaken)
    ]
    names = iter(distinct_texts(paths, _CROSSING_WIDTH))
    for crossover, over, past in zip(shown, names, names, strict=True):
        (parameter,) = crossover.at
        yield crossover.sentence(over, past, summary.horizon(parameter), seen)


def show_remarks(out: Console, summary: Summary) -> None:
    """Print what limits the trust in the models."""
    for sentence in remark_sentences(summary):
        show_sentence(out, f"Note: {sentence}", "yellow")


def show_shares(out: Console, summary: Summary, *, by: str, limit: int) -> None:
    """Say what takes most at the last target, what the total is at others, and print the ranking."""
    if sentence := share_sentence(summary, by):
        show_sentence(out, sentence, "bold")
        for text, style in list(total_sentences(summary, by))[:-1]:
            show_sentence(out, text, style)
        for text, style in far_targets(summary):
            show_sentence(out, f"{text}.", style)
        _show_per(out, summary)
        out.print()
    show_ranking(out, summary, by=by, limit=limit)
    if not summary.targets:
        show_sentence(out, summary.notices[-1])


def show_result(out: Console, summary: Summary, *, by: str, limit: int) -> None:
    """Print head, ranking, crossovers and remarks."""
    show_head(out, summary)
    out.print()
    show_ranking(out, summary, by=by, limit=limit)
    out.print()
    if len(summary.targets) > 1:
        show_predictions(out, summary, by=by, limit=limit)
        out.print()
    if not summary.targets:
        show_crossovers(out, summary, by=by)
        show_sentence(out, summary.notices[-1])
        return
    _show_factors(out, summary, by=by, limit=limit)
    show_crossovers(out, summary, by=by)
    if (other := summary.answers.of(extra_p.QUESTION)) and summary.total:
        show_sentence(out, other.sentence(summary.total["unit"]))
    show_remarks(out, summary)


def show_models(out: Console, summary: Summary, *, by: str, limit: int) -> None:
    """Print formulas with their quality."""
    show_head(out, summary)
    out.print(terminal_table(models_table(summary, by=by, limit=limit), out.width))
    _show_rest(out, summary, by, summary.rows(by)[:limit])
    show_remarks(out, summary)
    show_held_out(out, summary)


def show_predictions(out: Console, summary: Summary, *, by: str, limit: int) -> None:
    """Print the predictions of the largest kernels, one column per target."""
    if not summary.targets:
        show_ranking(out, summary, by=by, limit=limit)
        show_sentence(out, summary.notices[-1])
        return
    table = predictions_by_target(summary, by=by, limit=limit)
    if not table.columns[0].values:
        return
    out.print(terminal_table(table, out.width))
    for note in table.notes:
        show_sentence(out, note, "dim")
    show_sentence(out, brackets_sentence(summary), "dim")
    for found in summary.answers.of(resource_use.QUESTION):
        show_sentence(out, found.sentence)


def show_efficiency(out: Console, summary: Summary) -> None:
    """Print one row per POP metric and one column per point; metrics without any value are left out."""
    found = summary.answers.of(pop_efficiency.QUESTION)
    if shown := efficiency_columns(found.points):
        out.print("Efficiency (POP)", style="italic")
        for table in side_by_side(shown[0].texts, shown[1:], width=out.width):
            out.print(table)
    for notice in found.notices:
        show_sentence(out, f"Not available: {notice}", "dim")


def show_tree(out: Console, analysis: Analysis, values: FloatArray, origin: str, least: float) -> None:
    """Print the call tree with exclusive values float64[call path], which are ``measured at p = 8``.

    Call paths with a smaller inclusive share than `least` are left out and counted.
    """
    nodes = shown_tree(analysis, values, least).nodes
    table = tree_table(analysis, [({}, values)], least, f"{analysis.callpaths.kernels.metric} {origin}")
    out.print(terminal_table(table, out.width, names=lambda width: _names(analysis, nodes, width)))
    for note in table.notes:
        out.print(note, style="dim")


def _names(analysis: Analysis, nodes: Sequence[int], width: int) -> list[str]:
    """Return the names of call paths, indented by their depth up to half of the width."""
    tree, regions = analysis.experiment.tree, analysis.experiment.regions
    names = []
    for node in nodes:
        indent = ("  " * int(tree.depth[node]))[: width // 2]
        names.append(
            indent + shorten_middle(shown_name(regions.name[int(tree.region[node])]), width - len(indent))
        )
    return names


def show_jobs(out: Console, found: JobChoice) -> None:
    """Say which jobs are the best, and print those at measured scales, powers of two and the best ones."""
    for sentence in found.sentences:
        show_sentence(out, sentence)
    shown = _main_jobs(found)
    out.print(terminal_table(jobs_table(found, shown), out.width))
    if hidden := len(found.jobs) - len(shown):
        show_sentence(
            out, f"{counted(hidden, 'scale')} in between left out; --format and --json have all.", "dim"
        )


def _main_jobs(found: JobChoice) -> list[JobAtScale]:
    """Return the jobs at measured scales, at doublings of the smallest one, at the last one and the best."""
    points = found.at_scales.figures.points
    along = np.flatnonzero(np.ptp(points, axis=0))
    doublings = np.log2(points[:, along] / points[0, along]).sum(axis=1)
    named = {id(job) for job in (*found.best.values(), *(one.job for one in found.relaxed), found.jobs[-1])}
    return [
        job
        for job, doubling in zip(found.jobs, doublings.tolist(), strict=True)
        if job.measured or doubling == round(doubling) or id(job) in named
    ]
