import os
import random
import zipfile
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.discovery import discover
from ingest.errors import InputError, RunNameError
from ingest.profile_search import search_profiles
from ingest.readers.hpctoolkit.profile_db import MAGIC
from ingest.run_names import RunSpec
from tests.foam_cases import solver, write_profiling

MICROSECONDS = count()  # no two measurements are the same


def case(folder: Path) -> Path:
    write_profiling(folder, "0.1", solver("c", 1.0 + 1e-6 * next(MICROSECONDS)))
    return folder


def study(directory: Path, *names: str) -> Path:
    for name in random.sample(names, len(names)):
        case(directory / name)
    return directory


def told(discovery):
    return [(run.path.name, run.parameters, run.repetition) for run in discovery.runs]


def test_an_image_is_no_profile_whatever_it_is_called(tmp_path):
    study(tmp_path, "c.p8.r1")
    (tmp_path / "c.p16.r1.cali").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    found = discover(tmp_path)
    assert [run.path.name for run in found.runs] == ["c.p8.r1"]
    assert [(one.path.name, one.reason) for one in found.skipped] == [("c.p16.r1.cali", "not a profile")]


def test_runs_are_sorted_by_parameters_then_repetition(tmp_path):
    found = discover(study(tmp_path, "c.p8.n1.r1", "c.p16.n1.r2", "c.p16.n1.r1", "c.p16.n0,5.r1"))
    assert found.parameters == ("p", "n")
    assert told(found) == [
        ("c.p8.n1.r1", (8.0, 1.0), 1),
        ("c.p16.n0,5.r1", (16.0, 0.5), 1),
        ("c.p16.n1.r1", (16.0, 1.0), 1),
        ("c.p16.n1.r2", (16.0, 1.0), 2),
    ]
    assert {run.reader.name for run in found.runs} == {"OpenFOAM"}
    assert found.skipped == ()
    assert found.notices == ()


def test_unnamed_and_taken_repetitions_get_free_numbers(tmp_path):
    found = discover(study(tmp_path, "p4", "c.p4.r1", "c.p4.r3", "c.p4"))
    assert told(found) == [
        ("c.p4.r1", (4.0,), 1),
        ("c.p4", (4.0,), 2),
        ("c.p4.r3", (4.0,), 3),
        ("p4", (4.0,), 4),
    ]


def test_several_profiles_in_one_run_folder_are_repetitions(tmp_path):
    study(tmp_path / "c.p4.r1", "first", "second")
    study(tmp_path, "c.p8.r1")
    assert told(discover(tmp_path)) == [("first", (4.0,), 1), ("second", (4.0,), 2), ("c.p8.r1", (8.0,), 1)]


def test_profiles_may_lie_in_an_experiment_folder(tmp_path):
    study(tmp_path, "c.p4.r1/scorep-20240101_1200_1", "c.p8.r1/scorep-20240101_1201_2")
    assert [run.parameters for run in discover(tmp_path).runs] == [(4.0,), (8.0,)]


def test_what_is_derived_from_a_profile_is_no_repetition(tmp_path):
    for name in ("profile.cubex", "summary.cubex", "scout.cubex"):
        for run in ("c.p4", "c.p8"):
            (tmp_path / run).mkdir(exist_ok=True)
            (tmp_path / run / name).write_text(f"{run}/{name}")
    found = discover(tmp_path)
    assert [run.path.name for run in found.runs] == ["profile.cubex"] * 2
    assert [skipped.path.name for skipped in found.skipped] == ["scout.cubex", "summary.cubex"] * 2
    assert "derived" in found.skipped[0].reason


def test_other_files_and_folders_are_skipped_and_reported(tmp_path):
    study(tmp_path, "c.p4.r1", "c.p8.r1")
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "empty").mkdir()
    (tmp_path / ".hidden").mkdir()
    found = discover(tmp_path)
    assert len(found.runs) == 2
    assert [(s.path.name, s.reason) for s in found.skipped] == [
        ("empty", "contains no profile"),
        ("notes.txt", "not a profile"),
    ]


def test_files_beside_each_other_are_runs(tmp_path):
    for name in ("c.p4.cubex", "c.p8.cubex"):
        (tmp_path / name).write_text(name)
    assert told(discover(tmp_path)) == [("c.p4.cubex", (4.0,), 1), ("c.p8.cubex", (8.0,), 1)]


def test_files_named_profile_are_repetitions(tmp_path):
    for name in ("profile1.cubex", "profile2.cubex"):
        (tmp_path / name).write_text(name)
    found = discover(tmp_path)
    assert found.parameters == ()
    assert [run.repetition for run in found.runs] == [1, 2]


def test_a_single_profile_needs_no_name(tmp_path):
    alone = case(tmp_path / "study" / "whatever")
    for path in (alone, alone.parent):
        found = discover(path)
        assert found.parameters == ()
        assert [(run.path, run.parameters, run.repetition) for run in found.runs] == [(alone, (), 1)]


def test_a_single_run_keeps_the_parameters_of_its_name(tmp_path):
    found = discover(study(tmp_path, "c.p4.r2"))
    assert found.parameters == ("p",)
    assert told(found) == [("c.p4.r2", (4.0,), 2)]


@pytest.mark.parametrize(
    ("names", "what"),
    [
        (("mm.x1y1wrong1", "x10y1z1"), ("x=1, y=1, wrong=1", "x=10, y=1, z=1")),
        (("mm.y1x1z1", "x10y1z1"), ("y=1, x=1, z=1", "x=10, y=1, z=1")),
        (("c.p4", "c.r2"), ("'c.p4' as p=4", "'c.r2' as repetition 2")),
        (("c.p4", "c.pfour"), ("cannot read 'pfour'",)),
        (("a4b.p4", "a8b.p4"), ("a parameter hidden in the leading name 'a4b'",)),
        (("strong/c.p4", "strong/c.p8", "weak/c.p4"), ("one folder too deep",)),
        (("Random-p4", "Fixed-p4"), ("of several kinds", "'Fixed' and 'Random'")),
    ],
)
def test_runs_that_do_not_agree_are_refused(tmp_path, names, what):
    with pytest.raises(RunNameError) as caught:
        discover(study(tmp_path, *names))
    for part in what:
        assert part in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_different_leading_names_are_reported(tmp_path):
    found = discover(study(tmp_path, "hpcg.p4", "lulesh.p8"))
    assert found.notices == ("runs with different leading names are read as one study: hpcg, lulesh",)


def test_no_profile_says_what_was_looked_for(tmp_path):
    with pytest.raises(InputError, match=r"no profile found: it is empty$"):
        discover(tmp_path)
    for number in range(20):
        (tmp_path / f"note{number}").write_text("x")
    with pytest.raises(
        InputError, match=r"in its 20 entries \(note0, note1, note10, \.\.\.\); known: [0-9]+ formats"
    ):
        discover(tmp_path)
    for name in ("run.p1.zip", "run.p2.zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("x", "y")
    with pytest.raises(InputError, match=r"but 2 archives \(run.p1.zip, run.p2.zip\); unpack it: unzip run"):
        discover(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        discover(tmp_path / "missing")
    (tmp_path / "text").write_text("x")
    with pytest.raises(InputError, match="not a profile in a known format"):
        discover(tmp_path / "text")


@pytest.mark.parametrize("name", ["log.txt", "log.json"])
def test_a_file_of_an_unknown_format_is_called_so_whatever_its_ending_is(tmp_path, name):
    (tmp_path / name).write_text("{\n}" if name.endswith("json") else "****\n*** the program 2.0\n")
    with pytest.raises(InputError, match=rf"{name}: not a profile in a known format; known: [0-9]+ formats"):
        discover(tmp_path / name)


def test_a_file_of_a_database_names_the_directory_to_give(tmp_path):
    (tmp_path / "meta.db").write_bytes(MAGIC + b"meta" + bytes(100))
    with pytest.raises(InputError, match=rf"it is a part .* \(HPCToolkit\); give the directory {tmp_path}$"):
        discover(tmp_path / "meta.db")


def test_circles_of_links_end(tmp_path):
    study(tmp_path, "c.p4", "c.p8")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "up").mkdir()
    (tmp_path / "up" / "again").symlink_to(tmp_path / "up")
    found = discover(tmp_path)
    assert len(found.runs) == 2
    assert {skipped.path.name for skipped in found.skipped} == {"loop", "up"}


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_may_not_be_read_is_skipped(tmp_path):
    study(tmp_path, "c.p4", "c.p8")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    assert "cannot be listed" in discover(tmp_path).skipped[0].reason


POINTS = st.tuples(st.sampled_from([1, 2, 16, 0.5]), st.sampled_from([8, 20.5]))
RUNS = st.lists(st.tuples(POINTS, st.none() | st.integers(0, 4), st.booleans()), min_size=2, max_size=7)


@settings(max_examples=60, deadline=None)
@given(RUNS, st.sampled_from(["hpcg.", ""]), st.randoms())
def test_any_study_is_found_complete_sorted_and_without_two_equal_runs(
    tmp_path_factory, drawn, prefix, random
):
    directory = tmp_path_factory.mktemp("study")
    named = {}
    for (p, n), repetition, in_folder in drawn:
        number = f"{p}".replace(".", random.choice(".,"))
        name = f"{prefix}p{number}.n{n}" + ("" if repetition is None else f".r{repetition}")
        path = directory / name / "profile.cubex" if in_folder else directory / f"{name}.cubex"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"")
        named[path] = (float(p), float(n)), repetition
    found = discover(directory)
    assert found.parameters == ("p", "n")
    assert {run.path: run.parameters for run in found.runs} == {
        path: point for path, (point, _) in named.items()
    }
    keys = [(run.parameters, run.repetition) for run in found.runs]
    assert keys == sorted(keys) and len(set(keys)) == len(keys)
    given_names = [(point, repetition) for point, repetition in named.values() if repetition is not None]
    assert set(given_names) <= set(keys)
    for point in {point for point, _ in keys}:
        taken = {repetition for given_point, repetition in given_names if given_point == point}
        others = sorted({repetition for key, repetition in keys if key == point} - taken)
        free = (number for number in count(1) if number not in taken)
        assert others == [next(free) for _ in others]


class TestListedRuns:
    def test_they_win_over_names(self, tmp_path):
        study(tmp_path, "a.p4", "b.p4", "c.p4")
        found = discover(
            tmp_path,
            [
                RunSpec(Path("b.p4"), {"n": 2, "m": 1}),
                RunSpec(tmp_path / "a.p4", {"m": 1, "n": 1}, repetition=7),
            ],
        )
        assert found.parameters == ("n", "m")
        assert told(found) == [("a.p4", (1.0, 1.0), 7), ("b.p4", (2.0, 1.0), 1)]

    def test_a_folder_with_several_profiles_is_repetitions(self, tmp_path):
        study(tmp_path / "runs", "x", "y")
        found = discover(tmp_path, [RunSpec(Path("runs"), {"p": 4})])
        assert told(found) == [("x", (4.0,), 1), ("y", (4.0,), 2)]

    def test_different_parameters_are_refused(self, tmp_path):
        study(tmp_path, "a", "b")
        with pytest.raises(InputError, match="lists the parameters n, others list p"):
            discover(tmp_path, [RunSpec(Path("a"), {"p": 1}), RunSpec(Path("b"), {"n": 1})])

    def test_a_missing_profile_is_refused(self, tmp_path):
        (tmp_path / "empty").mkdir()
        with pytest.raises(InputError, match="contains no profile"):
            discover(tmp_path, [RunSpec(Path("empty"), {"p": 1})])
        with pytest.raises(InputError, match="no such file"):
            discover(tmp_path, [RunSpec(Path("gone"), {"p": 1})])


def test_folders_that_cannot_be_listed(tmp_path, monkeypatch):
    study(tmp_path, "c.p4", "c.p8")
    closed = tmp_path / "closed"
    closed.mkdir()
    listed = Path.iterdir

    def forbidden(path):
        if path in hidden:
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", forbidden)
    hidden = [closed]
    found = discover(tmp_path)
    assert len(found.runs) == 2
    assert [(s.path, s.reason) for s in found.skipped] == [(closed, "cannot be listed: Permission denied")]
    hidden = [tmp_path]
    with pytest.raises(InputError, match="cannot be listed: Permission denied"):
        search_profiles(tmp_path)


def test_profiles_are_searched_four_folders_deep_and_no_deeper(tmp_path):
    study(tmp_path, "c.p4/a/b/c/d", "c.p8/a")
    assert [run.parameters for run in discover(tmp_path).runs] == [(4.0,), (8.0,)]
    study(tmp_path / "deep", "c.p4/a/b/c/d/e")
    with pytest.raises(InputError, match="no profile found"):
        discover(tmp_path / "deep")


def test_a_profile_in_a_folder_hides_those_below_it(tmp_path):
    (tmp_path / "c.p4" / "more").mkdir(parents=True)
    for path in ("c.p4/profile.cubex", "c.p4/more/other.cubex"):
        (tmp_path / path).write_bytes(b"")
    assert [run.path.name for run in discover(tmp_path).runs] == ["profile.cubex"]


@pytest.mark.parametrize("name", ["summary.cubex", "scout.cubex", "trace.cubex", "remap.cubex"])
def test_a_derived_profile_counts_if_the_original_is_not_there(tmp_path, name):
    (tmp_path / "c.p4").mkdir()
    (tmp_path / "c.p4" / name).write_bytes(b"")
    assert [run.path.name for run in discover(tmp_path).runs] == [name]


def test_names_of_files_are_read_without_their_ending_and_those_of_folders_with_it(tmp_path):
    (tmp_path / "c.p4.n2").mkdir()
    for path in ("c.p4.n2/profile.cubex", "c.p8.n4.cubex"):
        (tmp_path / path).write_bytes(b"")
    assert [run.parameters for run in discover(tmp_path).runs] == [(4.0, 2.0), (8.0, 4.0)]


def test_numbers_name_files_but_not_folders_and_not_at_any_length(tmp_path):
    for name in ("2.cubex", "16.cubex"):
        (tmp_path / name).write_bytes(b"")
    assert [run.parameters for run in discover(tmp_path).runs] == [(2.0,), (16.0,)]
    (tmp_path / ("9" * 13 + ".cubex")).write_bytes(b"")
    with pytest.raises(RunNameError, match="cannot read '9999999999999'"):
        discover(tmp_path)
    (tmp_path / "folders").mkdir()
    with pytest.raises(RunNameError, match="cannot read '2'"):
        discover(study(tmp_path / "folders", "2", "4"))


def test_profile_as_a_name_says_nothing_unless_another_one_does(tmp_path):
    for name in ("profile.cubex", "profile2.cubex"):
        (tmp_path / name).write_bytes(b"")
    assert discover(tmp_path).parameters == ()
    (tmp_path / "p4.cubex").write_bytes(b"")
    with pytest.raises(RunNameError, match="cannot read 'profile'"):
        discover(tmp_path)


def test_leading_names_with_digits_may_differ_in_nothing_else(tmp_path):
    found = discover(study(tmp_path, "mm2d.p4", "mm2d.p8"))
    assert found.parameters == ("p",) and found.notices == ()


def test_examples_of_names_that_disagree_are_few(tmp_path):
    with pytest.raises(RunNameError) as caught:
        discover(study(tmp_path, "a1", "b1", "c1", "d1", "e1"))
    assert str(caught.value).count(" as ") == 4
