"""Scaling models as terms: the same values and intervals as at home, and where they are read from."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from ingest.errors import InputError
from ingest.toml_table import TomlTable
from ingest.units import BYTES
from pipeline.models.fit import fit
from pipeline.models.options import ModelOptions
from pipeline.models.quality import Note
from pipeline.projection.expressions.evaluation import broken_limits, predict
from pipeline.projection.terms.measured_term import StoredModels, measured_term, scaling_model
from tests.pipeline.models.made import made
from tests.pipeline.projection.mistakes import refused

P = np.array([2.0, 4, 8, 16, 32, 64])
SQUARE_ROOT, LINEAR_LOG = ((Fraction(1, 2), 0), (Fraction(0), 0)), ((Fraction(1), 0), (Fraction(0), 1))
COVARIANCE = np.array([[4.0, 1.0, 0.0], [1.0, 0.25, 0.0], [0.0, 0.0, 0.0]])  # singular: 4 * 0.25 = 1 * 1


def two_rivals(**changes):
    """Return one kernel over p and n: 10 + 3 sqrt(p) with weight 0.75, else 20 + 2 p log2(n)."""
    known = {
        "parameters": ("p", "n"),
        "terms": (SQUARE_ROOT, LINEAR_LOG),
        "rows": np.array([[0, -1], [1, -1], [0, 1]]),
        "first": np.array([1.0, 2.0]),
        "last": np.array([64.0, 8.0]),
        "nonnegative": False,
        "correlation": 0.0,
        "chosen": np.array([[0, 1, -1, -1]]),
        "weight": np.array([[0.75, 0.25, 0.0, 0.0]]),
        "coefficients": np.array([[[10.0, 3, 0], [20, 2, 0], [99, 99, 99], [0, 0, 0]]]),
        "covariance": np.zeros((1, 4, 3, 3)),
        "degrees": np.array([6.0]),
        "drift": np.array([0.0]),
        "valid_from": np.array([[4.0, 2.0]]),
        "probability_growing": np.array([1.0]),
        "smape": np.array([0.0]),
        "cv_smape": np.array([0.0]),
        "points": np.array([6]),
        "repetitions": np.array([1]),
        "note": np.array([0]),
        "sharpness": np.ones(3),
    }
    return made(**known | changes)


def drawn(models, **at):
    return predict({"k": scaling_model("k", models, 0)}, at)["k"].draws[:, 0]


def test_every_draw_is_one_of_the_rivals_by_its_probability():
    found = drawn(two_rivals(), p=16, n=4)
    assert sorted(set(found)) == pytest.approx([10 + 3 * 4, 20 + 2 * 16 * 2])
    assert np.mean(found < 50) == pytest.approx(0.75, abs=0.04)
    unnormalised = two_rivals(weight=np.array([[3.0, 1.0, 0.0, 0.0]]))
    assert np.mean(drawn(unnormalised, p=16, n=4) < 50) == pytest.approx(0.75, abs=0.04)


def test_the_value_is_the_median_and_the_best_formula_is_the_first():
    model = scaling_model("k", two_rivals(), 0)
    assert model.inputs == ("n", "p")
    assert predict({"k": model}, {"p": 16, "n": 4})["k"].value == 22.0
    (ensemble,) = model.ensembles
    assert ensemble.rivals
    assert dict(zip(ensemble.names, ensemble.estimate, strict=True)) == {
        "k.c0": 10,
        "k.c1": 3,
        "k.c2": 0,
        "k.drift": 0,
    }


def test_coefficients_have_students_distribution_with_their_covariance():
    covariance = np.zeros((1, 4, 3, 3))
    covariance[0, 0] = COVARIANCE
    models = two_rivals(weight=np.array([[1.0, 0, 0, 0]]), covariance=covariance)
    for p, deviation in ((16, np.sqrt(4 + 2 * 4 * 1 + 16 * 0.25)), (4, np.sqrt(4 + 2 * 2 + 4 * 0.25))):
        standardised = (drawn(models, p=p, n=4) - (10 + 3 * np.sqrt(p))) / deviation
        assert stats.kstest(standardised, stats.t(6).cdf).pvalue > 0.01
    # With this covariance, the constant and the coefficient always err together, by 2 to 0.5.
    c0, c1 = scaling_model("k", models, 0).ensembles[0].draws[:, :2].T
    assert (c0 - 10) == pytest.approx(4 * (c1 - 3))


def test_drift_grows_with_the_doublings_beyond_the_measured_range():
    models = two_rivals(weight=np.array([[1.0, 0, 0, 0]]), drift=np.array([0.1]))
    assert set(drawn(models, p=64, n=8)) == {34.0}
    assert set(drawn(models, p=4, n=2)) == {16.0}
    for p, n, doublings in ((256, 8, 2), (64, 64, 3), (256, 64, 5)):
        value = 10 + 3 * np.sqrt(p)
        standardised = (drawn(models, p=p, n=n) / value - 1) / (0.1 * np.sqrt(doublings))
        assert stats.kstest(standardised, stats.t(6).cdf).pvalue > 0.01


def test_only_quantities_that_cannot_be_negative_are_bounded():
    coefficients = np.array([[[-50.0, 3, 0], [20, 2, 0], [0, 0, 0], [0, 0, 0]]])
    assert drawn(two_rivals(coefficients=coefficients), p=16, n=4).min() == -38.0
    assert drawn(two_rivals(coefficients=coefficients, nonnegative=True), p=16, n=4).min() == 0.0


def test_names_notes_and_units():
    noted = two_rivals(note=np.array([int(Note.FEW_POINTS)]))
    model = scaling_model("solver", noted, 0, dimension=BYTES)
    assert str(model.dimension) == "B"
    assert model.notices == ("solver: fewer than 5 points", "solver: does not depend on n")
    assert str(scaling_model("solver", noted, 0).dimension) == "s"


def test_kernels_and_names_have_random_streams_of_their_own():
    covariance = np.ones((1, 4, 3, 3))
    one = scaling_model("a", two_rivals(covariance=covariance), 0).ensembles[0].draws
    again = scaling_model("a", two_rivals(covariance=covariance), 0).ensembles[0].draws
    other = scaling_model("b", two_rivals(covariance=covariance), 0).ensembles[0].draws
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_leaving_the_range_of_the_segment_gives_a_notice():
    model = scaling_model("solve", two_rivals(), 0)
    assert broken_limits({"k": model}, {"p": [4, 64], "n": [2, 8]}) == ()
    assert broken_limits({"k": model}, {"p": 3.9, "n": 2}) == (
        "solve was measured for p from 4 to 64, here 3.9",
    )
    assert broken_limits({"k": model}, {"p": 128, "n": 16}) == (
        "solve was measured for p from 4 to 64, here 128",
        "solve was measured for n from 2 to 8, here 16",
    )


@pytest.fixture(scope="module")
def fitted():
    random = np.random.default_rng(6)
    truth = np.stack([10 + 0.5 * P, 3 * np.sqrt(P), 0.2 * np.log2(P) ** 2])
    values = truth[:, :, None] * (1 + 0.03 * random.standard_normal((3, len(P), 4)))
    return replace(fit(("p",), P[:, None], values, ModelOptions()), trend=None)


@pytest.mark.parametrize("kernel", range(3))
def test_a_scaling_model_predicts_what_it_predicts_at_home(fitted, kernel):
    points = np.array([8.0, 64, 256, 1024])
    home = fitted.predict(points[:, None])
    here = predict({"k": scaling_model("k", fitted, kernel)}, {"p": points})["k"]
    width = home.upper[kernel] - home.lower[kernel]
    for end in ("value", "lower", "upper"):
        expected = getattr(home, end)[kernel]
        assert (np.abs(getattr(here, end) - expected) <= 0.15 * width + 0.01 * expected).all()
    assert (here.upper - here.lower)[-1] == pytest.approx(width[-1], rel=0.25)


@pytest.fixture
def stored():
    """Return a reader of two kernels, and what it was asked for."""
    asked = []
    models = two_rivals()
    both = models.take([0, 0])
    rivals = both.rivals
    twice = np.where(rivals.kernel[:, None] == 1, 2 * rivals.coefficients, rivals.coefficients)
    both = replace(both, rivals=replace(rivals, coefficients=twice))

    def read(directory, level):
        asked.append((directory, level))
        paths = (("main", "solve"), ("main", "Amul")) if level == "callpath" else (("solve",), ("Amul",))
        return StoredModels(both, paths, "core-s")

    return read, asked


def table(folder, **content):
    return TomlTable(
        {"model": "measured", "results": "results", **content}, folder / "app.toml", ("terms", "k")
    )


def test_a_kernel_is_found_by_region_or_call_path(tmp_path, stored):
    read, asked = stored
    (tmp_path / "results").mkdir()
    for kernel in ({"region": "Amul"}, {"callpath": ["main", "Amul"]}):
        inputs, model = measured_term(table(tmp_path, **kernel), "k", read)
        assert inputs == ("p", "n")
        assert predict({"k": model}, {"p": 16, "n": 4})["k"].value == 44.0
        assert str(model.dimension) == "core-s"
    assert asked == [(tmp_path / "results", "region"), (tmp_path / "results", "callpath")]
    measured_term(table(tmp_path, results="elsewhere", region="solve"), "k", read)
    assert asked[-1][0] == Path("elsewhere")


def named(fitted, *paths):
    """Read a kernel of these call paths, all of one model; return which one a term names."""
    many = StoredModels(fitted, paths, "s")

    def index(folder, **content):
        asked = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                "pipeline.projection.terms.measured_term.scaling_model",
                lambda _name, _models, k, **_: asked.append(k),
            )
            measured_term(table(folder, **content), "k", lambda *_: many)
        return asked[0]

    return index


def test_regions_may_be_named_without_their_parameters(tmp_path, fitted):
    solve = "double solver::solve(int, const std::vector<double>&)"
    index = named(fitted, ("main",), (solve,), ("solver::apply(int)",), ("solver::apply(double)",))
    assert index(tmp_path, region="solver::solve") == index(tmp_path, region=solve) == 1
    assert index(tmp_path, region="solver::apply(double)") == 3
    with pytest.raises(
        InputError, match=r"'solver::apply' names 2 kernels; write the name in full: solver::app"
    ):
        index(tmp_path, region="solver::apply")
    with pytest.raises(
        InputError, match=r"no kernel 'apply' in results; kernels are main, solver::apply, sol"
    ):
        index(tmp_path, region="apply")


def test_every_name_of_a_call_path_may_be_short(tmp_path, fitted):
    index = named(fitted, ("main", "int run(int)", "step()"), ("main", "step()"))
    assert index(tmp_path, callpath=["main", "run", "step"]) == 0
    assert index(tmp_path, callpath=["main", "step"]) == 1


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ({"region": "solver"}, "no kernel 'solver' in results; kernels are Amul, solve ..."),
        ({"callpath": ["main", "Amul", "x"]}, "no kernel 'main / Amul / x' in results"),
        ({"callpath": "main"}, "callpath: is not a list of texts"),
        ({"callpath": []}, "callpath: is not a list of texts"),
        ({"callpath": ["main", 3]}, "callpath: is not a list of texts"),
        ({}, "region: is missing"),
        ({"regions": "solve"}, "regions: unknown key; did you mean 'region'?"),
        ({"results": 3, "region": "solve"}, "results: invalid value"),
    ],
)
def test_mistakes_are_one_line_each(tmp_path, stored, content, line):
    assert f"app.toml: [terms.k]: {line}" in refused(
        lambda: measured_term(table(tmp_path, **content), "k", stored[0]), raises=InputError
    )


def test_at_most_eight_kernels_are_named(tmp_path, fitted):
    names = [f"r{k}" for k in range(12)]
    many = StoredModels(fitted, tuple((name,) for name in names), "s")
    with pytest.raises(InputError, match=r"kernels are r0, r1, r10, r11, r2, r3, r4, r5 \.\.\.$"):
        measured_term(table(tmp_path, region="x"), "k", lambda *_: many)
