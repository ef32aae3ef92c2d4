"""Files read as a whole, inflating with a bound, and files of a folder that differ in one number."""

from pathlib import Path

import pytest

from ingest.errors import InputError
from ingest.profile_search import search_profiles
from ingest.reading.files import (
    HEAD_BYTES,
    head,
    head_lines,
    missing_numbers,
    numbered_files,
    read_bytes,
    read_once,
    read_text,
)


def test_text_is_read_without_its_mark_and_up_to_the_bound(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"\xef\xbb\xbfab")
    assert read_text(path) == "ab"
    assert read_bytes(path, 5) == b"ab"
    with pytest.raises(InputError, match=r"larger than 0 MiB, the limit for such files"):
        read_bytes(path, 4)
    path.write_bytes(b"a" * (3 << 20))
    with pytest.raises(InputError, match="larger than 2 MiB"):
        read_text(path, 2 << 20)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty; was the measurement interrupted"),
        (b" \n\t", "empty"),
        (b"a\0b", "binary data"),
        (b"a\nb\n\xff", "line 3: not UTF-8 text"),
        (b"\xff", "line 1: not UTF-8 text"),
    ],
)
def test_what_is_not_text_is_refused(tmp_path, content, said):
    path = tmp_path / "a"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        read_text(path)


def test_what_cannot_be_read_is_refused_and_has_no_head(tmp_path):
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(InputError, match="cannot be read: "):
            read_text(path)
        assert head(path) == b""
    (tmp_path / "a").write_bytes(bytes(range(256)) * 17)
    assert head(tmp_path / "a") == (bytes(range(256)) * 16)[:HEAD_BYTES]


def numbered(*names):
    before, found = numbered_files([Path("folder") / name for name in names])
    return before, [file.name for file in found.values()]


@pytest.mark.parametrize(
    ("names", "before"),
    [
        (("rank1.out", "rank0.out"), "rank"),
        (("out.2", "out.1", "out.3"), "out."),
        (("rank0", "rank2"), "rank"),
        (("a2.0.n4.db", "a2.1.n4.db"), "a2."),
        (tuple(f"x{number}" for number in range(12)), "x"),
        (tuple(f"x{number:04d}" for number in range(12)), "x"),
    ],
)
def test_files_come_in_the_order_of_their_numbers(names, before):
    inorder = before, sorted(names, key=lambda name: (len(name), name))
    assert numbered(*names) == numbered("job", *names, "b1") == inorder


@pytest.mark.parametrize(
    "names",
    [
        (),
        ("rank0",),
        ("rank0", "rank3"),
        ("rank1", "rank2", "rank4"),
        ("rank2", "rank3"),
        ("rank0", "task1"),
        ("rank0", "rank1.txt"),
        ("rank0", "notes"),
        ("0.0", "1.1"),
        ("rank1", "rank01"),
    ],
)
def test_other_files_are_not_numbered(names):
    assert numbered(*names) == ("", [])


@pytest.mark.parametrize(
    ("numbers", "count", "what"),
    [
        ((0, 1, 2), 0, ""),
        ((1, 2, 3), 3, ""),
        ((0, 2), 0, "process 1 of 3 is missing"),
        ((1, 3), 0, "process 2 of 3 is missing"),
        ((0, 1), 4, "process 2 of 4 is missing, as is 1 more"),
        ((0, 5), 0, "process 1 of 6 is missing, as are 3 more"),
    ],
)
def test_missing_processes_are_named(numbers, count, what):
    assert missing_numbers(numbers, count=count) == what


def test_a_beginning_is_read_once_while_readers_look_at_it(tmp_path):
    path = tmp_path / "a"
    path.write_text("one\ntwo\n")
    with read_once():
        assert head(path, 5) == b"one\nt"
        path.write_text("six\n")
        assert head(path) == b"one\ntwo\n"
        assert (head_lines(path, 5), head_lines(path, 9)) == (["one"], ["one", "two", ""])
    assert head(path) == b"six\n"


def test_a_file_of_no_known_kind_is_opened_once_for_all_readers(tmp_path, monkeypatch):
    (tmp_path / "notes.txt").write_text("nothing of interest\n")
    opened, path_open = [], Path.open

    def counted(path, *how, **more):
        opened.append(path.name)
        return path_open(path, *how, **more)

    monkeypatch.setattr(Path, "open", counted)
    assert search_profiles(tmp_path)[0] == []
    assert opened.count("notes.txt") <= 2  # for the readers, and to say whether it is an archive
