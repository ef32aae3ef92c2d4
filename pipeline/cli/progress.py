"""Progress bars on standard error, for work that takes long enough to wonder."""

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def watch_reading(items: Iterable[Item], total: int) -> Iterator[Item]:
    """Pass items on; show a bar where standard error is a terminal and there are several."""
    if total < 2 or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(
        items, "Reading profiles", total, console=Console(stderr=True), transient=True, show_speed=False
    )
