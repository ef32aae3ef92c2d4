"""What runs differ in that counts their work, and what dividing by it gains."""

import numpy as np
import pytest

from ingest.alignment import MeasuredRun, align
from ingest.record_codec import document
from ingest.reduction import reduce_profile
from ingest.run_settings import METADATA
from pipeline.config.options import Options
from pipeline.questions.differing_work import QUESTION, DifferingWork
from pipeline.report.summary import summarise
from pipeline.stages.ingest import Ingested
from pipeline.stages.model import forecast_at, modelled
from pipeline.stages.report import page_of
from pipeline.stages.selection import selected
from tests.pipeline.report.page.studies import PROVENANCE
from tests.pipeline.report.terminal.test_answer import answer
from tests.profiles import make_profile

SCALES = (1, 2, 4, 8, 16, 32)
ITERATIONS = {1: 9, 2: 6, 4: 12, 8: 7, 16: 11, 32: 8}
WIDE = {1: 10, 2: 900, 4: 30, 8: 2000, 16: 15, 32: 700}
MAIN, BANDS, SOLVE, SEND = ("main",), ("main", "c_bands"), ("main", "c_bands", "solve"), ("main", "MPI_Send")
OPTIONS = Options(scaling="strong")


def study(counts=ITERATIONS, *, work=None, noted=(), visited=True):
    """A solver that is called as often as `counts` says, for as much work as `work` says, by scale."""
    random, runs = np.random.default_rng(3), []
    for p in SCALES:
        times = (work or counts)[p]
        for repetition in range(2):
            noise = random.normal(1, 0.01)
            seconds = {MAIN: 0.01, BANDS: 0.01 * times, SOLVE: 4.0 * times / p, SEND: 0.02 * times}
            visits = {MAIN: 1, BANDS: counts[p], SOLVE: 3 * counts[p], SEND: 10 * p}
            rows = {
                "time": {path: [noise * one] * p for path, one in seconds.items()},
                "visits": {path: [one if visited else 1] * p for path, one in visits.items()},
            }
            reduced = reduce_profile(make_profile(rows, source=f"p{p}.r{repetition}"), ["time", "visits"])
            reduced.attributes.update({METADATA + name: str(counts[p]) for name in noted})
            runs.append(MeasuredRun((float(p),), repetition, reduced))
    return Ingested(experiment=align(["p"], runs))


def found(read, **more):
    options = Options(scaling="strong", **more)
    return QUESTION.ask(forecast_at(modelled(selected(read, options), options, "time"), ()))


def test_a_series_of_6_to_12_iterations_is_to_be_divided_by_them():
    work = found(study())
    assert isinstance(work, DifferingWork)
    assert (work.per, work.least, work.most) == ("c_bands", 6, 12)
    assert work.error_per < 0.1 < 0.2 < work.error
    assert found(study(), per=work.per) is None


@pytest.mark.slow
def test_the_errors_are_those_of_scales_left_out():
    """Computed here from the runs themselves, by another way than the search for what to divide by."""
    from pipeline.models.fit import fit

    work, errors = found(study()), []
    for per in ("", "c_bands"):
        values = selected(study(), Options(per=per)).experiment.values["time"].sum.sum(axis=0)
        for left in SCALES[1:]:
            others, here = np.array(SCALES) != left, SCALES.index(left)
            models = fit(("p",), np.array(SCALES, dtype=float)[others, None], values[None, others])
            there = models.predict(np.array([[float(left)]])).value[0, 0]
            errors.append(abs(there / values[here].mean() - 1))
    assert (work.error, work.error_per) == pytest.approx((np.mean(errors[:5]), np.mean(errors[5:])), rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["iterations", "Time_Steps"])
def test_what_users_note_counts_as_well(name):
    read = study(noted=[name], visited=False)
    work = found(read)
    assert (work.per, work.least, work.most) == (name, 6, 12)
    divided = selected(read, Options(per=name)).experiment
    np.testing.assert_array_equal(divided.per.visits[:, 0], list(ITERATIONS.values()))
    assert divided.notices[-1].endswith(f"(6 to 12 {name} per run)")
    assert found(study(noted=["pools"], visited=False)) is None


@pytest.mark.parametrize(
    "read",
    [
        study(dict.fromkeys(SCALES, 10)),
        study({p: 6 if p < 8 else 12 for p in SCALES}),
        study({p: 12 if p < 8 else 6 for p in SCALES}),
        study({p: round(6 * p**0.5 * (1.2, 0.8)[i % 2]) for i, p in enumerate(SCALES)}),
        study(ITERATIONS, work=dict.fromkeys(SCALES, 10)),
        study(ITERATIONS, work={p: count**0.55 for p, count in ITERATIONS.items()}),
        study(WIDE, work={p: count * (1, 4, 2)[i % 3] for i, (p, count) in enumerate(WIDE.items())}),
        study({**ITERATIONS, 4: 0}, work=ITERATIONS),
    ],
    ids=[
        "all alike",
        "only more with p",
        "only less with p",
        "about p^(1/2)",
        "work is the same",
        "hardly better",
        "more differs",
        "not visited once",
    ],
)
def test_nothing_is_proposed_where_it_explains_nothing(read):
    assert found(read) is None


def test_messages_are_no_work_however_their_number_varies():
    read = study(dict.fromkeys(SCALES, 10), work=ITERATIONS)
    row = list(read.experiment.callpaths).index(SEND)
    for array in vars(read.experiment.values["visits"]).values():
        array[row] = np.array(list(ITERATIONS.values()))[:, None]
    assert found(read) is None


@pytest.mark.slow
def test_people_and_programs_read_it_once():
    ahead = forecast_at(modelled(study(), OPTIONS, "time"), ())
    summary = summarise(ahead)
    assert set(document(summary)["differing_work"]) == {"per", "least", "most", "error", "error_per"}
    (line,) = [line for line in answer(summary, width=200) if "--per" in line]
    assert line.startswith("The runs made 6 to 12 visits of c_bands: --per c_bands would bring the error of ")
    page = page_of(ahead, PROVENANCE)
    assert page.count("--per c_bands would bring") == 1
    assert line.rstrip(".") in page
