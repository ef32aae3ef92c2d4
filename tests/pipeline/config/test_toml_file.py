"""TOML files whose errors name file, line and key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import UsageError
from pipeline.config.toml_file import line_numbers, read_toml, unknown_hint

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
    def read(text):
        file = tmp_path / "f.toml"
        file.write_text(text, encoding="utf-8")
        return read_toml(file)

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
        (lambda t: t.number("n", 4.0), "f.toml:2: n: invalid value 3; write a number of at least 4"),
        (lambda t: t.number("n", 0, 2), "f.toml:2: n: invalid value 3; write a number from 0 to 2"),
        (lambda t: t.table("n"), "f.toml:2: n: 3 is not a table; write [n]"),
        (lambda t: t.tables("n"), "f.toml:2: n: 3 is not a list of tables; write [[n]]"),
        (lambda t: t.tables("list"), "f.toml:3: list: [1] is not a list of tables; write [[list]]"),
        (lambda t: t.table("a").tables("y"), "f.toml:5: y: 1 is not a list of tables; write [[a.y]]"),
        (lambda t: t.check_keys(["empty", "n", "list"]), "f.toml:4: a: unknown key; known: empty, n, list"),
    ],
)
def test_errors_name_the_place(table, read, message):
    document = table('empty = " "\nn = 3\nlist = [1]\n[a]\ny = 1\n')
    with pytest.raises(UsageError) as error:
        read(document)
    assert str(error.value).endswith(message)


def test_values(table):
    document = table('n = 3\nt = "x"\n[[many]]\nq = 1\n[[many]]\nq = 2\n')
    assert (document.number("n"), document.text("t")) == (3.0, "x")
    assert [entry.number("q") for entry in document.tables("many")] == [1.0, 2.0]
    assert document.table("none").content == {} and document.tables("none") == []


def test_the_nearest_known_name_is_proposed():
    assert unknown_hint("scalling", ["metric", "scaling"]) == "did you mean 'scaling'?"
    assert unknown_hint("colour", ["metric", "scaling"]) == "known: metric, scaling"


def test_text_in_utf8_is_read(table):
    assert table('t = "ü"\n').text("t") == "ü"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a = 1\nb = \n", "f.toml:2: is not valid TOML: Invalid value"),
        (b"a = \xff\n", "f.toml: cannot be read ("),
    ],
)
def test_files_that_are_not_toml(tmp_path, content, message):
    (tmp_path / "f.toml").write_bytes(content)
    with pytest.raises(UsageError) as error:
        read_toml(tmp_path / "f.toml")
    assert message in str(error.value) and "at line" not in str(error.value)


def test_a_missing_file(tmp_path):
    with pytest.raises(UsageError, match=r"none\.toml: cannot be read"):
        read_toml(tmp_path / "none.toml")
