"""Three sentences made from data."""

import numpy as np
import pytest

from ingest.cpp_names import short_name
from pipeline.models.analysis import Analysis, look_ahead
from pipeline.report.html.verdict import Findings, leaders, verdict
from tests.pipeline.report.html.studies import SOLVER, study, two_parameter_study


def findings(analysis: Analysis, *target: float) -> Findings:
    at = np.array([target])
    callpaths = look_ahead(analysis, analysis.callpaths, at)
    return Findings(analysis, callpaths, look_ahead(analysis, analysis.regions, at), at[0])


def sentences(*target: float) -> list[str]:
    return [text.replace("\N{NO-BREAK SPACE}", " ") for text in verdict(findings(study(), *target))]


def test_a_change_of_leaders_beyond_the_measurements_is_told_with_its_scale() -> None:
    (_, _), (over, since) = leaders(findings(study(), 256.0))
    assert study().regions.kernels.callpaths[over] == ("MPI_Allreduce",)
    assert since == pytest.approx(100 ** (2 / 3) * 0.05 ** (-2 / 3), rel=0.1)
    first = sentences(256.0)[0]
    assert first.startswith("Up to about p = 1")
    assert f"{short_name(SOLVER)} dominates" in first
    assert "MPI_Allreduce overtakes it and takes" in first
    assert first.endswith("at p = 256.")


def test_without_a_change_one_region_dominates() -> None:
    assert sentences(64.0)[0].startswith(f"{short_name(SOLVER)} dominates at every scale")


def test_the_total_is_that_of_the_call_paths_with_its_interval() -> None:
    made = findings(study(), 256.0)
    second = sentences(256.0)[1]
    assert f"{made.callpaths.total.value[0, -1]:.0f} core-s" in second
    assert "90 % interval" in second
    assert "perfect scaling would keep it constant" in second
    assert "MPI_Allreduce adds most, growing like p^(3/2)" in second


def test_trust_names_points_repetitions_and_reach() -> None:
    third = sentences(256.0)[2]
    assert "5 points with up to 3 repetitions" in third
    assert "4 times the largest" in third
    assert "extended" not in sentences(64.0)[2]


def test_values_that_do_not_scale_promise_no_perfect_scaling() -> None:
    second = verdict(findings(two_parameter_study(), 256.0, 50.0))[1]
    assert "perfect scaling" not in second
