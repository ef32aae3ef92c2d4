"""Write the types of what the pages' scripts read, from the records: ``python -m tools.payload_types``."""

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, NewType, Union, get_args, get_origin

from ingest.record_codec import entries
from pipeline.report.page.comparison_page import ComparisonPayload
from pipeline.report.page.embedding import script_name
from pipeline.report.page.history_page import HistoryPayload
from pipeline.report.page.payload import ReportPayload

FILE = Path(__file__).parents[1] / "pipeline/report/page/js/data/records.d.ts"
ROOTS = (ReportPayload, ComparisonPayload, HistoryPayload)
SCALARS = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    bytes: "Uint8Array",
    NoneType: "null",
}


def declarations() -> str:
    """Return the content of the file."""
    found: dict[str, str] = {}
    for root in ROOTS:
        _type(root, found)
    head = (
        "// Written by `python -m tools.payload_types` from the records that pages carry; not to be edited.\n"
    )
    return "\n".join([head, *(found[name] for name in sorted(found))])


def _type(kind: Any, found: dict[str, str]) -> str:  # noqa: ANN401
    """Return what scripts call a type, and add what it needs to the declarations found."""
    if isinstance(kind, NewType) or is_dataclass(kind):
        name: str = kind.__name__
        if name not in found:
            found[name] = ""  # so that it may hold itself
            found[name] = _record(kind, found) if is_dataclass(kind) else _alias(kind, found)
        return name
    if get_origin(kind) is Annotated:
        return _type(kind.__origin__, found)
    origin, parts = get_origin(kind), [_type(part, found) for part in get_args(kind) if part is not ...]
    if origin in (Union, UnionType):
        return " | ".join(parts)
    if origin is tuple and ... not in get_args(kind):
        return f"[{', '.join(parts)}]"
    if origin in (tuple, list, Sequence):
        return f"({parts[0]})[]" if "|" in parts[0] else f"{parts[0]}[]"
    return f"Record<{', '.join(parts)}>" if origin is Mapping else SCALARS[kind]


def _alias(kind: Any, found: dict[str, str]) -> str:  # noqa: ANN401
    return f"export type {kind.__name__} = {_type(kind.__supertype__, found)};\n"


def _record(kind: Any, found: dict[str, str]) -> str:  # noqa: ANN401
    (base,) = kind.__bases__
    inherited = {one.key for one in entries(base)} if is_dataclass(base) else set()
    extends = f" extends {_type(base, found)}" if inherited else ""
    lines = [f"/** {kind.__doc__.partition(chr(10))[0]} */", f"export interface {kind.__name__}{extends} {{"]
    for one in entries(kind):
        if one.key not in inherited:
            lines += [f"  /** {text} */" for text in getattr(one.kind, "__metadata__", ())]
            text = _type(one.kind, found)
            lacks = one.may_lack and text.endswith(" | null")
            name = f"{script_name(one.key)}{'?' * lacks}"
            lines.append(f"  {name}: {text.removesuffix(' | null') if lacks else text};")
    return "\n".join([*lines, "}\n"])


if __name__ == "__main__":
    FILE.write_text(declarations(), encoding="utf-8")
