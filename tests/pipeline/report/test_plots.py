"""One kernel as a plot: what is drawn, and where a logarithmic axis begins."""

import struct

import numpy as np
import pytest
from matplotlib.figure import Figure

from pipeline.report.plots import POSITIVE_FRACTION, Curve, curve_image, draw_curve, terminal_plot


def curve(measured=(4.0, 8.0), value=(4.0, 6.0, 8.0), lower=(3.0, 5.0, 7.0)):
    return Curve(
        title="sum: 4 * p",
        parameter="p",
        unit="effort [core-s]",
        measured_at=np.array([1.0, 4.0])[: len(measured)],
        measured=np.array(measured),
        scale=np.array([1.0, 2.0, 4.0]),
        value=np.array(value),
        lower=np.array(lower),
        upper=np.array([5.0, 7.0, 9.0]),
    )


def drawn(found, **options):
    axes = Figure().add_subplot()
    draw_curve(axes, found, **options)
    return axes


def test_a_figure_has_model_interval_measurements_and_labels():
    axes = drawn(curve(), logarithmic=False)
    model, measured = axes.get_lines()
    assert model.get_xydata().tolist() == [[1, 4], [2, 6], [4, 8]]
    assert measured.get_xydata().tolist() == [[1, 4], [4, 8]]
    (band,) = axes.collections
    corners = {tuple(corner) for path in band.get_paths() for corner in path.vertices.tolist()}
    assert {(1, 3), (1, 5), (4, 7), (4, 9)} <= corners
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("sum: 4 * p", "p", "effort [core-s]")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "90 % interval",
        "model",
        "measured",
    ]
    assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "linear")


@pytest.mark.parametrize(
    ("found", "floor"),
    [
        (curve(), 2.0),  # half of the smallest
        (curve(measured=(1e-6, 8.0)), 5e-7),  # so that no measured point is outside
        (curve(value=(1e-6, 6.0, 8.0)), 8.0 * POSITIVE_FRACTION),
    ],
)
def test_a_logarithmic_axis_begins_below_what_was_measured(found, floor):
    axes = drawn(found, logarithmic=True)
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert axes.get_ylim()[0] == pytest.approx(floor)


@pytest.mark.parametrize("measured", [(4.0, 8.0), (1e-6, 8.0), (0.0, 8.0), (0.0, 0.0)])
@pytest.mark.parametrize("logarithmic", [False, True])
def test_measured_points_are_all_inside_and_where_they_were_measured(measured, logarithmic):
    axes = drawn(curve(measured=measured), logarithmic=logarithmic)
    points = axes.get_lines()[1].get_xydata()
    assert points.tolist() == [[1, measured[0]], [4, measured[1]]]
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    assert (points >= [left, bottom]).all()
    assert (points <= [right, top]).all()
    places = axes.transData.transform(points)
    assert np.isfinite(places).all()


def test_a_point_at_zero_is_named_rather_than_moved_up_in_characters():
    text = terminal_plot(curve(measured=(0.0, 8.0)), 60, 15, colour=False, logarithmic=True)
    assert "measured (1 at zero, not on a logarithmic axis)" in text


@pytest.mark.slow
def test_a_figure_as_a_file():
    png, svg = (curve_image(form, curve(), logarithmic=True) for form in ("png", "svg"))
    header = png[:24]
    assert header.startswith(b"\x89PNG")
    assert struct.unpack(">II", header[16:]) == (1050, 630)  # 7.0 x 4.2 inches at 150 dots
    assert svg.startswith(b"<?xml")
    assert svg == curve_image("svg", curve(), logarithmic=True)


def test_characters_show_the_same(snapshot):
    linear = terminal_plot(curve(), 60, 16, colour=False, logarithmic=False)
    logarithmic = terminal_plot(curve(lower=(0.0, 0.0, 0.0)), 60, 16, colour=False, logarithmic=True)
    snapshot(linear + "\n" + logarithmic, "plot.txt")
    assert "\x1b" not in linear
    assert "\x1b" in terminal_plot(curve(), 60, 16, colour=True, logarithmic=False)


def test_a_plot_does_not_keep_what_was_drawn_before():
    first = terminal_plot(curve(), 60, 16, colour=False, logarithmic=True)
    assert terminal_plot(curve(), 60, 16, colour=False, logarithmic=True) == first
    linear = terminal_plot(curve(), 60, 16, colour=False, logarithmic=False)
    assert linear != first
