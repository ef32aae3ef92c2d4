"""Numbers beyond all measurements: one line and exit code 2, or an answer without them."""

import json

import pytest


def series(file, values, scales=(2, 4, 8, 16, 32, 64)):
    rows = [
        {"params": {"p": p}, "callpath": name, "metric": "time", "value": value * factor}
        for p, value in zip(scales, values, strict=True)
        for name, factor in (("main", 1.0), ("solve", 0.5))
    ]
    file.write_text("\n".join(map(json.dumps, rows)))
    return file


@pytest.mark.parametrize(
    ("values", "scales", "line"),
    [
        ([1e200] * 6, (2, 4, 8, 16, 32, 64), "a measured value is infinite or too large"),
        ([1.0] * 6, (1, 1e100, 1e200, 1e300, 1e307, 1e308), "a parameter value is too large or too small"),
    ],
)
@pytest.mark.parametrize("command", ["model", "run", "baseline"])
def test_what_no_model_can_hold_is_refused(call, tmp_path, monkeypatch, values, scales, line, command):
    monkeypatch.chdir(tmp_path)
    code, text, error = call(command, series(tmp_path / "a.jsonl", values, scales))
    assert (code, text, error.count("\n")) == (2, "", 1) and line in error


def test_values_whose_sum_overflows_count_as_not_measured(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = series(tmp_path / "a.jsonl", [64.0, 1e308, 16.0, 8.0, 4.0, 1e-308])
    code, _, error = call("model", file, "--json", "model.json")
    assert code == 0 and "2 of 12 values are too large and count as not measured" in error
    nothing = series(tmp_path / "b.jsonl", [1e308] * 6)
    for arguments in (("baseline", nothing), ("history", "add", nothing, "--label", "a")):
        code, text, error = call(*arguments)
        assert (code, text) == (2, "") and "no usable value of time" in error.splitlines()[-1]


@pytest.mark.parametrize("target", ["p=1e308", "p=1e-308", "p=1e400", "p=nan"])
def test_a_target_beyond_all_machines_is_refused(call, tmp_path, target):
    file = series(tmp_path / "a.jsonl", [64.0, 32.0, 16.0, 8.0, 4.0, 2.0])
    code, text, error = call("model", file, "--at", target)
    assert (code, text) == (2, "")
    assert error == f"pipeline: --at: '{target}' is not a target point; write p=4096 or p=4096,n=32\n"
