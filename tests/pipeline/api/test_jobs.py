"""Jobs to choose and models as they would be, from Python."""

import pytest

import pipeline as pl


@pytest.fixture
def models(strong_study):
    return pl.read_study(strong_study).fit()


def test_jobs_are_as_measured_or_those_of_its_runtime(models):
    found = models.choose(job={"deadline": "20s", "price": "3/core-h"}, p=64)
    assert found.attrs["limits"] == {"deadline": 20.0}
    assert set(found.attrs["best"]) == {"fastest", "cheapest", "most efficient"}
    runtime = models.runtime(p=found.p.tolist(), full=True)
    known = set(runtime.p[runtime.measured])
    runtime = runtime[runtime.measured | ~runtime.p.isin(known)].sort_values("p")
    assert found.measured.tolist() == runtime.measured.tolist()
    for name in ("wall_seconds", "core_hours_upper", "efficiency_lower"):
        assert found[name].tolist() == pytest.approx(runtime[name].tolist(), rel=1e-9)
    assert found.price.tolist() == pytest.approx((3 * found.core_hours).tolist(), rel=1e-9)
    with pytest.raises(pl.PipelineError, match="unknown unit 'x'"):
        models.choose(job={"deadline": "1x"})


def test_models_as_they_would_be(models):
    half, same = models.what_if("sum=0.5"), models.what_if("sum=1")
    assert half.predict(p=64).value[0] == pytest.approx(0.5 * models.predict(p=64).value[0])
    assert same.predict(p=64).equals(models.predict(p=64))
    assert half.callpaths.what_if("sum=2").predict(p=64).value[0] == models.callpaths.predict(p=64).value[0]
