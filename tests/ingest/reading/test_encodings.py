"""Texts with a byte-order mark, as PowerShell's ``>`` and editors write them, in every reader of texts."""

import numpy as np
import pytest

from ingest.readers import find_profile_reader
from ingest.reading import packed
from ingest.reading.files import ends_of, head, lines_of, read_bytes, read_text
from tests.fuzz.seeds import seeds

TEXTS = sorted(
    name
    for name, of in seeds().items()
    if all(
        content.isascii() and b"\0" not in content and b"<?xml" not in content
        for content in of[0].files.values()
    )
)


def written(folder, seed, change):
    for name, content in seed.files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(change(content))
    return folder / seed.target


def of(path):
    reader = find_profile_reader(path)
    if reader is None:
        return None
    profile = reader.read(path)
    sums = {metric.name: np.nansum(profile.values(metric.name)).item() for metric in profile.metrics}
    return reader.name, profile.regions.name, sums


def crlf(content):
    return content.replace(b"\r", b"").replace(b"\n", b"\r\n").decode()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-8"])
@pytest.mark.parametrize("name", TEXTS)
def test_a_text_with_a_mark_is_read_as_without(tmp_path, name, encoding):
    seed = seeds()[name][0]
    plain = of(written(tmp_path / "plain" / "x", seed, lambda content: crlf(content).encode()))
    marked = of(
        written(tmp_path / "marked" / "x", seed, lambda content: ("\ufeff" + crlf(content)).encode(encoding))
    )
    assert marked == plain


def test_most_readers_of_texts_are_there():
    assert {
        "folded stacks",
        "perf",
        "gprof",
        "callgrind",
        "timer table",
        "LIKWID",
        "mpiP",
        "TAU",
        "WRF",
    } < set(TEXTS)


@pytest.mark.parametrize("size", [10, 5000, 80_000])
def test_beginning_end_and_lines_of_marked_texts(tmp_path, size):
    path = tmp_path / "a"
    text = "".join(f"{number} \u20ac\U0001f600\n" for number in range(size))
    for encoding in ("utf-16-le", "utf-16-be", "utf-8"):
        path.write_bytes(("\ufeff" + text).encode(encoding))
        assert read_text(path) == text
        assert read_bytes(path, 1 << 24) == text.encode()
        assert list(lines_of(path)) == text.splitlines()
        assert text.encode().startswith(head(path, 4096))
        assert ends_of(path).endswith(text.encode()[-100:])


def test_what_is_no_text_of_its_encoding(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"\xef\xbb\xbfa\xffb")
    assert read_bytes(path, 10) == b"a\xffb"
    path.write_bytes(b"\xff\xfea\0\n\0\0\xd8b")
    assert read_bytes(path, 10).startswith(b"a\n")
    assert packed.is_packed_file(path)
