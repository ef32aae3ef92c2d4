"""TOML tables, files found by name, and every mistake in one line that names file, table and key."""

import re
from pathlib import Path

import pytest

import pipeline.projection
from pipeline.projection.expressions.toml_tables import (
    TomlTable,
    beside,
    find,
    flattened,
    read_bytes,
    read_text,
    read_toml,
    shipped,
)
from tests.pipeline.projection.mistakes import refused

CONTENT = {
    "name": "x",
    "n": 3,
    "inner": {"a": {"b": 1}},
    "rows": [{"k": 1}, {"k": 2}],
    "mixed": [{"k": 1}, 2],
}


@pytest.fixture
def table(tmp_path):
    return TomlTable(CONTENT, tmp_path / "cpu.toml")


def raised(call, *arguments):
    return refused(lambda: call(*arguments))


def test_places_are_named_by_file_table_and_key(table):
    inner = table.table("inner")
    assert (table.where, table.at("n")) == (f"{table.path}", f"{table.path}: n")
    assert (inner.where, inner.at("a")) == (f"{table.path}: [inner]", f"{table.path}: [inner] a")
    assert inner.table("a").where == f"{table.path}: [inner.a]"
    assert table.rows("rows")[1].where == f"{table.path}: [rows]"


def test_keys_are_there_or_not(table):
    assert "n" in table
    assert "m" not in table


def test_unknown_keys_are_refused_with_the_nearest_or_all_known_ones(table):
    table.check_keys(CONTENT)
    assert raised(table.check_keys, ["name", "n", "inner", "row", "mixed"]) == (
        f"{table.path}: unknown key 'rows'; did you mean 'row'?"
    )
    assert raised(table.check_keys, ["x", "y"]) == f"{table.path}: unknown key 'name'; known keys: x, y"


def test_texts(table):
    assert table.text("name") == table.text("name", "other") == "x"
    assert table.text("title", "other") == "other"
    assert table.text("title", "") == ""
    assert raised(table.text, "title") == f"{table.path}: 'title' is missing; write title = \"...\""
    assert raised(table.text, "n", "3") == f"{table.path}: 'n' has to be a string; write n = \"...\""


def test_numbers(table):
    assert (table.number("n"), table.number("n", 4, least=3), table.number("m", 4)) == (3.0, 3.0, 4.0)
    assert raised(table.number, "m") == f"{table.path}: 'm' is missing; write m = 1"
    assert raised(table.number, "name") == f"{table.path}: name = 'x'; write name = 1"
    high = f"{table.path}: n = 3; give a number of at least 3.5"
    assert refused(lambda: table.number("n", least=3.5)) == high
    for value in (True, float("inf"), float("nan"), 10**400):
        assert "n = " in raised(TomlTable({"n": value}, table.path).number, "n")
    assert TomlTable({"n": float("inf")}, table.path).number("n", most=float("inf")) == float("inf")


def test_tables_inside(table):
    assert table.table("inner").content == {"a": {"b": 1}}
    assert table.table("none").content == {}
    assert raised(table.table, "n") == f"{table.path}: 'n' has to be a table; write [n]"
    assert {key: inside.content for key, inside in table.table("inner").tables().items()} == {"a": {"b": 1}}
    assert raised(table.tables) == f"{table.path}: 'name' has to be a table; write [name]"


def test_lists_of_tables(table):
    assert [row.content for row in table.rows("rows")] == [{"k": 1}, {"k": 2}]
    assert table.rows("none") == []
    for key in ("mixed", "inner", "n"):
        line = f"{table.path}: '{key}' has to be a list of tables; write [[{key}]]"
        assert raised(table.rows, key) == line


def test_files_are_beside_the_table_or_as_they_stand(tmp_path):
    (tmp_path / "data.csv").write_text("x")
    (tmp_path / "results").mkdir()
    table = TomlTable({"data": "data.csv", "results": "results", "other": "none.csv"}, tmp_path / "app.toml")
    assert table.file("data") == tmp_path / "data.csv"
    assert table.file("results") == tmp_path / "results"
    assert table.file("other") == Path("none.csv")
    assert "'missing' is missing" in raised(table.file, "missing")


def test_a_machine_beside_another_is_a_file(tmp_path):
    (tmp_path / "cluster.toml").write_text("")
    (tmp_path / "xt5").mkdir()
    assert beside(tmp_path / "app.toml", "cluster.toml") == tmp_path / "cluster.toml"
    assert beside(tmp_path / "app.toml", "xt5") == Path("xt5")


def test_nested_tables_become_dotted_keys_down_to_the_leaves():
    nested = {"a": 1, "b": {"c": {"d": 2}, "e": {"value": 3, "note": "x"}}, "f": {"g": [1]}}
    flat = {"a": 1, "b.c.d": 2, "b.e": {"value": 3, "note": "x"}, "f.g": [1]}
    assert flattened(nested) == flat
    assert flattened({"a": {"value": 1, "b": {"c": 2}}}) == {"a": {"value": 1, "b": {"c": 2}}}


def test_toml_is_read_with_its_path(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text("[inner]\nk = 1\n")
    found = read_toml(path)
    assert (found.content, found.path, found.name) == ({"inner": {"k": 1}}, path, ())


def nested(depth):
    return ".".join("a" * depth) + " = 1\n"


def test_tables_may_be_nested_twenty_deep(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text(nested(20))  # the top level and 19 tables
    assert "a" in read_toml(path)
    path.write_text(nested(21))
    assert raised(read_toml, path) == f"{path}: tables or arrays nested more than 20 deep; flatten them"
    path.write_text("[b]\nk = 1\n" + nested(21) + "[c.d]\nk = 1\n")
    assert "nested more than 20 deep" in raised(read_toml, path)


def test_what_is_not_toml_is_one_line(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text("k = [")
    assert raised(read_toml, path).startswith(f"{path}: not valid TOML: ")
    assert raised(read_toml, path).endswith("; correct that line")
    path.write_text("k = " + "[" * 5000)
    assert "nested more than 20 deep" in raised(read_toml, path)
    path.write_text("#" * ((1 << 22) + 1))
    assert "larger than 4 MiB, the limit for such files" in raised(read_toml, path)
    assert "cannot be read" in raised(read_toml, tmp_path / "none.toml")


def test_data_files_are_bounded(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(b"text")
    assert (read_text(path), read_bytes(path)) == ("text", b"text")
    with path.open("r+b") as file:
        file.truncate((1 << 28) + 1)
    for read in (read_text, read_bytes):
        assert "larger than 256 MiB, the limit for such files" in raised(read, path)


def test_shipped_names_are_sorted():
    assert shipped("machine")[:2] == ("alps-gh200", "archer2")
    assert list(shipped("machine")) == sorted(shipped("machine"))
    assert "milc" in shipped("application")
    assert "golden-cove" in shipped("port map")
    assert shipped("class table") == ("aarch64", "x86-64")


def test_shipped_files_are_found_by_name_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = {find("machine", name) for name in ("xt5", "xt5.toml", "machines/xt5.toml", Path("machines/xt5"))}
    assert len(found) == 1
    assert found.pop().read_text().count("Cray XT5")
    assert find("application", "examples/milc.toml").is_file()


def test_a_file_of_ones_own_wins_over_a_shipped_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "xt5").write_text('name = "mine"\n')
    assert find("machine", "xt5") == Path("xt5")
    (tmp_path / "xt5").unlink()
    (tmp_path / "xt5").mkdir()
    assert find("machine", "xt5").is_absolute()


def test_names_that_nothing_has():
    what = "no such file, and no shipped machine of that name"
    assert raised(find, "machine", "xt6") == f"xt6: {what}; did you mean 'xt5'?"
    assert raised(find, "machine", "elsewhere/xt5.toml") == f"elsewhere/xt5.toml: {what}; did you mean 'xt5'?"
    assert raised(find, "machine", "zzz").startswith(
        f"zzz: {what}; give a file, or one of alps-gh200, archer2"
    )


def test_the_name_of_another_kind_is_told():
    assert raised(find, "application", "xt5").startswith(
        "xt5: a machine, not an application; applications are geometric-series, "
    )
    assert "milc: an application, not a machine; machines are alps-gh200" in raised(find, "machine", "milc")


def test_nothing_else_in_the_package_reads_the_disk():
    package = Path(pipeline.projection.__file__).parent
    touching = re.compile(r"\bopen\(|\.read_(text|bytes)\(|textfile|parquet|\.glob\(|\.exists\(|\.is_file\(")
    found = {path.name for path in package.rglob("*.py") if touching.search(path.read_text())}
    assert found == {"toml_tables.py"}
