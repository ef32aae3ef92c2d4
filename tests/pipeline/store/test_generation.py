"""All files of a result change together, and none that is damaged is read."""

import json
import re
import shutil

import pytest

from ingest.errors import InputError, UsageError
from pipeline.store.generation import (
    HIDDEN,
    STORE_VERSION,
    finish,
    new_generation,
    open_result,
    publish,
    read_result,
    signed,
)

PROVENANCE = {"version": STORE_VERSION, "command": "x"}


def make(directory, **files):
    with new_generation(directory) as folder:
        for name, content in files.items():
            (folder / name).write_text(content)
        publish(folder, PROVENANCE)
        return folder


def names(directory):
    return sorted(path.name for path in directory.iterdir())


def test_published_files_have_plain_names_and_digests(tmp_path):
    folder = make(tmp_path, a="one", b="two")
    stored = open_result(tmp_path)
    assert names(tmp_path) == ["a", "b", "run.json"] and sorted(stored.digests) == ["a", "b"]
    assert stored.provenance["generation"] == folder.name.removeprefix(HIDDEN)
    assert stored.read("a") == b"one" and stored.damages() == []
    assert stored.require_intact() is stored


def test_what_is_not_published_leaves_the_result_alone(tmp_path):
    make(tmp_path, a="one")
    with pytest.raises(ZeroDivisionError), new_generation(tmp_path) as folder:
        (folder / "a").write_text("two")
        raise ZeroDivisionError
    assert names(tmp_path) == ["a", "run.json"]
    assert open_result(tmp_path).read("a") == b"one"


def test_every_changed_bit_of_a_file_or_of_run_json_is_noticed(tmp_path):
    make(tmp_path, a="one")
    for name in ("a", "run.json"):
        content = (tmp_path / name).read_bytes()
        for bit in range(8 * len(content)):
            changed = bytearray(content)
            changed[bit // 8] ^= 1 << bit % 8
            (tmp_path / name).write_bytes(changed)
            try:
                stored = read_result(tmp_path, lambda stored: stored.require_intact())
            except InputError as error:
                assert "\n" not in str(error)
            else:  # a space between two entries became another
                assert name == "run.json" and stored.provenance == json.loads(content) | stored.provenance
        (tmp_path / name).write_bytes(content)


def test_a_result_without_a_configuration_is_damaged(tmp_path):
    make(tmp_path, a="one")
    with pytest.raises(InputError, match=r"damaged \(run\.json holds no configuration\)"):
        assert open_result(tmp_path).configuration


def test_damages_are_named(tmp_path):
    make(tmp_path, a="one", b="two", c="three")
    (tmp_path / "a").unlink()
    (tmp_path / "b").write_text("2")
    (tmp_path / "c").unlink()
    (tmp_path / "c").mkdir()
    assert open_result(tmp_path).damages() == [
        "a is missing",
        "b has changed since it was written",
        "c cannot be read: Is a directory",
    ]


def test_a_reader_finds_what_a_kill_left_in_the_hidden_folder(tmp_path):
    make(tmp_path, a="old", b="old")
    folder = make(tmp_path, a="new", b="new")
    folder.mkdir()  # as after a kill between run.json and the last file
    (tmp_path / "b").replace(folder / "b")
    (tmp_path / "b").write_text("old")
    stored = open_result(tmp_path)
    assert (stored.read("a"), stored.read("b")) == (b"new", b"new")
    finish(tmp_path)
    assert names(tmp_path) == ["a", "b", "run.json"] and (tmp_path / "b").read_text() == "new"


def test_folders_of_killed_runs_are_removed_and_others_stay(tmp_path):
    make(tmp_path, a="one")
    (tmp_path / f"{HIDDEN}0123456789abcdef").mkdir()
    (tmp_path / f"{HIDDEN}mine").mkdir()
    finish(tmp_path)
    assert names(tmp_path) == [f"{HIDDEN}mine", "a", "run.json"]


def test_a_file_that_a_result_no_longer_has_is_removed_unless_the_user_changed_it(tmp_path):
    make(tmp_path, a="one", b="two", c="three")
    (tmp_path / "c").write_text("mine")
    make(tmp_path, a="new")
    assert names(tmp_path) == ["a", "c", "run.json"]


def test_files_of_others_are_not_overwritten(tmp_path):
    (tmp_path / "b").write_text("precious")
    with pytest.raises(UsageError, match="it has b, which no run has written; give another --out"):
        make(tmp_path, a="one", b="two")
    assert names(tmp_path) == ["b"]
    assert (tmp_path / "b").read_text() == "precious"


def test_some_files_can_be_replaced(tmp_path):
    make(tmp_path, a="one", b="two")
    stored = open_result(tmp_path)
    with new_generation(tmp_path) as folder:
        (folder / "b").write_text("new")
        publish(folder, stored.provenance, replaced=stored)
    again = open_result(tmp_path)
    assert (again.read("a"), again.read("b")) == (b"one", b"new")
    assert again.provenance["generation"] != stored.provenance["generation"]


def test_a_reader_starts_again_if_another_run_publishes(tmp_path):
    make(tmp_path, a="old", b="old")

    def read(stored):
        first = stored.read("a")
        if first == b"old":
            make(tmp_path, a="new", b="new")
        return first + stored.read("b")

    assert read_result(tmp_path, read) == b"newnew"


def test_a_reader_stops_if_runs_never_do(tmp_path):
    make(tmp_path, a="x")

    def read(stored):
        make(tmp_path, a="y")
        raise InputError("changed")

    with pytest.raises(InputError, match="other runs keep writing to it; try again"):
        read_result(tmp_path, read)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_no_json_is_refused_in_run_json(tmp_path, number):
    make(tmp_path, a="one")
    text = (tmp_path / "run.json").read_text().replace("{", '{"seconds": ' + number + ", ", 1)
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(InputError, match=rf"run\.json: cannot be read \({number} is no finite number\)"):
        open_result(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        {"files": {"../a": ""}},
        {"files": {"/a": ""}},
        {"files": {"": ""}},
        {"files": {"..": ""}},
        {"files": []},
        {"generation": "../../0123456789"},
        {"generation": 3},
    ],
)
def test_no_path_outside_the_directory_is_taken_from_run_json(tmp_path, change):
    make(tmp_path, a="one")
    content = json.loads((tmp_path / "run.json").read_bytes()) | change
    del content["sha256"]
    (tmp_path / "run.json").write_text(json.dumps(signed(content)))
    with pytest.raises(InputError, match=r"run\.json: has changed since it was written"):
        open_result(tmp_path)


@pytest.mark.parametrize("content", ["", "[" * 100_000, "\xff", '{"version": 99}', "9" * 5000])
def test_another_run_json_is_one_line(tmp_path, content):
    (tmp_path / "run.json").write_text(content, encoding="latin-1")
    with pytest.raises(InputError, match=re.escape(str(tmp_path / "run.json"))):
        open_result(tmp_path)


def test_what_cannot_be_written_is_one_line(tmp_path):
    make(tmp_path, a="one")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "file").touch()
    with pytest.raises(UsageError, match="cannot be written"):
        make(tmp_path, b="two")
    shutil.rmtree(tmp_path / "b")
    shutil.rmtree(tmp_path)
    with pytest.raises(UsageError, match=r"cannot be written \(No such file or directory\)"):
        make(tmp_path, a="one")
