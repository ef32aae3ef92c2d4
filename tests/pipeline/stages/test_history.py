import datetime
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from pipeline.config.options import Options
from pipeline.gate.baselines import from_document
from pipeline.gate.check_result import Outcome
from pipeline.gate.gate_options import CheckOptions, KernelRule
from pipeline.gate.kernel_values import Origin
from pipeline.gate.study_check import check
from pipeline.models.options import ModelOptions
from pipeline.report.check.terminal import TOTAL_KERNEL
from pipeline.stages.check import GateStudy, baseline_text
from pipeline.stages.history import add_entry
from pipeline.store.arrow import write_table
from pipeline.store.history_file import comparable, kernel_rows, read_history
from tests.pipeline.gate.studies import SCALES, study

EFFORTS = {
    "solve": [100.0] * 5,
    "halo": [10.0, 14, 20, 28, 40],
    "sum": [9.0, 12, 15, 18, 21],
    "io": [8.0] * 5,
}
RULES = CheckOptions()
CLIFF = EFFORTS | {"sum": [15 * value for value in EFFORTS["sum"]]}


@pytest.fixture
def add(tmp_path):
    def added(label, efforts=EFFORTS, rules=RULES, **given):
        return add_entry(tmp_path / "h.parquet", read(efforts, **given), label, rules, Options(), verdicts={})

    return added


def read(efforts, **given):
    found = study(efforts, repetitions=3, **given)
    return GateStudy(found, (), (), experiment=None, decision=None)


@pytest.fixture
def rows(tmp_path):
    return lambda: kernel_rows(read_history(tmp_path / "h.parquet"))


def test_the_second_entry_is_tested_as_a_check_against_the_first_is(add, rows):
    assert add("c1").step == ""
    found = add("c2", CLIFF, seed=2)
    assert (found.previous, found.step, found.labels) == ("c1", "regression", 2)
    before, now = read(EFFORTS), read(CLIFF, seed=2).measurements
    baseline = from_document(json.loads(baseline_text(before, Options(), {})[0]), "")
    target = ({"p": 4.0 * SCALES[-1]},)
    result = check(now, baseline, CheckOptions(targets=target), ModelOptions(), datetime.date.today())
    verdicts = {kernel: found[-1].step for kernel, found in rows().items() if found[-1].step}
    assert verdicts == {one.kernel: one.verdict.value for one in result.kernels}
    assert result.outcome is Outcome.REGRESSED
    assert str(found).startswith("c2: REGRESSION against c1: 2.") and "; sum: 14.9 times slower" in found.said
    assert add("c3", CLIFF, seed=3).step == "unchanged"
    assert add("c4", seed=4).step == "improvement"


def test_an_entry_that_replaces_the_newest_is_tested_against_the_one_before(add, rows):
    for n, label in enumerate(("c1", "c2", "c3", "c3", "c3")):
        found = add(label, seed=n)
    assert (found.previous, found.labels) == ("c2", 3)
    assert [row.label for row in rows()[TOTAL_KERNEL] if row.baseline] == ["c2", "c3"]


def test_entries_of_other_machines_points_and_programs_are_no_reference(add):
    assert add("c1", origin=Origin(machine="a")).step == ""
    assert add("c2", CLIFF, origin=Origin(machine="b")).step == ""
    assert add("c3", CLIFF, scales=(4, 8, 16, 32, 64), origin=Origin(machine="a")).step == ""
    assert add("c4", CLIFF, origin=Origin(machine="a")).previous == "c1"


def test_what_all_kernels_share_is_no_change_of_the_program_and_not_unchanged(add):
    add("c1")
    slower = {name: [15 * value for value in values] for name, values in EFFORTS.items()}
    found = add("c2", slower, seed=2)
    assert (found.step, add("c3", seed=3).step) == ("inconclusive", "inconclusive")
    assert "all kernels together take 15 times" in found.said and "machine or build" in found.said


def test_rules_are_not_tested_and_factors_count(add):
    add("c1")
    rules = CheckOptions(
        parallel_efficiency=0.99, total=1.0, kernels=(KernelRule(match="*/sum", share=0.01),)
    )
    assert add("c2", seed=2, rules=rules).step == "unchanged"
    assert add("c3", CLIFF, rules=replace(rules, factor=30.0)).step != "regression"


def test_entries_of_earlier_files_are_no_reference_and_stay(add, tmp_path):
    add("c1")
    file = tmp_path / "h.parquet"
    earlier = read_history(file).drop_columns(["previous", "step", "said", "baseline"])
    write_table(file, earlier.replace_schema_metadata(None))
    assert (add("c2", CLIFF).step, add("c3", CLIFF).step) == ("", "unchanged")
    assert [one.previous for one in comparable(read_history(file)).totals] == ["", "", "c2"]


def test_entries_added_at_once_all_arrive_each_tested_against_the_one_before(add, rows):
    labels = [f"c{n}" for n in range(6)]
    with ThreadPoolExecutor(len(labels)) as pool:
        found = sorted(pool.map(add, labels), key=lambda one: one.labels)
    assert [one.labels for one in found] == [1, 2, 3, 4, 5, 6]
    arrived = [row.label for row in rows()[TOTAL_KERNEL]]
    assert arrived == [one.label for one in found] and sorted(arrived) == labels
    assert [one.previous for one in found] == ["", *arrived[:-1]]
