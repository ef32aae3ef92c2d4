"""Which numbers in the metadata of profiles are parameters."""

import pytest

from ingest.discovery import discover
from ingest.inferred_runs import choose_parameters, noted_metadata
from ingest.run_names import RunSpec
from ingest.run_settings import METADATA
from tests.ingest.readers.timer_logs import castep


def test_a_parameter_follows_only_from_one_that_is_repeated():
    rows = [{"a": a, "half": a // 2} for a in (1, 2, 3, 4)]
    assert choose_parameters(rows) == (("a", "half"), {})  # a may be a number that only identifies the run
    assert choose_parameters([*rows, *rows]) == (("a",), {"half": "a"})


def test_parameters_are_chosen():
    rows = [{"jobsize": 8, "n": 1, "m": 1, "same": 3}, {"jobsize": 8, "n": 2, "m": 2, "same": 3, "only": 1}]
    assert choose_parameters(rows) == (("jobsize", "m"), {"n": "m"})
    assert choose_parameters([{"same": 3}, {"same": 3}]) == ((), {})
    assert choose_parameters([]) == ((), {})


def run_in(folder, name="x.log", processes=4):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(castep(processes=processes))
    return folder / name


def note(folder, text):
    (folder / "metadata.toml").write_text(text)


def test_what_is_nearer_to_the_profile_counts(tmp_path):
    log = run_in(tmp_path / "app.p4.r1" / "inner")
    note(tmp_path, 'machine = "alps"\ncompiler = "gcc 12"\ncommit = "a"\n')
    note(tmp_path / "app.p4.r1", 'compiler = "gcc 13"\ncommit = "b"\n')
    note(tmp_path / "app.p4.r1" / "inner", 'commit = "c"\n')
    assert noted_metadata(tmp_path, log) == {"machine": "alps", "compiler": "gcc 13", "commit": "c"}
    (run,) = discover(tmp_path).runs
    assert run.metadata["compiler"] == "gcc 13"


def test_nothing_above_the_directory_of_the_runs_counts(tmp_path):
    log = run_in(tmp_path / "study" / "app.p4.r1")
    note(tmp_path, 'machine = "alps"\n')
    assert noted_metadata(tmp_path / "study", log) == {}


def test_a_single_profile_takes_what_holds_for_all_runs(tmp_path):
    log = run_in(tmp_path / "app.p4.r1")
    note(tmp_path, 'machine = "alps"\n')
    note(log.parent, "nodes = 2\n")
    (run,) = discover(log).runs
    assert run.metadata == {"machine": "alps", "nodes": "2"}


def test_values_become_texts_in_one_line(tmp_path):
    log = run_in(tmp_path)
    note(tmp_path, 'e = " "\n"" = 1\na = "x\\ny"\nb = 12.5\nc = true\nd = 2026-11-22\n')
    assert noted_metadata(tmp_path, log) == {"a": "x y", "b": "12.5", "c": "true", "d": "2026-11-22"}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("machine = ", "is not valid TOML"),
        ("[machine]\nname = 'alps'\n", "toml:1: machine: is not a text, a number or a date"),
        ("machine = ['alps']\n", "toml:1: machine: is not a text, a number or a date"),
        ("a = 1" + "0" * 5000, "too many digits"),
        ("# " + "x" * (1 << 23), "larger than"),
        (b"machine = '\xff'".decode("latin-1"), ":1: is not UTF-8 text"),
    ],
)
def test_a_damaged_file_takes_no_run_down(tmp_path, text, what):
    for p in (4, 8):
        run_in(tmp_path / f"app.p{p}.r1", processes=p)
    (tmp_path / "metadata.toml").write_bytes(text.encode("latin-1"))
    found = discover(tmp_path)
    assert found.skipped == ()
    assert [run.metadata for run in found.runs] == [{}, {}]
    (notice,) = found.notices
    assert notice.startswith(f"metadata are not read: {tmp_path}/metadata.toml:")
    assert what in notice


def test_an_empty_file_notes_nothing(tmp_path):
    log = run_in(tmp_path)
    note(tmp_path, "")
    assert noted_metadata(tmp_path, log) == {}


def test_the_list_of_the_configuration_counts_before_files(tmp_path):
    logs = {p: run_in(tmp_path / f"a{p}", processes=p) for p in (4, 8)}
    note(tmp_path, 'machine = "alps"\ncompiler = "gcc"\n')
    runs = [RunSpec(log.parent, {"p": p}, metadata={"compiler": f"clang {p}"}) for p, log in logs.items()]
    found = discover(tmp_path, runs)
    assert [run.metadata for run in found.runs] == [
        {"machine": "alps", "compiler": "clang 4"},
        {"machine": "alps", "compiler": "clang 8"},
    ]
    attributes = found.runs[0].described({"Creator": "Score-P"})
    assert attributes == {
        "Creator": "Score-P",
        METADATA + "machine": "alps",
        METADATA + "compiler": "clang 4",
    }


def test_listed_runs_elsewhere_have_the_metadata_beside_them(tmp_path):
    log = run_in(tmp_path / "elsewhere")
    note(tmp_path / "elsewhere", 'machine = "alps"\n')
    (tmp_path / "study").mkdir()
    (run,) = discover(tmp_path / "study", [RunSpec(log, {"p": 4.0})]).runs
    assert run.metadata == {"machine": "alps"}
