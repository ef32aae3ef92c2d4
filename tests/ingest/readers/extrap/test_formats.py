"""The four text formats of Extra-P: what is written comes back, wrong places are reported."""

import json
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.errors import InputError
from ingest.readers import find_series_reader
from ingest.series import split_callpath
from tests.ingest.readers.extrap_files import read_series
from tests.ingest.readers.texts import text_of

TEXT = text_of("extrap_text.txt")


def write(folder, name, content):
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_text(tmp_path):
    series = read_series(write(tmp_path, "a.txt", TEXT))
    nan = math.nan
    assert series.parameters == ("p", "q")
    assert series.callpaths == (("main",), ("main", "solve"), ("main", "operator->"))
    assert [metric.name for metric in series.metrics] == ["time", "visits"]
    np.testing.assert_array_equal(series.points, [[4, 10], [8, 10], [16, 10]])
    np.testing.assert_array_equal(series.values["time"][1], [[1.5, 2.5], [3, nan], [nan, nan]])
    np.testing.assert_array_equal(series.values["visits"][2], [[nan, 7], [nan, nan], [9, nan]])
    assert np.isnan(series.values["time"][[0, 2]]).all()
    assert series.notices == (
        "2 of 7 values are not finite and count as not measured",
        "time: 1 call paths lack some of the 3 points",
        "visits: 1 call paths lack some of the 3 points",
    )


def test_points_that_are_listed_but_not_measured_are_told(tmp_path):
    series = read_series(write(tmp_path, "a.txt", "PARAMETER p\nPOINTS 1 2 4\nREGION f\nDATA 1\nDATA 2"))
    np.testing.assert_array_equal(series.points, [[1], [2]])
    assert series.notices == ("1 of the 3 points listed have no value",)


def test_text_without_region_metric_and_parentheses(tmp_path):
    series = read_series(write(tmp_path, "a.txt", "PARAMETER p\nPOINTS 16 4\nDATA 2\nDATA -1"))
    assert series.callpaths == (("<root>",),)
    np.testing.assert_array_equal(series.points, [[4], [16]])
    np.testing.assert_array_equal(series.values["<default>"], [[[-1], [2]]])
    assert series.notices == ("1 of 2 values are negative; they are kept",)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "empty"),
        ("PARAMETER p\nPOINTS 1 2\n", "no DATA line"),
        ("PARAMETER p\nPOINTS 1 2\nDATA 1 2,5 3", "line 3: column 8: '2,5' is not a number"),
        ("PARAMETER p\nPOINTS 1 1_0\n", "line 2: column 10: '1_0' is not a number"),
        ("PARAMETER p\nPOINTS 1\nDATA 1\nDATA 2", "line 4: more DATA lines for '<root>' than the 1 points"),
        ("PARAMETER p\nDATA 1", "line 2: more DATA lines"),
        ("POINTS 1 2", "line 1: a point of 1 values, but 0 parameters"),
        ("PARAMETER p q\nPOINTS 1 2", "line 2: a point of 1 values, but 2 parameters"),
        ("PARAMETER p\nPOINTS (1) 2", "line 2: text outside of the parentheses"),
        ("PARAMETER p\nPOINTS (1", "line 2: text outside"),
        ("PARAMETER p\nPOINTS nan", "line 2: a parameter value is not a finite number"),
        ("PARAMETER p\nPOINTS 1\nPARAMETER q", "line 3: PARAMETER after POINTS"),
        ("PARAMETER p p", "line 1: the parameter 'p' is named twice"),
        ("PARAMETER p\nREGION", "line 2: nothing after REGION"),
        ("PARAMETER p\nPIONTS 1", "line 2: unknown keyword 'PIONTS'"),
        ("PARAMETER p\nPOINTS 1\nDATA", "no value"),
        ("\0\0", "no measurements in a known format"),
    ],
)
def test_wrong_text(tmp_path, content, told):
    with pytest.raises(InputError) as caught:
        read_series(write(tmp_path, "a.txt", content))
    assert told in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "a.txt"))


def test_notices_stay_in_one_line_whatever_the_names(tmp_path):
    content = "PARAMETER p\nPOINTS 1 2\nMETRIC ti\x85me\nREGION f\nDATA 1\nREGION g\nDATA 1\nDATA 2\n"
    (notice,) = read_series(write(tmp_path, "a.txt", content)).notices
    assert notice == "ti me: 1 call paths lack some of the 2 points"


def test_half_of_a_character_is_refused(tmp_path):
    content = '{"params": {"p": 1}, "callpath": "f\\ud83d", "value": 1}'
    with pytest.raises(InputError, match="an unpaired surrogate"):
        read_series(write(tmp_path, "a.jsonl", content))
    whole = read_series(write(tmp_path, "a.jsonl", content.replace("ud83d", "ud83d\\ude00")))
    assert whole.callpaths == (("f\U0001f600",),)


RECORDS = [
    {"params": {"p": 8, "n": 1}, "callpath": "main->f;g", "metric": "time", "value": [3.0, 4.0]},
    {"params": {"n": 1, "p": 4}, "callpath": "main->f;g", "metric": "time", "value": 1},
    {"params": {"p": 4, "n": 1}, "callpath": "main->f;g", "metric": "time", "value": 2},
    {"params": {"p": 4, "n": 1}, "value": None},
    {"params": {"p": 8, "n": 1}, "value": 5},
]


def check_records(series):
    nan = math.nan
    assert series.parameters == ("p", "n")
    assert series.callpaths == (("main",), ("main", "f;g"), ("<root>",))
    np.testing.assert_array_equal(series.points, [[4, 1], [8, 1]])
    np.testing.assert_array_equal(series.values["time"][1], [[1, 2], [3, 4]])
    np.testing.assert_array_equal(series.values["<default>"][2], [[nan, nan], [5, nan]])


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.txt"])
def test_json_lines(tmp_path, name):
    series = read_series(write(tmp_path, name, "\n\n".join(map(json.dumps, RECORDS)) + "\n"))
    check_records(series)


def test_talpas_separates_by_semicolons_outside_of_strings_only(tmp_path):
    lines = []
    for record in RECORDS:
        members = [
            f"{json.dumps('parameters' if k == 'params' else k)}:{json.dumps(v)}" for k, v in record.items()
        ]
        lines.append("{" + " ; ".join(members) + "}")
    path = write(tmp_path, "a.txt", "\n".join(lines))
    assert find_series_reader(path).name == "Talpas"
    check_records(read_series(path))


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (['{"params": {"p": 1}, "value": 1}', '{"params": {"p": 1}, "va'], "line 2, column 22: not JSON"),
        (
            ['{"params": {"p": 1}, "value": 1}', "", '{"params": {"q": 1}, "value": 1}'],
            "line 3: parameters q",
        ),
        (['{"params": {"p": 1}}'], "line 1: the record has no 'value'"),
        (['{"params": {"p": 1}, "value": "1"}'], "line 1: 'value' should be a number but is '1'"),
        (['{"params": {"p": true}, "value": 1}'], "line 1: the parameters should be a number but is True"),
        (['{"params": {"p": NaN}, "value": 1}'], "line 1: the parameters should be finite"),
        (['{"params": {"p": 1}, "value": 1, "metric": 3}'], "line 1: 'metric' should be a string"),
        (['{"params": [1], "value": 1}'], "line 1: 'params' should be an object"),
        (['{"params": {}, "value": 1}'], "no parameter"),
        (['{"params": {"p": 1}, "value": []}'], "no value"),
        (['{"params": {"p": 1}, "value": ' + "[" * 10**5], "JSON"),
        (['{"params": {"p": 1' + "0" * 5000 + '}, "value": 1}'], "JSON that cannot be read"),
        (['{"params": {"p": 1' + "0" * 400 + '}, "value": 1}'], "should be finite"),
        (["[1]"], "line 1: the record should be an object"),
        (["", " "], "empty"),
    ],
)
def test_wrong_json_lines(tmp_path, lines, told):
    with pytest.raises(InputError) as caught:
        read_series(write(tmp_path, "a.jsonl", "\n".join(lines)))
    assert told in str(caught.value)
    assert "a.jsonl" in caught.value.where


def test_json(tmp_path):
    content = {
        "parameters": ["x", "y"],
        "measurements": {
            "main": {"time": [{"point": [4, 10], "values": [3.5, 3]}, {"point": [2, 20], "values": 1}]},
            "main->f": {"visits": [{"point": [4, 10], "values": [7]}]},
        },
    }
    series = read_series(write(tmp_path, "a.json", json.dumps(content)))
    np.testing.assert_array_equal(series.points, [[2, 20], [4, 10]])
    np.testing.assert_array_equal(series.values["time"][0], [[1, math.nan], [3.5, 3]])
    assert series.values["visits"][1, 1, 0] == 7
    assert series.callpaths == (("main",), ("main", "f"))


TABLES = {
    "parameters": [{"id": 2, "name": "y"}, {"id": 1, "name": "x"}],
    "callpaths": [{"id": 7, "name": "f"}],
    "metrics": [{"id": 1, "name": "time"}],
    "coordinates": [
        {
            "id": 3,
            "parameter_value_pairs": [
                {"parameter_id": 2, "parameter_value": 10},
                {"parameter_id": 1, "parameter_value": 4},
            ],
        }
    ],
    "measurements": [
        {"id": 1, "coordinate_id": 3, "callpath_id": 7, "metric_id": 1, "value": 2.5},
        {"id": 2, "coordinate_id": 3, "callpath_id": 7, "metric_id": 1, "value": 3.5},
    ],
}


def test_json_with_numbered_tables(tmp_path):
    series = read_series(write(tmp_path, "a.JSON", json.dumps(TABLES, indent=1)))
    assert series.parameters == ("x", "y")
    np.testing.assert_array_equal(series.points, [[4, 10]])
    np.testing.assert_array_equal(series.values["time"], [[[2.5, 3.5]]])


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{\n "parameters": ["x"],\n "measurements": {', "line 3, column"),
        ("[1, 2]", "no measurements in a known format"),
        ('{"parameters": ["x"]}', "the file has no 'measurements'"),
        ('{"parameters": ["x"], "measurements": {}}', "no value"),
        ('{"parameters": [1], "measurements": {}}', "a parameter should be a string"),
        (
            '{"parameters": ["x"], "measurements": {"f": {"t": [{"point": [1, 2], "values": [1]}]}}}',
            "a point of 't' of 'f' has 2 values, but 1 parameters",
        ),
        (
            '{"parameters": ["x"], "measurements": {"f": {"t": [{"point": [1]}]}}}',
            "'t' of 'f' has no 'values'",
        ),
        (
            '{"parameters": ["x", "x"], "measurements": {"f": {"t": [{"point": [1, 2], "values": [1]}]}}}',
            "the parameter 'x' is named twice",
        ),
        (json.dumps({**TABLES, "metrics": []}), "refers to metric_id 1, which is not defined"),
        (json.dumps({**TABLES, "parameters": [{"id": 1, "name": "x"}]}), "the coordinate 3 does not give"),
        (json.dumps({**TABLES, "measurements": [{"callpath_id": "7"}]}), "'callpath_id' should be a whole"),
    ],
)
def test_wrong_json(tmp_path, content, told):
    with pytest.raises(InputError) as caught:
        read_series(write(tmp_path, "a.json", content))
    assert told in str(caught.value)


def test_unknown_files_are_refused(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"\x7fELF")
    assert find_series_reader(path) is None
    assert find_series_reader(tmp_path / "missing.txt") is None


def test_too_many_values_are_refused_before_they_are_made(tmp_path):
    lines = [json.dumps({"params": {"p": i}, "callpath": f"f{i}", "value": i}) for i in range(3000)]
    lines.append(json.dumps({"params": {"p": 0}, "callpath": "f0", "value": [1] * 100}))
    with pytest.raises(InputError, match=r"too large for memory: 1 x 3000 x 3000 .* 101 repetitions"):
        read_series(write(tmp_path, "a.jsonl", "\n".join(lines)))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("main->solve", ("main", "solve")),
        ("main -> solve", ("main", "solve")),
        ("main->ptr<T>::operator->->f", ("main", "ptr<T>::operator->", "f")),
        ("main->operator->*->f", ("main", "operator->*", "f")),
        ("apply_operator->f", ("apply_operator", "f")),
        ("a->->b->", ("a", "<unnamed>", "b", "<unnamed>")),
        ("", ("<root>",)),
    ],
)
def test_call_paths_are_split(text, names):
    assert split_callpath(text) == names


numbers = st.floats(0, 1e12, allow_subnormal=False)
region_names = st.from_regex(r"[a-zA-Z_<>():~*& ;,#\[\]]{0,12}[a-z]", fullmatch=True).map(str.strip)
path_names = st.lists(region_names, min_size=1, max_size=4).map(tuple)


@st.composite
def measurements(draw):
    """(parameters, points, {call path: float[point, repetition]})."""
    parameters = draw(
        st.lists(st.from_regex(r"[a-z]{1,4}", fullmatch=True), min_size=1, max_size=3, unique=True)
    )
    point = st.tuples(*[st.sampled_from([0.5, 1.0, 4.0, 8.0, 1e6])] * len(parameters))
    points = draw(st.lists(point, min_size=1, max_size=4, unique=True))
    repetitions = draw(st.integers(1, 3))
    values = st.lists(numbers, min_size=repetitions, max_size=repetitions)
    paths = draw(st.lists(path_names, min_size=1, max_size=3, unique=True))
    return parameters, points, {path: [draw(values) for _ in points] for path in paths}


def as_text(parameters, points, values):
    lines = [f"PARAMETER {' '.join(parameters)}", "METRIC time"]
    lines += [f"POINTS ({' '.join(map(repr, point))})" for point in points]
    for path, rows in values.items():
        lines.append(f"REGION {'->'.join(path)}")
        lines += [f"DATA {' '.join(map(repr, row))}" for row in rows]
    return "a.txt", "\n".join(lines)


def as_json(parameters, points, values):
    tree = {
        "->".join(path): {"time": [{"point": p, "values": r} for p, r in zip(points, rows, strict=True)]}
        for path, rows in values.items()
    }
    return "a.json", json.dumps({"parameters": parameters, "measurements": tree})


def as_json_lines(parameters, points, values):
    lines = [
        json.dumps(
            {
                "params": dict(zip(parameters, point, strict=True)),
                "callpath": "->".join(path),
                "metric": "time",
                "value": row,
            }
        )
        for path, rows in values.items()
        for point, row in zip(points, rows, strict=True)
    ]
    return "a.jsonl", "\n".join(lines)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(measurements(), st.sampled_from([as_text, as_json, as_json_lines]))
def test_what_is_written_comes_back(tmp_path, measured, written):
    parameters, points, values = measured
    series = read_series(write(tmp_path, *written(parameters, points, values)))
    order = sorted(range(len(points)), key=lambda i: points[i])
    assert series.parameters == tuple(parameters)
    np.testing.assert_array_equal(series.points, [points[i] for i in order])
    for path, rows in values.items():
        found = series.values["time"][series.callpaths.index(path)]
        np.testing.assert_array_equal(found, [rows[i] for i in order])
    for node, path in enumerate(series.callpaths):
        assert path[:-1] in ((), *series.callpaths[:node])
        if path not in values:
            assert np.isnan(series.values["time"][node]).all()


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.sampled_from([as_text, as_json, as_json_lines]),
    st.integers(0, 400),
    st.integers(0, 30),
    st.binary(max_size=6),
)
def test_damaged_files_are_refused_in_one_line_or_read(tmp_path, written, at, removed, inserted):
    name, text = written(["p"], [(4.0,), (8.0,)], {("main", "f"): [[1.5], [2.5]], ("main",): [[3.5], [4.5]]})
    data = text.encode()
    path = tmp_path / name
    path.write_bytes(data[:at] + inserted + data[at + removed :])
    try:
        series = read_series(path)
    except InputError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert np.isfinite(series.points).all()


def test_a_metric_without_values_is_told(tmp_path):
    entries = {"time": [{"point": [2], "values": [1]}], "visits": [{"point": [2], "values": []}]}
    content = {"parameters": ["p"], "measurements": {"f": entries}}
    series = read_series(write(tmp_path, "a.json", json.dumps(content)))
    assert series.notices == ("visits: nothing was measured",)
