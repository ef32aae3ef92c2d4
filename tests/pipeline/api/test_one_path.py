"""The same runs give the same forecast, whatever they are written as and whatever is stated about them."""

import json

import numpy as np
import pytest

from ingest.record_codec import document
from pipeline.config.options import Options
from pipeline.stages.run import run

P = (2, 4, 8, 16, 32)


def seconds(weak):
    """Seconds of a process, by kernel, scale and repetition."""
    random = np.random.default_rng(3)
    return {
        (kernel, p, r): value * (1 + 0.02 * random.standard_normal())
        for p in P
        for kernel, value in (("solve", 1.0 if weak else 64 / p), ("MPI_Allreduce", 0.05 * p**0.7))
        for r in (1, 2)
    }


def table(path, parameter, values):
    rows = (f"{p},{kernel},{r},{value!r}" for (kernel, p, r), value in values.items())
    path.write_text("\n".join([f"{parameter},kernel,repetition,seconds", *rows]))


def series(path, parameter, values):
    rows = (
        {"params": {parameter: p}, "callpath": kernel, "metric": "time", "value": value}
        for (kernel, p, _), value in values.items()
    )
    path.write_text("\n".join(map(json.dumps, rows)))


def wall(source, parameter, tmp_path, scaling="auto"):
    options = Options(out=tmp_path / "out", at=({parameter: 128.0},), scaling=scaling)
    found = document(run(source, options).summary)["runtime"]["at"][-1]
    return tuple(found["wall_seconds"][end] for end in ("value", "lower", "upper"))


@pytest.mark.slow
@pytest.mark.parametrize("weak", [False, True])
@pytest.mark.parametrize("parameter", ["p", "cores", "nodes", "jobsize"])
@pytest.mark.parametrize(("write", "name"), [(table, "a.csv"), (table, "ak2.csv"), (series, "a.jsonl")])
def test_neither_form_nor_name_nor_statement_changes_a_forecast(tmp_path, weak, parameter, write, name):
    kind, values = "weak" if weak else "strong", seconds(weak)
    table(tmp_path / "plain.csv", "p", values)
    expected = wall(tmp_path / "plain.csv", "p", tmp_path, kind)
    write(tmp_path / name, parameter, values)
    assert wall(tmp_path / name, parameter, tmp_path, kind) == pytest.approx(expected, rel=1e-9)
    if write is table:
        assert wall(tmp_path / name, parameter, tmp_path) == pytest.approx(expected, rel=1e-9)


def test_seconds_of_a_process_are_forecast_as_core_seconds_are(tmp_path):
    values = seconds(weak=True)
    table(tmp_path / "plain.csv", "p", values)
    series(tmp_path / "sums.jsonl", "p", {(k, p, r): p * value for (k, p, r), value in values.items()})
    weak = wall(tmp_path / "plain.csv", "p", tmp_path, "weak")
    summary = document(
        run(tmp_path / "sums.jsonl", Options(out=tmp_path / "sums", at=({"p": 128.0},))).summary
    )
    total = summary["total"]["predictions"][0]
    assert [total[end] / 128 for end in ("value", "lower", "upper")] == pytest.approx(weak, rel=1e-9)
