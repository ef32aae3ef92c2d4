"""Paper 003: the shipped SETSM application, as printed and under other readings of its figures."""

import pytest

from ingest.errors import UsageError
from pipeline.projection.expressions.shipped_files import find
from pipeline.projection.machines.machine_values import load_machine
from pipeline.stages.project import project
from tests.pipeline.projection.mistakes import refused

TARGETS = ("ivybridge-e5-2670v2", "haswell-e5-2680v3", "broadwell-e5-2680v4")
PUBLISHED = (1715.3, 1427.7, 1282.2)


def reading(folder, *, main="671.3", node="59.6", numa="14.9", coverage=None, others="other"):
    """Write the shipped files with other figures and return the application's path."""
    text = find("application", "setsm").read_text().replace("671.3 s", f"{main} s", 2)
    text = text.replace('kind = "other"', f'kind = "{others}"')
    if coverage is not None:
        text = text.replace('method_error = "10 %"', f'method_error = "10 %"\ncoverage = {coverage}')
    machine = find("machine", "blue-waters-xe6").read_text().replace("59.6 GB/s", f"{node} GB/s")
    (folder / "blue-waters-xe6").write_text(machine.replace("14.9 GB/s", f"{numa} GB/s"))
    (folder / "setsm.toml").write_text(text)
    return folder / "setsm.toml"


def totals(application):
    return [project(application, target).total.value for target in TARGETS]


def test_the_printed_inputs_give_what_they_give():
    assert totals("setsm") == pytest.approx([1599.24, 1331.10, 1195.22], abs=0.005)


READINGS = [
    ({"main": "761.3"}, (1633.18, 1359.31, 1220.59), 0.005),
    ({"node": "63.92696", "numa": "15.98174"}, (1715.38, 1427.77, 1282.03), 0.05),
    ({"main": "761.3", "node": "62.60384", "numa": "15.65096"}, (1715.39, 1427.73, 1282.03), 0.15),
    ({"node": "64", "numa": "16", "coverage": 0.847}, (1715.28, 1427.68, 1281.95), 0.05),
    ({"main": "761.3", "others": "threaded", "coverage": 1}, (1677.51, 1396.28, 1253.72), 0.05),
]


@pytest.mark.parametrize(("figures", "expected", "tolerance"), READINGS)
def test_other_readings(tmp_path, figures, expected, tolerance):
    assert totals(reading(tmp_path, **figures)) == pytest.approx(list(expected), abs=tolerance)


def test_the_printed_projections_need_another_reference_bandwidth():
    literal = totals("setsm")
    factors = [printed / found for printed, found in zip(PUBLISHED, literal, strict=True)]
    assert factors == pytest.approx([1.0726] * 3, abs=3e-4)


def test_the_time_that_contradicts_its_share_gives_a_notice(tmp_path):
    (notice,) = project("setsm").notices
    assert notice == "U/main: 671.3 s at 25.3 % imply a total of 2653 s, the other groups imply 3014 s"
    assert project(reading(tmp_path, main="761.3")).notices == ()


def test_speedup_and_error_of_the_corrected_profile(tmp_path):
    corrected = project(reading(tmp_path, main="761.3"), TARGETS[0])
    # The groups projected over their shares, which are rounded: 2547.8 s / 0.846.
    assert corrected.reference.value == pytest.approx(3011.9, rel=2e-4)
    assert corrected.speedup.value == pytest.approx(2547.8 / 0.846 / corrected.total.value)
    assert corrected.measured.value == 1603.0
    # The printed speed-ups are 3011.9 s over the printed projections.
    assert [3011.9 / printed for printed in PUBLISHED] == pytest.approx([1.76, 2.11, 2.35], abs=0.005)


def test_the_interval_holds_what_was_measured():
    for target in TARGETS:
        found = project("setsm", target)
        assert found.total.lower < found.measured.value < found.total.upper


def test_groups_follow_their_bandwidth():
    parts = {line.path[0]: line.value for line in project("setsm", TARGETS[0]).parts}
    assert parts["U/VLL"] == pytest.approx(997.6 * 59.6 / 93.5)
    assert parts["U/main"] == pytest.approx(671.3 * 14.9 / 46.7)
    assert "Others" not in parts


def test_numa_bandwidth_is_a_share_of_the_node():
    for name, domains in (("blue-waters-xe6", 4), *((target, 2) for target in TARGETS)):
        values = load_machine(name).values
        assert values["bw_numa"].value == pytest.approx(values["bw_node"].value / domains, abs=0.051e9)


# Sizes of the two fields in bytes as printed, single and double precision; 2D 4096 is printed "4906" and the
# single-precision 127 MB of 3D 256 should be 137.4 MB.
FOOTPRINTS = [
    ("stencil-2d", 128, 135e3, 270e3),
    ("stencil-2d", 256, 532e3, 1.065e6),
    ("stencil-2d", 512, 2.1e6, 4.2e6),
    ("stencil-2d", 1024, 8.4e6, 16.8e6),
    ("stencil-2d", 2048, 33.6e6, 67.2e6),
    ("stencil-2d", 4096, 134e6, 269e6),
    ("stencil-2d", 8192, 537e6, 1.074e9),
    ("stencil-3d", 16, 47e3, 93e3),
    ("stencil-3d", 32, 314e3, 629e3),
    ("stencil-3d", 64, 2.3e6, 4.6e6),
    ("stencil-3d", 128, 17.6e6, 35.2e6),
    ("stencil-3d", 256, 137.4e6, 275e6),
    ("stencil-3d", 416, 584e6, 1.169e9),
]


def definition(found, name):
    return next(line.value for line in found.definitions if line.path == (name,))


@pytest.mark.parametrize(("example", "points", "single", "double"), FOOTPRINTS)
def test_footprints_of_the_stencils(example, points, single, double):
    for real, printed in ((4, single), (8, double)):
        found = project(example, at={"n": points, "real": real})
        assert definition(found, "footprint") == pytest.approx(printed, rel=0.008)


INTENSITIES = [
    ("stencil-2d", 8, 0.1),
    ("stencil-2d", 4, 0.2),
    ("stencil-3d", 8, 0.1071),
    ("stencil-3d", 4, 0.2143),
]


@pytest.mark.parametrize(("example", "real", "intensity"), INTENSITIES)
def test_intensities_of_the_stencils(example, real, intensity):
    found = project(example, at={"n": 256, "real": real})
    assert definition(found, "intensity") == pytest.approx(intensity, abs=5e-5)


def test_a_geometric_series_crosses_the_ridge_of_the_roofline():
    low, high = (project("geometric-series", at={"order": order}) for order in (1, 60))
    assert definition(low, "intensity") == pytest.approx(1 / 16)
    assert definition(high, "intensity") == pytest.approx(119 / 16)
    assert low.total.value == next(line.value for line in low.parts if line.path == ("memory",))
    assert high.total.value == next(line.value for line in high.parts if line.path == ("arithmetic",))


MISTAKES = [
    ('kind = "other"', 'kind = "parallel"', "invalid kind 'parallel'"),
    ('time = "757.8 s"', 'time = "757.8 GB"', "U/OT: 'time' has to be a positive time"),
    ('name = "U/main"', 'name = "U/VLL"', "'U/VLL' would be counted twice"),
    ("share = 0.331", "share = 33.1", "'share' has to lie between 0 and 1"),
    ('method_error = "10 %"', 'error = "10 %"', "error: unknown key"),
    ('reference = "blue-waters-xe6"', 'reference = "blue-water"', "did you mean 'blue-waters-xe6'?"),
    ('reference = "blue-waters-xe6"', 'reference = "xt5"', "no value 'bw_node'"),
]


@pytest.mark.parametrize(("right", "wrong", "line"), MISTAKES)
def test_mistakes_are_one_line_each(tmp_path, right, wrong, line):
    path = tmp_path / "setsm.toml"
    path.write_text(find("application", "setsm").read_text().replace(right, wrong))
    assert line in refused(lambda: project(path))


def test_a_target_without_bandwidth_gives_a_notice():
    with pytest.raises(UsageError, match="the target machine has no 'bw_node'; add bw_node"):
        project("setsm", "xt5")
