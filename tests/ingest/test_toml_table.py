"""TOML files whose errors name file, line and key."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import InputError, UsageError
from ingest.toml_table import DEEPEST, TomlTable, line_numbers, read_toml, unknown_hint

DOCUMENT = '''# a comment with = and [table]
top = 1
"quoted = key" = 2   # with an equals sign
a.b.c = 3
[one]          # line 5
x = """
[not a table]
y = 1
"""
z = [
  1, # a comment with ]
  2,
]
w = {p = 1, q = [2]}
"e]s" = 'not # a comment'
[one.two]
x = 4
[[many]]
x = 1
[[many]]       # line 20
x = 2
[many.inner]
y = "\\\\"
[[many.deep]]
v = 1
[[many.deep]]
v = 2
v2 = 3
'''


def test_lines_of_tables_and_keys():
    expected = {
        ("top",): 2,
        ("quoted = key",): 3,
        ("a",): 4,
        ("a", "b"): 4,
        ("a", "b", "c"): 4,
        ("one",): 5,
        ("one", "x"): 6,
        ("one", "z"): 10,
        ("one", "w"): 14,
        ("one", "e]s"): 15,
        ("one", "two"): 16,
        ("one", "two", "x"): 17,
        ("many",): 18,
        ("many", 0): 18,
        ("many", 0, "x"): 19,
        ("many", 1): 20,
        ("many", 1, "x"): 21,
        ("many", 1, "inner"): 22,
        ("many", 1, "inner", "y"): 23,
        ("many", 1, "deep"): 24,
        ("many", 1, "deep", 0, "v"): 25,
        ("many", 1, "deep", 1, "v"): 27,
        ("many", 1, "deep", 1, "v2"): 28,
    }
    lines = line_numbers(DOCUMENT)
    assert {key: lines[key] for key in expected} == expected
    assert ("not a table",) not in lines and ("one", "y") not in lines


KEYS = st.lists(st.text("abcxyz", min_size=1, max_size=4), unique=True, min_size=1, max_size=5)
VALUES = st.sampled_from(["1", '"a # b"', "[1,\n 2]", "'''\nx = 1\n'''", "{p = 1}", "true # yes"])


@given(KEYS, st.lists(VALUES, min_size=5, max_size=5), st.integers(0, 3))
def test_lines_are_those_on_which_assignments_begin(keys, values, blank):
    text, expected, line = "\n" * blank, {}, blank + 1
    for key, value in zip(keys, values, strict=False):
        text += f"{key} = {value}\n"
        expected[key,] = line
        line += value.count("\n") + 1
    assert line_numbers(text) == expected


@pytest.fixture
def table(tmp_path):
    def read(text, failure=InputError):
        file = tmp_path / "f.toml"
        file.write_text(text, encoding="utf-8")
        return read_toml(file, failure)

    return read


def test_places_fall_back_to_the_table_and_the_file(table, tmp_path):
    document = table("[a]\nx = {p = 1}\n")
    assert document.table("a").at("x") == f"{tmp_path / 'f.toml'}:2"
    assert document.table("a").at("missing") == f"{tmp_path / 'f.toml'}:1"
    assert document.table("a").table("x").at("p") == f"{tmp_path / 'f.toml'}:2"
    assert document.at("missing") == str(tmp_path / "f.toml")


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda t: t.text("gone"), "f.toml: gone: is missing; write gone = ..."),
        (lambda t: t.text("empty"), 'f.toml:1: empty: is empty; write empty = "..."'),
        (lambda t: t.text("n"), "f.toml:2: n: invalid value 3; write text in quotes"),
        (lambda t: t.text("n", "3"), "f.toml:2: n: invalid value 3; write text in quotes"),
        (lambda t: t.number("gone"), "f.toml: gone: is missing; write gone = ..."),
        (lambda t: t.number("n", least=4.0), "f.toml:2: n: invalid value 3; write a number of at least 4"),
        (
            lambda t: t.number("n", least=0, most=2),
            "f.toml:2: n: invalid value 3; write a number from 0 to 2",
        ),
        (lambda t: t.table("n"), "f.toml:2: n: 3 is not a table; write [n]"),
        (lambda t: t.named_tables(), "f.toml:1: empty: ' ' is not a table; write [empty]"),
        (lambda t: t.tables("n"), "f.toml:2: n: 3 is not a list of tables; write [[n]]"),
        (lambda t: t.tables("list"), "f.toml:3: list: [1] is not a list of tables; write [[list]]"),
        (lambda t: t.table("a").tables("y"), "f.toml:5: y: 1 is not a list of tables; write [[a.y]]"),
        (lambda t: t.file("gone"), "f.toml: gone: is missing; write gone = ..."),
        (
            lambda t: t.files("list"),
            'f.toml:3: list: is not a list of texts; write list = ["',
        ),
        (lambda t: t.check_keys(["empty", "n", "list"]), "f.toml:4: a: unknown key; known: empty, n, list"),
        (
            lambda t: t.check_keys(["empty", "n", "lists"]),
            "list: unknown key; did you mean 'lists'?",
        ),
    ],
)
@pytest.mark.parametrize("failure", [InputError, UsageError])
def test_errors_name_the_place(table, read, message, failure):
    document = table('empty = " "\nn = 3\nlist = [1]\n[a]\ny = 1\n', failure)
    with pytest.raises(failure) as error:
        read(document)
    assert message in str(error.value)


@pytest.mark.parametrize("value", [True, float("inf"), float("nan"), 10**400])
def test_numbers_are_finite_unless_asked(value):
    with pytest.raises(InputError, match="n: invalid value"):
        TomlTable({"n": value}, Path("f.toml")).number("n")
    assert TomlTable({"n": math.inf}, Path("f.toml")).number("n", most=math.inf) == math.inf


def test_what_stands_in_no_file_is_named_by_its_table():
    inner = TomlTable({"a": {"b": 1}}, Path("f.toml")).table("a")
    assert (inner.where, inner.place("b")) == ("f.toml: [a]", "f.toml: [a]: b")
    assert TomlTable({}, Path("f.toml")).place("b") == "f.toml: b"


def test_dotted_keys_have_the_line_of_what_they_stand_for(table):
    flat = table("[a]\nx.y = 1\nz = {value = 3, note = ''}\n\n[a.b.c]\nd = 2").table("a").flattened()
    assert flat.content == {"x.y": 1, "z": {"value": 3, "note": ""}, "b.c.d": 2}
    assert [flat.at(key).rpartition(":")[2] for key in flat.content] == ["2", "3", "6"]


def test_values(table):
    document = table('n = 3\nt = "x"\n[[many]]\nq = 1\n[[many]]\nq = 2\n[a.b]\nc = 1\n')
    assert (document.number("n"), document.number("n", 4, least=3), document.number("m", 4)) == (
        3.0,
        3.0,
        4.0,
    )
    assert (document.text("t"), document.text("t", "y"), document.text("u", "")) == ("x", "x", "")
    assert ("n" in document, "m" in document, "n" in document.without("n")) == (True, False, False)
    assert [entry.number("q") for entry in document.tables("many")] == [1.0, 2.0]
    assert {key: inside.content for key, inside in document.table("a").named_tables().items()} == {
        "b": {"c": 1}
    }
    assert document.table("none").content == {} and document.tables("none") == []


def test_files_are_beside_the_table_or_as_they_stand(tmp_path):
    (tmp_path / "data.csv").write_text("x")
    (tmp_path / "results").mkdir()
    content = {"data": "data.csv", "results": "results", "other": "none.csv", "all": ["data.csv", "none.csv"]}
    table = TomlTable(content, tmp_path / "app.toml")
    assert table.file("data") == tmp_path / "data.csv"
    assert table.file("results") == tmp_path / "results"
    assert table.file("other") == Path("none.csv")
    assert table.files("all") == [tmp_path / "data.csv", Path("none.csv")]
    assert table.files("data") == [tmp_path / "data.csv"]


def test_the_nearest_known_name_is_proposed():
    assert unknown_hint("scalling", ["metric", "scaling"]) == "did you mean 'scaling'?"
    assert unknown_hint("colour", ["metric", "scaling"]) == "known: metric, scaling"


def test_text_in_utf8_is_read(table):
    assert table('t = "ü"\n').text("t") == "ü"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a = 1\nb = \n", "f.toml:2: is not valid TOML: Invalid value; correct that line"),
        (b"a = 1\nb = '\xff'\n", "f.toml:2: is not UTF-8 text"),
        (b"#" * ((1 << 22) + 1), "f.toml: larger than 4 MiB, the limit for such files"),
        (None, "f.toml: cannot be read: No such file"),
    ],
)
@pytest.mark.parametrize("failure", [InputError, UsageError])
def test_files_that_are_not_toml(tmp_path, content, message, failure):
    if content is not None:
        (tmp_path / "f.toml").write_bytes(content)
    with pytest.raises(failure) as error:
        read_toml(tmp_path / "f.toml", failure)
    assert message in str(error.value) and "(at line" not in str(error.value)


def test_tables_and_arrays_may_be_nested_twenty_deep(table):
    assert "x" in table("x = " + "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1))
    assert "a" in table(f"{'a.' * (DEEPEST - 1)}a = 1")
    for text in ("x = " + "[" * DEEPEST + "]" * DEEPEST, f"[b]\nk = 1\n{'a.' * DEEPEST}a = 1\n[c.d]\nk = 1"):
        with pytest.raises(InputError, match=f"nested more than {DEEPEST} deep"):
            table(text)


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 5000 + "]" * 5000,
        "x = " + "{a = " * 3000 + "1" + "}" * 3000,
        "[" + "a." * 3000 + "a]",
        "a." * 3000 + "a = 1",
    ],
    ids=["arrays", "inline tables", "headers", "keys"],
)
def test_what_is_nested_deeply_is_refused(table, tmp_path, text):
    with pytest.raises(InputError) as error:
        table(text)
    said = f"{tmp_path / 'f.toml'}: tables or arrays nested more than {DEEPEST} deep; flatten them"
    assert str(error.value) == said


def test_a_number_of_thousands_of_digits_is_one_line(table):
    with pytest.raises(InputError, match=r"f\.toml: a number has too many digits; correct it"):
        table(f"x = {'7' * 5000}")
