"""What kernels would gain, of programs whose answer is known."""

import numpy as np
import pytest

from pipeline.models.options import ModelOptions
from pipeline.questions.analysis import analyse
from pipeline.questions.runtime.figures import RuntimeStudy
from pipeline.questions.what_if import BALANCED, SCALING, TWICE, potential, what_if
from tests.pipeline.questions.runtime.programs import SIZE, STRONG, WEAK, experiment, strong, weak
from tests.pipeline.questions.test_what_if import uneven

POINT = np.array([64.0])


def gains(analysis):
    """Return the gains of each way by region, values with both ends."""
    found = potential(analysis, analysis.regions, POINT)
    names = [analysis.regions.kernels.regions[k] for k in found.kernels.tolist()]
    return {way: dict(zip(names, zip(*ends, strict=True), strict=True)) for way, ends in found.gains.items()}


def wall(analysis):
    return float(RuntimeStudy(analysis).figures(POINT[None], np.array([False])).wall.value[0])


def test_twice_as_fast_is_half_the_time_and_what_if_agrees():
    study = strong(noise=0.03)
    found = gains(study)[TWICE]
    for name, (value, lower, upper) in found.items():
        assert lower <= value <= upper
        assert value == pytest.approx(wall(study) - wall(what_if(study, [f"{name}=0.5"])))


def test_perfect_scaling_takes_what_the_smallest_scale_took():
    found = gains(strong())[SCALING]
    assert found["work"][0] == pytest.approx(0.0, abs=0.01)
    assert found["MPI_Allreduce"][0] == pytest.approx(0.1 - 0.1 / 64, rel=0.02)  # 0.1 core-seconds at p = 1
    grows = experiment([(p,) for p in (1, 2, 4, 8, 16)], lambda at: {"work": 2.0, "MPI_Send": 0.1 * at[0]})
    found = gains(analyse(grows, WEAK, "time", ModelOptions()))[SCALING]
    assert found["MPI_Send"][0] == pytest.approx(6.4 - 0.1, rel=0.02)
    assert found["work"][0] == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("scaling", [STRONG, WEAK])
def test_a_balanced_kernel_takes_the_mean_of_all_locations(scaling):
    found = gains(uneven(scaling))[BALANCED]
    assert found["work"][0] == pytest.approx(16 / 64, rel=0.05)
    assert found["MPI_Wait"][0] == 0.0


def test_nothing_scales_perfectly_or_is_balanced_where_nothing_scales_or_waits():
    sizes = analyse(
        experiment(
            [(n,) for n in (1, 2, 4, 8)], lambda at: {"work": at[0]}, names=("n",), locations=lambda _: 2
        ),
        SIZE,
        "time",
        ModelOptions(),
    )
    by_size = gains(sizes)
    assert np.isnan(by_size[SCALING]["work"][0]) and by_size[TWICE]["work"][0] == pytest.approx(
        32.0, rel=0.02
    )
    assert np.isnan(by_size[BALANCED]["work"][0])
    assert potential(sizes, sizes.regions, POINT).best == [TWICE] * 2


def test_kernels_are_ranked_by_their_best_way_and_start_up_is_left_out():
    study = weak()
    found = potential(study, study.regions, POINT)
    names = [study.regions.kernels.regions[k] for k in found.kernels.tolist()]
    assert names[0] == "work" and "MPI_Init" not in names
    best = np.nanmax([values for values, _, _ in found.gains.values()], axis=0)
    assert (np.diff(best) <= 0).all()
