"""Tiny profiles of gperftools, of before the protocol buffers."""

import struct
from collections.abc import Mapping, Sequence

MAPS = (
    "00400000-00500000 r-xp 00000000 00:00 1 /home/me/app\n"
    "7f0000000000-7f0000100000 r-xp 00001000 00:00 2 /lib/libm.so.6\n"
    "7fff00000000-7fff00001000 rw-p 00000000 00:00 0 [stack]\n"
)
SYMBOLS = "--- symbol\nbinary=/home/me/app\n0x0000000000400100 main\n0x0000000000400200 solve(int)\n---\n"
STACKS = ((3, (0x400200, 0x400101)), (2, (0x7F0000000040, 0x7F0000000040, 0x400101)), (1, (0x400100,)))


def cpu(
    stacks: Sequence[tuple[int, Sequence[int]]] = STACKS,
    *,
    form: str = "<Q",
    period: int = 10_000,
    header: Sequence[int] = (),
    end: Sequence[int] = (0, 1, 0),
    maps: str = MAPS,
) -> bytes:
    """Samples of the processor with words of a form of `struct`."""
    words = [0, 3 + len(header), 0, period, 0, *header]
    for count, stack in stacks:
        words += [count, len(stack), *stack]
    return b"".join(struct.pack(form, word) for word in (*words, *end)) + maps.encode()


def waits(rows: str = "  3000 2 @ 0x400200 0x400101\n", *, clock: str = "cycles/second = 1000\n") -> str:
    """Waits for locks, every tenth of which was sampled."""
    head = f"--- contentionz 1 ---\n{clock}sampling period = 10\nms since reset = 16502830\n"
    return f"{head}{rows}--- Memory map: ---\n{MAPS}"


SMALL = tuple((count, [address & 0xFFFFFFF for address in stack]) for count, stack in STACKS)

CPU: Mapping[str, bytes] = {
    "64 bit": cpu(),
    "big endian": cpu(form=">Q"),
    "32 bit": cpu(SMALL, form="<I", maps=""),
    "longer header": cpu(header=(7, 8)),
    "with names": SYMBOLS.encode() + b"--- cpu\n" + cpu(),
}
WAITS: Mapping[str, str] = {
    "contentionz": waits(),
    "mutex": waits().replace("--- contentionz 1 ---", "--- mutex:"),
    "no clock": waits(clock=""),
    "with names": SYMBOLS + "--- contention\n" + waits(),
}
