"""Runs of several kinds, told by the texts that Adiak records in Caliper's profiles."""

import pytest

from ingest.discovery import discover
from ingest.locate import locate
from pipeline.stages.ingest import ingest

from .cali_files import exclusive
from .json_split_files import by_rank

SCALES = (2, 4, 8, 16)
OF_RUNS = "user launchdate executablepath hostname hostlist cmdline job_name working_directory libraries"


def write(folder, runs):
    """Write a file per run: its processes, and the texts it states."""
    folder.mkdir(exist_ok=True)
    for number, (processes, texts) in enumerate(runs):
        file = exclusive(1 / processes).globals(
            **{"jobsize": str(processes), "cluster": "a", "launchdate": f"day {number}", **texts}
        )
        file.write(folder / f"run-{number:02}.cali")
    return folder


def kinds(folder, *names):
    found = discover(folder)
    assert found.parameters == ("jobsize",)
    assert found.labels == names
    return [
        (run.parameters[0], *(run.metadata[name] for name in names), run.repetition) for run in found.runs
    ]


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("compiler", "clang 15.0.6", "gcc 12.2"),
        ("compiler version", "12.1", "12.2.0"),
        ("ProblemName", "sedov-3d", "noh2"),
        ("backend", "OpenMP", "sequential"),
    ],
)
def test_texts_that_differ_at_one_point_are_kinds(tmp_path, name, one, other):
    folder = write(tmp_path, [(p, {name: text}) for p in SCALES for text in (one, other, one)])
    expected = [(p, *of) for p in SCALES for of in ((one, 1), (one, 2), (other, 1))]
    assert sorted(kinds(folder, name)) == sorted(expected)
    read = ingest(locate(folder), "time")
    assert [run.metadata[name] for run in read.runs] == [one] * 8
    (said,) = (notice for notice in read.experiment.notices if "label" in notice)
    assert said == (
        f"{name} is a label, no number to model over: 8 runs with {name} = {one} are used, 4 runs with "
        f"{name} = {other} are left out; --group-by {name} makes a study of each"
    )


@pytest.mark.parametrize("name", OF_RUNS.split())
def test_when_where_and_by_whom_runs_were_made_is_no_kind(tmp_path, name):
    kinds(write(tmp_path, [(p, {name: text}) for p in SCALES for text in ("one", "other")]))


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("case", ("/a/in.x", "/b/in.x")),
        ("case", ("[a]", "[b]")),
        ("case", ("2026-01-02", "2026-01-03")),
        ("case", ("at 10:15", "at 11:15")),
        ("input", ("n0012", "n0013")),
        ("input", ("1.5", "2.5")),
        ("case", ("same", "same")),
    ],
)
def test_values_that_look_like_paths_lists_dates_and_hosts_are_no_kinds(tmp_path, name, texts):
    kinds(write(tmp_path, [(p, {name: text}) for p in SCALES for text in texts]))


def test_what_differs_in_each_run_is_no_kind(tmp_path):
    different = iter("abcdefgh")
    kinds(write(tmp_path, [(p, {"case": next(different)}) for p in SCALES for _ in (1, 2)]))


def test_what_follows_from_the_scale_is_no_kind_but_for_machine_and_compiler(tmp_path):
    sizes = write(tmp_path / "sizes", [(p, {"problem": f"{min(p, 8)}x8"}) for p in SCALES for _ in (1, 2)])
    kinds(sizes)
    of_machines = [(p, {"cluster": "a" if p < 8 else "b"}) for p in SCALES for _ in (1, 2)]
    assert len(kinds(write(tmp_path / "machines", of_machines), "cluster")) == 8
    each = [(p, {"compiler": f"gcc {p}"}) for p in SCALES for _ in (1, 2)]
    kinds(write(tmp_path / "each", each))


def test_texts_that_follow_from_others_are_not_named_again(tmp_path):
    both = (("gcc", "12.1", "fast"), ("clang", "15.0", "fast"), ("clang", "15.0", "exact"))
    runs = [
        (p, dict(zip(("compiler", "compiler_version", "mode"), of, strict=True)))
        for p in SCALES
        for of in both
    ]
    assert len(kinds(write(tmp_path, runs), "compiler", "mode")) == 12


def test_a_damaged_profile_and_a_text_that_some_do_not_state_hide_no_kinds(tmp_path):
    runs = [(p, {"compiler": text, **({"mode": text} if p > 2 else {})}) for p in SCALES for text in "ab"]
    folder = write(tmp_path, runs)
    for p in SCALES:
        exclusive().write(folder / f"x.p{p}.cali").write_text("__rec=node,id=1\n")
    assert len(kinds(folder, "compiler")) == 8


def test_json_split_states_them_too(tmp_path):
    for p in SCALES:
        for compiler in ("gcc", "clang"):
            (tmp_path / f"{compiler}-{p}.json").write_text(by_rank(jobsize=str(p), compiler=compiler))
    kinds(tmp_path, "compiler")


def test_names_of_runs_may_give_the_parameters(tmp_path):
    for p in SCALES:
        for repetition, compiler in enumerate(("gcc", "clang"), 1):
            file = exclusive().globals(compiler=compiler, launchdate=f"day {p} {repetition}")
            file.write(tmp_path / f"lulesh.p{p}.r{repetition}.cali")
    assert discover(tmp_path).labels == ("compiler",)
