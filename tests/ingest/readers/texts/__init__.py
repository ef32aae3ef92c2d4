"""Small files as programs print them, of our own making."""

from pathlib import Path


def text_of(name: str) -> str:
    """Return one of them."""
    return (Path(__file__).parent / name).read_text("utf-8")
