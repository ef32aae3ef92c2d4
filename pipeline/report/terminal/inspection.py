"""What is in a directory of runs or a profile, in the terminal."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from ingest.run_settings import agreed_settings, described_runs
from pipeline.report.terminal.sentences import show_sentence
from pipeline.report.terminal.tables import Column, named_table
from pipeline.wording.quantities import counted, shorten_middle, value_text

COUNTS = {
    "repetition": "rep",
    "callpaths": "call paths",
    "regions": "regions",
    "processes": "processes",
    "locations": "locations",
    "accelerators": "GPUs",
}
MAX_ROWS = 30  # overlapping timers that are shown


def show_inspection(out: Console, found: Mapping[str, Any]) -> None:
    """Print what a path holds.

    Args:
        out: where to.
        found: what `pipeline.stages.inspect.inspect_path` returns.
    """
    _show_contents(out, found)
    for line in verdict(found):  # whole lines: paths in them can be copied
        out.print(Text(line), soft_wrap=True)


def verdict(found: Mapping[str, Any]) -> list[str]:
    """Return the lines that `pipeline inspect` ends with: OK, or the problems with their numbers."""
    problems = found["problems"]
    if not problems:
        return [f"OK: {_contents(found)}"]
    more = "" if found["usable"] else "; `pipeline run` refuses these runs"
    lines = [f"  {number}. {problem}" for number, problem in enumerate(problems, start=1)]
    return [f"{counted(len(problems), 'problem')}{more}", *lines]


def _contents(found: Mapping[str, Any]) -> str:
    if "series" in found:
        return counted(found["series"]["points"], "measurement point")
    points = len({tuple(run["at"]) for run in found["runs"]})
    return f"{counted(len(found['runs']), 'run')} at {counted(points, 'measurement point')}"


def _show_contents(out: Console, found: Mapping[str, Any]) -> None:
    out.print(f"Parameters: {', '.join(found['parameters']) or 'none'}", soft_wrap=True, markup=False)
    if "series" in found:
        series = found["series"]
        out.print(
            f"{series['format']}: {counted(series['points'], 'measurement point')}, "
            f"up to {counted(series['repetitions'], 'repetition')}, "
            f"{counted(series['callpaths'], 'call path')}, metrics {', '.join(series['metrics'])}",
            soft_wrap=True,
            markup=False,
        )
        return
    runs = found["runs"]
    columns = [
        Column(header="format", cells=[run["format"] for run in runs], justify="left", dispensable=2),
        *(
            Column(header=name, cells=[value_text(run["at"][d]) for run in runs])
            for d, name in enumerate(found["parameters"])
        ),
        *(
            Column(header=title, cells=[str(run[key]) for run in runs], dispensable=int(key == "regions"))
            for key, title in COUNTS.items()
            if key != "accelerators" or any(run[key] for run in runs)
        ),
    ]
    paths = [_below(run["path"], found["path"]) for run in runs]
    out.print(named_table("run", _cut(paths), columns, width=out.width))
    _show_totals(out, runs, paths)
    _show_reconciliation(out, runs, paths)
    _show_metrics(out, runs)
    for notice in found.get("notices", ()):
        show_sentence(out, f"Note: {notice}")


def _below(path: str, directory: str) -> str:
    """Return a path as it is below a directory, or a run of the table there; itself if it is neither."""
    return path.removeprefix(f"{directory.rstrip('/')}/").removeprefix(f"{directory} ")


def _cut(paths: Sequence[str]) -> Callable[[int], list[str]]:
    return lambda width: [shorten_middle(path, width) for path in paths]


def _show_totals(out: Console, runs: Sequence[Mapping[str, Any]], paths: Sequence[str]) -> None:
    """Print the sum of every metric of every run, if sums were requested."""
    totals = [
        (path, name, total)
        for run, path in zip(runs, paths, strict=True)
        for name, total in run["totals"].items()
    ]
    if totals:
        of, names, values = zip(*totals, strict=True)
        columns = [
            Column(header="metric", cells=names, justify="left"),
            Column(header="total", cells=[f"{value:.10g}" for value in values]),
        ]
        out.print(named_table("run", _cut(of), columns, width=out.width))


def _show_reconciliation(out: Console, runs: Sequence[Mapping[str, Any]], paths: Sequence[str]) -> None:
    """Print how much of the total that a run states was found, and what its values are of the processes."""
    for run, path in zip(runs, paths, strict=True):
        for sentence in _reconciliation(run, path):
            show_sentence(out, sentence)
        if rows := run.get("overlapping"):
            columns = [
                Column(header="seconds, in no sum", cells=[f"{value:.10g}" for _, value in rows[:MAX_ROWS]])
            ]
            names = [name for name, _ in rows[:MAX_ROWS]]
            out.print(named_table("overlapping timer", _cut(names), columns, width=out.width))
            if len(rows) > MAX_ROWS:
                out.print(f"and {counted(len(rows) - MAX_ROWS, 'shorter one')}", soft_wrap=True)


def _reconciliation(run: Mapping[str, Any], path: str) -> list[str]:
    return [
        f"{path}{phase and ', '}{phase}: {text}" + (f"; {run['statistic']}" if "statistic" in run else "")
        for phase, text in run.get("reconciled", {}).items()
    ]


def _show_metrics(out: Console, runs: Sequence[Mapping[str, Any]]) -> None:
    """Print each set of metrics and each notice once, with the number of runs that it concerns."""
    for sentence in _metrics_and_notices(runs):
        show_sentence(out, sentence)


def _metrics_and_notices(runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for title, key in (("Metrics", "metrics"), ("Note", "notices")):
        counts: dict[str, int] = {}
        for run in runs:
            for text in [", ".join(run[key])] if key == "metrics" else run[key]:
                counts[text] = counts.get(text, 0) + 1
        for text, count in counts.items():
            concerned = "" if count == len(runs) else f" ({counted(count, 'run')})"
            yield f"{title}{concerned}: {text}"
    if described := described_runs([run.get("metadata", {}) for run in runs]):
        yield f"Metadata: {'; '.join(described)}"
    if agreed := agreed_settings([run.get("settings", {}) for run in runs]):
        yield f"Settings: {'; '.join(agreed)}"


def facts(found: Mapping[str, Any]) -> list[str]:
    """Return what is printed beside the table of runs: sums found, metrics, notices and the verdict."""
    runs = found["runs"]
    sums = [sentence for run in runs for sentence in _reconciliation(run, _below(run["path"], found["path"]))]
    notes = [f"Note: {notice}" for notice in found["notices"]]
    return [*sums, *_metrics_and_notices(runs), *notes, *verdict(found)]
