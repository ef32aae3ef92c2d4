"""Sweeps in the terminal, as data, and drawn."""

import io
from dataclasses import replace

import pytest

from pipeline.columns.projections import sweep_table
from pipeline.projection.applications.projections import MeasuredTotal, Sweep
from pipeline.report.plots import sweep_figure
from pipeline.report.projections import show_sweep
from pipeline.report.render.console import console
from pipeline.stages.project import sweep


@pytest.fixture(scope="module")
def milc():
    return sweep("milc", "xt5", [{"L": size, "P": 1024} for size in (4, 8, 14)])


def printed(projections, swept):
    stream = io.StringIO()
    show_sweep(console(stream), Sweep(swept=swept, projections=projections))
    return stream.getvalue().splitlines()


def test_notices_are_said_once_with_the_value_that_they_hold_for(milc):
    first, second, third = milc
    noted = (
        replace(first, notices=("always",)),
        replace(second, notices=("always", "sometimes")),
        replace(third, notices=("always", "sometimes")),
    )
    assert printed(noted, "L")[-2:] == ["Note: always", "Note: sometimes (L = 8)"]


def test_a_variant_without_a_total_at_a_value_has_none_in_its_row(milc):
    gone = replace(milc[1].variants[0], total=None, loss=None, reason="why")
    rows = printed((milc[0], replace(milc[1], variants=(gone, milc[1].variants[1])), milc[2]), "L")[3:]
    assert [row.split()[-2] for row in rows][1] == "-"
    assert all(row.split()[-1] != "-" for row in rows)


def test_data_hold_every_part_of_every_value(milc):
    table = sweep_table(Sweep(swept="L", projections=milc))
    names = [column.name for column in table.columns]
    assert names == ["L", "part", "value", "lower", "upper", "unit", "share"]
    assert len(table.columns[0].values) == 3 * (len(milc[0].parts) + 1)
    assert table.columns[0].values[0] == 4
    assert table.columns[1].values[:2] == ["T_ser", "T_ser/FF"]


def test_the_plot_shows_parts_and_losses(milc):
    times, losses = sweep_figure(Sweep(swept="L", projections=milc)).axes
    labels = [line.get_label() for line in times.get_lines()]
    assert labels == ["total", "T_ser", "T_p2p", "T_coll"]
    assert times.get_lines()[0].get_ydata() == pytest.approx([p.total.value for p in milc])
    assert times.get_yscale() == "log"
    drawn = losses.get_lines()[0]
    assert drawn.get_label() == "expected against noiseless"
    assert drawn.get_ydata() == pytest.approx([100 * p.variants[0].loss.value for p in milc])
    assert losses.get_xlabel() == "L"
    assert losses.get_xscale() == "linear"


def test_without_variants_there_is_no_panel_for_losses(milc):
    alone = [replace(p, variants=(), measured=MeasuredTotal(p.total.value, 0.0)) for p in milc]
    (axes,) = sweep_figure(Sweep(swept="L", projections=alone)).axes
    assert axes.get_lines()[-1].get_label() == "measured"


def test_a_wide_range_is_drawn_on_a_logarithmic_axis():
    found = sweep("milc", "xe6", [{"L": 8, "P": p} for p in (1024, 8192)])
    assert sweep_figure(Sweep(swept="P", projections=found)).axes[-1].get_xscale() == "log"
