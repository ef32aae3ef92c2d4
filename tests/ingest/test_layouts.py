"""Folders of Cube profiles as people lay them out: every profile states its processes."""

from itertools import count
from pathlib import Path

import numpy as np
import pytest

from ingest.discovery import discover
from ingest.errors import RunNameError
from ingest.readers.cubex import cubex_profile
from tests.cubex_writer import GroupSpec, MetricSpec, write_cubex
from tests.ingest.readers.craypat.reports import sampled

SCALES, REPETITIONS = (2, 4, 8), (1, 2)
NANOSECONDS = count()  # no two measurements are the same


def cubex(path: Path, processes: int, threads: int = 1) -> Path:
    """Write a profile of a program whose work is divided among its processes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = processes * threads
    share = np.full(columns, 8.0 / columns + 1e-9 * next(NANOSECONDS))
    return write_cubex(
        path,
        parent=[-1, 0, 0, 0, 0],
        regions=["main", "solve", "exchange", "assemble", "write"],
        metrics=[MetricSpec("time", np.array([0.1 * share, share, 0.2 * share, share, 0.3 * share]))],
        groups=[GroupSpec(rank, locations=("thread",) * threads) for rank in range(processes)],
    )


def told(folder: Path) -> tuple[tuple[str, ...], list[tuple[tuple[float, ...], int]]]:
    found = discover(folder)
    return found.parameters, [(run.parameters, run.repetition) for run in found.runs]


EACH = [(p, r) for p in SCALES for r in REPETITIONS]
NUMBERED = list(enumerate(EACH, start=1))
HASHES = ("3fa8c1", "b21d00", "99aa12", "cd03ff", "0e4f7b", "5512ea")
LAYOUTS = {
    "convention": {f"hpcg.p{p}.r{r}": p for p, r in EACH},
    "nodes": {f"{p // 2}node{'s' * (p > 2)}_rep{r}": p for p, r in EACH},
    "numbered runs": {f"run_{i:03}": p for i, (p, _) in NUMBERED},
    "jobs": {f"slurm-{123450 + 7 * i}": p for i, (p, _) in NUMBERED},
    "folders": {f"hpcg/ranks_{p}/rep_{r}": p for p, r in EACH},
    "words": {f"Scaling_{p}_processes/run{r}": p for p, r in EACH},
    "dates": {f"scorep-20240101_{1200 + i}_xyz{i}": p for i, (p, _) in NUMBERED},
    "clocks": {f"scorep-20240101_{1200 + i}_{98765432101234 - i}": p for i, (p, _) in NUMBERED},
    "short": {f"n{p}_r{r}": p for p, r in EACH},
    "padded": {f"np{p:02}-{r}": p for p, r in EACH},
    "experiments in jobs": {f"job{120 + i}/scorep_hpcg_{p}_sum": p for i, (p, _) in NUMBERED},
    "nodes and ranks": {f"N{p // 2}n{p}-r{r}": p for p, r in EACH},
    "prefix": {f"weak-scaling-p{p}-{r}": p for p, r in EACH},
    "in folders of a kind": {f"results/strong/{p}/rep{r}": p for p, r in EACH},
    "units after numbers": {f"{p}ranks.{r}": p for p, r in EACH},
    "seeds": {f"{p}ranks-seed{10 + r}": p for p, r in EACH},
    "hashes": {f"{HASHES[i - 1]}/scorep-20240101_1200_{i}": p for i, (p, _) in NUMBERED},
    "job numbers in names": {f"hpcg_{p}_{4711234 + i}": p for i, (p, _) in NUMBERED},
}


def test_each_profile_is_read_once_to_find_what_names_mean(tmp_path, monkeypatch):
    opened = []
    plain = cubex_profile.open_container
    monkeypatch.setattr(cubex_profile, "open_container", lambda path: opened.append(path) or plain(path))
    for p in SCALES:
        cubex(tmp_path / f"n{p}" / "profile.cubex", p)
    assert told(tmp_path)[0] == ("p",)
    assert len(opened) == len(SCALES)
    cubex(tmp_path / "n8" / "profile.cubex", 16)
    assert told(tmp_path) == (("p",), [((2.0,), 1), ((4.0,), 1), ((16.0,), 1)])  # what changed is read again


@pytest.mark.parametrize("names", LAYOUTS.values(), ids=list(LAYOUTS))
def test_processes_and_repetitions_are_found(tmp_path, names):
    for name, p in names.items():
        cubex(tmp_path / name / "profile.cubex", p)
    assert told(tmp_path) == (("p",), [((float(p),), r) for p, r in EACH])


ONCE = {
    "numbers": {f"{p}": p for p in SCALES},
    "letter": {f"p{p}": p for p in SCALES},
    "files": {f"profile_{p}.cubex": p for p in SCALES},
    "nothing": dict(zip(("small", "medium", "large"), SCALES, strict=True)),
    "numbered from nothing": {f"c{i:02}": p for i, p in enumerate(SCALES)},
}


@pytest.mark.parametrize("names", ONCE.values(), ids=list(ONCE))
def test_processes_are_found_without_repetitions(tmp_path, names):
    for name, p in names.items():
        place = tmp_path / name
        cubex(place if place.suffix else place / "profile.cubex", p)
    assert told(tmp_path) == (("p",), [((float(p),), 1) for p in SCALES])


@pytest.mark.parametrize(
    "name", ["strong/{p}x{t}", "mpi {p} omp {t}", "scorep_lulesh_{p}x{t}_sum", "run-{i}"]
)
def test_processes_and_threads_are_found(tmp_path, name):
    for i, (p, t) in enumerate([(2, 1), (2, 2), (4, 1), (4, 2)]):
        cubex(tmp_path / name.format(p=p, t=t, i=i) / "profile.cubex", p, t)
    assert told(tmp_path) == (("p", "t"), [((p, t), 1) for p in (2.0, 4.0) for t in (1.0, 2.0)])


def test_what_else_names_give_is_a_parameter(tmp_path):
    for p, n, r in [(p, n, r) for p in SCALES for n in (100, 200) for r in REPETITIONS]:
        cubex(tmp_path / f"lu-size_{n}-{p}ranks-run_{r}" / "profile.cubex", p)
    parameters, runs = told(tmp_path)
    assert parameters == ("p", "size")
    assert runs == [((p, n), r) for p in SCALES for n in (100, 200) for r in REPETITIONS]


def test_processes_of_a_node_follow_from_processes_and_nodes(tmp_path):
    for nodes, of_each in [(nodes, of_each) for nodes in (1, 2, 4) for of_each in (2, 4)]:
        cubex(tmp_path / f"N{nodes}_ppn{of_each}" / "profile.cubex", nodes * of_each)
    parameters, runs = told(tmp_path)
    assert parameters == ("p", "N")
    assert [point for point, _ in runs] == [(2, 1), (4, 1), (4, 2), (8, 2), (8, 4), (16, 4)]


def test_what_was_decided_is_said_in_one_line(tmp_path):
    for p in SCALES:
        cubex(tmp_path / f"{p}nodes" / "profile.cubex", 2 * p)
    assert discover(tmp_path).notices == (
        "parameters from the profiles, names do not give them: p is the number of processes in the profile;"
        " nodes in the names (2 to 8) follows from p: left out; `pipeline inspect DIR --propose` lists the"
        " runs to change it",
    )


@pytest.mark.parametrize("name", ["{k}/{p}", "a/{k}/{p}", "{p}ranks_{k}", "lu-{k}.p{p}"])
def test_runs_of_several_kinds_are_not_averaged(tmp_path, name):
    for p, kind in [(p, kind) for p in SCALES for kind in ("strong", "weak")]:
        cubex(tmp_path / name.format(p=p, k=kind) / "profile.cubex", p)
    found = discover(tmp_path)
    assert (found.parameters, found.labels) == (("p",), ("kind",))
    assert [(run.metadata["kind"], run.parameters, run.repetition) for run in found.runs] == [
        (kind, (p,), 1) for p in SCALES for kind in ("strong", "weak")
    ]
    assert "one study" not in " ".join(found.notices)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("app-1.2.{v}.p{p}", "1.2.{v}"),
        ("app-1.2.{v}_{p}", "1.2.{v}"),
        ("app-v{v}.p{p}.r1", "v{v}"),
    ],
)
def test_versions_in_names_are_kinds(tmp_path, name, kind):
    for p, version in [(p, version) for p in SCALES for version in (1, 2)]:
        cubex(tmp_path / name.format(p=p, v=version) / "profile.cubex", p)
    found = discover(tmp_path)
    assert (found.parameters, found.labels) == (("p",), ("kind",))
    told = {(run.path.parent.name, run.metadata["kind"], run.repetition) for run in found.runs}
    assert told == {
        (name.format(p=p, v=version), kind.format(v=version), 1) for p in SCALES for version in (1, 2)
    }


def test_a_version_of_some_runs_is_no_parameter(tmp_path):
    for name, p in (("eam-v1.p2.r1", 2), *((f"eam.p{p}.r1", p) for p in SCALES)):
        cubex(tmp_path / name / "profile.cubex", p)
    found = discover(tmp_path)
    assert (found.parameters, found.labels) == (("p",), ("kind",))
    assert [run.path.parent.name for run in found.runs if run.metadata["kind"] == "eam"] == [
        f"eam.p{p}.r1" for p in SCALES
    ]


def test_kinds_of_one_point_each_are_refused_with_their_names(tmp_path):
    for name in ("abl-stable.p4.r1", "abl-unstable.p4.r1"):
        cubex(tmp_path / name / "profile.cubex", 4)
    with pytest.raises(RunNameError, match="kinds have the same parameters: 'stable' and 'unstable'"):
        discover(tmp_path)
    for kind, p in (("opt", 2), ("opt", 2), ("debug", 2), ("debug", 2), ("other", 8)):
        cubex(tmp_path / "more" / f"lu_{kind}" / f"{p}" / "profile.cubex", p)
    with pytest.raises(RunNameError, match="of several kinds have the same parameters: 'debug' and 'opt'"):
        discover(tmp_path / "more")


def test_random_texts_are_no_kinds(tmp_path):
    for p, text in zip((2, 2, 4), ("QkNvA", "mvRBX", "xUOJV"), strict=True):
        cubex(tmp_path / text / "profile.cubex", p)
    assert told(tmp_path) == (("p",), [((2,), 1), ((2,), 2), ((4,), 1)])


@pytest.mark.parametrize("names", [("small", "large"), ("hpcg_64", "hpcg_128"), ("a.p8", "a.p16", "job")])
def test_names_that_do_not_tell_what_varied_are_refused(tmp_path, names):
    for name in names:
        cubex(tmp_path / name / "profile.cubex", 4)
    with pytest.raises(RunNameError, match="--propose"):
        discover(tmp_path)


def test_numbers_that_do_not_vary_and_numbers_of_files_are_no_parameters(tmp_path):
    for i, p in enumerate(SCALES):
        cubex(tmp_path / "constant" / f"al3x3_p1-{i}" / "profile.cubex", p)
        cubex(tmp_path / "counted" / f"part{i + 1}" / "profile.cubex", 4)
        cubex(tmp_path / "padded" / f"c{i:02}.n{8 * p}" / "profile.cubex", 4)
    assert told(tmp_path / "constant") == (("p",), [((p,), 1) for p in SCALES])
    assert told(tmp_path / "counted") == (("p",), [((4,), r) for r in (1, 2, 3)])
    assert told(tmp_path / "padded") == (("n",), [((8 * p,), 1) for p in SCALES])


def test_reports_of_craypat_lie_where_it_writes_them(tmp_path):
    for p in SCALES:
        folder = tmp_path / f"job_{p}" / f"solver+{100 * p}-5s" / "rpt-files"
        folder.mkdir(parents=True)
        (folder / "RUNTIME.rpt").write_text(sampled(processes=str(p)))
    assert told(tmp_path) == (("p",), [((p,), 1) for p in SCALES])


@pytest.mark.parametrize(
    "name", ["case{k}.p{p}.r{r}", "{p}ranks/flag_{k}/rep{r}", "lu_solverType{k}-{p}-{r}"]
)
def test_labels_are_no_numbers(tmp_path, name):
    for p, k, r in [(p, k, r) for p in SCALES for k in (0, 1) for r in REPETITIONS]:
        cubex(tmp_path / name.format(p=p, k=k, r=r) / "profile.cubex", p)
    found = discover(tmp_path)
    assert found.parameters == ("p",) and len(found.labels) == 1
    kinds = [[run for run in found.runs if run.metadata[found.labels[0]] == kind] for kind in "01"]
    for runs in kinds:
        assert [(run.parameters, run.repetition) for run in runs] == [((p,), r) for p, r in EACH]
