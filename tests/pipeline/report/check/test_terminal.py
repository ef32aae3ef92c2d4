import re

import pytest

from pipeline.gate.check_result import Outcome, PointRatio, Ruling, StudySide
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.report.check.terminal import TOTAL_KERNEL, show_check
from tests.pipeline.report.check.results import kernel, kernels, result
from tests.terminal_output import printed as on_terminal


def printed(one, width=100, **options):
    return on_terminal(show_check, one, width=width, details=True, **options)


def test_the_terminal_limits_the_table_and_says_what_is_left_out():
    text = printed(result(*kernels(5), *kernels(2, Ruling.UNCHANGED)), limit=3)
    assert len([line for line in text.splitlines() if line.startswith("regression  ")]) == 3
    assert "2 more left out; --limit shows them" in text
    assert len(re.findall(r"^main › f\d: ", text, re.MULTILINE)) == 3
    assert "more" not in printed(result(*kernels(3)), limit=3)
    assert "unchanged" not in text


def test_the_terminal_explains_three_doubts_whatever_the_limit():
    text = printed(result(*kernels(2), *kernels(5, Ruling.INCONCLUSIVE)), limit=1)
    assert re.findall(r"^unclear +(?:main › )?(f\d) ", text, re.MULTILINE) == ["f0", "f1", "f2"]
    assert "and 2 more, which --details shows" in text


def test_the_terminal_explains_no_improvements_and_shows_the_source():
    quiet = printed(result(*kernels(2, Ruling.IMPROVEMENT), outcome=Outcome.PASSED))
    assert "measured 1.5 times" not in quiet
    assert "[a.c:3]" in printed(result(kernel(file="a.c", line=3)))
    assert "[" not in printed(result(kernel(file="a.c", line=-1), kernel(line=3)))
    assert "Kernels (core-s)" in quiet
    assert "Kernels\n" in printed(result(kernel(), unit="")).replace(" ", "")


def test_growth_is_shown_where_there_is_room_for_it_and_for_names():
    long = kernel("a" * 40, candidate=StudySide(value=1.0, share=0.1, growth="p^(1/2) * log2(p)"))
    for width, shown in ((120, True), (72, False)):
        text = printed(result(long), width=width)
        assert ("growth" in text) == shown
        assert max(len(line.rstrip()) for line in text.split("\n\n")[1].splitlines()) <= width
    assert "a" * 40 in printed(result(long), width=130)


@pytest.mark.parametrize("region_first", [True, False])
def test_the_whole_program_is_said_once_beside_a_region(region_first):
    region = kernel(kernel=KernelId(Scope.REGION, ("f",)))
    both = [region, kernel("total", kernel=TOTAL_KERNEL)]
    text = on_terminal(show_check, result(*(both if region_first else both[::-1])))
    assert text.startswith("REGRESSION  f: 1.5 times slower") and text.count("the whole program: 1.5") == 1
    alone = on_terminal(show_check, result(both[1]))
    assert alone.startswith("REGRESSION  the whole program: ") and alone.count("the whole program") == 1


def test_a_total_that_is_too_noisy_is_said_beside_what_got_slower_and_first_without():
    total = kernel("total", Ruling.INCONCLUSIVE, kernel=TOTAL_KERNEL)
    lines = on_terminal(show_check, result(kernel(), total), width=100).splitlines()
    assert [line.strip() for line in lines[1:2]] == ["the whole program: too noisy to judge"]
    first = on_terminal(show_check, result(total, outcome=Outcome.INCONCLUSIVE, reasons=("noise",)))
    assert first.startswith("Inconclusive: the whole program is too noisy to judge\n")


def test_a_prediction_that_says_nothing_is_named():
    wide = kernel(target=(PointRatio({"n": 1024.0}, 3.0, 0.02, 90.0),))
    assert "slower at p = 8, prediction too uncertain at n = 1024" in on_terminal(
        show_check, result(wide), width=200
    )
    none = kernel(target=(PointRatio({"n": 1024.0}, float("nan"), float("nan"), float("nan")),))
    assert "uncertain" not in on_terminal(show_check, result(none))
