import importlib.util
import multiprocessing
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from ingest.errors import InputError
from ingest.readers import find_profile_reader, read_profile

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
    with pytest.raises(InputError, match="damaged or truncated"):
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
