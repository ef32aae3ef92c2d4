import pytest

from ingest.alignment import MeasuredRun, align
from ingest.profile import SYSTEM_MACHINE
from ingest.readers import timer_tables
from ingest.reduction import reduce_profile
from ingest.run_settings import (
    METADATA,
    SETTING,
    agreed_settings,
    described_as,
    differing_settings,
    metadata_of,
    processor_of,
    same_processor,
    stated,
)
from tests.ingest.readers import timer_logs


def test_what_is_the_same_in_all_runs_is_not_noted():
    runs = [{SETTING + "version": "1", "other": str(i)} for i in range(3)]
    assert differing_settings(runs) == ()
    assert differing_settings([*runs, {}]) == ()


def test_differences_are_counted():
    runs = [{SETTING + "version": "1"}, {SETTING + "version": "2"}, {SETTING + "version": "1"}]
    assert differing_settings(runs) == ("the runs do not agree on 'version': 1 (2 runs), 2 (1 run)",)


def test_many_values_are_cut_and_shown_in_one_line():
    runs = [{SETTING + "pools": f"{i}\n"} for i in range(9)]
    (notice,) = differing_settings(runs)
    assert notice.startswith("the runs do not agree on 'pools': 0 (1 run), 1 (1 run)")
    assert notice.endswith("5 (1 run), and 3 other values")


def test_attributes_are_chosen_by_their_prefix():
    assert stated({SETTING + "a": "1", "b": "2"}, SETTING) == {"a": "1"}


def test_an_experiment_notes_runs_of_different_length(tmp_path):
    runs = []
    for p, stamps in ((8, (5.0, 15.0, 30.0)), (16, (5.0, 15.0, 20.0, 30.0))):
        file = tmp_path / f"c.p{p}.log"
        file.write_text(timer_logs.castep(processes=p, stamps=stamps))
        profile = reduce_profile(timer_tables.read(file), ["time", "time_per_step"])
        runs.append(MeasuredRun((float(p),), 1, profile))
    experiment = align(["p"], runs)
    assert experiment.notices == (
        "the runs do not agree on 'steps': 2 (1 run), 3 (1 run); --per steps makes them comparable",
    )
    assert experiment.values["time_per_step"].sum.sum(axis=0)[:, 0].tolist() == [8 * 45 / 2, 16 * 45 / 3]


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"cluster": "chekov", "compiler": "clang 15"}, {"machine": "chekov", "compiler": "clang 15"}),
        ({"Creator": "Score-P 8.4", SYSTEM_MACHINE: "alps"}, {"machine": "alps", "profiler": "Score-P 8.4"}),
        ({SYSTEM_MACHINE: "Linux"}, {}),  # Score-P's own if the user gives none
        (
            {"Hostname": "n1", "TAU Version": "2.31", "username": "me"},
            {"machine": "n1", "profiler": "TAU 2.31"},
        ),
        ({"cali.caliper.version": "2.6.0"}, {"profiler": "Caliper 2.6.0"}),
        (
            {METADATA + "machine": "alps", "cluster": "x", METADATA + "my": "y"},
            {"machine": "alps", "my": "y"},
        ),
        ({SETTING + "version": "1", "machine": " "}, {}),
    ],
)
def test_metadata_have_common_names(attributes, expected):
    assert metadata_of(attributes) == expected


def test_a_run_is_described_by_metadata_before_settings_before_other_attributes():
    attributes = {"version": "3", SETTING + "version": "2", SETTING + "steps": "10", "username": "me"}
    assert [described_as(attributes, name) for name in ("version", "steps", "username", "x")] == [
        "3",
        "10",
        "me",
        "",
    ]
    assert described_as({**attributes, METADATA + "steps": "20"}, "steps") == "20"


def test_settings_that_all_runs_share_are_listed():
    assert agreed_settings([{"steps": "1", "version": "2"}, {"steps": "1", "version": "3"}, {}]) == [
        "steps = 1"
    ]


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        (SETTING + "CPU", "AMD EPYC 9V74", "AMD EPYC 9V74"),
        ("CPU Type", "Intel(R) Xeon(R) CPU E5-2680", "Intel(R) Xeon(R) CPU E5-2680"),
        ("cpu.model", "AMD  EPYC\n7742", "AMD EPYC 7742"),
        (METADATA + "processor", "A64FX", "A64FX"),
        (METADATA + "cpu_model", "Neoverse V2", "Neoverse V2"),
        (METADATA + "cpu", "48", ""),
        ("processor", "x86_64", ""),
        ("processors", "Intel", ""),
        ("hostname", "Intel", ""),
    ],
)
def test_the_processor_of_a_run_is_known_under_all_its_names(name, text, found):
    assert processor_of({name: text}) == found


EPYC = "AMD EPYC 7742"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (EPYC, "amd epyc 7742 64-Core Processor", True),
        ("Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz", "Intel Xeon Platinum 8380", True),
        ("Intel(R) Core(TM) i7-9700", "Intel Core i7 9700", True),
        ("EPYC 7742", EPYC, True),
        (EPYC, "AMD EPYC 7763", False),
        ("AMD EPYC 9V74", "Intel Xeon Platinum 8573C", False),
    ],
)
def test_notation_makes_no_other_processor(one, other, same):
    assert same_processor(one, other) is same_processor(other, one) is same
