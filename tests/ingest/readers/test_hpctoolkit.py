import importlib.util
import multiprocessing
import struct
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from ingest.errors import InputError
from ingest.readers import find_profile_reader, read_profile
from ingest.readers.hpctoolkit import files, matches

from .hpctoolkit_files import NODES, VALUES, write_database

RANKS = {(0, 0): 1.0, (1, 0): 2.0}


class Node:
    def __init__(self, parent=None):
        self.parents, self.children = [parent] if parent else [], []
        if parent:
            parent.children.append(self)


def frame():
    """Return what Hatchet makes of the database that is written here."""
    root = Node()
    main = Node(root)
    loop = Node(main)
    nodes = [root, main, loop, Node(loop), Node(main), send := Node(main), Node(send)]
    names = ["<program root>", "main", "Loop@a.c:7", "a.c:8", "a.c:6", "9:MPI_Send", "<unknown file>:0"]
    types = ["PF", "PF", "L", "S", "S", "PF", "S"]
    files = ["<unknown file>", *["./a.c"] * 4, "<unknown file>", "<unknown file>"]
    rows = [
        {
            "node": nodes[i],
            "rank": rank,
            "time (inc)": factor * VALUES[number - 1][0],
            "name": names[i],
            "type": types[i],
            "file": files[i],
            "line": i,
        }
        for i, number in enumerate((1, 3, 4, 5, 6, 8, 9))
        for (rank, _), factor in RANKS.items()
    ]
    graph = SimpleNamespace(traverse=lambda order: iter(nodes))
    return SimpleNamespace(graph=graph, dataframe=pd.DataFrame(rows).set_index(["node", "rank"]))


@pytest.fixture(params=["package", "stand-in"])
def hatchet(request, monkeypatch):
    """The package where it is installed, and a stand-in for it everywhere."""
    if request.param == "stand-in":
        reader = SimpleNamespace(from_hpctoolkit=lambda path: frame())
        monkeypatch.setitem(sys.modules, "hatchet", SimpleNamespace(GraphFrame=reader))
    elif importlib.util.find_spec("hatchet") is None:
        pytest.skip("the extra 'hatchet' is not installed")


@pytest.mark.usefixtures("hatchet")
@pytest.mark.parametrize(("unit", "second"), [("usec", 1e6), ("sec", 1.0)])
def test_a_database(tmp_path, unit, second):
    profile = read_profile(write_database(tmp_path / "hpctoolkit-a-database", RANKS, unit=unit))
    assert profile.tree.paths(profile.regions.name) == [
        ("<program root>",),
        ("<program root>", "main"),
        ("<program root>", "main", "Loop@a.c:7"),
        ("<program root>", "main", "MPI_Send"),
    ]
    own = np.array([0, 7e5, 4e5, 5e5]) / second
    np.testing.assert_allclose(profile.values("time"), np.stack([own, 2 * own], axis=1))
    assert profile.metric("time").unit == "s"
    assert profile.regions.paradigm == ("compiler", "compiler", "compiler", "mpi")
    assert profile.regions.file == ("", "./a.c", "./a.c", "")
    assert profile.locations.process.tolist() == [0, 1]
    assert profile.notices == ("3 statements are counted with the functions and loops they belong to",)


@pytest.mark.usefixtures("hatchet")
@pytest.mark.parametrize("line", [1 << 63, 1 << 64])
def test_a_line_beyond_all_files_is_refused(tmp_path, line, monkeypatch):
    module = sys.modules.get("hatchet")
    if isinstance(module, SimpleNamespace):
        damaged = frame()
        damaged.dataframe["line"] = line
        monkeypatch.setattr(module.GraphFrame, "from_hpctoolkit", lambda path: damaged)
    database = write_database(tmp_path / "a", RANKS, nodes=NODES.replace('l="5"', f'l="{line}"'))
    with pytest.raises(InputError, match="an impossible source line"):
        read_profile(database)


@pytest.mark.usefixtures("hatchet")
def test_a_metric_that_the_package_does_not_know_by_its_name_is_refused(tmp_path):
    database = write_database(tmp_path / "a", RANKS)
    file = database / "experiment.xml"
    file.write_bytes(file.read_bytes().replace(b"CPUTIME", b"CPUTI\rE"))
    with pytest.raises(InputError, match=r"Hatchet gives no values of 'CPUTI\\rE'"):
        read_profile(database)


@pytest.mark.usefixtures("hatchet")
def test_no_processes_are_started(tmp_path, monkeypatch):
    monkeypatch.setattr("multiprocessing.Pool", None)
    monkeypatch.setattr("multiprocessing.context.BaseContext.Pool", None)
    assert len(read_profile(write_database(tmp_path / "a", RANKS)).locations) == len(RANKS)
    reader = sys.modules.get("hatchet.readers.hpctoolkit_reader")
    assert reader is None or reader.shared_metrics is None
    assert reader is None or reader.mp is multiprocessing


def test_without_the_package_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "hatchet", None)
    with pytest.raises(InputError, match=r"need the package llnl-hatchet; pip install .*\[hatchet\]"):
        read_profile(write_database(tmp_path / "a", RANKS))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"nodes": NODES.replace('i="9"', 'i="10"')}, "not one of the 9"),
        ({"nodes": NODES.replace('i="9"', 'j="9"')}, "not one of the 9"),
        ({"nodes": ""}, "do not match each other"),
        ({"unit": "a) (b"}, "no inclusive metric"),
        ({"values": [(1, 1, 1)] * 9}, "not the metrics of the metric-db files"),
    ],
)
def test_what_would_lead_the_package_astray_is_refused_before(tmp_path, changes, told):
    with pytest.raises(InputError, match=told):
        read_profile(write_database(tmp_path / "a", RANKS, **changes))


def test_files_that_are_cut_off_or_do_not_fit_are_refused(tmp_path):
    file = next(write_database(tmp_path / "a", RANKS).glob("*.metric-db"))
    file.write_bytes(file.read_bytes()[:-8])
    with pytest.raises(InputError, match="damaged, truncated or renamed"):
        read_profile(tmp_path / "a")


def test_newer_databases_are_known_and_refused(tmp_path):
    (tmp_path / "meta.db").touch()
    assert find_profile_reader(tmp_path).name == "HPCToolkit"
    with pytest.raises(InputError, match="since 2022"):
        read_profile(tmp_path)


@pytest.mark.parametrize("error", [KeyError("7"), NameError("a"), ValueError("1"), RecursionError("deep")])
def test_what_the_package_stumbles_over_is_told_in_one_line(tmp_path, monkeypatch, error):
    def stumble(path):
        raise error

    module = SimpleNamespace(GraphFrame=SimpleNamespace(from_hpctoolkit=stumble))
    monkeypatch.setitem(sys.modules, "hatchet", module)
    with pytest.raises(InputError, match="damaged: "):
        read_profile(write_database(tmp_path / "a", RANKS))


def stand_in(monkeypatch, make):
    """Put a function in the place of the package's reader."""
    module = SimpleNamespace(GraphFrame=SimpleNamespace(from_hpctoolkit=make))
    monkeypatch.setitem(sys.modules, "hatchet", module)


def rows_of(nodes, facts, values, **columns):
    """Return a frame: per node its name, type, file and line, and one value for each row of `columns`."""
    count = len(next(iter(columns.values())))
    rows = [
        {"node": node, **{key: column[i] for key, column in columns.items()}}
        | dict(zip(("name", "type", "file", "line"), fact, strict=True))
        | {"time (inc)": value * (i + 1)}
        for node, fact, value in zip(nodes, facts, values, strict=True)
        for i in range(count)
    ]
    graph = SimpleNamespace(traverse=lambda order: iter(nodes) if order == "pre" else iter(()))
    return SimpleNamespace(graph=graph, dataframe=pd.DataFrame(rows).set_index(["node", *columns]))


def test_regions_and_locations_as_the_package_names_them(tmp_path, monkeypatch):
    nodes = [root := Node(), Node(root), Node(root), Node(root), Node(root)]
    facts = [
        ("main", "PF", "a.c", 3),
        ("12:PMPI_Send", "PF", "<unknown file>", 0),
        ("", "PF", "a.c", 7),
        ("main", "PF", "b.c", 9),
        ("4:MPI_Init", "PF", "a.c", 1),
    ]
    made = rows_of(nodes, facts, [5e6, 1e6, 1e6, 1e6, 1e6], rank=[7, 3, 3, 3], thread=[0, 500, 499, 0])
    stand_in(monkeypatch, lambda path: made)
    profile = read_profile(write_database(tmp_path / "a", RANKS))
    assert profile.regions.name == ("main", "PMPI_Send", "<unnamed>", "main", "MPI_Init")
    assert profile.regions.paradigm == ("compiler", "mpi", "compiler", "compiler", "mpi")
    assert profile.regions.file == ("a.c", "", "a.c", "b.c", "a.c")
    assert profile.regions.line.tolist() == [3, -1, 7, 9, 1]
    assert profile.locations.process.tolist() == [0, 0, 0, 1]
    assert profile.locations.thread.tolist() == [0, 499, 500, 0]
    assert profile.locations.cpu.tolist() == [True, True, False, True]
    assert profile.values("time", inclusive=True)[0].tolist() == [20.0, 15.0, 10.0, 5.0]
    assert profile.notices == ()
    assert profile.attributes == {"generator": "HPCToolkit"}


def test_a_statement_that_calls_stays_and_one_region_may_have_many_nodes(tmp_path, monkeypatch):
    nodes = [root := Node(), call := Node(root), Node(call), Node(call), Node(root)]
    facts = [("f", "PF", "a", 1), ("a:2", "S", "a", 2), ("f", "PF", "a", 8), ("a:3", "S", "a", 3)]
    made = rows_of(nodes, [*facts, ("g", "PF", "a", 4)], [9e6, 6e6, 2e6, 1e6, 1e6], rank=[0])
    stand_in(monkeypatch, lambda path: made)
    profile = read_profile(write_database(tmp_path / "a", RANKS))
    assert profile.tree.paths(profile.regions.name) == [("f",), ("f", "a:2"), ("f", "a:2", "f"), ("f", "g")]
    assert profile.tree.region.tolist() == [0, 1, 0, 2]
    assert profile.regions.line.tolist() == [1, 2, 4]
    assert profile.values("time")[:, 0].tolist() == [2.0, 4.0, 2.0, 1.0]
    assert profile.notices == ("1 statements are counted with the functions and loops they belong to",)


def test_a_node_with_two_callers_makes_no_call_tree(tmp_path, monkeypatch):
    nodes = [root := Node(), one := Node(root), two := Node(root)]
    two.parents.append(one)
    made = rows_of(nodes, [("f", "PF", "a", 1)] * 3, [1.0] * 3, rank=[0])
    stand_in(monkeypatch, lambda path: made)
    with pytest.raises(InputError, match=r"a: not a call tree: a node has several callers"):
        read_profile(write_database(tmp_path / "a", RANKS))


def test_values_that_cannot_be_summed_are_refused(tmp_path, monkeypatch):
    made = rows_of([Node()], [("f", "PF", "a", 1)], [float("nan")], rank=[0])
    stand_in(monkeypatch, lambda path: made)
    with pytest.raises(InputError, match="'time' is not finite"):
        read_profile(write_database(tmp_path / "a", RANKS))


@pytest.mark.parametrize(
    ("written", "column", "name", "unit", "scale"),
    [
        ("CPUTIME (usec)", "time (inc)", "time", "s", 1e-6),
        ("CPUTIME (sec)", "time (inc)", "time", "s", 1.0),
        ("REALTIME (usec)", "REALTIME (usec) (I)", "time", "s", 1e-6),
        ("WALLCLOCK (sec)", "WALLCLOCK (sec) (I)", "time", "s", 1.0),
        ("CPUTIME (hours)", "CPUTIME (hours) (I)", "CPUTIME", "hours", 1.0),
        ("IDLE (sec)", "IDLE (sec) (I)", "IDLE", "sec", 1.0),
        ("PAPI_TOT_CYC", "PAPI_TOT_CYC (I)", "PAPI_TOT_CYC", "", 1.0),
        ("a&lt;b", "a<b (I)", "a<b", "", 1.0),
    ],
)
def test_metrics_by_name_and_unit(tmp_path, monkeypatch, written, column, name, unit, scale):
    made = rows_of([Node()], [("f", "PF", "a", 1)], [3.0], rank=[0])
    made.dataframe = made.dataframe.rename(columns={"time (inc)": column})
    stand_in(monkeypatch, lambda path: made)
    database = write_database(tmp_path / "a", RANKS)
    file = database / "experiment.xml"
    file.write_text(file.read_text().replace("CPUTIME (usec)", written))
    profile = read_profile(database)
    assert [(metric.name, metric.unit) for metric in profile.metrics] == [(name, unit)]
    assert profile.values(name)[0, 0] == 3.0 * scale


def test_of_two_times_the_first_is_taken(tmp_path, monkeypatch):
    made = rows_of([Node()], [("f", "PF", "a", 1)], [3.0], rank=[0])
    made.dataframe["REALTIME (sec) (I)"] = 8.0
    stand_in(monkeypatch, lambda path: made)
    database = write_database(tmp_path / "a", RANKS)
    file = database / "experiment.xml"
    file.write_text(file.read_text().replace("CPUTIME (usec) (E)", "REALTIME (sec) (I)"))
    assert read_profile(database).values("time")[0, 0] == 3e-6


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


def test_files_of_metrics_have_the_name_that_the_package_takes_apart(tmp_path):
    database = write_database(tmp_path / "a", RANKS)
    file = sorted(database.glob("*.metric-db"))[0]
    file.rename(database / "other.metric-db")
    with pytest.raises(InputError, match=r"other\.metric-db: damaged, truncated or renamed"):
        read_profile(database)
    (database / "other.metric-db").write_bytes(b"short")
    with pytest.raises(InputError, match=r"other\.metric-db: damaged"):
        read_profile(database)


def test_the_files_of_a_database(tmp_path):
    database = write_database(tmp_path / "a", RANKS)
    (database / "src").mkdir()
    names = [file.name for file in files(database)]
    assert names == ["experiment.xml", *sorted(file.name for file in database.glob("*.metric-db"))]
    assert len(names) == 3 and matches(database)
    (database / "experiment.xml").unlink()
    assert not matches(database) and len(files(database)) == 2
    (database / "meta.db").touch()
    assert matches(database) and files(database)[0].name == "meta.db"


def test_the_package_reads_file_after_file_without_a_pool(tmp_path, monkeypatch):
    """As Hatchet does it: shared memory of processes, and a pool that fills it."""
    seen = []
    original = SimpleNamespace(name="multiprocessing")
    reader = ModuleType("hatchet.readers.hpctoolkit_reader")
    reader.mp, reader.shared_metrics = original, None

    def fill(item):
        reader.shared_metrics[item] = item + 1

    def start(shared):
        reader.shared_metrics = shared

    def from_hpctoolkit(path):
        shared = reader.mp.sharedctypes.RawArray("d", 3)
        pool = reader.mp.Pool(initializer=start, initargs=(shared,))
        pool.map(fill, [0, 2])
        pool.close()
        seen.append((path, shared.dtype, shared.tolist()))
        if len(seen) > 1:
            raise KeyError("second")
        return rows_of([Node()], [("f", "PF", "a", 1)], [3.0], rank=[0])

    package = ModuleType("hatchet")
    package.__path__ = []
    package.GraphFrame = SimpleNamespace(from_hpctoolkit=from_hpctoolkit)
    for name, module in {
        "hatchet": package,
        "hatchet.readers": ModuleType("hatchet.readers"),
        "hatchet.readers.hpctoolkit_reader": reader,
    }.items():
        monkeypatch.setitem(sys.modules, name, module)
    database = write_database(tmp_path / "a", RANKS)
    read_profile(database)
    assert seen == [(str(database), np.float64, [1.0, 0.0, 3.0])]
    assert (reader.mp, reader.shared_metrics) == (original, None)
    with pytest.raises(InputError, match="damaged: KeyError: 'second'"):
        read_profile(database)
    assert (reader.mp, reader.shared_metrics) == (original, None)
    del reader.mp
    with pytest.raises(InputError, match=r"damaged: AttributeError: .*'mp'"):
        read_profile(database)


def test_what_the_package_says_is_cut(tmp_path, monkeypatch):
    def stumble(error):
        raise error("x" * 500)

    for error, told in ((ValueError, "damaged: "), (TypeError, "damaged: TypeError: ")):
        stand_in(monkeypatch, lambda path, error=error: stumble(error))
        with pytest.raises(InputError) as caught:
            read_profile(write_database(tmp_path / error.__name__, RANKS))
        assert caught.value.what == (told + "x" * 500)[:200]
