"""What a profile says beside its values: call tree, regions, locations, attributes."""

import re
from xml.parsers import expat

import numpy as np
import pytest

from ingest.profile import CPU, NOWHERE
from ingest.readers.cubex.cubex_profile import _nodes, matches, parse_anchor, read
from ingest.readers.cubex.fixed_form import take_program, take_system
from tests.cubex_writer import GroupSpec, MetricSpec, RegionSpec, anchor_xml, write_cubex

VISITS = [MetricSpec("visits", [[1, 2]], dtype="UINT64", unit="occ")]


def one_node(tmp_path, **options):
    return read(write_cubex(tmp_path / "p.cubex", parent=[-1], metrics=VISITS, **options))


def test_regions_are_told_as_the_file_has_them(tmp_path):
    regions = [
        RegionSpec("f<int>(std::map<int, char> &&)", "_Z1fIiE", "COMPILER", "a & b.cpp", 12),
        RegionSpec("MPI_Init", None, None, description="mpi"),
        RegionSpec("old, but undescribed", None, None, description="does things"),
    ]
    profile = one_node(tmp_path, regions=regions)
    assert profile.regions.name == ("f<int>(std::map<int, char> &&)", "MPI_Init", "old, but undescribed")
    assert profile.regions.mangled == ("_Z1fIiE", "MPI_Init", "old, but undescribed")
    assert profile.regions.paradigm == ("compiler", "mpi", "")
    assert profile.regions.file == ("a & b.cpp", "", "")
    assert profile.regions.line.tolist() == [12, -1, -1]


def test_call_paths_refer_to_regions_by_id(tmp_path):
    metrics = [MetricSpec("time", np.zeros((3, 1)))]
    path = write_cubex(
        tmp_path / "p.cubex", parent=[-1, 0, 1], regions=["f", "g"], callee=[1, 0, 1], metrics=metrics
    )
    profile = read(path)
    assert profile.tree.paths(profile.regions.name) == [("g",), ("g", "f"), ("g", "f", "g")]


def test_accelerator_streams_hold_no_cores_and_belong_to_the_process_that_made_them(tmp_path):
    groups = [
        GroupSpec(0, locations=("thread", "thread")),
        GroupSpec(1, locations=("thread", "metric")),
        GroupSpec(0, "accelerator", ("accelerator stream",), creator="process 1"),
        GroupSpec(1, "process", ("thread",), creator="process 0"),
        GroupSpec(2, "metrics", ("metric",)),
    ]
    metrics = [MetricSpec("time", np.arange(7.0).reshape(1, 7))]
    locations = read(write_cubex(tmp_path / "p.cubex", parent=[-1], metrics=metrics, groups=groups)).locations
    assert locations.device.tolist() == [CPU, CPU, CPU, NOWHERE, 2, 3, NOWHERE]
    assert locations.cpu.tolist() == [True, True, True, False, False, False, False]
    assert locations.accelerator.tolist() == [False, False, False, False, True, True, False]
    assert locations.process.tolist() == [0, 0, 1, 1, 1, 0, 2]
    assert locations.thread.tolist() == [0, 1, 0, 1, 2, 2, 0]


def test_streams_within_a_process_are_of_one_accelerator(tmp_path):
    groups = [GroupSpec(rank, locations=("thread", "accelerator stream", "gpu")) for rank in (0, 1)]
    metrics = [MetricSpec("time", np.arange(6.0).reshape(1, 6))]
    locations = read(write_cubex(tmp_path / "p.cubex", parent=[-1], metrics=metrics, groups=groups)).locations
    assert locations.device.tolist() == [CPU, 0, 0, CPU, 1, 1]


def test_ranks_that_occur_twice_give_way_to_numbers(tmp_path):
    groups = [GroupSpec(0), GroupSpec(0)]
    assert one_node(tmp_path, groups=groups).locations.process.tolist() == [0, 1]


def test_values_stand_by_the_id_of_their_location_not_by_its_place(tmp_path):
    groups = [GroupSpec(0), GroupSpec(1)]
    anchor = anchor_xml([-1], VISITS, ["main"], [0], groups, [0], {})
    anchor = anchor.replace('location Id="0"', "first").replace('location Id="1"', 'location Id="0"')
    anchor = anchor.replace("first", 'location Id="1"')
    profile = one_node(tmp_path, anchor=anchor)
    assert profile.locations.process.tolist() == [1, 0]
    assert profile.values("visits").tolist() == [[1, 2]]


def test_the_machine_is_as_the_system_tree_has_it(tmp_path):
    anchor = anchor_xml([-1], VISITS, ["a"], [0], [GroupSpec(0), GroupSpec(1)], [0], {})
    first, groups = anchor.split('<systemtreenode Id="0">\n<name>machine</name>\n')
    tree = '<systemtreenode Id="0">\n<name>machine A&amp;B</name>\n<class>machine</class>\n'
    for number, name in enumerate(("n7", "n8"), start=1):
        tree += f'<systemtreenode Id="{number}">\n<name>node {name}</name>\n<class>node</class>\n'
        tree += f'<systemtreenode Id="{number + 2}">\n<name>core 0</name>\n<class>core</class>\n'
        tree += "</systemtreenode>\n</systemtreenode>\n" if number == 1 else ""
    groups = groups.replace("</system>", "</systemtreenode>\n</systemtreenode>\n</system>")
    profile = one_node(tmp_path, anchor=first + tree + groups)
    assert dict(profile.attributes) == {
        "system.machine": "A&B",
        "system.node": "n7",
        "system.nodes": "2",
        "system.cores": "2",
    }
    assert profile.locations.node == ("n8", "n8")


@pytest.mark.parametrize(
    ("tree", "nodes"),
    [
        ("<node n1><G/></node><node n2><G/></node>", ("n1", "n2")),
        ("<node n1><core c><G/></core><G/></node>", ("n1", "n1")),
        ("<rack r><node n1><G/></node><node n&amp;2><G/></node></rack>", ("n1", "n&2")),
        ("<node n1><G/></node><G/>", ()),  # one process lies in no node
        ("<G/></node></node><node n1><G/></node>", ()),
    ],
)
def test_each_location_has_the_node_around_its_process(tree, nodes):
    anchor = anchor_xml([-1], VISITS, ["a"], [0], [GroupSpec(0), GroupSpec(1)], [0], {})
    first, rest = anchor.split('<systemtreenode Id="0">\n<name>machine</name>\n')
    groups = re.findall("<locationgroup.*?</locationgroup>", rest, re.DOTALL)
    last = rest[rest.index(groups[1]) + len(groups[1]) :]
    for group in groups:
        tree = tree.replace("<G/>", group, 1)
    tree = re.sub(
        "<(node|core|rack) ([^>]*)>", r'<systemtreenode Id="1"><name>\1 \2</name><class>\1</class>', tree
    )
    tree = re.sub("</(node|core|rack)>", "</systemtreenode>", tree)
    assert _nodes((first + tree + last).encode()) == nodes


def test_attributes_of_the_document_are_kept_and_those_of_its_parts_are_not(tmp_path):
    regions = [RegionSpec("main", extra='<attr key="arguments" value="4"/>')]
    profile = one_node(tmp_path, regions=regions, attributes={"Creator": "Score-P 9", "CLUSTERING": "OFF"})
    assert profile.attributes == {"Creator": "Score-P 9", "CLUSTERING": "OFF"}


@pytest.mark.parametrize(
    "options",
    [
        {"checksum": False},
        {"gzip_anchor": True},
        {"gzip_file": True},
        {"indent": False},
        {"extra_members": {"remapping.spec": b"x" * 1024, "../../etc/passwd": b"y"}, "padding_bug": True},
    ],
    ids=lambda options: next(iter(options)),
)
def test_containers_as_real_writers_leave_them(tmp_path, options):
    assert one_node(tmp_path, **options).values("visits").tolist() == [[1, 2]]


def test_a_profile_holds_no_file_open_and_can_be_sent_to_another_process(tmp_path):
    import pickle

    profile = pickle.loads(pickle.dumps(one_node(tmp_path)))
    assert profile.values("visits").tolist() == [[1, 2]]


def test_only_files_named_cubex_match(tmp_path):
    (tmp_path / "a.cubex").write_bytes(b"")
    (tmp_path / "a.cube").write_bytes(b"")
    (tmp_path / "folder.cubex").mkdir()
    assert [matches(tmp_path / name) for name in ("a.cubex", "a.cube", "folder.cubex", "none.cubex")] == [
        True,
        False,
        False,
        False,
    ]


PLAIN = anchor_xml(
    [-1, 0, 1, 0, -1],
    VISITS,
    [RegionSpec("a&b", "_Za", "user", "x.c", 3, extra='<attr key="k" value="v"/>'), "g<'\">", "h"],
    [0, 1, 2, 1, 0],
    [GroupSpec(0)],
    [4, 0, 1, 2, 3],
    {},
)


def test_regions_and_call_paths_are_taken_at_once_from_what_cube_writes():
    assert take_program(PLAIN.encode()) is not None


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("<name>h</name>", "<name><![CDATA[h]]></name>"),
        ("<name>h</name>", "<name>&#104;</name>"),
        ("<name>h</name>", "<name>h</name><!-- <cnode id='9' calleeId='0'> -->"),
        ("<name>h</name>", "<name >h</name >"),
        ("<name>h</name>", "<name>h\r\n</name>"),
        ('<cnode id="0" calleeId="1">', '<cnode id="0" calleeId="1"><parameter partype="numeric"/>'),
        ('<cnode id="0" calleeId="1">', "<cnode calleeId='1' id='0'>"),
        ('<cnode id="0" calleeId="1">', '<cnode id="0" line="3" mod="x.c" calleeId="1">'),
        ("<program>", '<program title="t">'),
        ("<program>", "<program><!-- -->"),
        ("<program>", "<program><region id='7'><name>other</name></region>"),
        ('encoding="UTF-8"', 'encoding="ISO-8859-1"'),
        ("a&amp;b", "a\u00e9b"),
        ("</program>", "<!-- </cnode> --></program>"),
        ("</program>", "</program><program><cnode\nid='8' calleeId='0'/></program>"),
    ],
)
def test_other_ways_to_write_the_same_are_left_to_expat(written, instead):
    document = PLAIN.replace(written, instead).encode()
    assert document.decode() != PLAIN
    assert _columns(parse_anchor(document)) == _columns(_by_expat(document))


def _by_expat(document):
    return parse_anchor(document.replace(b"<region ", b"<region\n"))


def _columns(anchor):
    program, system = anchor.program, vars(anchor.system).values()
    columns = [*program.regions, program.cnode, program.callee, program.parent, *system]
    return [np.asarray(column).tolist() for column in columns]


GROUPS = [
    GroupSpec(0, locations=("thread", "thread", "metric")),
    GroupSpec(1),
    GroupSpec(0, "accelerator", ("accelerator stream",), creator="process <0>"),
]
SYSTEM = anchor_xml([-1], VISITS, ["g"], [0], GROUPS, [0], {})


def _system_alone(document):
    return take_system(document, document.rfind(b"</cnode>") + len(b"</cnode>"))


def test_locations_are_taken_at_once_from_what_cube_writes():
    assert _system_alone(PLAIN.encode()) is not None
    taken = _system_alone(SYSTEM.encode())
    assert taken is not None
    assert taken[0].group.tolist() == [0, 0, 0, 1, 2]
    assert list(taken[0].location_kind) == ["thread", "thread", "metric", "thread", "accelerator stream"]
    assert list(taken[0].creator) == [None, None, "process <0>"]
    assert _columns(parse_anchor(SYSTEM.encode())) == _columns(_by_expat(SYSTEM.encode()))


GROUP_1, LOCATION_3 = '<locationgroup Id="1">', '<location Id="3">'
NODE = '<systemtreenode Id="7"><name>node</name><class>node</class><descr>d</descr><attr key="a" value="b"/>'
DEEPER = [(GROUP_1, f"{NODE}{GROUP_1}"), ("</systemtreenode>", "</systemtreenode></systemtreenode>")]


@pytest.mark.parametrize(
    "changes",
    [
        [("<rank>1</rank>", "<rank>1</rank><!-- -->")],
        [("<rank>1</rank>", "<rank>&#49;</rank>")],
        [("<rank>1</rank>", "<rank><![CDATA[1]]></rank>")],
        [("<rank>1</rank>", "<rank>1</rank><rank>2</rank>")],
        [("<rank>1</rank>\n<type>process</type>", "<type>process</type><rank>1</rank>")],
        [("<rank>1</rank>\n<type>process</type>", "<attr key='a' value='b'/>")],
        [("<rank>1</rank>\n<type>process</type>", "<rank>1</rank>\n<type></type>")],
        [(LOCATION_3, "<location Id='3' >")],
        [(LOCATION_3, '<location type="metric" Id="3">')],
        [(GROUP_1, f'<locationgroup Id="9"><name>e</name></locationgroup>{GROUP_1}')],
        [("</system>", "<locationgroup Id='9'/></system>")],
        [("</system>", "</system><locationgroup Id='9'/>")],
        [("<system>", "<system><!-- -->")],
        [("<system>", "<location Id='9'/><system>")],
        [("<system>", "<system><location Id='9'/></system><system>")],
        [("key=", "x='y' key=")],
        [("</systemtreenode>", "</systemtreenode>" + LOCATION_3 + "</location>")],
        DEEPER,
        [*DEEPER, ("<class>node</class>", "")],
    ],
)
def test_other_ways_to_write_locations_are_left_to_expat(changes):
    document = SYSTEM
    for written, instead in changes:
        assert written in document
        document = document.replace(written, instead)
    document = document.encode()
    assert _columns(parse_anchor(document)) == _columns(_by_expat(document))


@pytest.mark.parametrize(
    "changes",
    [
        DEEPER[:1],
        DEEPER[1:],
        [(GROUP_1, f"</systemtreenode>{NODE}{GROUP_1}"), ("</systemtreenode>\n</system>", "</system>")],
        [(GROUP_1, f"<systemtreenode Id='7'>{GROUP_1}"), ("</systemtreenode>", "")],
        [(LOCATION_3, f"</systemtreenode>{LOCATION_3}"), ("<system>", "<system>" + NODE)],
        [("</locationgroup>\n" + GROUP_1, GROUP_1)],
        [("</locationgroup>", "", 1)],
        [("</locationgroup>", "</locationgroup></locationgroup>")],
        [("<rank>1</rank>", "<rank>&other;</rank>")],
        [("<rank>1</rank>", "<rank>\0</rank>")],
    ],
)
def test_a_system_that_does_not_nest_is_damaged(changes):
    document = SYSTEM
    for written, instead, *count in changes:
        assert written in document
        document = document.replace(written, instead, *count)
    with pytest.raises(expat.ExpatError):
        parse_anchor(document.encode())


def test_profiles_of_one_program_share_its_tables_and_others_do_not():
    one, again = parse_anchor(SYSTEM.encode()).program, parse_anchor(SYSTEM.encode()).program
    assert one.tree is again.tree
    assert one.table is again.table
    other = parse_anchor(SYSTEM.replace("<name>", "<name>x", 1).encode()).program
    assert other.table.name != one.table.name
    assert parse_anchor(SYSTEM.encode()).program.table.name == one.table.name
