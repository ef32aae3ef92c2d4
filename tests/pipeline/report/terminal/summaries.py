"""Summaries of studies, made by hand."""

FIGURES = (
    "wall_seconds",
    "effort",
    "core_hours",
    "speedup",
    "efficiency",
    "weak_efficiency",
    "work_rate",
    "rate",
    "gpu_hours",
    "gpu_busy",
)


def interval(value, factor=2.0):
    return {"value": value, "lower": value / factor, "upper": value * factor}


def entry(point, *, measured=True, reach="inside", **values):
    """Make an entry of ``runtime.at``; figures not given are not available."""
    figures = dict.fromkeys(FIGURES) | {key: interval(value) for key, value in values.items()}
    return {"point": point, "measured": measured, "reach": reach} | figures


def strong_entries(scales=(1, 2, 4, 8), targets=(32,), time=10.0):
    """Return entries of a program whose wall time does not change."""
    return [
        entry(
            {"p": p},
            measured=i < len(scales),
            wall_seconds=time,
            effort=time * p,
            speedup=1.0,
            efficiency=1 / p,
        )
        for i, p in enumerate((*scales, *targets))
    ]


def runtime(entries, **changes):
    return {
        "verdict": "do not go beyond p = 2 (trust: low)",
        "parameter": "p",
        "compared_by": "strong",
        "effort_unit": "core-s",
        "rate_unit": "",
        "at": entries,
        "fastest": {"p": 2},
        "fastest_measured": True,
        "efficient_up_to": {"threshold": 0.75, "point": {"p": 1}, "measured": True, "at_the_end": False},
        "lost": [{"at": {"p": 8}, "measured": True, "core_seconds": 70.0}],
        "losses": [
            {"region": name, "at": {"p": 8}, "measured": True, "core_seconds": lost}
            for name, lost in (("MPI_Send", 50.0), ("int sum(int)", 25.0), ("solve", -5.0))
        ],
        "back_test": {
            "at": {"p": 8},
            "predicted": {"value": 44.6, "lower": 28.0, "upper": 113.7},
            "measured": 55.7,
            "judged_by": "measured",
        },
        "trust": {
            "verdict": "low",
            "reasons": [
                {"name": "scales", "trust": "medium", "text": "4 scales (5 wanted)"},
                {"name": "repetitions", "trust": "high", "text": "3 repetitions"},
                {"name": "interval", "trust": "low", "text": "the 90 % interval spans a factor of 10"},
                {"name": "back-test", "trust": "medium", "text": "no back-test: too few scales"},
            ],
        },
        "notices": [],
    } | changes


def kernel(name, share, **changes):
    return {
        "callpath": [name],
        "unit": "core-s",
        "metric": "effort",
        "model": {"formula": "p", "terms": [{}]},
        "growth": "p",
        "growth_class": "grows, about p",
        "probability_growing": 0.96,
        "share_measured": share / 2,
        "share_at_target": share,
        "predictions": [{"at": {"p": 32}, **interval(320.0 * share)}],
        "notes": [],
        "flags": [],
    } | changes


def summary(**changes):
    found = runtime(strong_entries())
    regions = [
        kernel("MPI_Send", 0.5),
        kernel("sum", 0.25, flags=["unreliable"], growth_class="grows (law unclear)"),
    ]
    return {
        "metrics": {},
        "parameters": ["p"],
        "points": [{"p": p} for p in (1, 2, 4, 8)],
        "targets": [{"at": {"p": 32}, "extrapolation": 4.0, "reach": "near"}],
        "regions": [*regions, kernel("solve", 0.125, probability_growing=0.3)],
        "kernels": [],
        "crossovers": [],
        "region_crossovers": [],
        "group_crossovers": [],
        "total": {
            "unit": "core-s",
            "metric": "effort",
            "predictions": [{"at": {"p": 32}, **interval(320.0)}],
            "quality": {"repetitions": 3},
        },
        "runtime": found,
    } | changes
