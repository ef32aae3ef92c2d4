import io

from pipeline.stages.project import project
from pipeline.report.projection_table import show_projection
from pipeline.report.terminal import console


def shown(*arguments, **options):
    stream = io.StringIO()
    show_projection(console(stream), project(*arguments, **options))
    return stream.getvalue().splitlines()


def row(lines, name):
    return next(line for line in lines if line.split()[:1] == [name])


def test_the_breakdown_of_milc():
    lines = shown("milc", "power5plus", {"L": 8, "P": 1024})
    assert lines[0] == "MILC su3_rmd on IBM POWER5+ cluster, expected"
    assert lines[1].startswith("at L = 8, P = 1024, niters = 2000")
    assert "90 % interval" in lines[2]
    serial = row(lines, "T_ser")
    assert "6.2239" in serial
    assert "63.5 %" in serial
    assert any(line.startswith("  FF ") for line in lines)
    assert "no spread stated" in row(lines, "T_coll")
    assert "A = 36864 B" in row(lines, "with")
    assert "expected takes 14.9 % less" in row(lines, "ideal:")


def test_variants_and_notices():
    lines = shown("milc", "xt5", {"L": 8, "P": 1500})
    assert "expected loses 4.2 % against it" in row(lines, "noiseless:")
    assert row(lines, "Note:").endswith("1500 is interpolated")


def test_a_variant_without_a_total_says_why():
    lines = shown("milc", "xt5", {"L": 8, "P": 4096}, variant="ideal")
    assert "no total here: mach.message was measured at P = 1024, 2048, not 4096" in row(lines, "expected:")


def test_a_bandwidth_projection():
    lines = shown("setsm", "ivybridge-e5-2670v2")
    assert "1599.2" in row(lines, "total")
    assert row(lines, "measured:") == "measured: 1603.0, the projection is -0.2 % off"
    assert row(lines, "speed-up:").startswith("speed-up: 1.83 (")
    assert "not tested (no counters)" in row(lines, "U/VLL:")


def test_names_from_files_are_no_markup(tmp_path):
    path = tmp_path / "m.toml"
    path.write_text('title = "[bold]x[/bold]"\nmachine = "xt5"\n[parts]\n"[red]" = "2"\n')
    lines = shown(path)
    assert lines[0].startswith("[bold]x[/bold] on")
    assert row(lines, "[red]")
