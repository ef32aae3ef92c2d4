"""Databases since 2022 that are damaged: one line says what is wrong."""

import struct

import numpy as np
import pytest

from ingest.errors import InputError
from ingest.readers import find_profile_reader, read_profile
from ingest.readers.hpctoolkit import binary_database, files
from ingest.readers.hpctoolkit.binary_database import MetaFile
from ingest.readers.hpctoolkit.profile_db import FilePart
from tests.ingest.readers.hpctoolkit_meta_files import (
    CONTEXTS,
    EXECUTION,
    TIMES,
    profile_bytes,
    thread,
    write_database,
)

TIME = "CPUTIME (sec)"


def patched(database, file, at, layout, *fields):
    content = bytearray((database / file).read_bytes())
    struct.pack_into(f"<{layout}", content, at, *fields)
    (database / file).write_bytes(content)
    return database


@pytest.mark.parametrize(
    ("file", "at", "layout", "fields", "error"),
    [
        ("meta.db", 0, "4s", (b"HPCX",), "meta.db: not the file of HPCToolkit that its name says"),
        ("meta.db", 14, "B", (5,), r"meta.db: version 5.0 of the format; only version 4 is known"),
        ("meta.db", 0x40, "Q", (1 << 40,), "meta.db: the section of contexts lies behind the end"),
        ("profile.db", 10, "4s", (b"meta",), "profile.db: not the file of HPCToolkit that its name says"),
        ("profile.db", 14, "B", (3,), "profile.db: version 3.0"),
        ("profile.db", 0x10, "Q", (1 << 63,), "profile.db: .*behind the end: truncated"),
        ("profile.db", 0x38, "I", (1 << 31,), "profile.db: 2147483648 profiles"),
        ("profile.db", 0x40, "Q", (1 << 62,), "profile.db: more values than the file has"),
    ],
)
def test_what_is_damaged_is_refused(tmp_path, file, at, layout, fields, error):
    database = write_database(tmp_path / "a", CONTEXTS, [TIME], [thread(0)])
    with pytest.raises(InputError, match=error):
        read_profile(patched(database, file, at, layout, *fields))


def test_inclusive_values_are_not_less_than_those_below_and_contexts_not_below_themselves(tmp_path):
    database = write_database(tmp_path / "a", CONTEXTS, [TIME], [thread(0)], summary=False)
    content = (database / "profile.db").read_bytes()
    at = content.index(struct.pack("<d", 8.25))
    with pytest.raises(InputError, match="a context has less than those below it"):
        read_profile(patched(database, "profile.db", at, "d", 8.0))
    database = write_database(tmp_path / "b", CONTEXTS, [TIME], [thread(0)])
    below = below_entry(database)
    with pytest.raises(InputError, match="contexts that are below themselves"):
        read_profile(patched(database, "meta.db", below, "QQ", 32, below))


def written(folder, context, metric, value):
    """Write a database of one thread with any values; the last metric of four is the inclusive one."""
    database = write_database(folder, CONTEXTS, [TIME], [])
    arrays = np.array(context), np.array(metric), np.array(value)
    (database / "profile.db").write_bytes(profile_bytes([({"RANK": 0}, arrays)]))
    return database


@pytest.mark.parametrize(
    ("context", "value", "error"),
    [
        ([0, 2], [1.0, 1.0], "a context has values, but not the one above it"),
        ([0, 0, 1], [1.0, 1.0, 1.0], "two values of one metric and context"),
        ([0, 1], [np.nan, 1.0], "not finite"),
        ([0, 1], [1.0, np.inf], "not finite"),
        ([0], [-1.0], "a context has less than those below it"),
    ],
)
def test_values_that_contradict_each_other_are_refused(tmp_path, context, value, error):
    with pytest.raises(InputError, match=rf"profile\.db: .*{error}"):
        read_profile(written(tmp_path / "a", context, [EXECUTION] * len(context), value))


def test_contexts_of_a_profile_are_in_order(tmp_path):
    database = written(tmp_path / "a", [0, 1, 2], [EXECUTION] * 3, [3.0, 2.0, 1.0])
    assert read_profile(database).values("time")[:3, 0].tolist() == [1.0, 1.0, 1.0]
    at = (database / "profile.db").read_bytes().index(struct.pack("<IQ", 1, 1))
    for fields in ((0, 1), (1, 3), (1, 1 << 63)):
        with pytest.raises(InputError, match="the contexts of a profile are not in order"):
            read_profile(patched(database, "profile.db", at, "IQ", *fields))
    patched(database, "profile.db", at, "IQ", 1, 1)
    with pytest.raises(InputError, match="but not the one above it"):  # the value of context 0 is nobody's
        read_profile(patched(database, "profile.db", at - 12, "IQ", 0, 1))


def test_identifiers_of_profiles(tmp_path):
    database = write_database(tmp_path / "a", CONTEXTS, [TIME], [thread(0)])
    (at,) = struct.unpack_from("<Q", (database / "profile.db").read_bytes(), 0x28)
    read_profile(patched(database, "profile.db", at + 8, "B", 99))  # of a kind that has no name
    with pytest.raises(InputError, match="65 identifiers of one profile"):
        read_profile(patched(database, "profile.db", at, "H", 65))
    (at,) = struct.unpack_from("<Q", (database / "profile.db").read_bytes(), 0x18)
    with pytest.raises(InputError, match="structures of 8 bytes, less than 48"):
        read_profile(patched(database, "profile.db", at + 12, "B", 8))


def test_identifiers_of_contexts_and_metrics_are_different(tmp_path):
    database = write_database(tmp_path / "a", CONTEXTS, ["A", "B"], [thread(0, A=TIMES)])
    content = (database / "meta.db").read_bytes()
    (section,) = struct.unpack_from("<Q", content, 0x38)
    (first,) = struct.unpack_from("<Q", content, section)
    instances = [struct.unpack_from("<Q", content, first + 8 + 32 * number)[0] for number in range(2)]
    patched(database, "meta.db", instances[1] + 16 * EXECUTION + 8, "H", EXECUTION)
    with pytest.raises(InputError, match="two metrics have the same identifier"):
        read_profile(database)
    database = write_database(tmp_path / "b", CONTEXTS, [TIME], [thread(0)])
    below = below_entry(database)
    with pytest.raises(InputError, match="two contexts have the same identifier"):
        read_profile(patched(database, "meta.db", below + 16, "I", 1))
    with pytest.raises(InputError, match=r"contexts at 1[0-9]*, outside of their section"):
        read_profile(patched(database, "meta.db", below + 8, "Q", 1 << 60))


def below_entry(database):
    """Return the offset of the first context below the entry point."""
    content = (database / "meta.db").read_bytes()
    (section,) = struct.unpack_from("<Q", content, 0x48)
    (entry,) = struct.unpack_from("<Q", content, section)
    return struct.unpack_from("<QQ", content, entry)[1]


def test_numbers_of_metrics_are_bounded(tmp_path, monkeypatch):
    database = write_database(tmp_path / "a", CONTEXTS, [TIME, "A"], [thread(0)])
    monkeypatch.setattr(binary_database, "_MAX_METRICS", 1)
    with pytest.raises(InputError, match=r"meta\.db: 2 metrics"):
        read_profile(database)
    monkeypatch.setattr(binary_database, "_MAX_METRICS", 2)
    with pytest.raises(InputError, match="more identifiers of metrics than there can be"):
        read_profile(database)


def test_texts_end_are_bounded_and_do_not_overlap():
    part = FilePart(10, b"main\0caf\xc3\xa9\xff\0end")
    assert part.text(10, 4) == "main"
    assert part.text(15, 9) == "café\ufffd"
    for at, longest in ((10, 3), (22, 9), (9, 9), (99, 9)):
        with pytest.raises(ValueError, match="no text at"):
            part.text(at, longest)
    file = MetaFile(whole=part, sections={}, characters=10)
    assert [file.text(at) for at in (0, 10, 10, 11, 12)] == ["", "main", "main", "ain", "in"]
    with pytest.raises(ValueError, match="its texts overlap"):
        file.text(15)


@pytest.mark.slow
def test_files_that_are_missing_or_truncated_are_named(tmp_path):
    database = write_database(tmp_path / "a", CONTEXTS, [TIME], [thread(0)])
    assert [file.name for file in files(database)] == ["meta.db", "profile.db"]
    content = (database / "profile.db").read_bytes()
    for size in range(0, len(content) - 8, 5):
        (database / "profile.db").write_bytes(content[:size])
        with pytest.raises(InputError, match=r"profile\.db: "):
            read_profile(database)
    (database / "profile.db").unlink()
    with pytest.raises(InputError, match=r"profile\.db: cannot be read: No such file"):
        read_profile(database)
    (database / "profile.db").write_bytes(content)
    (database / "meta.db").unlink()
    with pytest.raises(InputError, match=r"meta\.db: cannot be read: No such file"):
        read_profile(database)


def test_a_file_of_the_same_name_does_not_make_a_database(tmp_path):
    (tmp_path / "meta.db").write_bytes(b"SQLite format 3")
    (tmp_path / "profile.db").touch()
    assert find_profile_reader(tmp_path) is None


def test_dense_values_are_bounded(tmp_path, monkeypatch):
    profile = read_profile(write_database(tmp_path / "a", CONTEXTS, [TIME], [thread(0)]))
    monkeypatch.setattr(binary_database, "_MAX_DENSE", len(profile.tree) - 1)
    with pytest.raises(InputError, match=r"1[0-9] call paths x 1 locations are too large for memory"):
        profile.values("time")
