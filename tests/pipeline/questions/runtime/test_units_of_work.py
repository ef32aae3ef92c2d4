"""Rates at measured and other scales, from the work that runs state."""

import numpy as np
import pytest

from ingest.locate import locate
from ingest.run_settings import SETTING
from ingest.units import RATE_METRIC, UNITS_OF_WORK
from pipeline.config.options import Options
from pipeline.questions.runtime.runtime import runtime
from pipeline.stages.ingest import ingest
from pipeline.stages.model import modelled
from pipeline.stages.selection import per_visit
from tests.ingest.readers import timer_logs
from tests.pipeline.questions.runtime.programs import ideal, weak

SCALES = (1, 2, 4, 8, 16)


def states(work):
    """Return what runs state that do so many nanoseconds, given a point."""
    return lambda at: {SETTING + RATE_METRIC: "ns/day", UNITS_OF_WORK: str(work(at[0]))}


def rate(analysis, target=64.0):
    answer = runtime(analysis, np.array([[target]]))
    return answer.figures.rate, answer.figures.wall, answer.notices


def test_runs_of_equal_work_have_the_rate_of_their_times():
    found, wall, notices = rate(ideal(attributes=states(lambda p: 0.5)))
    assert found.value == pytest.approx(0.5 * 86400 / wall.value)
    assert found.lower[-1] == pytest.approx(0.5 * 86400 / wall.upper[-1])
    assert not any("ns/day" in notice for notice in notices)


def test_work_that_grows_with_the_locations_goes_on_to_grow():
    found, wall, _ = rate(weak(attributes=states(lambda p: 0.25 * p)))
    assert found.value[-1] == pytest.approx(0.25 * 64 * 86400 / wall.value[-1])


def test_work_that_grows_otherwise_is_known_where_it_was_measured():
    found, wall, notices = rate(ideal(attributes=states(lambda p: 0.25 * p**0.5)))
    assert found.value[:5] == pytest.approx(0.25 * np.sqrt(SCALES) * 86400 / wall.value[:5])
    assert np.isnan(found.value[-1])
    assert any(notice.startswith("ns/day is not known everywhere") for notice in notices)


@pytest.mark.parametrize("per", ["", "steps"])
def test_logs_show_the_rate_that_they_state_whole_or_per_step(tmp_path, per):
    for p in SCALES:
        loop = 16 / p
        rows = [("Pair", 0.75 * loop), ("Other", 0.25 * loop)]
        text = timer_logs.lammps((loop, 100, rows), tasks=p)
        (tmp_path / f"melt.p{p}.log").write_text(text)
    analysis = modelled(per_visit(ingest(locate(tmp_path), "time"), per), Options(), "time")
    found, _, _ = rate(analysis, 32.0)
    assert found.value == pytest.approx([432 * 100 * p / 16 for p in (*SCALES, 32)], rel=1e-3)
