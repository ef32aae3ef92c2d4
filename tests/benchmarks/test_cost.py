"""The bar on cost: what is dearer than recorded is told, by a tenth or by the processor's own speed."""

from dataclasses import replace

import pytest

from benchmarks.cost.__main__ import Figure, dearer, processor, read_figures, write_figures

HERE = [
    Figure(processor=processor(), study="s", command=name, loads=loads, memory=100.0)
    for name, loads in {"run": 4.0, "predict": 1.0, "inspect": 1.0}.items()
]
ELSEWHERE = [replace(one, processor="another") for one in HERE]


def times(factor, figures=HERE):
    return [replace(one, processor=processor(), loads=factor * one.loads) for one in figures]


@pytest.mark.parametrize(
    ("found", "recorded", "told"),
    [
        (times(1.09), HERE, 0),
        (times(1.11), HERE, 3),
        (times(1.4), ELSEWHERE, 0),
        (times(1.7), ELSEWHERE, 3),
        ([*times(1.4)[:2], *times(1.6)[2:]], ELSEWHERE, 1),
        (times(0.5), HERE, 0),
        (times(9.0), [], 0),
    ],
)
def test_what_costs_a_tenth_more_is_told(found, recorded, told):
    assert len(dearer(found, recorded)) == told


def test_memory_is_compared_too():
    (line,) = dearer([replace(HERE[0], memory=111.0)], HERE)
    assert line == "run of s: 111 MiB, 100 MiB were recorded"


def test_figures_are_kept(tmp_path):
    write_figures([*HERE, *ELSEWHERE], tmp_path / "figures.csv")
    assert read_figures(tmp_path / "figures.csv") == [*HERE, *ELSEWHERE]
    assert read_figures(tmp_path / "none.csv") == []
