"""Where a regression comes from, and in which order kernels are named."""

from dataclasses import replace

from pipeline.gate.check_result import KernelResult, PointRatio, Ruling, StudySide
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.gate.verdicts import with_located


def kernel(*callpath, level=Scope.CALLPATH, value=1.0, ratios=(1.0,), target=(), **given):
    given = {"verdict": Ruling.UNCHANGED, "baseline": StudySide(value=1.0, share=0.1)} | given
    return KernelResult(
        kernel=KernelId(level, callpath),
        candidate=StudySide(value=value, share=0.1),
        measured=tuple(PointRatio({}, r, r, r) for r in ratios),
        target=tuple(PointRatio({}, r, r, r) for r in target),
        **given,
    )


def located(*results):
    return {r.kernel.callpath: r.located for r in with_located(results)}


def total(**given):
    return kernel("total", level=Scope.TOTAL, **({"verdict": Ruling.REGRESSION} | given))


def test_the_total_is_traced_to_the_call_paths_that_cost_most():
    found = located(
        total(),
        kernel("a", value=10, ratios=(9.0, 1.5)),
        kernel("b", value=10, ratios=(1.6,)),
        kernel("c", value=10, ratios=(1.1,), target=(9.0, 1.7)),
        kernel("d", value=10, ratios=(1.4,)),
        kernel("e", value=10, ratios=(0.1,)),
    )
    assert found[("total",)] == (("c",), ("b",), ("a",))
    assert found[("a",)] == ()


def test_call_paths_that_cost_next_to_nothing_are_not_named():
    found = located(
        total(), kernel("a", ratios=(2.0,)), kernel("b", ratios=(1.11,)), kernel("c", ratios=(1.09,))
    )
    assert found[("total",)] == (("a",), ("b",))
    assert located(total(), kernel("a", ratios=(0.9,)))[("total",)] == ()
    assert located(total(), kernel("a", ratios=(1.0,)))[("total",)] == ()
    gone = replace(kernel("a", verdict=Ruling.VANISHED, ratios=()), candidate=None)
    assert located(total(), gone)[("total",)] == ()


def test_a_region_is_traced_to_its_own_call_paths_and_the_total_to_new_regions():
    found = located(
        total(),
        kernel("f", level=Scope.REGION, verdict=Ruling.REGRESSION),
        kernel("m", "f", ratios=(1.5,)),
        kernel("m", "g", ratios=(1.6,)),
        kernel("new", level=Scope.REGION, verdict=Ruling.REGRESSION, ratios=(), baseline=None, value=0.8),
    )
    assert found[("f",)] == (("m", "f"),)
    assert found[("total",)] == (("new",), ("m", "g"), ("m", "f"))
    assert found[("new",)] == ()


def test_only_regressions_are_traced():
    assert located(total(verdict=Ruling.UNCHANGED), kernel("a", ratios=(2.0,)))[("total",)] == ()


def test_results_are_sorted_by_verdict_then_by_what_they_cost():
    results = [
        kernel("z", value=10, ratios=(1.2,)),
        kernel("y", value=10, ratios=(0.5,)),
        kernel("x", value=10, ratios=(1.1,), target=(9.0, 1.3)),
        kernel("w", value=1, ratios=(2.5, 1.0)),
        kernel("b", ratios=()),
        kernel("a", ratios=()),
        kernel("v", verdict=Ruling.IMPROVEMENT),
        kernel("u", verdict=Ruling.REGRESSION),
    ]
    ordered = [r.kernel.callpath[0] for r in sorted(results, key=lambda r: r.importance)]
    assert ordered == ["u", "v", "y", "x", "z", "w", "a", "b"]
    assert [v.value for v in Ruling] == [
        "regression",
        "waived",
        "inconclusive",
        "new",
        "vanished",
        "improvement",
        "not comparable",
        "not recorded",
        "unchanged",
    ]


def test_importance_takes_the_larger_side():
    shrunk = kernel("a", value=1.0, ratios=(0.01,), baseline=StudySide(value=100.0, share=0.5))
    steady = kernel("b", value=50.0, ratios=(1.5,), baseline=StudySide(value=33.0, share=0.5))
    assert shrunk.importance < steady.importance
