"""What the compiler's report says of the loops of a function: vectorised, or why not.

Clang's records (``-fsave-optimization-record``) name functions. Text, of Clang (``-Rpass=loop-vectorize
-Rpass-missed=loop-vectorize -Rpass-analysis=loop-vectorize``) or GCC (``-fopt-info-vec-all``), names source
lines, which assembly compiled with ``-g`` has too.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ingest.errors import InputError
from pipeline.projection.expressions.shipped_files import read_bytes, read_text

_FIELD = re.compile(r"^(Pass|Name|Function): +'?(.*?)'?$", re.MULTILINE)
_PLACE = re.compile(r"^DebugLoc:\s+\{ File: '?(.*?)'?,\s+Line: (\d+)", re.MULTILINE)
_ARGUMENT = re.compile(r"^\s+- (\w+): +(.*)$", re.MULTILINE)
_REMARK = re.compile(r"(.+?):(\d+):\d+: (remark|optimized|missed|note): +(.*?)(?: \[-R[\w=-]+\])?")
_CLANG = re.compile(r"vectorized .*loop \(vectorization width: ([\w ]+), interleaved count: (\d+)\)")
_GCC = re.compile(r"loop vectorized using (.*) vectors.*")
_NOT, _GCC_NOT, _GCC_WHY = "loop not vectorized", "couldn't vectorize loop", "not vectorized: "
_LABEL = re.compile(r'"?([^\s.:"][^\s:"]*)"?:.*')
_FILE = re.compile(r'\s*\.file\s+(\d+)\s+(?:".*"\s+)?"([^"]*)".*')
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+).*")


@dataclass(frozen=True, kw_only=True)
class LoopVerdict:
    """What a compiler's report says of a loop."""

    document_name: ClassVar[str] = "loop_verdict"
    file: str
    line: int
    vectorised: bool
    how: str  # with what vectors, or why it was not

    def __str__(self) -> str:
        said = f"vectorised, {self.how}" if self.vectorised else f"not vectorised: {self.how}"
        return f"{Path(self.file).name}:{self.line}: {said}"


@dataclass(frozen=True)
class _Said:
    """A line of a report on loops."""

    function: str  # empty if it names none
    file: str
    line: int
    text: str


def read_verdicts(report: Path, code: Path, symbols: Collection[str]) -> tuple[LoopVerdict, ...]:
    """Return what a report says of the loops of functions in a file of machine code, in its order."""
    hint = "compile with -fopt-info-vec-all=FILE (GCC) or -fsave-optimization-record (Clang)"
    try:
        text = read_text(report)
    except InputError as error:
        raise InputError(error.what, where=error.where, hint=error.hint or hint) from error
    said = list(_from_records(text) if text.lstrip().startswith("--- !") else _from_text(text))
    if not said:
        raise InputError("nothing of loops in this report", where=str(report), hint=hint)
    if any(one.function for one in said):
        return tuple(_verdicts(one for one in said if one.function in symbols))
    lines = _source_lines(code, symbols)
    if not lines:
        what = f"it names source lines, which {code.name} does not"
        raise InputError(what, where=str(report), hint="give assembly (-S) compiled with -g too")
    return tuple(one for one in _verdicts(said) if (Path(one.file).name, one.line) in lines)


def _from_records(text: str) -> Iterator[_Said]:
    for block in re.split(r"^--- !", text, flags=re.MULTILINE)[1:]:
        fields, place = dict(_FIELD.findall(block)), _PLACE.search(block)
        if fields.get("Pass") == "loop-vectorize" and place:
            arguments = [match[2].strip("'\"") for match in _ARGUMENT.finditer(block)]
            said = "".join(arguments).partition("\\n")[0]
            yield _Said(fields.get("Function", ""), place[1], int(place[2]), said)


def _from_text(text: str) -> Iterator[_Said]:
    for match in filter(None, map(_REMARK.fullmatch, text.splitlines())):
        file, line, _, said = match.groups()
        if said.startswith((_NOT, _GCC_NOT, _GCC_WHY, "statement clobbers memory")) or (
            _CLANG.fullmatch(said) or _GCC.fullmatch(said)
        ):
            yield _Said("", file, int(line), said)


def _verdicts(said: Iterable[_Said]) -> Iterator[LoopVerdict]:
    """Yield one verdict for each loop; Clang says why before it says that, GCC after."""
    found: dict[tuple[str, int], list[str]] = {}
    vectorised: set[tuple[str, int]] = set()
    why, last = "", None
    for one in said:
        place = (one.file, one.line)
        clang, gcc = _CLANG.fullmatch(one.text), _GCC.fullmatch(one.text)
        if clang or gcc:
            if place not in vectorised:
                found[place] = []
            vectorised.add(place)
            found[place].append(_width(clang) if clang else f"{gcc[1]} vectors" if gcc else "")
        elif one.text in (_NOT, _GCC_NOT):
            found.setdefault(place, [why] if why and one.text == _NOT else [])
            last = place
        elif one.text.startswith(_NOT):
            why = why or one.text.removeprefix(f"{_NOT}: ")
            continue
        elif last and not found[last]:
            found[last].append(one.text.removeprefix(_GCC_WHY).rstrip(".;"))
        why = ""
    for (file, line), how in found.items():
        said_how = ", ".join(dict.fromkeys(how)) or "the report does not say why"
        yield LoopVerdict(file=file, line=line, vectorised=(file, line) in vectorised, how=said_how)


def _width(clang: re.Match[str]) -> str:
    interleaved = f", interleaved {clang[2]} times" if clang[2] != "1" else ""
    return f"width {clang[1]}{interleaved}"


def _source_lines(code: Path, symbols: Collection[str]) -> set[tuple[str, int]]:
    """Return file and line of what functions in assembly were compiled from; none without -g."""
    files: dict[str, str] = {}
    lines, function = set(), ""
    for text in read_bytes(code).decode(errors="replace").splitlines():
        if label := _LABEL.fullmatch(text):
            function = label[1]
        elif named := _FILE.fullmatch(text):
            files[named[1]] = Path(named[2]).name
        elif (place := _LOC.fullmatch(text)) and function in symbols:
            lines.add((place[1], int(place[2])))
    return {(files.get(number, ""), line) for number, line in lines}
