"""Files appear complete or not at all, and JSON is readable."""

import json
import os
import pathlib
import stat

import pytest

from ingest.errors import UsageError
from pipeline.store.atomic import (
    PARTIAL,
    json_text,
    require_writable,
    write_atomically,
    write_json,
    write_text,
)


def test_a_file_is_moved_into_place_and_readable_by_others(tmp_path):
    target = tmp_path / "new" / "folder" / "file.txt"

    def write(path):
        assert path.parent == target.parent and path.name.startswith(".file.txt.")
        assert path.name.endswith(PARTIAL) and not target.exists()
        path.write_text("whole")

    write_atomically(target, write)
    assert target.read_text() == "whole"
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


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o002, 0o664), (0o077, 0o600)])
def test_files_have_the_permissions_that_the_user_wants(tmp_path, mask, mode):
    before = os.umask(mask)
    try:
        write_text(tmp_path / "file", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == mode


def test_a_file_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    events = []
    monkeypatch.setattr(
        os, "fsync", lambda handle: events.append(str(pathlib.Path(f"/proc/self/fd/{handle}").readlink()))
    )
    original = pathlib.Path.replace
    monkeypatch.setattr(pathlib.Path, "replace", lambda a, b: events.append(str(b)) or original(a, b))
    write_text(tmp_path / "file", "x")
    assert len(events) == 2 and events[0].endswith(PARTIAL) and events[1] == str(tmp_path / "file")
    write_atomically(tmp_path / "other", lambda path: path.write_text("x"), durable=False)
    assert events[2:] == [str(tmp_path / "other")]


def test_what_is_no_file_is_written_itself(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_text(pipe, "text")
    assert os.read(reader, 10) == b"text" and stat.S_ISFIFO(pipe.stat().st_mode)
    os.close(reader)
    full = tmp_path / "full"
    full.symlink_to("/dev/full")
    with pytest.raises(UsageError, match=r"cannot be written \(No space left on device\)"):
        write_text(full, "x" * 100)
    assert full.is_symlink()


def test_json_has_one_line_per_entry_of_an_object_and_of_a_list_of_objects(tmp_path):
    value = {"a": 1, "b": [{"x": "ü"}, {"x": 2}], "c": [1, 2], "d": {"e": {}}, 7: ()}
    text = json_text(value)
    assert text == (
        '{\n"a": 1,\n"b": [\n {"x": "ü"},\n {"x": 2}\n],\n"c": [1, 2],\n"d": {"e": {}},\n"7": []\n}\n'
    )
    assert json.loads(text)["b"][1] == {"x": 2}
    assert json_text({}) == "{\n\n}\n"
    write_json(tmp_path / "found.json", value)
    assert (tmp_path / "found.json").read_text(encoding="utf-8") == text
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


def test_what_cannot_be_written_is_refused_before_there_is_anything(tmp_path):
    require_writable(tmp_path / "new" / "out.txt")
    assert list((tmp_path / "new").iterdir()) == []
    (tmp_path / "old.txt").write_text("before")
    require_writable(tmp_path / "old.txt")
    assert (tmp_path / "old.txt").read_text() == "before"
    require_writable(pathlib.Path(os.devnull))
    for path, reason in ((tmp_path, "Is a directory"), (tmp_path / "old.txt" / "out.txt", "File exists")):
        with pytest.raises(UsageError, match=rf"cannot be written \({reason}\)"):
            require_writable(path)
