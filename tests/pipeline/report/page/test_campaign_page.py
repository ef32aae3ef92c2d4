"""The page of a campaign: the answer, how it narrowed, rounds, scales and runs with their search."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.report.page.campaign_page import campaign_html
from tests.pipeline.report.page.browser import Watched, shows, violations, watching
from tests.pipeline.report.page.test_files import rows_of, saved

WIDE = {"width": 1400, "height": 2000}


def run(number: int, n: int, status: str = "done") -> dict[str, Any]:
    done = status == "done"
    return {
        "name": f"melt.n{n}.r{number}",
        "round": number,
        "repetition": 1,
        "point": {"n": n},
        "status": status,
        "seconds": 2.5 * n if done else None,
        "measured_seconds": 2.0 * n if done else None,
        "expected_core_seconds": 3.0 * n,
        "reason": "" if done else "<b>killed</b>",
        "job": "",
        "log": [],
    }


def one_round(spent: float, lower: float, upper: float) -> dict[str, Any]:
    return {
        "purpose": "series",
        "runs": 1,
        "done": 1,
        "expected_core_seconds": spent,
        "spent_core_seconds": spent,
        "expected_width": None,
        "width": (upper - lower) / 100,
        "answer": {"value": 100.0, "lower": lower, "upper": upper},
    }


def campaign(**changes: Any) -> dict[str, Any]:
    """A campaign of eleven rounds, of which the last run failed."""
    runs = [run(number, 2 * number, "failed" if number == 11 else "done") for number in range(1, 12)]
    return {
        "name": "melt",
        "seed": 7,
        "question": {"at": {"n": 48}, "quantity": "time", "width": 0.5},
        "rounds": [one_round(10.0 * k, 100 - 44 / k, 100 + 44 / k) for k in range(1, 12)],
        "ending": "answered",
        "way_on": None,
        "request": "",
        "counts": {"planned": 0, "done": 10, "failed": 1},
        "spent_core_seconds": 660.0,
        "remaining_core_seconds": 0.0,
        "runs_without_known_cost": 0,
        "budget_core_seconds": None,
        "notices": [],
        "runs": runs,
        **changes,
    }


def test_the_verdict_is_the_answer_or_how_many_runs_are_done() -> None:
    spaced = campaign_html(campaign()).replace("\xa0", " ")
    answer = "Time at n = 48: 1.67 min, 90 % interval 1.60 min .. 1.73 min."
    assert f"{answer} Its width is 8.0 %, 50.0 % is wanted: answered." in spaced
    unasked = campaign_html(campaign(question=None, rounds=[], ending="")).replace("\xa0", " ")
    assert '<span id="verdict">10 of 11 runs done.</span>' in unasked
    assert "after each round" not in unasked


@pytest.fixture(scope="module")
def watched(running: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    file: Path = tmp_path_factory.mktemp("campaign") / "campaign.html"
    file.write_text(campaign_html(campaign()), encoding="utf-8")
    yield from watching(running, file, viewport=WIDE)


def test_answers_stand_over_what_was_spent_by_then(watched: Watched) -> None:
    rows = rows_of(saved(watched.page, "Save as CSV: time (s) at n = 48")[1])
    dots = [row for row in rows if row["series"] == "time (s) at n = 48"]
    assert [float(row["spent (core-s)"]) for row in dots] == [5 * k * (k + 1) for k in range(1, 12)]
    lower = [float(row["time (s) at n = 48"]) for row in rows if row["kind"] == "lower end"]
    assert lower == pytest.approx([100 - 44 / k for k in range(1, 12)])


def test_rows_stand_in_the_order_of_their_numbers(watched: Watched) -> None:
    for place, texts in (
        ("rounds", [f"{k} series" for k in range(1, 12)]),
        ("scales", [f"n = {2 * k}" for k in range(1, 12)]),
        ("runs", [f"melt.n{2 * k}.r{k}" for k in range(1, 12)]),
    ):
        assert watched.page.locator(f"#{place}-table tbody tr > :first-child").all_inner_texts() == texts


def test_runs_are_searched_and_say_why_they_failed(watched: Watched) -> None:
    page = watched.page
    box = page.get_by_label("Search: Runs")
    box.fill("N22")
    shows(page.locator(".matches"), "1 found")
    assert page.locator("#runs-table tbody tr").count() == 1
    assert "<b>killed</b>" in page.locator("#runs-table tbody").inner_text()
    box.press("Enter")
    shows(page.locator(".matches"), "1 of 1")
    box.fill("")


def test_nobody_is_kept_out_and_nothing_fails(watched: Watched) -> None:
    assert violations(watched.page) == []
    assert watched.complaints == []
