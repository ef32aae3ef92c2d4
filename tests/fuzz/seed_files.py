"""Files of seeds: each in a folder of its own, so that a maker can return several targets."""

from collections.abc import Callable, Mapping
from pathlib import Path


def files_of(folder: Path, name: str, *texts: str) -> list[str]:
    """Write one file for each text."""
    for number, text in enumerate(texts):
        (folder / str(number)).mkdir()
        (folder / str(number) / name).write_text(text, encoding="utf-8")
    return [f"{number}/{name}" for number in range(len(texts))]


def maker_of_texts(texts: Mapping[str, str] | Mapping[str, bytes], name: str) -> Callable[[Path], list[str]]:
    """Return a maker of one file for each text."""

    def make(folder: Path) -> list[str]:
        for number, text in enumerate(texts.values()):
            (folder / str(number)).mkdir()
            (folder / str(number) / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return [f"{number}/{name}" for number in range(len(texts))]

    return make


def one_file(folder: Path, name: str, content: str) -> list[str]:
    """Write one file, in a folder called like it begins."""
    place = folder / name[0]
    place.mkdir()
    (place / name).write_text(content, encoding="utf-8")
    return [f"{name[0]}/{name}"]
