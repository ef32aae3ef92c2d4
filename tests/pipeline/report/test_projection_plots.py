"""The roofline as a figure: its ceilings, its points and its axes."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from pipeline.projection.rooflines.rooflines import Roofline, RooflinePoint
from pipeline.report.plots import image, roofline_figure


def point(name, level, intensity, rate, run=""):
    return RooflinePoint(name=name, run=run, level=level, intensity=intensity, flop_rate=rate)


ROOF = Roofline(
    "node",
    {"bw_node": 100e9, "bw_numa": 50e9},
    {"peak_dp": 1000e9, "peak_sp": 2000e9},
    (point("USER/f", "DRAM", 0.5, 40e9), point("USER/g", "L2", 60.0, 700e9)),
)


@pytest.fixture(scope="module")
def axes():
    return roofline_figure(ROOF).axes[0]


def test_every_pair_of_ceilings_is_a_line_under_both(axes):
    lines = [line.get_xydata() for line in axes.lines if line.get_linestyle() != "None"]
    assert len(lines) == 4
    pairs = [(flow, peak) for flow in (100.0, 50.0) for peak in (1000.0, 2000.0)]
    for (intensity, rate), (flow, peak) in zip(map(np.transpose, lines), pairs, strict=True):
        assert rate == pytest.approx(np.minimum(peak, flow * intensity))
        # A tenth of the smallest ridge or point to ten times the largest.
        assert intensity[[0, -1]] == pytest.approx([0.05, 600.0])
        assert len(intensity) == 200
        assert np.diff(np.log(intensity)) == pytest.approx(np.log(12000) / 199)


def test_points_and_names_are_where_they_were_measured(axes):
    (points,) = (line.get_xydata().tolist() for line in axes.lines if line.get_linestyle() == "None")
    assert points == [[0.5, 40.0], [60.0, 700.0]]
    assert axes.get_legend() is None
    texts = {text.get_text(): text.xy for text in axes.texts}
    assert texts == {
        "bw_node 100 GB/s": pytest.approx((0.05, 5.0)),
        "bw_numa 50 GB/s": pytest.approx((0.05, 2.5)),
        "peak_dp 1e+03 Gflop/s": pytest.approx((600.0, 1000.0)),
        "peak_sp 2e+03 Gflop/s": pytest.approx((600.0, 2000.0)),
        "USER/f (DRAM)": (0.5, 40.0),
        "USER/g (L2)": (60.0, 700.0),
    }


def test_several_runs_have_their_colours_and_a_legend():
    points = (
        point("f", "L2", 0.5, 40e9),
        point("f", "L2", 0.6, 80e9, "128 ranks"),
        point("g", "L2", 1.0, 9e9),
    )
    axes = roofline_figure(Roofline("node", {"bw_node": 100e9}, {"peak_dp": 1000e9}, points)).axes[0]
    runs = [line for line in axes.lines if line.get_linestyle() == "None"]
    assert [line.get_xydata().tolist() for line in runs] == [[[0.5, 40.0], [1.0, 9.0]], [[0.6, 80.0]]]
    assert len({line.get_color() for line in runs}) == 2
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["profile", "128 ranks"]
    # Bytes counted at one level only: the names do not repeat it.
    assert [text.get_text() for text in axes.texts][2:] == ["f", "g", "f"]


def test_axes_are_logarithmic_and_labelled(axes):
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert axes.get_title() == "Roofline of node"
    assert axes.get_xlabel() == "arithmetic intensity [flop/B]"
    assert axes.get_ylabel() == "Gflop/s"
    assert not any(axes.spines[side].get_visible() for side in ("top", "right"))
    assert axes.spines["left"].get_visible()


def test_points_without_intensity_do_not_stretch_the_axis():
    idle = Roofline("node", {"bw_node": 100e9}, {"peak_dp": 1000e9}, (point("idle", "DRAM", 0.0, 0.0),))
    intensity = roofline_figure(idle).axes[0].lines[0].get_xdata()
    assert intensity[[0, -1]] == pytest.approx([1.0, 100.0])


@pytest.mark.parametrize(("form", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_files_have_the_form_asked_for(form, start):
    written = image(roofline_figure(ROOF), form)
    assert written.startswith(start)
    if form == "svg":
        assert ET.fromstring(written.decode()).tag.endswith("svg")
    else:
        width, height = (int.from_bytes(written[at : at + 4], "big") for at in (16, 20))
        assert (width, height) == (7.0 * 150, 4.6 * 150)
