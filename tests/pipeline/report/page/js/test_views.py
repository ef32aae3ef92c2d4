"""What views are made of: colours of growth, labels that differ, crossovers, boxes, zoomed axes."""

import math

import pytest

from tests.pipeline.report.page.browser import Scripts
from tests.pipeline.report.page.studies import page_data_of as data_of
from tests.pipeline.report.page.studies import study, study_of


def test_colours_of_growth_are_continuous_and_end(scripts: Scripts) -> None:
    exponents = [-9, -1, -0.5, 0, 0.02, 1, 2, 50]
    found = scripts.each("draw/nodes.js", "growthPlace", [[e] for e in exponents])
    assert found == [-100, -100, -50, 0, 1, 50, 100, 100]


def test_labels_of_one_name_are_told_apart_by_their_callers(scripts: Scripts) -> None:
    effort = {
        ("main",): lambda p: 10 + 0 * p,
        ("main", "assemble"): lambda p: 5 + 0 * p,
        ("main", "assemble", "exchange"): lambda p: p,
        ("main", "solve"): lambda p: 5 + 0 * p,
        ("main", "solve", "exchange"): lambda p: 2 * p,
    }
    data = data_of(study_of(effort))
    found = scripts.read(data, "names.distinctLabels(level, [0, 2, 4], 22)")
    assert found == ["main", "exchange (assemble)", "exchange (solve)"]
    assert scripts.read(data, "names.distinctLabels(level, [1, 3], 22)") == ["assemble", "solve"]


def test_long_names_that_differ_in_the_middle_stay_different(scripts: Scripts) -> None:
    common = "Foam::fvMatrix<Foam::Vector<double> >::{}::solve(dictionary)"
    effort = {("main",): lambda p: 10 + 0 * p}
    effort |= {("main", common.format(c)): lambda p: p for c in ("smoother", "preconditioner")}
    found = scripts.read(data_of(study_of(effort)), "names.distinctLabels(level, [1, 2], 22)")
    assert len(set(found)) == 2
    assert max(map(len, found)) <= 40


def test_crossovers_are_listed_as_the_data_says_the_largest_where_there_are_many(scripts: Scripts) -> None:
    """MPI_Allreduce overtakes the solver where 0.05 p^(3/2) = 100, at p = 158.7."""
    data = data_of(study())
    words = "[one.over, one.past, one.place, one.certainty]"
    listed = scripts.read(data, f"crossovers.shownCrossovers(level, [256]).map((one) => {words})")
    assert listed == [
        [over, past, *words] for over, past, _, _, *words in data["levels"]["callpaths"]["crossovers"]
    ]
    many = [[2, 0, 10.0 - n, float(n), f"at p = {n}", "predicted"] for n in range(12)]
    data["levels"]["callpaths"]["crossovers"] = many
    values = "crossovers.shownCrossovers(level, [256]).map((one) => one.value)"
    assert scripts.read(data, values) == list(range(11, 2, -1))


def test_callees_too_narrow_share_a_box(scripts: Scripts) -> None:
    wide = {("main",): lambda p: 1 + 0 * p, ("main", "big"): lambda p: 1000 + 0 * p}
    many = {("main", f"f{i}"): lambda p: 1 + 0 * p for i in range(40)}
    data = data_of(study_of(wide | many))
    found, whole = scripts.read(
        data,
        "(({ found, whole }) => [found, whole])"
        "(boxes.boxesBelow(report.tree, report.tree.values(-1, 4, []), -1, 500))",
    )
    (others,) = [box for box in found if box["others"]]
    (big,) = [box for box in found if box["k"] == 1]
    assert (others["others"], others["k"], others["depth"]) == (40, 0, 1)
    assert others["x"] == pytest.approx(big["x"] + big["wide"])
    assert others["wide"] == pytest.approx(500 * 40 / whole, rel=0.05)


def test_a_rectangle_of_pixels_gives_the_domains_of_the_axes(scripts: Scripts) -> None:
    found = scripts.evaluate(
        "draw/pointing.js",
        "domainsOf",
        """(async () => {
            const { linearScale, logScale } = await import("/draw/axes.js");
            const chart = { x: logScale([1, 256], [0, 800]), y: linearScale([0, 10], [100, 0]) };
            return domainsOf(chart, { left: 100, right: 200, top: 20, bottom: 70 });
        })()""",
    )
    assert found["x"] == [pytest.approx(2), pytest.approx(4)]
    assert found["y"] == [pytest.approx(3), pytest.approx(8)]


def test_figures_that_are_not_available_are_left_out(scripts: Scripts) -> None:
    estimates = {"scale": [1, 2, 4], "value": [1, None, 3], "lower": [None, 1, 2], "upper": [2, 2, None]}
    found = scripts.each("data/report.js", "figuresOf", [[estimates]])[0]
    assert [one["x"] for one in found] == [1, 4]
    assert math.isnan(found[0]["lower"])
    assert math.isnan(found[1]["upper"])


def test_targets_outside_are_said_to_be_far(scripts: Scripts) -> None:
    data = data_of(study())
    scales = data["scales"] = [32, 64, 128, 256, 320, 9999]
    data["extrapolation"] = [1, 1, 2, 4, 5, 160]
    found = scripts.read(data, "values.map((p) => controls.outsideText(report.positions, [p]))", *scales)
    assert found == [
        "",
        "",
        "2 times beyond the measured range",
        "4 times beyond the measured range",
        "5 times beyond the measured range: far",
        "160 times beyond the measured range: far too much to decide on",
    ]
