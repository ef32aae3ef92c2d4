"""Tiny OpenFOAM cases, written as OpenFOAM 1912 writes them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

HEADER = """/*--------------------------------*- C++ -*----------------------------------*\\
| =========                 |                                                 |
\\*---------------------------------------------------------------------------*/
FoamFile
{
    version     2.0;
    object      profiling;
}
// * * * * * //
"""

Trigger = tuple[int, int | None, str, float, float, float]  # id, parentId, description, calls, total, child


def write_profiling(folder: Path, time: str, triggers: Sequence[Trigger], host: str = "node1") -> Path:
    """Write <folder>/<time>/uniform/profiling."""
    file = folder / time / "uniform" / "profiling"
    file.parent.mkdir(parents=True)
    entries = []
    for number, parent, description, calls, total, child in triggers:
        above = "" if parent is None else f"parentId {parent};\n"
        entries.append(
            f'trigger{number}\n{{\nid {number};\n{above}description "{description}";\n'
            f"calls {calls};\ntotalTime {total!r};\nchildTime {child!r};\nactive false;\n}}\n"
        )
    text = f'{HEADER}profiling\n{{\n{"".join(entries)}}}\nsysInfo\n{{\nhost "{host}";\n}}\n'
    file.write_text(text, encoding="utf-8")
    return file


def solver(case: str, seconds: float) -> list[Trigger]:
    """Return a small run: main calls the time loop, which calls a solver that takes half of the time."""
    return [
        (0, None, "application::main", 1, seconds, 0.75 * seconds),
        (2, 0, f"time.run() {case}", 20, 0.75 * seconds, 0.5 * seconds),
        (3, 2, "fvMatrix::solve.p", 40, 0.5 * seconds, 0),
    ]


def write_foam_case(case: Path, times: Mapping[str, float], *, processes: int = 1) -> None:
    """Write a case whose `main` calls everything else once, with the same times on every process."""
    callees = {name: seconds for name, seconds in times.items() if name != "main"}
    child = sum(callees.values())
    triggers: list[Trigger] = [(0, None, "main", 1, times["main"] + child, child)]
    triggers += [(i, 0, name, 1, seconds, 0.0) for i, (name, seconds) in enumerate(callees.items(), 1)]
    for process in range(processes):
        write_profiling(case / f"processor{process}" if processes > 1 else case, "1", triggers)


def write_strong_study(study: Path) -> Path:
    """Write a strong-scaling study, p = 1..16, two repetitions: `solve` scales, `sum` does not."""
    for p in (1, 2, 4, 8, 16):
        for repetition in (1, 2):
            wobble = 1.0 + 0.002 * repetition
            times = {"solve": 64.0 / p * wobble, "sum": 0.5 * p * wobble, "main": 0.25 / p}
            write_foam_case(study / f"app.p{p}.r{repetition}", times, processes=p)
    return study
