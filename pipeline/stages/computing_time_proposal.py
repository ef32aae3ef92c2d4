"""The proposal stage: the files of a computing-time proposal, from a stored result."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ingest.errors import UsageError
from pipeline.columns.answers import jobs_table
from pipeline.config.job_options import DescribedJob
from pipeline.questions.runtime.runtime import runtime
from pipeline.questions.runtime_summary import verdict_line
from pipeline.report.page.sections import study_name
from pipeline.report.proposal import proposal_csv, proposal_image, proposal_sentences
from pipeline.report.render.text_formats import WRITERS
from pipeline.report.runtime_charts import runtime_charts
from pipeline.stages.choose import chosen_jobs, resources_of
from pipeline.stages.model import target_points
from pipeline.store.atomic import write_bytes, write_text
from pipeline.store.results import read_study

_FORMS = ("pdf", "svg", "png")
_NAME = "proposal.pdf"  # of the figure in a directory


def proposal_text(
    out: Path, at: Sequence[Mapping[str, float]], min_efficiency: float, job: DescribedJob
) -> str:
    """Return sentences on separate lines, for the last target point; see `write_proposal`."""
    return _Study(out, at, min_efficiency, job).text


def write_proposal(
    out: Path, at: Sequence[Mapping[str, float]], min_efficiency: float, output: Path, job: DescribedJob
) -> list[Path]:
    """Write figure, table, table of jobs and sentences; return their files.

    The output is the figure, by its ending PDF, SVG or PNG; the others lie beside it with the same name. Or
    it is a directory, which gets ``proposal.pdf``, ``proposal.csv``, ``proposal.jobs.csv`` and
    ``proposal.txt``. Without target points those of the run count. Sentences on the job follow if it has
    limits; studies of one or two scales, which predict nothing, have no jobs.
    """
    image = output if output.suffix and not output.is_dir() else output / _NAME
    form = image.suffix.lstrip(".").lower()
    if form not in _FORMS:
        raise UsageError(
            f"'{output}' is neither .pdf, .svg nor .png", where="--out", hint="or give a directory"
        )
    study = _Study(out, at, min_efficiency, job)
    charts = runtime_charts(study.analysis, study.runtime, study.targets[-1])
    table, sentences = image.with_suffix(".csv"), image.with_suffix(".txt")
    write_bytes(image, proposal_image(form, charts))
    write_text(table, proposal_csv(study.runtime, study.analysis.experiment.parameters))
    write_text(sentences, study.text)
    if study.jobs is None:
        return [image, table, sentences]
    of_jobs = image.with_suffix(".jobs.csv")
    write_text(of_jobs, WRITERS["csv"](jobs_table(study.jobs)))
    return [image, table, of_jobs, sentences]


class _Study:
    """A stored study with its runtime at the target points."""

    def __init__(
        self, out: Path, at: Sequence[Mapping[str, float]], min_efficiency: float, job: DescribedJob
    ) -> None:
        stored = read_study(out)
        provenance = stored.result.provenance
        self.name = study_name(provenance)
        self.analysis = stored.chosen
        points = at or provenance["configuration"]["at"]
        self.targets = target_points(self.analysis, points)
        found = runtime(self.analysis, self.targets, min_efficiency)
        if found is None:
            raise UsageError(
                f"the models are of {self.analysis.callpaths.kernels.metric}, so there is no runtime",
                where="--to proposal",
                hint=self.analysis.how_to_model_time,
            )
        if not np.isfinite(found.figures.core_hours.value[-1]):
            raise UsageError(
                "it is unknown how many cores the runs held, so there are no core-hours to apply for",
                where="--to proposal",
                hint="measure over processes, or say by `pipeline run --scaling` that a series is over them",
            )
        self.runtime = found
        self.jobs = None
        if job.limits.given or not self.analysis.is_profile:
            self.jobs = chosen_jobs(self.analysis, resources_of(stored), points, job)

    @property
    def text(self) -> str:
        """The sentences, one per line."""
        verdict = verdict_line(self.runtime, self.analysis.experiment.parameters)
        found = [f"{verdict.sentence}.", *proposal_sentences(self.name, self.analysis, self.runtime)]
        found += self.jobs.sentences if self.jobs and self.jobs.limits else []
        return "".join(f"{line}\n" for line in found)
