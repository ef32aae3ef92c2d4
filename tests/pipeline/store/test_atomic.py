"""Files appear complete or not at all, and JSON is readable."""

import json
import stat

import pytest

from ingest.errors import UsageError
from pipeline.store.atomic import PARTIAL, json_text, sweep, write_atomically, write_json, write_text


def test_a_file_is_moved_into_place_and_readable_by_others(tmp_path):
    target = tmp_path / "new" / "folder" / "file.txt"

    def write(path):
        assert path.parent == target.parent and path.name.startswith(".file.txt.")
        assert path.name.endswith(PARTIAL) and not target.exists()
        path.write_text("whole")

    write_atomically(target, write)
    assert target.read_text() == "whole"
    assert stat.S_IMODE(target.stat().st_mode) == 0o644
    assert list(target.parent.iterdir()) == [target]


def test_a_failed_write_leaves_what_was_there(tmp_path):
    target = tmp_path / "out.txt"
    target.write_text("before")

    def fail(path):
        path.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(UsageError) as error:
        write_atomically(target, fail)
    assert str(error.value) == (
        f"{target}: cannot be written (No space left on device); choose another file or directory"
    )
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]


def test_an_error_without_a_reason_is_shown_as_it_is(tmp_path):
    def fail(path):
        raise OSError("odd")

    with pytest.raises(UsageError, match=r"cannot be written \(odd\)"):
        write_atomically(tmp_path / "out.txt", fail)


def test_only_leftovers_are_swept(tmp_path):
    for name in (".a.xyz.partial", ".b.partial", "c.partial", ".kept", "kept"):
        (tmp_path / name).touch()
    sweep(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"c.partial", ".kept", "kept"}


def test_leftovers_that_cannot_be_removed_are_one_line(tmp_path):
    (tmp_path / ".a.partial").mkdir()
    with pytest.raises(UsageError, match=f"{tmp_path}: cannot be written"):
        sweep(tmp_path)


def test_json_has_one_line_per_entry_of_an_object_and_of_a_list_of_objects():
    value = {"a": 1, "b": [{"x": "ü"}, {"x": 2}], "c": [1, 2], "d": {"e": {}}, 7: ()}
    text = json_text(value)
    assert text == (
        '{\n"a": 1,\n"b": [\n {"x": "ü"},\n {"x": 2}\n],\n"c": [1, 2],\n"d": {"e": {}},\n"7": []\n}\n'
    )
    assert json.loads(text)["b"][1] == {"x": 2}
    assert json_text([1, {"a": 2}]) == '[1, {"a": 2}]\n'


def test_json_without_numbers_for_infinity(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(tmp_path / "x.json", {"a": float("nan")})
    assert not list(tmp_path.iterdir())


def test_names_that_are_not_utf8_survive(tmp_path):
    write_text(tmp_path / "text", "a\udcff")
    write_json(tmp_path / "json", {"a": "\udcff"})
    assert (tmp_path / "text").read_bytes() == b"a\xff"
    assert json.loads((tmp_path / "json").read_bytes()) == {"a": "\udcff"}
