"""The largest kernels on each location: what the page knows of them, and the view in a kernel's detail."""

import re
import statistics
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.models.kernel_locations import KernelLocations, PointLocations, study_locations
from pipeline.report.page import Report, report_html
from pipeline.report.page.embedding import compressed
from pipeline.report.page.page import RANGES, Shown, locations_data
from tests.pipeline.report.page.browser import (
    OpenPage,
    Scripts,
    WritePage,
    kept,
    rows_of,
    saved,
    shows,
    violations,
)
from tests.pipeline.report.page.studies import (
    PROCESSES,
    SOLVER,
    answered,
    as_carried,
    floats,
    study,
    with_other_metrics,
)

SCALE = ".locations select:not(.font)"
NODES = 4  # processes on one of them, in the made studies
IN_PIECES = "<script>alert(1)</script>"


def point_of(
    number: int, processes: int, threads: int, mean: list[list[float]] | None = None, kernels: int = 1
) -> PointLocations:
    """A point whose nodes hold some processes each; the second process takes half as long again."""
    place = np.arange(processes * threads)
    process = place // threads
    values = np.array(
        [np.where(process == 1, 1.5, 1.0) + place * 1e-4] * kernels if mean is None else mean,
        dtype=np.float32,
    )
    return PointLocations(
        point=number,
        node=tuple(f"n{p // NODES}{IN_PIECES}" for p in process.tolist()),
        process=process,
        thread=place % threads,
        last_process=process,
        last_thread=place % threads,
        count=np.ones(len(place), dtype=np.int64),
        mean=values,
        low=values,
        high=values,
    )


def made(
    points: list[PointLocations], *kernels: tuple[str, int, bool], metric: str = "time"
) -> KernelLocations:
    """Values of kernels: region, call path and whether that is the only one of its region."""
    return KernelLocations(
        metric=metric,
        unit="sec",
        region=tuple(region for region, _, _ in kernels),
        callpath=np.array([callpath for _, callpath, _ in kernels]),
        alone=np.array([alone for _, _, alone in kernels]),
        points=tuple(points),
    )


def shown(count: int = 10) -> Shown:
    return Shown(
        metrics={"time": "effort"},
        regions={"solve": 3, "send": 5, **{f"k{i}": i for i in range(count)}},
        callpaths={7: 1, 9: 2, **{100 + i: 10 + i for i in range(count)}},
    )


def decoded(text: bytes, top: bytes, columns: int) -> np.ndarray:
    steps = np.frombuffer(text, dtype="<u2").reshape(-1, columns)
    largest = floats(top)[:, None]
    return np.where(steps == 65535, np.nan, steps / 65534 * largest)


def test_values_are_in_steps_of_the_largest() -> None:
    mean = [[0.5, 3.0, 0.0, 1e-3], [np.nan] * 4]
    found = made([point_of(2, 4, 1, mean)], ("solve", 7, True), ("send", -1, False))
    (found,), notices = locations_data([found], shown(), 100_000)
    data = as_carried(found)
    (point,) = data["points"]
    assert notices == []
    assert (data["metric"], data["unit"], data["accelerators"]) == ("effort", "s", False)
    assert data["kernels"] == [[3, 1, 1], [5, -1, 0]]
    assert (point["point"], point["process"], point["thread"]) == (2, [0, 1, 2, 3], None)
    assert point["nodes"] == [[f"n0{IN_PIECES}", 4]]
    assert point["count"] is point["low"] is point["lastProcess"] is None
    values = decoded(point["mean"], point["top"], 4)
    assert values[0] == pytest.approx(mean[0], abs=3.0 / 65534)
    assert np.isnan(values[1]).all()


def test_many_locations_are_ranges_on_the_page() -> None:
    found = made([point_of(0, 512, 2)], ("solve", 7, True))
    (found,), notices = locations_data([found], shown(), 100_000)
    data = as_carried(found)
    (point,) = data["points"]
    assert (len(point["process"]), notices) == (RANGES[0], [])
    assert point["count"] == [4] * RANGES[0]
    assert point["lastProcess"][:3] == [1, 3, 5]
    assert decoded(point["high"], point["top"], RANGES[0])[0, 0] == pytest.approx(1.5003, abs=1e-3)
    assert decoded(point["low"], point["top"], RANGES[0])[0, 0] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("kernels", [10, 100])
def test_what_has_no_room_is_left_out_with_a_notice(kernels: int) -> None:
    names = [(f"k{i}", 100 + i, True) for i in range(kernels)]
    found = made([point_of(i, 512, 1, kernels=kernels) for i in range(8)], *names)
    data, notices = locations_data([found], shown(kernels), 1_200)
    assert 500 < len(compressed(data)) <= 1_200
    left = len(data[0].kernels)
    text = f"the page has room for the values per location of {left} of {kernels} kernels; "
    text += "locations.parquet has all"
    assert notices == ([text] if kernels == 100 else [])
    assert (left < kernels) == (kernels == 100)


def test_kernels_that_the_page_does_not_show_are_left_out() -> None:
    kernels = [("solve", 8, True), ("other", -1, False), ("send", 9, False)]
    found = made([point_of(0, 2, 1, kernels=3)], *kernels)
    data, _ = locations_data([found, replace(found, metric="gpu_time")], shown(), 100_000)
    assert [one.metric for one in data] == ["effort"]
    assert data[0].kernels == [(5, 2, 0)]


def report() -> Report:
    analysis = study()
    return replace(answered(analysis), locations=study_locations(analysis.experiment, "time"))


def large() -> Report:
    """The solver on 64 nodes of 4 processes of 4 threads at p = 16, of 512 processes at p = 64."""
    points = [point_of(2, 16, 4), point_of(4, 512, 2)]
    return replace(answered(study()), locations=[made(points, (SOLVER, 1, True))])


@pytest.fixture(scope="module")
def file(write_page: WritePage) -> Callable[[Callable[[], Report]], Path]:
    return cache(lambda make: write_page(report_html(make())))


@pytest.fixture
def opened(open_page: OpenPage, file: Callable[[Callable[[], Report]], Path]) -> Callable[..., Any]:
    """Opens a page with a kernel's detail."""

    def show(make: Callable[[], Report], kernel: str, address: str = "", **options: Any) -> Any:
        page = open_page(file(make), address, **options).page
        page.locator("#kernel-table .opener", has_text=kernel).first.click()
        page.locator(".locations").wait_for()
        return page

    return show


def tree_rows(page: Any) -> list[list[str]]:
    rows = page.locator(".system tbody tr")
    return [[cell.strip() for cell in row.split("\t")] for row in rows.all_inner_texts()]


def test_an_opened_kernel_shows_its_locations(opened: Callable[..., Any]) -> None:
    page = opened(report, "MPI_Allreduce")
    panel = page.locator(".locations")
    assert panel.locator("select:not(.font) option").all_inner_texts() == [f"p = {p}" for p in PROCESSES]
    shows(panel.locator("select:not(.font) option:checked"), "p = 64")
    shows(panel.locator(".longest"), "Longest at p = 64: process 0, ")
    shows(panel.locator(".longest"), " s (measured); mean of 64 processes ")
    shows(panel.locator(".longest"), "max/mean 1.20.")
    label = panel.locator("svg.chart").get_attribute("aria-label")
    assert "MPI_Allreduce on 64 processes at p = 64" in label and "max/mean 1.20" in label


def test_values_are_those_of_the_measurements(opened: Callable[..., Any]) -> None:
    page = opened(report, "MPI_Allreduce")
    page.locator(SCALE).select_option(label="p = 4")
    rows = tree_rows(page)
    expected = report().locations[0]
    kernel = expected.callpath.tolist().index(2)
    mean = expected.points[0].mean[kernel]
    assert [row[0] for row in rows] == [f"process {p}" for p in range(4)]
    assert [float(row[2]) for row in rows] == pytest.approx(mean.tolist(), rel=5e-3)


def test_the_reading_has_value_unit_and_that_it_was_measured(opened: Callable[..., Any]) -> None:
    page = opened(report, "MPI_Allreduce")
    page.locator(SCALE).select_option(label="p = 4")
    chart = page.locator(".locations svg.chart")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    page.mouse.move(box["x"] + 0.95 * box["width"], box["y"] + 100)
    reading = page.locator(".locations .readings")
    shows(reading, "process 3")
    shows(reading, "measured")
    assert re.search(r" (s|ms|µs)\n", reading.inner_text())
    shows(reading, "over the mean of all")


def test_scale_and_order_are_in_the_address_and_come_back(opened: Callable[..., Any]) -> None:
    page = opened(report, "MPI_Allreduce")
    page.locator(SCALE).select_option(label="p = 8")
    page.locator(".locations").get_by_role("radio", name="value").check()
    shows(page.locator(".locations .longest"), "mean of 8 processes")
    assert {"scale": "1", "locations": "value"}.items() <= kept(page).items()
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    shows(page.locator(f"{SCALE} option:checked"), "p = 8")
    assert page.locator(".locations").get_by_role("radio", name="value").is_checked()
    means = [float(row[2]) for row in tree_rows(page)]
    assert means == sorted(means, reverse=True)
    page.locator(SCALE).select_option(label="p = 64")
    page.locator(".locations").get_by_role("radio", name="rank").check()
    assert not {"scale", "locations"} & kept(page).keys()


def test_all_open_kernels_show_the_same_scale(opened: Callable[..., Any]) -> None:
    page = opened(report, "MPI_Allreduce")
    page.locator("#kernel-table .opener", has_text="main").first.click()
    panels = page.locator(".locations")
    panels.nth(0).locator("select:not(.font)").select_option(label="p = 16")
    for i in range(2):
        shows(panels.nth(i).locator(".longest"), "mean of 16 processes")


def test_call_paths_have_theirs(opened: Callable[..., Any]) -> None:
    page = opened(report, "MPI_Allreduce", "show=callpaths")
    shows(page.locator(".locations .longest"), "max/mean 1.20")


def test_the_system_tree_opens_node_by_node_with_the_keyboard(opened: Callable[..., Any]) -> None:
    page = opened(large, "solveSegregated", "scale=2")
    assert [row[:2] for row in tree_rows(page)] == [[f"node n{i}{IN_PIECES}", "16"] for i in range(4)]
    first = page.locator(".system .opener").first
    first.focus()
    page.keyboard.press("Enter")
    assert [row[0] for row in tree_rows(page)][1:5] == [f"process {p}" for p in range(4)]
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    page.locator(".system .opener", has_text="process 1").focus()
    page.keyboard.press("Enter")
    rows = tree_rows(page)
    assert [row[0] for row in rows][3:7] == [f"process 1, thread {t}" for t in range(4)]
    assert rows[0][5] == "1.33"  # 1.5 over the mean of sixteen: one and an eighth
    assert float(rows[0][2]) == pytest.approx(16 + 2 + sum(range(16)) * 1e-4, rel=5e-3)
    first.press("Enter")
    assert len(tree_rows(page)) == 4


def test_thousands_of_locations_are_ranges(opened: Callable[..., Any]) -> None:
    page = opened(large, "solveSegregated")
    panel = page.locator(".locations")
    assert panel.locator("path.bars.spread").count() == 1
    labels = panel.locator("svg.chart .label").all_text_contents()
    assert labels == ["ranges of up to 4 locations by node, process and thread", "time (s)"]
    shows(panel.locator(".longest"), "Longest at p = 64: a location of processes 0 to 1 on node n0")
    shows(panel.locator(".longest"), "mean of 1024 locations")
    assert len(tree_rows(page)) == 33  # as many nodes as show at first, and a button
    panel.get_by_role("button", name="Show all 128").click()
    assert len(tree_rows(page)) == 128


def test_names_are_text_and_the_table_is_saved(opened: Callable[..., Any]) -> None:
    page = opened(large, "solveSegregated", "scale=2")
    name = page.locator(".system thead [aria-label^='Save as CSV']").get_attribute("aria-label")
    rows = rows_of(saved(page, name)[1])
    assert [*rows[0]] == ["node", "location", "locations", "mean", "min", "max", "unit"]
    assert [*rows[5].values()][:3] == [f"n0{IN_PIECES}", "process 1, thread 1", "1"]
    assert float(rows[5]["mean"]) == pytest.approx(1.5005, abs=1e-3)


def test_the_chart_is_saved(opened: Callable[..., Any]) -> None:
    page = opened(report, "MPI_Allreduce")
    kinds = ("SVG", "PNG", "CSV")
    found = {kind: saved(page, f"Save as {kind}: MPI_Allreduce over locations") for kind in kinds}
    for kind, (name, _) in found.items():
        assert name.endswith(f"mpi-allreduce-over-locations.{kind.lower()}")
    assert found["CSV"][1].startswith(b"series,kind,process,time (s)\r\nmeasured,bar,0,")
    assert b"<path" in found["SVG"][1]
    assert found["PNG"][1].startswith(b"\x89PNG")


def test_a_kernel_that_is_not_among_the_largest_says_so(opened: Callable[..., Any]) -> None:
    page = opened(large, "MPI_Allreduce")
    shows(page.locator(".locations"), "not among the largest, whose values per location are kept")
    assert page.locator(".locations svg").count() == 0


def test_an_unknown_scale_says_so(opened: Callable[..., Any]) -> None:
    page = opened(unknown_at_one_scale, "solveSegregated", "scale=2")
    shows(page.locator(".locations .longest"), "At this scale it was not among the largest kernels.")
    assert page.locator(".locations svg").count() == 0
    page.locator(SCALE).select_option(label="p = 64")
    shows(page.locator(".locations .longest"), "Longest at p = 64: process 1 on node")


def unknown_at_one_scale() -> Report:
    points = [point_of(2, 16, 1, [[np.nan] * 16]), point_of(4, 64, 1)]
    return replace(answered(study()), locations=[made(points, (SOLVER, 1, True))])


def without() -> Report:
    return replace(with_other_metrics(study()), locations=report().locations)


def test_other_metrics_have_none(open_page: OpenPage, file: Callable[[Callable[[], Report]], Path]) -> None:
    page = open_page(file(without), "metric=visits&open=2").page
    page.locator(".kernel-detail").wait_for()
    assert page.locator(".locations").count() == 0


def test_a_choice_takes_less_than_a_tenth_of_a_second(opened: Callable[..., Any]) -> None:
    page = opened(large, "solveSegregated")
    taken = page.evaluate(
        """async () => {
            const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
            const times = [];
            for (let i = 0; i < 9; i++) {
                await frame();
                const start = performance.now();
                if (i % 3 === 2) document.querySelector(".locations input:not(:checked)").click();
                else {
                    const now = document.querySelector(".locations select");
                    now.value = now.options[i % 2].value;
                    now.dispatchEvent(new Event("change"));
                }
                await frame();
                times.push(performance.now() - start);
            }
            return times;
        }"""
    )
    assert statistics.median(taken) < 100


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("make", [report, large])
def test_axe_finds_nothing_with_the_view_open(
    opened: Callable[..., Any], make: Callable[[], Report], theme: str
) -> None:
    assert violations(opened(make, "solveSegregated", color_scheme=theme)) == []


def test_a_printed_page_has_the_chart_and_the_tree(opened: Callable[..., Any]) -> None:
    page = opened(report, "MPI_Allreduce")
    page.emulate_media(media="print")
    assert page.locator(".locations svg.chart").is_visible()
    assert page.locator(".locations .options").is_hidden()
    tree = page.locator(".locations .scroll")
    assert tree.evaluate("node => node.scrollHeight <= node.clientHeight + 1")


def test_places_have_names(scripts: Scripts) -> None:
    def place(process: int, thread: int, last: tuple[int, int], count: int) -> dict[str, Any]:
        ends = {"lastProcess": last[0], "lastThread": last[1]}
        return {"node": "", "process": process, "thread": thread, "count": count, **ends}

    calls = [
        (place(3, 0, (3, 0), 1), False, False),
        (place(3, 1, (3, 1), 1), False, True),
        (place(3, 0, (3, 7), 8), False, True),
        (place(8, 0, (15, 0), 8), False, False),
        (place(8, 0, (15, 0), 4), False, False),
        (place(2, 0, (2, 0), 1), True, False),
        (place(2, 1, (2, 1), 1), True, True),
    ]
    assert scripts.each("data/locations.js", "placeName", calls) == [
        "process 3",
        "process 3, thread 1",
        "process 3, threads 0 to 7",
        "processes 8 to 15",
        "processes 8 to 15, not all",
        "accelerator of process 2",
        "process 2, accelerator 1",
    ]
