import datetime
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ingest.errors import InputError
from ingest.record_codec import document as as_data
from pipeline.gate.baselines import (
    BASELINE_DIGITS,
    BASELINE_VERSION,
    SMALLEST_SHARE,
    baseline_of,
    from_document,
)
from pipeline.gate.check_result import Outcome
from pipeline.gate.gate_options import CheckOptions
from pipeline.gate.kernel_values import KernelId, Origin, Scope
from pipeline.gate.study_check import check
from pipeline.models.options import ModelOptions
from tests.pipeline.gate.studies import SCALES, many, study

GOLDEN = sorted((Path(__file__).parent / "baselines").glob("version-*.json"))


@pytest.fixture(scope="module")
def whole():
    return study(many(**{"operator<<": 30.0}), origin=Origin("m", "f"))


@pytest.fixture
def text(whole):
    return baseline_of(whole, ModelOptions(), {"metric": "time"}).text


@pytest.fixture
def document(text):
    return json.loads(text)


def again(study):
    """A study as it is read from its baseline."""
    return from_document(json.loads(baseline_of(study, ModelOptions(), {}).text), "b.json")


def test_what_is_written_is_read_back(whole, document):
    back = from_document(document, "b.json")
    for name in ("kernels", "origin", "parameters", "parameter", "scaling", "metric", "unit", "files"):
        assert getattr(back, name) == getattr(whole, name)
    assert back.smallest_share == whole.smallest_share
    assert np.array_equal(back.lines, whole.lines)
    assert np.array_equal(back.points, whole.points)
    assert np.allclose(back.values, whole.values, rtol=0.5 * 10 ** (1 - BASELINE_DIGITS), atol=0)
    assert np.allclose(back.parallel_efficiency, whole.parallel_efficiency)
    assert again(whole.above_share(0.05)).smallest_share == 0.05


def test_a_file_has_one_line_per_key_and_kernel(text, document):
    lines = text.splitlines()
    assert len([line for line in lines if '"callpath"' in line]) == len(document["kernels"])
    assert len(lines) == len(document) + len(document["kernels"]) + 3
    assert "operator<<" in text and "\\u" not in text


def test_kernels_carry_what_a_reader_wants_to_know(whole, document):
    entry = document["kernels"][6]
    values = whole.values[6]
    assert (entry["level"], entry["callpath"], entry["file"], entry["line"]) == (
        "region",
        ["k5"],
        "/src/k5.c",
        6,
    )
    assert float(entry["model"]) == pytest.approx(15, rel=0.02)
    assert entry["growth"] == "1"
    spread = np.sqrt(np.log(values).var(axis=1, ddof=1).mean())
    assert entry["noise"] == pytest.approx(spread, rel=1e-5)
    assert entry["smape"] == pytest.approx(1, abs=1)
    assert entry["residuals"] == pytest.approx(values.mean(axis=1) / float(entry["model"]) - 1, abs=2e-3)
    assert len(str(entry["values"][0][0]).replace(".", "")) <= BASELINE_DIGITS == 6
    assert (document["machine"], document["filter"]) == ("m", "f")
    assert document["configuration"] == {"metric": "time"}
    assert document["parallel_efficiency"] == [0.9, 0.825, 0.75, 0.675, 0.6]


def test_a_kernel_without_values_has_no_residuals_and_without_repetitions_no_noise():
    once = baseline_of(study({"a": 1.0, "b": 0.0}, repetitions=1), ModelOptions(), {})
    assert {k.noise for k in once.kernels} == {None}
    assert once.kernels[2].residuals == (0.0,) * 5
    unknown = replace(study({"a": 1.0}), parallel_efficiency=np.array([np.nan, 1, 1, 1, 1]))
    assert as_data(baseline_of(unknown, ModelOptions(), {}))["parallel_efficiency"] == [None, 1, 1, 1, 1]


def test_the_load_balance_of_a_point_is_kept_and_files_may_lack_it(whole, document):
    runs = np.array([[0.9, 0.8, 0.91], *[[0.7, np.nan, 0.7]] * 3, [np.nan] * 3])
    back = again(replace(study({"a": 1.0}), load_balance=runs))
    assert back.typical_balance == pytest.approx([0.9, 0.7, 0.7, 0.7, np.nan], nan_ok=True)
    assert "load_balance" not in document and from_document(document, "b.json").load_balance is None


def test_the_noise_of_two_repetitions_is_theirs():
    pair = replace(study({"a": 1.0}, scales=(8,), repetitions=2), parallel_efficiency=np.ones(1))
    entry = baseline_of(pair, ModelOptions(), {}).kernels[1]
    assert entry.noise == pytest.approx(np.log(pair.values[1, 0]).std(ddof=1), rel=1e-5)


def test_missing_repetitions_stay_missing():
    whole = study({"a": 1.0, "b": 2.0})
    whole.values[:, 0, 3:] = np.nan
    whole.values[1, 2] = np.nan
    assert np.array_equal(np.isnan(again(whole).values), np.isnan(whole.values))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            lambda d: d.update(version=BASELINE_VERSION + 1),
            "is a baseline of version 2; this program reads version 1",
        ),
        (lambda d: d.update(version=0), "is a baseline of version 0; this program reads version 1"),
        (lambda d: d.pop("version"), "is not a baseline"),
        (lambda d: d.pop("kernels"), "is not a baseline"),
        (lambda d: d["kernels"].pop(0), "the first kernel is not the total"),
        (lambda d: d["kernels"].clear(), "the first kernel is not the total"),
        (lambda d: d["kernels"][0]["values"].pop(), "does not have one list of values per point"),
        (lambda d: d["kernels"][0]["values"][0].append(-1.0), "a value is negative or infinite"),
        (lambda d: d["kernels"][0]["values"][0].append(float("inf")), "a value is negative or infinite"),
        (lambda d: d["kernels"][0]["values"][0].append("x"), "ValueError"),
        (lambda d: d["kernels"][0].update(level="file"), "ValueError"),
        (lambda d: d.update(points=[[0.0]] * 5), "points and parameters do not match"),
        (lambda d: d.update(points=[]), "points and parameters do not match"),
        (lambda d: d.update(parameter="n"), "points and parameters do not match"),
        (lambda d: d["parallel_efficiency"].pop(), "not one parallel efficiency or load balance per point"),
        (lambda d: d.pop("scaling"), "'scaling'"),
        (lambda d: d.update(kernels=3), "TypeError"),
        (lambda d: d.update(overhead="x"), "overhead cannot be 'x'"),
    ],
)
def test_damage_is_one_clear_sentence(document, damage, message):
    del document["sha256"]  # as in files of earlier programs
    damage(document)
    with pytest.raises(InputError) as error:
        from_document(document, "b.json")
    assert str(error.value).startswith("b.json: is ")
    assert message in str(error.value)
    assert str(error.value).endswith("; write it with `pipeline baseline`")


def test_a_changed_number_is_noticed_and_another_layout_is_not(document):
    other = json.loads(json.dumps(document, sort_keys=True, indent=3))
    values = [from_document(content, "").values for content in (other, document)]
    assert np.array_equal(*values, equal_nan=True)
    document["kernels"][0]["values"][0][0] += 0.01
    with pytest.raises(InputError, match=r"is a damaged baseline \(ValueError: it has changed since"):
        from_document(document, "b.json")


@pytest.mark.parametrize("content", [None, [1], "text", {}])
def test_other_json_is_refused(content):
    with pytest.raises(InputError, match="is not a baseline"):
        from_document(content, "b.json")


def test_a_kernel_without_any_value_has_room_for_one():
    whole = study({"a": 1.0}, repetitions=1)
    whole.values[:] = np.nan
    assert again(whole).values.shape == (3, 5, 1)


def test_there_is_a_golden_baseline_of_every_version():
    assert [file.stem for file in GOLDEN] == [f"version-{n}" for n in range(1, BASELINE_VERSION + 1)]


@pytest.mark.slow
@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.stem)
def test_baselines_of_all_versions_are_read(file):
    """As written when the version was new: for a version no longer read, expect its one sentence here."""
    whole = from_document(json.loads(file.read_text(encoding="utf-8")), str(file))
    assert [k.callpath for k in whole.kernels if k.level is Scope.CALLPATH] == [
        ("main", "solve"),
        ("main", "operator<<"),
        ("main", "MPI_Allreduce"),
    ]
    assert (whole.parameters, whole.parameter, whole.scaling) == (("p",), "p", "strong")
    assert (whole.metric, whole.unit, whole.smallest_share) == ("effort", "core-s", SMALLEST_SHARE)
    assert whole.origin == Origin("alps", "0123456789abcdef")
    assert whole.points[:, 0].tolist() == list(SCALES)
    assert np.isfinite(whole.values).sum(axis=2)[0].tolist() == [3, 2, 3, 3, 3]
    row = whole.kernels.index(KernelId(Scope.CALLPATH, ("main", "solve")))
    assert whole.values[row, 0].tolist() == [80.5548, 81.3254, 80.5305]
    assert (whole.files[row], whole.lines[row]) == ("/src/solve.c", 1)
    assert np.array_equal(whole.parallel_efficiency, [1.0, np.nan, 0.8, 0.7, 0.65], equal_nan=True)
    today = datetime.date(2026, 11, 21)
    assert check(whole, whole, CheckOptions(), ModelOptions(), today).outcome is Outcome.PASSED
    slower = np.where(np.arange(len(whole.kernels)) == row, 1.5, 1.0)
    worse = replace(whole, values=whole.values * slower[:, None, None])
    assert check(worse, whole, CheckOptions(), ModelOptions(), today).outcome is Outcome.REGRESSED


def test_no_terminal_obeys_a_baseline_and_names_stay():
    text = baseline_of(study({"a\x9b2J": 1.0, "b": 2.0}), ModelOptions(), {}).text
    assert "\x9b" not in text
    assert any(kernel.region == "a\x9b2J" for kernel in from_document(json.loads(text), "here").kernels)
