"""Terminal, `choose` and page name one fastest scale and one limit of efficiency, whatever the study."""

import json
import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest

import pipeline as pl
from tests.pipeline.report.page.studies import carried

QUICK, ALL = 10, 200  # studies
_NUMBER = r"([\d.e+]*\d)"
_SCALE, _AS_PREDICTED = rf"p = {_NUMBER}", r"(?!.{0,24}\(predicted\))"
_MEASURED = re.compile(
    rf"measured at {_SCALE}|{_SCALE} (?:was |were )?measured|between {_SCALE} and {_NUMBER}[^.;:]*, measured"
    rf"|(?:Fastest|slower than [\d.]+ \w+|about as fast as [\d.]+ \w+) at {_SCALE}{_AS_PREDICTED}"
)


@dataclass(frozen=True, kw_only=True)
class Study:
    scaling: str
    scales: list[int]
    size: dict[str, int]
    share: float
    targets: list[int]


def made_study(seed, file):
    """Write a random study: strong or weak, one or two parameters, with noise, with a turn or without."""
    random = np.random.default_rng(seed)
    scaling, share = str(random.choice(["strong", "weak"])), float(random.choice([0.5, 0.75, 0.9]))
    first, ratio, count = random.choice([1, 2, 3, 10, 48]), random.choice([2, 2, 3, 0]), random.integers(3, 8)
    scales = first * ratio ** np.arange(count) if ratio else first + np.cumsum(random.integers(1, 9, count))
    sizes = (50, 100, 200) if random.random() < 0.3 else (100,)
    work, exponent = random.lognormal(3, 1), random.choice([0.8, 1.0])
    growing, power = work * 10 ** random.uniform(-5, -1), random.choice([0.0, 0.5, 1.0, 1.5])
    turn, noise = random.choice([np.inf, *scales]), random.choice([0.0, 0.01, 0.05, 0.15])
    rows = ["p,n,repetition,kernel,seconds"]
    for p, n, repetition in np.ndindex(len(scales), len(sizes), int(random.integers(1, 4))):
        factor, scale = random.lognormal(0, noise), float(scales[p])
        solve = work * sizes[n] / 100 / (scale if scaling == "strong" else 1.0) ** exponent
        reduce = growing * scale**power * max(scale / turn, 1.0) ** 1.5
        times = {"solve": solve, "reduce": reduce, "set up": 1e-3}
        where = f"{scales[p]},{sizes[n]},{repetition}"
        rows += [f"{where},{name},{seconds * factor}" for name, seconds in times.items()]
    if len(sizes) == 1:
        rows = [re.sub(r"^([^,]*),[^,]*", r"\1", row) for row in rows]
    file.write_text("\n".join(rows))
    last, inside = int(scales[-1]), [(low + high) // 2 for low, high in pairwise(scales.tolist())]
    return Study(
        scaling=scaling,
        scales=scales.tolist(),
        size={"n": int(random.choice([*sizes, 150]))} if len(sizes) > 1 else {},
        share=share,
        targets=[int(random.choice(inside)), last + int(random.integers(1, last + 2)), 4 * last, 16 * last],
    )


def on_one_line(text):
    return " ".join(text.split())


def require_measured(text, study):
    """Scales that are called measured, or whose time is not said to be predicted, were measured."""
    for found in _MEASURED.finditer(on_one_line(text)):
        assert {float(scale) for scale in found.groups() if scale} <= set(study.scales), found.group()


def positions(page):
    """Yield the positions of a page's slider, each with what is said there."""
    column, said = page["parameters"].index("p"), page["program"]["said"]
    for place, *texts in zip(
        ([*line[:column], scale, *line[column + 1 :]] for line in page["lines"] for scale in page["scales"]),
        *said.values(),
        strict=True,
    ):
        yield dict(zip(page["parameters"], place, strict=True)), dict(zip(said, texts, strict=True))


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=[pytest.mark.slow] * (seed >= QUICK)) for seed in range(ALL)]
)
def test_all_that_is_shown_of_a_study_agrees(seed, tmp_path, call):
    study, out = made_study(seed, tmp_path / "table.csv"), tmp_path / "results"
    at = ",".join(f"{name}={value}" for name, value in {"p": study.targets[seed % 4], **study.size}.items())
    options = "--scaling", study.scaling, "--at", at, "--efficiency", f"{100 * study.share:g}%", "--details"
    code, text, error = call("run", tmp_path / "table.csv", "--out", out, *options)
    assert code == 0, error
    summary = json.loads((out / "summary.json").read_text())["runtime"]
    assert on_one_line(text).startswith(summary["verdict"])
    require_measured(text, study)

    models, looked_at = pl.read_results(out), (study.scales[1], *study.targets)
    for place, here in positions(carried((out / "report.html").read_text())):
        if place["p"] in looked_at and place | study.size == place:
            told = models.runtime(place, min_efficiency=study.share).attrs["verdict"]
            assert f"{on_one_line(here['verdict'])} (trust: {here['trust']})" == told
            require_measured(" ".join(filter(None, here.values())), study)

    found = {
        p: models.runtime(p=p, min_efficiency=study.share, **study.size).attrs for p in sorted(study.targets)
    }
    for p, one in found.items():
        chosen = models.choose(p=max(p, *study.scales), **study.size).attrs["best"]
        assert chosen.get("fastest") == one["fastest"]
        assert not one["fastest_measured"] or one["fastest"]["p"] in study.scales
    limits = [one["efficient_up_to"] for one in found.values()]
    ends = {json.dumps((one["point"], one["below_at"])) for one in limits if not one["at_the_end"]}
    assert len(ends) <= 1
