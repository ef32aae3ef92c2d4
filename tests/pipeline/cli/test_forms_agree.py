"""Six measured studies: terminal, CSV, JSON, Markdown and page hold the same numbers in every table."""

import csv
import html
import io
import json
import math
import re
from itertools import zip_longest
from pathlib import Path

import pytest

from pipeline.config.options import Options
from pipeline.questions.analysis import look_ahead
from pipeline.report.export import export_format
from pipeline.report.render.text_formats import WRITERS
from pipeline.stages.model import target_points
from pipeline.stages.run import run
from pipeline.store.results import read_analysis
from tests.pipeline.columns.test_outputs_agree import carried_paths
from tests.pipeline.report.page.studies import carried, floats

pytestmark = pytest.mark.slow

PROFILES = Path(__file__).parents[3] / "sample_profiles"
STUDIES = (
    "hpcg-strong",
    "openfoam-cavity",
    "openfoam-procs",
    "openfoam-iterations",
    "gromacs-water",
    "lammps-melt",
)
COMMANDS = ("predict", "bottlenecks", "choose", "compare")
WIDE = "600"  # no name and no column is left out
UNITS = {
    "%": 0.01,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "ms": 1e-3,
    "µs": 1e-6,
    "ns": 1e-9,
    "s": 1.0,
    "min": 60.0,
    "h": 3600.0,
    "d": 86_400.0,
    "KiB": 2.0**10,
    "MiB": 2.0**20,
    "GiB": 2.0**30,
}
QUANTITY = re.compile(rf"([<>]?)(-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)(?: ({'|'.join(UNITS)})\b|( %))?")
DIGITS = 0.006  # half a unit of the third digit, of a number that begins with 1


@pytest.fixture(scope="module", params=STUDIES)
def results(request, tmp_path_factory):
    """The results of a study, and its series as it is and with every second kernel 1.5 times slower."""
    folder = tmp_path_factory.mktemp(request.param)
    out = folder / "results"
    run(PROFILES / request.param, Options(out=out))
    analysis = read_analysis(out)
    targets = target_points(analysis, ())
    found = look_ahead(analysis, analysis.callpaths, targets)
    lines = export_format("extrap-jsonl").write(analysis, found, targets).splitlines()
    series = [json.loads(line) for line in lines]
    paths = {path: n for n, path in enumerate(dict.fromkeys(one["callpath"] for one in series))}
    files = [folder / "as_it_is.jsonl", folder / "slower.jsonl"]
    for file, factor in zip(files, (1.0, 1.5), strict=True):
        changed = (factor ** (paths[one["callpath"]] % 2) for one in series)
        slower = [
            json.dumps(one | {"value": [by * v for v in one["value"]]})
            for one, by in zip(series, changed, strict=True)
        ]
        file.write_text("\n".join(slower), encoding="utf-8")
    return out, *files


@pytest.fixture
def printed(call, results, monkeypatch):
    """Print a table of a study in a form: its standard output."""
    monkeypatch.setenv("COLUMNS", WIDE)
    out, *series = results

    def made(command, form):
        of = (*series, "--scaling", "strong", "--limit", "100") if command == "compare" else (out,)
        of += ("--details",) if (command, form) == ("compare", "table") else ()
        return call(command, *of, *(() if form == "table" else ("--format", form)))[1]

    return made


def rows_of_csv(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def rows_of_markdown(text):
    lines = (re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines())
    plain = [[html.unescape(re.sub(r"\\(.)", r"\1", cell.strip())) for cell in line] for line in lines]
    return [plain[0], *plain[2:]]


def same(text, value):
    """Tell whether a cell of CSV holds a value of JSON; a text may stand behind an apostrophe."""
    if value is None or isinstance(value, bool):
        return text in ("", str(value))
    return float(text) == value if isinstance(value, int | float) else text.removeprefix("'") == value


def numbers_in(text):
    """Yield the numbers that a cell states, but for bounds, and half a unit of their last digit.

    Ends of wide intervals have two digits.
    """
    found = QUANTITY.findall(text)
    shared = (found[-1][2] or found[-1][3].strip()) if found and " .. " in text else ""  # 98.0 .. 110.6 %
    for sign, digits, unit, percent in found:
        if not sign:
            size = UNITS.get(unit or percent.strip() or shared, 1.0)
            decimals = len(digits.split("e")[0].partition(".")[2])
            value = float(digits.replace(",", ""))
            of_two = 0.051 * 10.0 ** math.floor(math.log10(abs(value) or 1.0) + 1) if " .. " in text else 0.0
            yield value * size, max(0.51 * 10.0**-decimals if decimals else 0.0, of_two) * size


def is_number(text):
    """Tell whether a cell holds nothing but a quantity or an interval."""
    rest = QUANTITY.sub("", text)
    return bool(re.search(r"\d", text)) and not re.search(r"[^\s.\[\]±–-]", rest.replace("core-s", ""))


@pytest.mark.parametrize("command", COMMANDS)
def test_forms_hold_the_same_numbers(printed, command):
    assert {"csv", "json", "md"} <= set(WRITERS)
    of_csv, of_json = rows_of_csv(printed(command, "csv")), json.loads(printed(command, "json"))
    head, *of_markdown = rows_of_markdown(printed(command, "md"))
    assert len(of_csv) == len(of_json) == len(of_markdown) > 0
    for one, other, line in zip(of_csv, of_json, of_markdown, strict=True):
        shared = {key: value for key, value in other.items() if key in one}
        assert set(one) == set(shared) and all(same(one[key], value) for key, value in shared.items())
        values = [float(v) for v in other.values() if isinstance(v, int | float) and not isinstance(v, bool)]
        for heading, cell in zip(head, line, strict=True):
            for number, least in numbers_in(cell) if is_number(cell) else ():
                near = (abs(number - value) <= max(DIGITS * abs(value), least) for value in values)
                assert any(near), (heading, cell, other)
    shown = 0
    for line in printed(command, "table").splitlines():
        cells = re.split(r"\s{2,}", line.strip())
        if shown and cells == [""]:
            break  # another table follows
        rows = [row for row in of_markdown if row[0] in cells[:3]]
        if rows and len(cells) > 1:
            shown += 1
            stated = "  ".join(cells[cells.index(rows[0][0]) + 1 :])  # a rank or a verdict goes before
            in_markdown = QUANTITY.findall("  ".join("  ".join(row) for row in rows))
            assert set(QUANTITY.findall(stated)) <= set(in_markdown), (line, rows)
    assert shown > 0


def test_a_page_carries_the_numbers_of_the_summary(results):
    out, *_ = results
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    data = carried((out / "report.html").read_text(encoding="utf-8"))
    names = [one["name"] for one in data["regions"]]
    compared = 0
    for level, by in (("regions", "regions"), ("callpaths", "kernels")):
        page, of_summary = data["levels"][level], {tuple(row["callpath"]): row for row in summary[by]}
        means = floats(page["mean"], len(data["points"]))
        for path, mean in zip_longest(carried_paths(page, names), means):
            if path in of_summary:
                measured = of_summary[path]["measured"]
                assert mean == pytest.approx(measured, rel=1e-4), path  # a page has fewer digits
                compared += len(measured)
    assert compared > 0
