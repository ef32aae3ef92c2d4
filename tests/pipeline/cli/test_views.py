import pytest


@pytest.fixture
def results(call, strong_study, tmp_path):
    out = tmp_path / "results"
    assert call("run", strong_study, "--out", out)[0] == 0
    return out


def test_the_tree_shows_bars_shares_and_growth(call, results):
    code, told, _ = call("tree", results)
    lines = told.splitlines()
    assert code == 0
    assert lines[0].startswith("effort [core-s] measured at p = 16")
    assert "100.0 %" in lines[2] and "█" in lines[2]
    assert any(line.startswith("  sum") and "p^2" in line for line in lines)


def test_the_tree_of_a_prediction(call, results):
    _, told, _ = call("tree", results, "--at", "p=1024", "--least", "0.1")
    assert "predicted at p = 1024" in told
    assert "left out" in told


def test_a_plot_in_the_terminal_is_plain_when_piped(call, results):
    code, told, _ = call("plot", results, "sum")
    assert code == 0
    assert "sum: " in told and "measured" in told
    assert "\x1b" not in told


@pytest.mark.parametrize(("option", "start"), [("--png", b"\x89PNG"), ("--svg", b"<?xml")])
def test_plots_as_files(call, results, tmp_path, option, start):
    path = tmp_path / "plot"
    code, told, _ = call("plot", results, "main/solve", option, path)
    assert (code, told) == (0, "")
    assert path.read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("pattern", "message"), [("nothing", "no kernel 'nothing'"), ("s*", "names 2 kernels")]
)
def test_a_kernel_that_cannot_be_told(call, results, pattern, message):
    code, _, error = call("plot", results, pattern)
    assert code == 2
    assert message in error and error.count("\n") == 1
