"""How kernels grow, in words."""

from dataclasses import replace

import numpy as np
import pytest

from pipeline.models.fit import fit
from pipeline.models.growth import growth_classes
from pipeline.models.quality import Note

P = np.array([4.0, 8.0, 16.0, 32.0, 64.0, 128.0])


def models_of(*values, noise=0.0, parameters=("p",), points=P[:, None]):
    rng = np.random.default_rng(5)
    data = np.stack(values)[:, :, None] * (1 + noise * rng.standard_normal((len(values), len(points), 4)))
    return fit(parameters, points, data)


def test_the_exponent_of_a_power_is_found():
    assert growth_classes(models_of(0.1 + P, 5 + P**1.5, 7 + 0 * P)) == [
        "grows, about p",
        "grows, about p^1.5",
        "constant",
    ]


def test_a_logarithm_counts_as_the_power_that_it_looks_like():
    """From 128 to 512, p log2(p) rises like p^(1 + log4(9/7))."""
    assert growth_classes(models_of(0.1 + P * np.log2(P))) == ["grows, about p^1.2"]


def test_what_falls_falls():
    assert growth_classes(models_of(100 / P)) == ["falls"]


def test_rivals_that_disagree_give_a_range():
    (text,) = growth_classes(models_of(100 + P, noise=0.1))
    low, high = text.removeprefix("grows, about ").split(" to ")
    assert float((low + "^1").split("^")[1]) < float((high + "^1").split("^")[1])


def test_the_class_is_the_most_probable_one():
    models = models_of(10 + P, noise=0.05)
    for probability, grows in ((0.9, True), (0.51, True), (0.1, False)):
        (text,) = growth_classes(replace(models, probability_growing=np.array([probability])))
        assert text.startswith("grows") == grows


def test_a_model_that_misses_the_measurements_says_nothing():
    models = models_of(0.1 + P)
    assert growth_classes(replace(models, note=models.note | Note.UNRELIABLE)) == ["unclear"]


def test_every_parameter_has_its_exponent():
    points = np.array([[x, y] for x in (4.0, 8.0, 16.0, 32.0, 64.0) for y in (10.0, 20.0, 40.0, 80.0, 160.0)])
    values = points[:, 0] ** 2 * points[:, 1]
    models = models_of(values, parameters=("x", "y"), points=points)
    assert growth_classes(models) == ["grows, about x^2, y"]


@pytest.mark.parametrize("count", [1, 2])
def test_all_kernels_get_a_text(count):
    assert len(growth_classes(models_of(*[P] * count))) == count
