"""What an assistant may ask: inspect, run, predict, choose, compare and check, by reading only.

Each answer is the document that `--json` of the command writes, with the verdict in a line.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Annotated, Any

from ingest.errors import UsageError
from ingest.own_results import is_result
from ingest.record_codec import PLAIN, document
from pipeline.columns.measured_runs import verdict
from pipeline.columns.summary import Summary
from pipeline.config.job_options import read_job
from pipeline.config.option_readers import parse_at
from pipeline.config.options import configuration_file, load_options
from pipeline.models.options import MIN_EFFICIENCY
from pipeline.report.check.document import check_document, comparison_document
from pipeline.report.check.terminal import comparison_verdict
from pipeline.report.check.wording import headline
from pipeline.stages.check import (
    GateStudy,
    check_rules,
    check_study,
    compare_studies,
    comparison_rules,
    read_alike,
    skipped_texts,
)
from pipeline.stages.choose import chosen_jobs, resources_of
from pipeline.stages.inspect import holds_only_results, inspect_path, intact_result
from pipeline.stages.model import change_notices, stored_summary
from pipeline.stages.run import run
from pipeline.store.results import read_study as read_results

ANSWER_LIMIT = 8
_LISTED = ("kernels", "regions")
_CROSSOVERS = ("crossovers", "region_crossovers", "group_crossovers")
_NO_WALL_TIME = "no wall time can be predicted; see the growth of the kernels"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a tool returns."""

    verdict: str  # a line
    notices: Sequence[str] = ()  # what else should be known
    results: str = ""  # the directory that other tools may ask further, empty if there is none
    shape: str  # the name of the published schema of the document
    document: Annotated[Mapping[str, object], PLAIN]  # what `--json` of the command writes, with fewer rows


@dataclass(frozen=True, eq=False, kw_only=True)
class Assistant:
    """The questions that may be asked about what lies below a directory."""

    root: Path  # the directory; nothing outside is read but what files there refer to themselves
    made: Path  # an empty directory for the results of `run`, the only place that is written to
    _results: dict[str, Path] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    @property
    def tools(self) -> tuple[Callable[..., Answer], ...]:
        """What may be called, in the order of use."""
        return self.inspect, self.run, self.predict, self.choose, self.compare, self.check

    def inspect(self, path: str) -> Answer:
        """Show what is in a profile, a directory of runs or a results directory, and every problem.

        Begin here: names and ranges of the parameters, formats, numbers of runs, what is damaged.

        Args:
            path: relative to the root, such as "profiles".
        """
        place = self._inside(path)
        if holds_only_results(place):
            intact = intact_result(place)
            return Answer(verdict=str(intact), shape="intact", document=document(intact), results=path)
        found = inspect_path(place, load_options(None, place))
        first, *more = verdict(found)
        notices = [line.strip() for line in more]
        return Answer(verdict=first, shape="inspection", document=document(found), notices=notices)

    def run(self, path: str, at: Sequence[str] = (), scaling: str = "", limit: int = ANSWER_LIMIT) -> Answer:
        """Read a directory of runs, fit a model to every kernel, and answer how far the program scales.

        The results are kept until the server ends, under the name in "results", for predict, choose,
        compare and check.

        Args:
            path: directory of runs, relative to the root.
            at: target points, such as ["p=4096"]; several parameters as ["p=4096,n=32"].
            scaling: "strong" or "weak" if the runs do not show it.
            limit: how many kernels and regions to return.
        """
        place, name = self._inside(path), f"run-{next(self._numbers)}"
        options = load_options(None, place, at=_points(at) or None, scaling=scaling or None)
        out = self.made / name
        notices: list[str] = []
        found = run(place, replace(options, out=out), notify=notices.append)
        self._results[name] = out
        skipped = [f"skipped {entry['path']}: {entry['reason']}" for entry in found.damaged]
        answer = _of_summary(found.summary, limit, [*skipped, *found.notices, *notices])
        return replace(answer, results=name)

    def predict(
        self,
        results: str,
        at: Sequence[str] = (),
        what_if: Sequence[str] = (),
        metric: str = "",
        limit: int = ANSWER_LIMIT,
    ) -> Answer:
        """Predict wall time, efficiency and every kernel at target points from results; what limits it there.

        "kernels" and "regions" come with the largest at the last target first; "runtime" has wall time,
        speed-up, efficiency and what is lost by which cause; "crossovers" who overtakes whom, where. Every
        "value" has a 90 % interval from "lower" to "upper": cite all three.

        Args:
            results: results directory relative to the root, or the name that run returned.
            at: target points, such as ["p=4096"].
            what_if: changes such as ["MPI_Send=0.5"], ["communication=0"] or ["balanced"].
            metric: another metric than the one chosen for the run.
            limit: how many kernels and regions to return.
        """
        study, points, changes = read_results(self._result(results)), _points(at), tuple(what_if)
        efficiency = study.result.configuration.get("min_efficiency", MIN_EFFICIENCY)
        summary = stored_summary(study, points, efficiency, metric or None, others=False, changes=changes)
        notices = change_notices(study, points, changes, metric or None)
        return replace(_of_summary(summary, limit, notices), results=results)

    def choose(
        self,
        results: str,
        at: Sequence[str] = (),
        deadline: str = "",
        budget: str = "",
        efficiency: str = "",
        what_if: Sequence[str] = (),
    ) -> Answer:
        """Choose the scale of a job: what holds a deadline, a budget or an efficiency, and how surely.

        Args:
            results: results directory relative to the root, or the name that run returned.
            at: the largest scale to look at, such as ["p=4096"].
            deadline: wall time at most, such as "6h".
            budget: cost at most, such as "50000core-h".
            efficiency: parallel efficiency at least, such as "75%".
            what_if: as of predict.
        """
        study, points, changes = read_results(self._result(results)), _points(at), tuple(what_if)
        job = read_job(deadline=deadline or None, budget=budget or None, efficiency=efficiency or None)
        shown = chosen_jobs(study.chosen, resources_of(study), points, job, changes)
        notices = change_notices(study, points, changes)
        sentences = " ".join(shown.sentences)
        return Answer(
            verdict=sentences, shape="choice", document=document(shown), notices=notices, results=results
        )

    def compare(
        self, a: str, b: str, at: Sequence[str] = (), factor: float = 1.1, limit: int = ANSWER_LIMIT
    ) -> Answer:
        """Report which kernels differ significantly between two studies, now and at target points.

        Args:
            a: results, directory of runs or series file, relative to the root.
            b: the same, compared with a.
            at: target points, such as ["p=4096"].
            factor: differences up to it are not reported.
            limit: how many kernels to return, those that differ first.
        """
        places = [self._study(one) for one in (a, b)]
        options = load_options(None, None)
        studies = read_alike(places, options)
        found, _ = compare_studies((a, b), studies, comparison_rules(factor, _points(at)), options.models)
        whole = document(comparison_document(found))
        shown, left = _shortened(whole, ("kernels",), limit)
        verdict = comparison_verdict(found)
        notices = [*_doubts(studies), *left]
        return Answer(verdict=verdict, shape="comparison", document=shown, notices=notices)

    def check(
        self, path: str, baseline: str = "", at: Sequence[str] = (), limit: int = ANSWER_LIMIT
    ) -> Answer:
        """Check a study for scalability regressions against a baseline and the rules of its pipeline.toml.

        Args:
            path: results, directory of runs or series file, relative to the root.
            baseline: file of `pipeline baseline`, relative to the root; without it only the rules apply.
            at: target points, such as ["p=4096"].
            limit: how many kernels to return, regressions first.
        """
        place = self._study(path)
        file = configuration_file(None, place)
        options = load_options(file, None)
        reference = self._inside(baseline) if baseline else None
        found, studies = check_study(
            place, check_rules(file, _points(at), options), options, baseline=reference
        )
        shown, left = _shortened(check_document(found), ("kernels",), limit)
        notices = [*_doubts(studies), *left]
        return Answer(verdict=headline(found), shape="check", document=shown, notices=notices)

    def _inside(self, name: str) -> Path:
        """Return a path below the root."""
        root = self.root.resolve()
        place = (root / name).resolve()
        if not place.is_relative_to(root):
            hint = "give a path relative to it"
            raise UsageError(f"lies outside the directory that is served ({root})", where=name, hint=hint)
        return place

    def _study(self, name: str) -> Path:
        """Return the results of `run`, or a path below the root."""
        return self._results.get(name) or self._inside(name)

    def _result(self, name: str) -> Path:
        place = self._study(name)
        if not is_result(place):
            hint = "give a results directory, or call the tool run with a directory of runs"
            raise UsageError("is no results directory of `pipeline run`", where=name, hint=hint)
        return place


def _points(at: Sequence[str]) -> tuple[Mapping[str, float], ...]:
    return tuple(map(parse_at, at))


def _doubts(studies: Sequence[GateStudy]) -> list[str]:
    """Return what was not read and why, and what is doubtful about the rest."""
    return [text for one in studies for text in (*skipped_texts([one]), *one.notices)]


def _shortened(
    document: Mapping[str, Any], keys: Sequence[str], limit: int
) -> tuple[dict[str, Any], list[str]]:
    """Return a document with the first entries of its lists, and a sentence on what is left out."""
    left = {key: len(document[key]) - limit for key in keys if len(document[key]) > limit}
    short = {key: document[key][:limit] for key in left}
    counts = ", ".join(f"{number} {key.replace('_', ' ')}" for key, number in left.items())
    return {**document, **short}, [f"left out: {counts}; a larger limit returns them"] if left else []


def _of_summary(summary: Summary, limit: int, notices: Sequence[str]) -> Answer:
    """Return the leading kernels and regions of a summary; metrics beside the chosen one are left out."""
    found, left = _shortened(document(summary), (*_LISTED, *_CROSSOVERS), limit)
    hidden = {key: n + len(summary.rows(key)) - len(found[key]) for key, n in summary.not_listed.items()}
    line = _NO_WALL_TIME if summary.runtime is None else summary.runtime.verdict
    shown = {**found, "not_listed": hidden, "metrics": {}}
    return Answer(verdict=line, shape="summary", document=shown, notices=[*notices, *left])
