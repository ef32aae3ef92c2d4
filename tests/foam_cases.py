"""OpenFOAM cases with profiling output, written in code: the smallest real runs there are."""

from collections.abc import Mapping
from pathlib import Path

HEADER = "FoamFile { version 2.0; format ascii; class dictionary; object profiling; }\n"


def write_foam_case(case: Path, times: Mapping[str, float], *, processes: int = 1) -> None:
    """Write a case whose `main` calls everything else, with the same exclusive times on every process."""
    for process in range(processes):
        place = case / f"processor{process}" if processes > 1 else case
        folder = place / "1" / "uniform"
        folder.mkdir(parents=True)
        (folder / "profiling").write_text(HEADER + _profiling(times), encoding="utf-8")


def _profiling(times: Mapping[str, float]) -> str:
    callees = {name: seconds for name, seconds in times.items() if name != "main"}
    child = sum(callees.values())
    triggers = [_trigger(0, None, "main", times["main"] + child, child)]
    triggers += [_trigger(i, 0, name, seconds, 0.0) for i, (name, seconds) in enumerate(callees.items(), 1)]
    return "profiling\n{\n" + "".join(triggers) + "}\n"


def _trigger(number: int, parent: int | None, name: str, total: float, child: float) -> str:
    above = "" if parent is None else f" parentId {parent};"
    return (
        f'    trigger{number} {{ id {number};{above} description "{name}"; calls 1;'
        f" totalTime {total!r}; childTime {child!r}; active true; }}\n"
    )
