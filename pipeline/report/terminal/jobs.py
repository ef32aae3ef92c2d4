"""The jobs that may be chosen, on the terminal."""

from dataclasses import replace

import numpy as np
from rich.console import Console

from ingest.arrays import IntArray
from pipeline.columns.jobs import ShownJobs, job_sentences, jobs_table
from pipeline.questions.choice import JobChoice
from pipeline.report.render.console import show_sentence
from pipeline.report.render.terminal_tables import terminal_table
from pipeline.wording.quantities import counted


def show_jobs(out: Console, shown: ShownJobs) -> None:
    """Print the jobs at measured scales, powers of two and the best ones, and say which are the best."""
    places = _main_places(shown.choice)
    out.print(terminal_table(jobs_table(replace(shown, places=places)), out.width))
    hidden = len(shown.places) - len(places)
    if hidden:
        show_sentence(
            out, f"{counted(hidden, 'scale')} in between left out; --format and --json have all.", "dim"
        )
    for sentence in job_sentences(shown):
        show_sentence(out, sentence)


def _main_places(choice: JobChoice) -> IntArray:
    """Return the places of measured scales, of doublings of the smallest one, of the last and the best."""
    points = choice.jobs.figures.points
    along = np.flatnonzero(np.ptp(points, axis=0))
    doublings = np.log2(points[:, along] / points[0, along]).sum(axis=1)
    main = choice.measured | (doublings == np.round(doublings))
    named = [*choice.best.values(), *(one.place for one in choice.relaxed), len(points) - 1]
    return np.union1d(np.flatnonzero(main), np.array(named, dtype=np.int64))
