"""Filters for other instrumenters: TAU, GCC's -finstrument-functions, and LLVM's XRay."""

import re
from dataclasses import dataclass

import numpy as np

from filters.evidence import FilterRegions
from filters.filter_options import Instrumenter
from ingest.arrays import BoolArray
from ingest.cpp_names import parse_signature, short_name

_GCC_OPTION = "-finstrument-functions-exclude-function-list="
_LOCAL = re.compile(r"[{}]|\(anonymous|<lambda")
_TAU_UNNAMEABLE = re.compile(r"[#?\"\n]")
_XRAY_NAME = re.compile(r"[\w.$]+", re.ASCII)


@dataclass(frozen=True)
class FunctionList:
    """A list of functions in the language of an instrumenter.

    Attributes:
        left: displayed names of the functions that it does not decide as intended: the instrumenter's
            language cannot name them without affecting others.
        usage: how to use the file, with FILE for its path.
    """

    text: str
    left: tuple[str, ...]
    usage: str


def list_functions(regions: FilterRegions, kept: BoolArray, instrumenter: Instrumenter) -> FunctionList:
    """Write a decision as a list of the functions that the compiler instrumented and that were called.

    Args:
        kept: bool[R], which of them are measured.
    """
    compiler = np.array([paradigm == "compiler" for paradigm in regions.table.paradigm], dtype=np.bool_)
    write = {Instrumenter.TAU: _tau, Instrumenter.GCC: _gcc, Instrumenter.XRAY: _xray}[instrumenter]
    listed = compiler & regions.called
    names = list(zip(regions.table.name, regions.table.mangled, strict=True))
    wanted = [names[i] for i in np.flatnonzero(listed & kept).tolist()]
    return write(wanted, [names[i] for i in np.flatnonzero(listed & ~kept).tolist()])


def _gcc(kept: list[tuple[str, str]], dropped: list[tuple[str, str]]) -> FunctionList:
    """Write a response file without functions that have no name of their own (lambdas, anonymous namespaces).

    GCC looks for the entries anywhere in the qualified name without parameters; commas in an entry are
    escaped.
    """
    protected = "\n".join(parse_signature(name).without_parameters for name, _ in kept)
    entries, left = [], []
    for name, _ in dropped:
        entry = short_name(name)
        if entry not in name or _LOCAL.search(name) or entry in protected:
            left.append(name)
        else:
            entries.append(entry.replace(",", "\\,"))
    option = _GCC_OPTION + ",".join(dict.fromkeys(entries))
    quoted = option.replace("\\", "\\\\").replace('"', '\\"')
    text = f'"{quoted}"\n' if entries else ""
    return FunctionList(text, tuple(left), "g++ -finstrument-functions @FILE ...")


def _tau(kept: list[tuple[str, str]], dropped: list[tuple[str, str]]) -> FunctionList:
    """Write a select file with the shorter of the two lists; `#` is TAU's wildcard."""
    verb, listed, others = (
        ("INCLUDE", kept, dropped) if len(kept) <= len(dropped) else ("EXCLUDE", dropped, kept)
    )
    avoided = "\n".join(name for name, _ in others)
    whole = {name for name, _ in others}
    entries, left = [], []
    for name, _ in listed:
        beginning = f"{short_name(name)}("
        clear = beginning in name and beginning not in avoided
        if clear and not _TAU_UNNAMEABLE.search(beginning) and not _LOCAL.search(name):
            entries.append(f'"#{beginning}#"')
        elif name not in whole and not _TAU_UNNAMEABLE.search(name):
            entries.append(name)
        else:
            left.append(name)
    lines = [f"BEGIN_{verb}_LIST", *dict.fromkeys(entries), f"END_{verb}_LIST"] if listed else []
    text = "".join(f"{line}\n" for line in lines)
    return FunctionList(text, tuple(left), "tau_cxx.sh -optTauSelectFile=FILE ...")


def _xray(kept: list[tuple[str, str]], dropped: list[tuple[str, str]]) -> FunctionList:
    """Write an attribute list of mangled names, escaped for globs and regular expressions alike."""
    lines, left = [], []
    for section, listed in (("always", kept), ("never", dropped)):
        lines.append(f"[{section}]")
        for name, mangled in listed:
            if _XRAY_NAME.fullmatch(mangled):
                lines.append("fun:" + re.sub(r"[.$]", r"\\\g<0>", mangled))
            else:
                left.append(name)
    text = "".join(f"{line}\n" for line in lines)
    return FunctionList(text, tuple(left), "clang++ -fxray-instrument -fxray-attr-list=FILE ...")
