"""Mutations of bytes and of text: what damage, careless editing and ill will do to a file."""

import re
import struct
from collections.abc import Callable, Sequence
from random import Random

Mutation = Callable[[bytes, Random, bytes], bytes]

MAX_SIZE = 1 << 22  # of a mutated file: what costs time here finds nothing there
NUMBERS = (
    *("0", "-1", "1", "2", "7", "255", "256", "65535", "65536", "2147483647", "2147483648", "4294967295"),
    *("9223372036854775807", "9223372036854775808", "18446744073709551616", "1" * 30, "9" * 5000),
    *(
        "nan",
        "inf",
        "-inf",
        "1e308",
        "-1e308",
        "1e309",
        "5e-324",
        "1e-300",
        "0.1",
        "-0.0",
        "1_0",
        "0x10",
        "٣",
    ),
    *("+5", "1e", "", " ", "1,5", "00", "-2147483648", "-9223372036854775808", "true", "null", "1e22"),
)
TOKENS = (
    *(
        "",
        " ",
        "\n",
        "\r\n",
        "\t",
        "\0",
        "\x1b[31m",
        "\x85",
        "\u2028",
        "\ufeff",
        "\ufffe",
        "é",
        "𝄞",
        "'",
        '"',
    ),
    *("<", ">", "&", "&amp;", "&#0;", "&#xD800;", "<![CDATA[", "]]>", "<!--", "-->", "</", "/>", "<?", "?>"),
    *("{", "}", "[", "]", "(", ")", ";", ",", ":", "=", "\\", "->", " => ", "#", "//", "/*", "*/", "..", "."),
    *(
        '"\\ud800"',
        "\\u0000",
        "\\ud800",
        "operator->",
        "[{a.c} {1,2}]",
        "[SAMPLE]",
        "[THROTTLED]",
        "GROUP=",
        "$",
        "%s",
    ),
    *("<!DOCTYPE a [<!ENTITY b 'c'>]>", "NaN", "Infinity", "null", "{}", "[]", '""', "a" * 300),
)
_OPENINGS = (
    *('\\"', "[{", "[{a} {1}", "<attribute><name>", '" 1 ', '"a" 1 0 1 1 0 '),
    *("<a>", "a{", "(1", '{"a":', "; "),
)
_INTEGERS = (0, 1, 2, 7, 127, 128, 255, 256, 1 << 15, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1)
_WIDE = (*_INTEGERS, 1 << 32, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
_DOUBLES = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    1e308,
    -1e308,
    1e280,
    5e-324,
    1e-300,
    float("nan"),
    float("inf"),
    -float("inf"),
)
_NUMBER = re.compile(rb"[-+]?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?")
_WORD = re.compile(rb"[A-Za-z_]{2,}")
_ELEMENT = re.compile(rb"<[^<>]*>|[^<>]+|[<>]")
_VALUE = re.compile(rb'"[^"]*"')


def mutate_bytes(data: bytes, rng: Random, donor: bytes) -> bytes:
    """Apply one mutation that knows nothing of what the bytes mean."""
    return rng.choice(_OF_BYTES)(data, rng, donor)[:MAX_SIZE]


def mutate_text(data: bytes, rng: Random, donor: bytes) -> bytes:
    """Apply one mutation of numbers, words, lines or tags."""
    return rng.choice(_OF_TEXT)(data, rng, donor)[:MAX_SIZE]


def is_text(data: bytes) -> bool:
    return b"\0" not in data[:4096]


def _put(data: bytes, at: int, new: bytes, removed: int | None = None) -> bytes:
    return data[:at] + new + data[at + (len(new) if removed is None else removed) :]


def _place(data: bytes, rng: Random) -> int:
    """Return a position; headers are hit more often than their share."""
    return rng.randrange(min(len(data), 64) if rng.random() < 0.3 else len(data)) if data else 0


def _stretch(data: bytes, rng: Random) -> tuple[int, int]:
    start = _place(data, rng)
    return start, min(len(data), start + int(2 ** rng.uniform(0, 12)))


def _flip(data: bytes, rng: Random, donor: bytes) -> bytes:
    at = _place(data, rng)
    return _put(data, at, bytes([data[at] ^ 1 << rng.randrange(8)])) if data else data


def _overwrite(data: bytes, rng: Random, donor: bytes) -> bytes:
    return _put(data, _place(data, rng), rng.randbytes(rng.choice((1, 1, 2, 4, 8))))


def _integer(data: bytes, rng: Random, donor: bytes) -> bytes:
    order, code = rng.choice("<>"), rng.choice("HIQ")
    number = rng.choice(_WIDE) & (1 << 8 * struct.calcsize(code)) - 1
    return _put(data, _place(data, rng), struct.pack(order + code, number))


def _step(data: bytes, rng: Random, donor: bytes) -> bytes:
    """Count a 32-bit number up or down by a little."""
    at, order = _place(data, rng), rng.choice(("little", "big"))
    number = int.from_bytes(data[at : at + 4], order) + rng.choice((-8, -2, -1, 1, 2, 8))
    return _put(data, at, (number & 0xFFFFFFFF).to_bytes(4, order))


def _double(data: bytes, rng: Random, donor: bytes) -> bytes:
    return _put(data, _place(data, rng), struct.pack(rng.choice("<>") + "d", rng.choice(_DOUBLES)))


def _truncate(data: bytes, rng: Random, donor: bytes) -> bytes:
    return data[: _place(data, rng)]


def _remove(data: bytes, rng: Random, donor: bytes) -> bytes:
    start, stop = _stretch(data, rng)
    return data[:start] + data[stop:]


def _repeat(data: bytes, rng: Random, donor: bytes) -> bytes:
    start, stop = _stretch(data, rng)
    times = rng.choice((1, 1, 1, 2, 30, 3000))
    return data[:stop] + data[start:stop] * min(times, MAX_SIZE // max(stop - start, 1)) + data[stop:]


def _blank(data: bytes, rng: Random, donor: bytes) -> bytes:
    start, stop = _stretch(data, rng)
    return data[:start] + rng.choice((b"\0", b"\xff", b" ", b"0")) * (stop - start) + data[stop:]


def _splice(data: bytes, rng: Random, donor: bytes) -> bytes:
    start, stop = _stretch(donor, rng)
    return _put(data, _place(data, rng), donor[start:stop], rng.choice((0, stop - start)))


def _swap(data: bytes, rng: Random, donor: bytes) -> bytes:
    a, b, c = sorted(_place(data, rng) for _ in range(3))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


def _number(data: bytes, rng: Random, donor: bytes) -> bytes:
    return _replace(_NUMBER, data, rng, rng.choice(NUMBERS).encode())


def _near_number(data: bytes, rng: Random, donor: bytes) -> bytes:
    """Give a number the text of another one in the file: identifiers that meet, counts that disagree."""
    found = _NUMBER.findall(data)
    return _replace(_NUMBER, data, rng, rng.choice(found)) if found else data


def _word(data: bytes, rng: Random, donor: bytes) -> bytes:
    words = _WORD.findall(data if rng.random() < 0.7 else donor)
    return _replace(_WORD, data, rng, rng.choice(words)) if words else data


def _quoted(data: bytes, rng: Random, donor: bytes) -> bytes:
    return _replace(_VALUE, data, rng, b'"' + rng.choice((*TOKENS, *NUMBERS)).encode() + b'"')


def _token(data: bytes, rng: Random, donor: bytes) -> bytes:
    return _put(data, _place(data, rng), rng.choice(TOKENS).encode(), rng.choice((0, 0, 1)))


def _pile(data: bytes, rng: Random, donor: bytes) -> bytes:
    """Insert one thing tens of thousands of times: what is quadratic shows itself as a hang."""
    token = rng.choice((*TOKENS, *_OPENINGS)).encode()
    words = _WORD.findall(data)
    if words and rng.random() < 0.3:
        token = rng.choice(words) + rng.choice((b" ", b"\n", b",", b"->", b""))
    times = int(10 ** rng.uniform(3, 5))
    return _put(data, _place(data, rng), token * min(times, MAX_SIZE // 8 // max(len(token), 1)), 0)


def _replace(pattern: re.Pattern[bytes], data: bytes, rng: Random, new: bytes) -> bytes:
    match = pattern.search(data, _place(data, rng)) or pattern.search(data)
    return data[: match.start()] + new + data[match.end() :] if match else data


def _lines(data: bytes, rng: Random, donor: bytes) -> bytes:
    return _rearrange(data.splitlines(keepends=True), donor.splitlines(keepends=True), rng)


def _tags(data: bytes, rng: Random, donor: bytes) -> bytes:
    return _rearrange(_ELEMENT.findall(data), _ELEMENT.findall(donor), rng)


def _rearrange(parts: list[bytes], others: Sequence[bytes], rng: Random) -> bytes:
    """Remove, repeat, exchange or borrow parts."""
    if not parts:
        return b""
    at, other, size = rng.randrange(len(parts)), rng.randrange(len(parts)), rng.choice((1, 1, 1, 2, 5))
    match rng.randrange(5):
        case 0:
            del parts[at : at + size]
        case 1:
            parts[other:other] = parts[at : at + size]
        case 2:
            parts[at], parts[other] = parts[other], parts[at]
        case 3:
            times = MAX_SIZE // (1 + sum(map(len, parts[at : at + size])))
            parts[at:at] = parts[at : at + size] * min(times, rng.choice((2, 20, 500)))
        case 4 if others:
            start = rng.randrange(len(others))
            parts[at:at] = others[start : start + size]
    return b"".join(parts)


_OF_BYTES: Sequence[Mutation] = (
    *(_flip, _flip, _overwrite, _overwrite, _integer, _integer, _step, _double, _double),
    *(_truncate, _remove, _repeat, _blank, _splice, _swap),
)
_OF_TEXT: Sequence[Mutation] = (
    *(_number, _number, _near_number, _near_number, _word, _quoted, _token, _token),
    *(_lines, _lines, _tags, _tags, _flip, _truncate, _remove, _splice),
) * 3 + (_pile,)
