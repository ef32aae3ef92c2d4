"""CrayPat's reports as profiles."""

import textwrap

import pytest

from ingest.discovery import discover
from ingest.errors import InputError
from ingest.readers import craypat
from ingest.reduction import reduce_profile
from ingest.run_settings import NOT_RECORDED, RECONCILED, SAMPLED, STATISTIC, not_instrumented

from .reports import CRAYPAT, sampled, traced

FORMAT, FILE = "CrayPat", "RUNTIME.rpt"


def by_path(profile, metric="time"):
    """Values of a process; all have the same."""
    values = profile.values(metric)
    assert (values == values[:, :1]).all()
    paths = profile.tree.paths(profile.regions.name)
    return {path: pytest.approx(value) for path, value in zip(paths, values[:, 0], strict=True) if value}


SAMPLES = {
    ("USER", "solve<>"): 12,
    ("USER", "a_very_long_name_that_does_not_fit_into_one_line"): 3,
    ("USER", "USER (other)"): 1,
    ("MPI", "MPI_ALLREDUCE"): 2.5,
    ("BLAS", "BLAS (other)"): 1,
    ("(groups not listed)",): 0.5,
}


@pytest.mark.parametrize(
    "text",
    [
        sampled(),
        sampled(title="Table 1:\n  Profile by Function"),
        sampled(of="Avg of PE values"),
        "Time: 3 |\n" * 999 + sampled(),
    ],
)
def test_samples_are_seconds_and_what_is_not_listed_is_a_kernel(read, text):
    profile = read(text)
    assert by_path(profile) == SAMPLES
    assert profile.values("time").sum() == pytest.approx(1024 * 20)
    assert profile.locations.process.tolist() == list(range(1024))
    attributes = profile.attributes
    assert attributes["generator"] == "CrayPat 20.09.0"
    assert attributes[STATISTIC] == "mean of processes (1024 processes)"
    assert attributes[SAMPLED] == "yes"
    assert attributes[RECONCILED] == (
        "functions 17920 s = 87.50 % of the stated 20480 s; wall time of the processes 20992 s"
    )
    assert attributes["setting: executable"] == "a.exe"
    assert profile.notices == ("functions below the threshold of the report are in '(other)' of their group",)
    assert not_instrumented(attributes) == NOT_RECORDED


def test_groups_tell_what_functions_do(read):
    reduced = reduce_profile(read(sampled(processes="1")), ["time"])
    classes = (found.value for found in reduced.classes)
    times = dict(zip(classes, reduced.class_time.sum(axis=1).tolist(), strict=True))
    assert times["collective communication"] == pytest.approx(2.5)
    assert times["computation"] == pytest.approx(17.5)


def test_traced_reports_have_seconds_and_calls(read):
    profile = read(traced())
    assert by_path(profile) == {("USER", "solve"): 2.7, ("MPI_SYNC", "MPI_Allreduce(sync)"): 0.3}
    assert by_path(profile, "visits") == {("USER", "solve"): 10.5, ("MPI_SYNC", "MPI_Allreduce(sync)"): 1100}
    assert profile.values("time").sum() == pytest.approx(12)
    assert profile.attributes[SAMPLED] == "no"
    assert profile.attributes[RECONCILED] == "functions 12 s = 100.00 % of the stated 12 s"


def test_without_an_interval_samples_are_counted(read):
    profile = read(sampled(interval=False))
    assert [metric.name for metric in profile.metrics] == ["samples"]
    assert by_path(profile, "samples")["USER", "solve<>"] == 1200
    assert "numbers of samples, not seconds" in profile.notices[1]


@pytest.mark.parametrize("text", [sampled(), traced()])
def test_indented_reports_are_the_same(read, text):
    plain, indented = read(text), read(textwrap.indent(text, "    "))
    assert by_path(indented) == by_path(plain)
    assert len(indented.locations) == len(plain.locations)
    assert indented.attributes[RECONCILED] == plain.attributes[RECONCILED]


def test_a_table_of_functions_without_groups(read):
    rows = (
        "  Samp% | Samp | Function\n 100.0% | 9.0 | Total\n|  60.0% | 5.0 | f\n|| 10.0% | 9.0 | pe.1\n"
        "| 20.0% | 2.5 | g\nNotes for table 2:\n"
    )
    title = "Table 1:  Profile by Function\n"
    text = sampled(processes="1").replace(title, title + rows)
    assert by_path(read(text.replace("Profile by Group", "x"))) == {
        ("f",): 0.05,
        ("g",): 0.025,
        ("(groups not listed)",): pytest.approx(0.015),
    }


def test_rows_of_processes_are_no_functions_and_little_is_left(read):
    text = sampled(processes="1").replace(
        "|   5.0% |   100.0 |     -- |    -- | BLAS\n",
        ("|   7.5% |   149.9 |     -- |    -- | BLAS\n||   7.5% |   149.9 |     -- |    -- | pe.0\n"),
    )
    found = by_path(read(text))
    assert found["BLAS", "BLAS (other)"] == 1.499
    assert found["(groups not listed)",] == pytest.approx(0.001)


def test_threads_and_functions_that_exceed_their_group_are_noticed(read):
    text = sampled(threads="8").replace("| 1,200.0 |   30.7", "| 1,900.0 |   30.7")
    notices = read(text).notices
    assert notices[1:] == (
        "times are those of processes with 8 threads: a run holds 8 times as many cores",
        "rows exceed what they are parts of (USER): the sum is more than stated",
    )


def test_several_reports_of_one_run_count_once(tmp_path):
    for processes in (2, 4):
        run = tmp_path / f"p{processes}"
        run.mkdir()
        for name in ("RUNTIME.rpt", "all.rpt"):
            (run / name).write_text(sampled(processes=str(processes)))
        (run / "by_pe.rpt").write_text(
            sampled().partition("Table 1")[0] + "Table 1:  Load Balance\n\nLevel,Samp%,Samp,Group/PE\n"
            "0,100.0%,1768.0,Total\n1,88.4%,1563.4,USER\n"
        )
    found = discover(tmp_path)
    assert [(run.path.name, run.parameters) for run in found.runs] == [
        ("RUNTIME.rpt", (2,)),
        ("RUNTIME.rpt", (4,)),
    ]
    assert [skipped.reason for skipped in found.skipped] == ["the same measurement as RUNTIME.rpt"] * 2


def test_processes_are_a_parameter_if_names_have_none(tmp_path):
    for name, processes in (("a", "2"), ("b", "16")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "rpt").write_text(sampled(processes=processes))
    found = discover(tmp_path)
    assert [(found.parameters, run.parameters) for run in found.runs] == [(("p",), (2,)), (("p",), (16,))]


@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        ("| Total\n|---", "| All\n|---", "no profile table with a total in it; write it with: pat_report"),
        ("1,024", "999,999,999", "999999999 processes: more than any run has"),
        ("2,000.0", "2" * 300, "is not finite, or too large"),
    ],
)
def test_damaged_reports_are_refused(read, before, after, error):
    text = sampled()
    assert before in text
    with pytest.raises(InputError, match=error):
        read(text.replace(before, after, 1).replace("Profile by Group", "x"))


@pytest.mark.parametrize("cell", ["x%", '"' + "9" * 200_000])
def test_damaged_rows_of_csv_are_refused(tmp_path, cell):
    file = tmp_path / "x"
    file.write_text(
        sampled().replace("Table 1:", f"Table 1:  Profile by F\n\nLevel,Samp%,Samp,Group\n0,{cell},1,Total\n")
    )
    assert craypat.matches(file)
    with pytest.raises(InputError, match="damaged: "):
        craypat.read(file)


def test_other_files(tmp_path):
    file = tmp_path / "x"
    for text in ("", "CrayPat/X:  Version 1\n", CRAYPAT["traced"].replace("CrayPat/X", "Other")):
        file.write_text(text)
        assert not craypat.matches(file)
    assert not craypat.matches(tmp_path)
