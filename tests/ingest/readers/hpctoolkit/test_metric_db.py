"""Databases until 2021: ``experiment.xml`` and ``*.metric-db``."""

import struct

import numpy as np
import pytest

from ingest.errors import InputError
from ingest.profile import CPU
from ingest.readers import find_profile_reader, read_profile
from ingest.readers.hpctoolkit import files, matches, metric_db
from ingest.run_settings import RECONCILED, not_instrumented
from tests.ingest.readers.hpctoolkit_files import NODES, VALUES, write_database

RANKS = {(0, 0): 1.0, (1, 0): 2.0}
PATHS = [
    ("<program root>",),
    ("<program root>", "main"),
    ("<program root>", "main", "Loop@a.c:7"),
    ("<program root>", "main", "MPI_Send"),
]


def edited(database, *changes):
    """Change the text of a document."""
    file = database / "experiment.xml"
    text = file.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)
    return database


@pytest.mark.parametrize(("unit", "second"), [("usec", 1e6), ("sec", 1.0)])
def test_a_database(tmp_path, unit, second):
    profile = read_profile(write_database(tmp_path / "hpctoolkit-a-database", RANKS, unit=unit))
    assert profile.tree.paths(profile.regions.name) == PATHS
    own = np.array([0, 7e5, 4e5, 5e5]) / second
    np.testing.assert_allclose(profile.values("time"), np.stack([own, 2 * own], axis=1), atol=1e-9 / second)
    assert profile.metric("time").unit == "s"
    assert profile.regions.paradigm == ("sampling", "sampling", "sampling", "mpi")
    assert profile.regions.file == ("", "./a.c", "./a.c", "")
    assert profile.regions.line.tolist() == [-1, 5, 7, -1]
    assert profile.locations.process.tolist() == [0, 1]
    assert profile.notices == ("3 statements are counted with the functions and loops they belong to",)
    assert profile.attributes["generator"] == "HPCToolkit"
    assert not_instrumented(profile.attributes)


def test_the_sum_over_statements_is_compared_with_inclusive_values(tmp_path):
    profile = read_profile(write_database(tmp_path / "a", RANKS))
    assert profile.attributes[RECONCILED] == "time 4.8 s = 100.00 % of the 4.8 s on statements"
    values = list(VALUES)
    values[4] = (4e5, 3e5)
    profile = read_profile(write_database(tmp_path / "b", RANKS, values=values))
    assert profile.attributes[RECONCILED] == "time 4.8 s = 106.67 % of the 4.5 s on statements"


def test_regions_are_different_if_names_or_files_are(tmp_path):
    nodes = (
        '<PF i="1" l="3" f="1" n="1"><C i="2" l="4"><PF i="3" l="9" f="0" n="2"/></C>'
        '<Pr i="4" l="8" f="1" n="1"/><Pr i="5" l="0" f="1" n="3"><PF i="6" l="7" f="0" n="1"/></Pr>'
        '<PF i="7" l="5-9" f="1" n="3"/><S i="8" l="2">'
        '<C i="2" l="4"><PF i="9" l="1" f="0" n="2"/></C></S></PF>'
    )
    database = write_database(tmp_path / "a", {(0, 0): 1.0}, nodes=nodes)
    edited(database, ("</ProcedureTable>", '<Procedure i="3" n=""/></ProcedureTable>'))
    profile = read_profile(database)
    assert profile.tree.paths(profile.regions.name) == [
        ("main",),
        ("main", "MPI_Send"),
        ("main", "main"),
        ("main", "main"),  # in a procedure without a name
        ("main", "<unnamed>"),
        ("main", "a.c:2"),  # a statement that calls
        ("main", "a.c:2", "MPI_Send"),
    ]
    assert profile.tree.region.tolist() == [0, 1, 0, 2, 3, 4, 1]
    assert profile.regions.file == ("./a.c", "", "", "./a.c", "./a.c")
    assert profile.regions.line.tolist() == [3, 9, 7, 5, 2]
    assert profile.notices == ()


def test_threads_are_those_of_processes_and_streams_those_of_accelerators(tmp_path):
    threads = {(7, 0): 4.0, (3, 500): 3.0, (3, 499): 2.0, (3, 0): 1.0}
    profile = read_profile(write_database(tmp_path / "a", threads))
    assert profile.locations.process.tolist() == [0, 0, 0, 1]
    assert profile.locations.thread.tolist() == [0, 499, 500, 0]
    assert profile.locations.device.tolist() == [CPU, CPU, 0, CPU]
    inclusive = profile.values("time", inclusive=True)[0]
    np.testing.assert_allclose(inclusive, [1.6, 3.2, 4.8, 6.4])


def test_locations_are_in_the_order_of_ranks_whatever_programs_are_called(tmp_path):
    database = write_database(tmp_path / "a", RANKS)
    (file,) = database.glob("*-000000-000-*")
    file.rename(database / file.name.replace("1.a-", "1.z-"))
    assert read_profile(database).values("time", inclusive=True)[0].tolist() == pytest.approx([1.6, 3.2])


def test_processes_without_ranks_are_told_apart_by_their_numbers(tmp_path):
    database = write_database(tmp_path / "a", RANKS)
    for file in sorted(database.glob("*.metric-db")):
        file.rename(database / file.name.replace("-000001-", "-000000-"))
    assert read_profile(database).locations.process.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("written", "name", "unit", "scale"),
    [
        ("CPUTIME (usec)", "time", "s", 1e-6),
        ("CPUTIME (sec)", "time", "s", 1.0),
        ("REALTIME (usec)", "time", "s", 1e-6),
        ("WALLCLOCK (sec)", "time", "s", 1.0),
        ("CPUTIME (hours)", "time", "s", 3600.0),
        ("CPUTIME (ticks)", "CPUTIME", "ticks", 1.0),
        ("IDLE (sec)", "IDLE", "sec", 1.0),
        ("PAPI_TOT_CYC", "PAPI_TOT_CYC", "", 1.0),
        ("a&lt;b", "a<b", "", 1.0),
    ],
)
def test_metrics_by_name_and_unit(tmp_path, written, name, unit, scale):
    database = edited(write_database(tmp_path / "a", {(0, 0): 1.0}), ("CPUTIME (usec)", written))
    profile = read_profile(database)
    assert [(metric.name, metric.unit) for metric in profile.metrics] == [(name, unit)]
    assert profile.values(name, inclusive=True)[0, 0] == 16e5 * scale


def test_of_two_times_the_first_is_taken(tmp_path):
    database = write_database(tmp_path / "a", {(0, 0): 1.0})
    edited(database, ("CPUTIME (usec) (E)", "REALTIME (sec) (I)"))
    profile = read_profile(database)
    assert profile.values("time", inclusive=True)[0, 0] == pytest.approx(1.6)
    assert RECONCILED not in profile.attributes


def test_the_column_of_a_metric_is_the_one_that_it_states(tmp_path):
    database = write_database(tmp_path / "a", {(0, 0): 1.0})
    edited(database, ('(I)" t="x"', '(I)" db-id="1"'), ('(E)" t="x"', '(E)" db-id="0"'))
    assert read_profile(database).values("time", inclusive=True)[1, 0] == pytest.approx(1.1)


def test_inclusive_values_are_needed_and_exclusive_ones_alone_are_refused(tmp_path):
    database = edited(write_database(tmp_path / "a", RANKS), ("(I)", "(E)"))
    with pytest.raises(InputError, match="no inclusive metric"):
        read_profile(database)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"nodes": NODES.replace('i="9"', 'i="10"')}, "not one of the 9"),
        ({"nodes": NODES.replace('i="9"', 'i="0"')}, "not one of the 9"),
        ({"nodes": NODES.replace('i="9"', 'j="9"')}, "line 6: a node without a number"),
        ({"nodes": NODES.replace('f="1" n="1"', 'f="1" n="8"')}, "line 3: an undefined procedure"),
        ({"nodes": NODES.replace('f="1"', 'f="8"')}, "line 3: an undefined file"),
        ({"nodes": ""}, "do not match each other"),
        ({"values": [(1, 1, 1)] * 9}, "not the metrics of the metric-db files"),
        ({"nodes": NODES.replace('l="5"', f'l="{1 << 63}"')}, "line 3: an impossible source line"),
        ({"nodes": NODES + "<"}, "damaged XML"),
        ({"values": [*VALUES[:7], (np.inf, 1), VALUES[8]]}, "'time' is not finite, or too large"),
    ],
)
def test_what_is_damaged_is_refused(tmp_path, changes, error):
    with pytest.raises(InputError, match=error):
        read_profile(write_database(tmp_path / "a", RANKS, **changes))


def test_other_documents_and_entities_are_refused(tmp_path):
    database = write_database(tmp_path / "a", RANKS)
    edited(database, ("HPCToolkitExperiment", "cube"))
    with pytest.raises(InputError, match="line 2: the document is <cube>"):
        read_profile(database)
    edited(database, ("cube", "HPCToolkitExperiment"), ("?>\n", '?>\n<!DOCTYPE a [<!ENTITY b "c">]>'))
    with pytest.raises(InputError, match=r"line 2: it declares an entity \('b'\)"):
        read_profile(database)


def test_a_tree_may_be_deep(tmp_path):
    depth = 20_000
    nodes = '<PF i="1" l="0" f="0" n="1">' * depth + "</PF>" * depth
    assert len(read_profile(write_database(tmp_path / "a", RANKS, nodes=nodes)).tree) == depth


def test_files_that_are_cut_off_or_do_not_fit_are_refused(tmp_path):
    file = next(write_database(tmp_path / "a", RANKS).glob("*.metric-db"))
    file.write_bytes(file.read_bytes()[:-8])
    with pytest.raises(InputError, match="damaged, truncated or renamed"):
        read_profile(tmp_path / "a")


def test_databases_between_the_two_formats_are_refused(tmp_path):
    database = write_database(tmp_path / "a", {})
    with pytest.raises(InputError, match="no metric-db files"):
        read_profile(database)
    (database / "profile.db").touch()
    with pytest.raises(InputError, match="between its two formats"):
        read_profile(database)


def test_large_databases_are_refused_before_memory_is_taken(tmp_path, monkeypatch):
    monkeypatch.setattr(metric_db, "_MAX_VALUES", 7)
    with pytest.raises(InputError, match="too large for memory: 4 call paths on 2 threads"):
        read_profile(write_database(tmp_path / "a", RANKS))


@pytest.mark.parametrize(
    ("field", "value"), [("order", b"l"), ("nodes", 0), ("metrics", 0), ("nodes", -9), ("nodes", 8)]
)
def test_headers_that_say_something_else_are_refused(tmp_path, field, value):
    database = write_database(tmp_path / "a", RANKS)
    file = sorted(database.glob("*.metric-db"))[0]
    content = file.read_bytes()
    facts = {"order": b"b", "nodes": 9, "metrics": 2} | {field: value}
    file.write_bytes(content[:23] + struct.pack(">cii", *facts.values()) + content[32:])
    with pytest.raises(InputError, match=r"damaged, truncated or renamed since hpcprof wrote it"):
        read_profile(database)


def test_files_of_metrics_have_the_name_that_says_whose_they_are(tmp_path):
    database = write_database(tmp_path / "a", RANKS)
    file = sorted(database.glob("*.metric-db"))[0]
    file.rename(database / "other.metric-db")
    with pytest.raises(InputError, match=r"other\.metric-db: damaged, truncated or renamed"):
        read_profile(database)


def test_the_files_of_a_database(tmp_path):
    database = write_database(tmp_path / "a", RANKS)
    (database / "src").mkdir()
    names = [file.name for file in files(database)]
    assert names == ["experiment.xml", *sorted(file.name for file in database.glob("*.metric-db"))]
    assert len(names) == 3 and matches(database)
    assert find_profile_reader(database).name == "HPCToolkit"
    (database / "experiment.xml").unlink()
    assert not matches(database) and len(files(database)) == 2
