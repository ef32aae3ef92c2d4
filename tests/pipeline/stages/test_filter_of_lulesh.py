"""The filters of a real study: their predicted overhead, and the visits that a simulation by hand leaves."""

from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from filters.filter_options import Application
from filters.filter_verification import simulate
from filters.scorep_format.rule_files import parse
from pipeline.config.options import FilterOptions, Options
from pipeline.stages.filter import filter_of_path, runs_at, runs_to_filter, simulate_filter

FULL = Path(__file__).parents[3] / "sample_profiles" / "lulesh-accessors" / "full"


def keeps(text, mangled):
    """Decide on a region as Score-P does: the last rule that matches counts, and without one it is kept."""
    kept = True
    for line in text.splitlines():
        words = line.split()
        if words and words[0] in ("EXCLUDE", "INCLUDE") and fnmatchcase(mangled, words[-1]):
            kept = words[0] == "INCLUDE"
    return kept


def recorded_visits(profile, text):
    """Visits of a profile by call path without the regions that a filter drops, call path by call path."""
    regions, found, paths = profile.regions, Counter(), []
    visits = profile.values("visits")[:, profile.locations.cpu].sum(axis=1).tolist()
    decided = {
        i: regions.paradigm[i] not in ("compiler", "user") or keeps(text, regions.mangled[i])
        for i in range(len(regions))
    }
    for parent, region, count in zip(
        profile.tree.parent.tolist(), profile.tree.region.tolist(), visits, strict=True
    ):
        above = paths[parent] if parent >= 0 else ()
        paths.append((*above, regions.mangled[region]) if decided[region] else above)
        if decided[region]:
            found[paths[-1]] += count
    return found


@pytest.mark.parametrize("asked", [{}, {"max_overhead": 0.05}])
def test_little_overhead_is_left_and_the_visits_are_those_that_a_simulation_leaves(tmp_path, asked):
    options = Options(filter=FilterOptions(**asked))
    result, _ = filter_of_path(FULL, options)
    assert result.application is Application.COMPILE_TIME
    assert result.prediction.dilation.at(Application.COMPILE_TIME).value <= 1.05
    assert result.evidence.budget.met and result.evidence.budget.largest <= 0.05
    rules = tmp_path / "lulesh.filter"
    rules.write_text(result.text)
    assert " MANGLED " in result.text and "_FILE_NAMES" not in result.text  # what `keeps` can decide on
    for run in runs_to_filter(runs_at(FULL)):
        before = run.reader.read(run.path)
        after = simulate(before, parse(result.text))
        found = simulate_filter(run.path, rules, options)
        expected = recorded_visits(before, result.text)
        assert recorded_visits(after, "") == {path: count for path, count in expected.items() if count}
        visits = found.prediction.visits
        assert visits.run_time == sum(expected.values()) < 0.02 * visits.unfiltered
        assert found.simulated.visits == after.values("visits").sum()
    assert result.prediction.visits.at(result.application) == sum(expected.values())
