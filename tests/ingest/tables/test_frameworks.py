"""Results of benchmark frameworks (ReFrame, Ramble, JUBE) are read as they lie."""

import pytest

from ingest.errors import InputError
from ingest.run_settings import METADATA, stated
from ingest.table_mapping import TableMapping
from ingest.tables.table_files import find_tables
from tests.ingest.tables import table_files
from tests.ingest.tables.test_tables import TRUE, efforts, read

FRAMEWORKS = {
    "perflog": ("x.log", table_files.perflog(), "num_tasks", {"environ": "gnu", "system": "alps"}),
    "report": ("x.json", table_files.report(), "num_tasks", {"environ": "gnu", "hostname": "login1"}),
    "report3": (
        "x.json",
        table_files.report(version="3.1"),
        "num_tasks",
        {"environ": "gnu", "system": "alps"},
    ),
    "ramble": (
        "x.json",
        table_files.ramble(),
        "n_ranks",
        {"application_name": "app", "workspace_hash": "abc"},
    ),
    "jube": ("x.csv", table_files.jube(), "tasks", {"system": "jureca"}),
}


@pytest.mark.parametrize("kind", FRAMEWORKS)
def test_results_of_frameworks_are_read_as_they_lie(tmp_path, kind):
    name, text, processes, metadata = FRAMEWORKS[kind]
    study = read(tmp_path, text, name)
    assert study.parameters == (processes,)
    assert efforts(study) == pytest.approx({key: value for key, value in TRUE.items() if key[1] == 1})
    assert metadata.items() <= stated(study.runs[0].profile.attributes, METADATA).items()
    assert study.damaged == ()


@pytest.mark.parametrize(
    "text",
    ['{"session_info": 1}', '{"data_version": 1}', '["session_info", "data_version"]', '{"experiments": 1}'],
)
def test_other_json_is_no_result_of_a_framework(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    assert find_tables(tmp_path, TableMapping()) is None


def test_summaries_of_repeated_experiments_are_not_runs(tmp_path):
    study = read(tmp_path, table_files.ramble(repeats=2), "x.json")
    assert efforts(study) == pytest.approx(TRUE)


def test_parameters_of_a_framework_may_be_chosen(tmp_path):
    study = read(tmp_path, table_files.report(), "x.json", parameters=("problem",), locations="num_tasks")
    assert study.parameters == ("problem",)
    assert [run.parameters for run in study.runs] == [(64.0,), (128.0,), (256.0,)]
    assert [len(run.profile.locations) for run in study.runs] == [2, 4, 8]


def test_names_of_figures_are_not_call_paths(tmp_path):
    text = table_files.ramble().replace('"name": "io"', '"name": "a->b"')
    assert {path for run in read(tmp_path, text, "x.json").runs for path in run.profile.regions.name} == {
        "solve",
        "a->b",
    }


def test_results_without_a_time_are_refused(tmp_path):
    text = table_files.ramble().replace('"s"', '"GB/s"').replace('"ms"', '"flop"')
    with pytest.raises(InputError, match=r"no figure of merit is a time \(units: GB/s, flop\)"):
        read(tmp_path, text, "x.json")
