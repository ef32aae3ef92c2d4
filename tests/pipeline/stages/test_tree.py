"""The values that the call tree is shown with."""

import numpy as np
import pytest

from ingest.locate import locate
from pipeline.config.options import Options
from pipeline.stages.ingest import ingest
from pipeline.stages.model import modelled, tree_values
from tests.foam_cases import write_foam_case


@pytest.fixture
def analysis(tmp_path):
    """Parameters n and p; the largest p was not measured with the largest n."""
    for p, n in [(p, n) for p in (1, 2, 4, 8) for n in (10, 20, 40)] + [(16, 10)]:
        times = {"main": 0.5, "solve": 0.1 * n / p, "sum": 0.01 * p}
        write_foam_case(tmp_path / "study" / f"app.n{n}.p{p}.r1", times, processes=p)
    return modelled(ingest(locate(tmp_path / "study"), "time"), Options(), "time")


def test_the_tree_shows_what_was_measured_at_the_largest_scale(analysis):
    values, origin = tree_values(analysis, [])
    assert origin == "measured at n = 10, p = 16"
    # core-seconds: 16 processes spend 0.5 s in main, 1/16 s in solve and 0.16 s in sum
    assert values == pytest.approx([8.0, 1.0, 2.56])


def test_the_tree_shows_what_is_predicted_at_the_last_target(analysis):
    values, origin = tree_values(analysis, [{"p": 2.0}, {"p": 64.0, "n": 20.0}])
    assert origin == "predicted at n = 20, p = 64"
    expected = analysis.callpaths.models.predict(np.array([[20.0, 64.0]])).value[:, 0]
    assert values == pytest.approx(expected)
