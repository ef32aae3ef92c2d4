"""A comparison at any width, in a terminal or a file: names may be shortened, nothing else is."""

import re

import pytest

from tests.foam_cases import write_foam_case

LONG = "Solver<double, std::vector<std::complex<float>>>::applyPreconditionerToAllTheFacesOfTheMesh(int)"
WITHOUT_BLANK = "a_name_without_any_blank_that_is_longer_than_a_terminal_" + "x" * 60
NAMES = (LONG.removesuffix("(int)"), WITHOUT_BLANK)
WIDE = "500"  # everything fits


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    folder = tmp_path_factory.mktemp("widths")
    folders = [folder / name for name in ("a", "b")]
    for folder, factor in zip(folders, (1.0, 1.6), strict=True):
        for p in (1, 2, 4, 8):
            for r, wobble in enumerate((1.0, 1.004, 0.997), 1):
                times = {
                    LONG: 640_000.0 / p * wobble * factor,
                    WITHOUT_BLANK: 64_321.0 * wobble / factor**2,
                    "main": 1234.5 / p * wobble,
                }
                write_foam_case(folder / f"app.p{p}.r{r}", times, processes=p)
    return folders


def table_of(text):
    """Return the lines of the table of kernels."""
    lines = text.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("Kernels"))
    return [line.strip() for line in lines[start + 1 : lines.index("", start)] if line.strip()]


def cells_of(text):
    """Return headings and values of a table; the verdict stands with the name."""
    return [cell for line in table_of(text) for cell in re.split(r"\s{2,}", line)]


@pytest.mark.slow
@pytest.mark.parametrize("columns", [None, "60", "80", "120"])
def test_a_comparison_cuts_names_only(call, pair, monkeypatch, columns):
    arguments = ("compare", *pair, "--scaling", "strong", "--details")
    monkeypatch.setenv("COLUMNS", WIDE)
    whole = set(cells_of(call(*arguments)[1]))
    assert {"ratio", "interval at target", "1.02 million", *(f"main › {name}" for name in NAMES)} <= whole
    words = [f" {cell} " for cell in whole]
    monkeypatch.delenv("COLUMNS")
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    text = call(*arguments)[1]
    found = cells_of(text)
    assert max(map(len, table_of(text))) <= int(columns or 120)
    names = [cell for cell in found if "…" in cell]
    assert len(names) == 2 and all(
        any(one.startswith(name.split("…")[0]) and one.endswith(name.split("…")[1]) for one in NAMES)
        for name in names
    )
    for cell in set(found) - set(names):
        assert any(f" {cell} " in word for word in words), cell
    assert {*(path.name for path in pair), "share"} <= set(found) and "1.02 million" in found
