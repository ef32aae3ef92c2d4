"""Programs whose times are known, as analyses."""

import numpy as np

from ingest.alignment import MeasuredRun, align
from ingest.reduction import reduce_profile
from ingest.scaling import Scaling, ScalingDecision
from pipeline.models.options import ModelOptions
from pipeline.questions.analysis import analyse
from tests.profiles import make_profile

STRONG = ScalingDecision(Scaling.STRONG, "p", "")
WEAK = ScalingDecision(Scaling.WEAK, "p", "")
SIZE = ScalingDecision(Scaling.NONE, "", "")


def experiment(
    points,
    times,
    *,
    names=("p",),
    locations=lambda point: int(point[0]),
    repetitions=3,
    noise=0,
    attributes=lambda point: {},
):
    """Align runs.

    Args:
        points: parameter values.
        times: gives the seconds of a location per region below `main`, from a point.
        names: of the parameters.
        locations: gives their number from a point.
        repetitions: at each point.
        noise: of a repetition, relative.
        attributes: gives what a run states about itself from a point.
    """
    random, runs = np.random.default_rng(7), []
    for point in points:
        for repetition in range(repetitions):
            factor = random.lognormal(0, noise)
            found = {("main",): 0.0} | {("main", name): t for name, t in times(point).items()}
            rows = {path: [t * factor] * locations(point) for path, t in found.items()}
            profile = make_profile({"time": rows})
            profile.attributes.update(attributes(point))
            reduced = reduce_profile(profile, ["time"])
            runs.append(MeasuredRun(tuple(map(float, point)), repetition, reduced))
    return align(list(names), runs)


def strong(scales=(1, 2, 4, 8, 16), **more):
    """64 core-seconds of work that scale perfectly, and a reduction that grows with p."""
    found = experiment([(p,) for p in scales], lambda at: {"work": 64 / at[0], "MPI_Allreduce": 0.1}, **more)
    return analyse(found, STRONG, "time", ModelOptions())


def ideal(scales=(1, 2, 4, 8, 16), **more):
    """64 core-seconds that scale perfectly."""
    found = experiment([(p,) for p in scales], lambda at: {"work": 60 / at[0], "rest": 4 / at[0]}, **more)
    return analyse(found, STRONG, "time", ModelOptions())


def weak(scales=(1, 2, 4, 8, 16), **more):
    """2 seconds of work per location, and start-up that grows."""
    found = experiment([(p,) for p in scales], lambda at: {"work": 2.0, "MPI_Init": 0.1 * at[0]}, **more)
    return analyse(found, WEAK, "time", ModelOptions())
