from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.errors import InputError
from ingest.readers import cube3, read_profile

from .cube3_files import METRICS, PROGRAM, document, matrix, write


@pytest.mark.parametrize("name", ["a.cube", "a.cube.gz"])
def test_a_profile(tmp_path, name):
    profile = read_profile(write(tmp_path / name, document()))
    assert profile.tree.paths(profile.regions.name) == [
        ("main",),
        ("main", "MPI_Send"),
        ("main", "operator<"),
    ]
    np.testing.assert_array_equal(profile.values("time"), [[1, 2, 3], [4, 5, 6.5], [0, 0, 0]])
    np.testing.assert_array_equal(profile.values("visits"), [[1, 1, 1], [0, 0, 0], [7, 8, 9]])
    np.testing.assert_array_equal(profile.values("time", inclusive=True)[0], [5, 7, 9.5])
    assert profile.metric("time").unit == "sec"
    assert profile.regions.paradigm == ("compiler", "mpi", "compiler")
    assert profile.regions.file == ("a.c", "MPI", "b.cc")
    assert profile.regions.line.tolist() == [3, -1, 7]
    assert profile.locations.process.tolist() == [0, 0, 1]
    assert profile.locations.thread.tolist() == [0, 1, 0]
    assert profile.attributes["Creator"] == "epik"


def test_a_metric_stored_without_its_parts_is_completed(tmp_path):
    values = matrix(0, {0: (1, 2, 3)}) + matrix(1, {2: (4, 5, 6)})
    profile = read_profile(write(tmp_path / "a.cube", document(values)))
    np.testing.assert_array_equal(profile.values("time"), [[1, 2, 3], [4, 5, 6], [0, 0, 0]])
    np.testing.assert_array_equal(profile.values("mpi"), [[0, 0, 0], [4, 5, 6], [0, 0, 0]])


def test_a_call_chain_of_thousands(tmp_path):
    nodes = "".join(f'<cnode id="{i}" calleeId="0">' for i in range(5000)) + "</cnode>" * 5000
    program = '<program><region id="0"><name>f</name></region>' + nodes + "</program>"
    profile = read_profile(
        write(tmp_path / "a.cube", document(matrix(0, {4999: (1, 1, 1)}), program=program))
    )
    assert profile.tree.depth.max() == 4999


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<", "damaged XML"),
        (document().replace("UTF-8", "UTF-9"), "damaged XML (unknown encoding"),
        (document()[:-200], "damaged XML"),
        ("<xml/>", "line 1: the document is <xml>"),
        (document(head='<cube version="4.0">'), "of version '4.0'"),
        (document(head='<!DOCTYPE cube [<!ENTITY a "b">]><cube version="3.0">'), "declares an entity"),
        (document(""), "no metric with values"),
        (document("", program=""), "no call path"),
        (document(program=PROGRAM.replace('calleeId="1"', 'calleeId="9"')), "an undefined region"),
        (document(program=PROGRAM.replace('id="2" line', 'id="1" line')), "two call paths have the id '1'"),
        (document(matrix(0, {0: (1, 2)})), "a row of 2 values for 3 threads"),
        (document(matrix(0, {0: (1, 2, "nan")})), "not finite"),
        (document(matrix(0, {0: (1, 2, "x")})), "could not convert"),
        (document(matrix(0, {9: (1, 2, 3)})), "an undefined metric '0' or call path '9'"),
        (document(matrix(0, {0: (1, 2, 1e300)})), "not finite"),
        (document().replace("<uniq_name>mpi<", "<uniq_name>time<"), "two metrics have the same name"),
        (document().replace("UTF-8", "UTF-" + "9" * 3000), "damaged XML (unknown encoding"),
        (document(matrix(9, {0: (1, 2, 3)})), "an undefined metric '9' or call path '0'"),
        (document(metrics="<metrics><metric/></metrics>"), "a metric without id"),
    ],
)
def test_wrong_files(tmp_path, text, told):
    path = write(tmp_path / "a.cube", text)
    with pytest.raises(InputError) as caught:
        read_profile(path)
    assert told in str(caught.value)
    assert str(path) in str(caught.value)


def test_other_files_of_that_name_are_left_alone(tmp_path):
    path = tmp_path / "water.cube"
    path.write_text("water molecule\nOUTER LOOP: X\n 3 0.0 0.0 0.0\n")
    assert not cube3.matches(path)


def test_a_damaged_gzip_file_and_a_bomb_are_refused(tmp_path, monkeypatch):
    path = write(tmp_path / "a.cube.gz", document())
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(InputError, match=r"the gzip data ends early"):
        read_profile(path)
    with pytest.raises(InputError, match="decompression bomb"):
        read_profile(write(path, document() + " " * (70 << 20)))
    monkeypatch.setattr(cube3, "READER", replace(cube3.READER, max_bytes=1000))
    with pytest.raises(InputError, match="of XML"):
        read_profile(write(tmp_path / "a.cube", document()))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.integers(0, 2500), st.integers(0, 60), st.text('</>"0123456789 metricnode', max_size=12))
def test_damaged_files_are_refused_in_one_line_or_read(tmp_path, at, removed, inserted):
    text = document()
    path = write(tmp_path / "a.cube", text[:at] + inserted + text[at + removed :])
    try:
        profile = cube3.read(path)
    except InputError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert len(profile.tree)


def test_paradigms_and_lines_of_regions(tmp_path):
    program = PROGRAM.replace("<name>main<", "<name>!$omp parallel<").replace("operator&lt;", "omp_set_lock")
    program = program.replace('mod="MPI" begin="-1"', 'mod="EPIK" begin="x"').replace("MPI_Send", "TRACING")
    program = program.replace('begin="7"', 'begin="' + "9" * 10 + '"').replace(
        'begin="3"', 'begin="' + "9" * 9 + '"'
    )
    regions = read_profile(write(tmp_path / "a.cube", document(program=program))).regions
    assert regions.paradigm == ("openmp", "measurement", "openmp")
    assert regions.line.tolist() == [999_999_999, -1, -1]
    program = PROGRAM.replace("MPI_Send", "PMPI_Send")
    assert read_profile(write(tmp_path / "b.cube", document(program=program))).regions.paradigm[1] == "mpi"


def test_what_is_too_large_is_refused(tmp_path, monkeypatch):
    path = write(tmp_path / "a.cube", document())
    monkeypatch.setattr(cube3, "_MAX_VALUES", 27)
    read_profile(path)
    monkeypatch.setattr(cube3, "_MAX_VALUES", 26)
    with pytest.raises(InputError, match="too large for memory: 3 call paths on 3 threads"):
        read_profile(path)
    monkeypatch.setattr(cube3, "_MAX_VALUES", 27)
    longest = max(len(text) for text in ("operator<", "\n1\n2\n3\n", "\n4\n5\n6.5\n", "MPI_Send"))
    monkeypatch.setattr(cube3, "_MAX_TEXT", longest)
    read_profile(path)
    monkeypatch.setattr(cube3, "_MAX_TEXT", longest - 1)
    with pytest.raises(InputError, match="text of more than 0 MiB"):
        read_profile(path)
    monkeypatch.setattr(cube3, "_MAX_TEXT", longest)
    for limit, fits in ((path.stat().st_size, True), (path.stat().st_size - 1, False)):
        monkeypatch.setattr(cube3, "READER", replace(cube3.READER, max_bytes=limit))
        if fits:
            read_profile(path)
        else:
            with pytest.raises(InputError, match="more than 0 MiB of XML"):
                read_profile(path)


@pytest.mark.parametrize(("part", "whole"), [(6 * (1 + 0.9e-9), 6), (6 * (1 + 1.1e-9), 12)])
def test_a_part_larger_than_the_whole_by_more_than_rounding_was_left_out(tmp_path, part, whole):
    values = matrix(0, {0: (1, 2, 3), 2: (6, 6, 6)}) + matrix(1, {2: (repr(part), 6, 6)})
    profile = read_profile(write(tmp_path / "a.cube", document(values)))
    assert profile.values("time")[1, 1] == whole


def test_a_metric_of_another_unit_is_not_a_part(tmp_path):
    metrics = METRICS.replace("<uniq_name>mpi</uniq_name><uom>sec", "<uniq_name>mpi</uniq_name><uom>occ")
    values = matrix(0, {0: (1, 2, 3)}) + matrix(1, {2: (4, 5, 6)})
    profile = read_profile(write(tmp_path / "a.cube", document(values, metrics=metrics)))
    np.testing.assert_array_equal(profile.values("time"), [[1, 2, 3], [0, 0, 0], [0, 0, 0]])


def test_a_whole_of_three_metrics_that_only_its_parts_have(tmp_path):
    part = (
        '<metric id="3"><uniq_name>io</uniq_name><uom>sec</uom></metric>\n    </metric>\n    <metric id="2">'
    )
    metrics = METRICS.replace('</metric>\n    <metric id="2">', part)
    values = matrix(1, {2: (4, 5, 6)}) + matrix(3, {2: (1, 1, 1), 0: (2, 2, 2)})
    profile = read_profile(write(tmp_path / "a.cube", document(values, metrics=metrics)))
    np.testing.assert_array_equal(profile.values("time"), [[2, 2, 2], [5, 6, 7], [0, 0, 0]])


def test_metrics_without_a_unique_name_are_named_by_their_id(tmp_path):
    metrics = METRICS.replace("<uniq_name>visits</uniq_name>", "")
    names = [
        metric.name for metric in read_profile(write(tmp_path / "a.cube", document(metrics=metrics))).metrics
    ]
    assert names == ["time", "mpi", "metric 2"]
