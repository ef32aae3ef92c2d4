"""Files found by path or by name."""

import re
from pathlib import Path

import pipeline.projection
from pipeline.projection.expressions.shipped_files import (
    beside,
    find,
    neighbour,
    read_bytes,
    read_text,
    shipped,
)
from tests.pipeline.projection.mistakes import refused


def raised(call, *arguments):
    return refused(lambda: call(*arguments))


def test_a_machine_beside_another_is_a_file(tmp_path):
    (tmp_path / "cluster.toml").write_text("")
    (tmp_path / "xt5").mkdir()
    assert beside(tmp_path / "app.toml", "cluster.toml") == tmp_path / "cluster.toml"
    assert beside(tmp_path / "app.toml", "xt5") == Path("xt5")


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


def test_the_record_beside_a_file_is_found(tmp_path):
    assert neighbour(tmp_path / "k.o", "k.opt.yaml") is None
    (tmp_path / "k.opt.yaml").write_text("")
    assert neighbour(tmp_path / "k.o", "k.opt.yaml") == tmp_path / "k.opt.yaml"


def test_nothing_else_in_the_package_reads_the_disk():
    package = Path(pipeline.projection.__file__).parent
    touching = re.compile(r"\bopen\(|\.read_(text|bytes)\(|textfile|parquet|\.glob\(|\.exists\(|\.is_file\(")
    found = {path.name for path in package.rglob("*.py") if touching.search(path.read_text())}
    assert found == {"shipped_files.py"}
