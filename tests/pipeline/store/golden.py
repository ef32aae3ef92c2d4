"""Results directories that earlier versions wrote, one folder per store version, and how to make one.

    python -m tests.pipeline.store.golden

writes the folder of the present store version. Do that once when the version changes, never again: the tests
show that what users have on disk can still be read, or is refused with a sentence.
"""

import shutil
import tempfile
from pathlib import Path

from pipeline.config.options import Options
from pipeline.stages.run import run
from pipeline.store.generation import STORE_VERSION
from tests.foam_cases import write_foam_case

GOLDEN = Path(__file__).parent / "golden"
NAME = "Foam::fvMatrix<double>::solve(const dictionary&) -> \N{GREEK SMALL LETTER LAMDA}"
KEPT = {"run.json", "summary.json"}  # beside the tables; the report and the cache are made anew


def write_study(folder: Path) -> None:
    """Write runs with p = 1..16 and two repetitions: one call path scales, one grows."""
    for p in (1, 2, 4, 8, 16):
        for repetition in (1, 2):
            wobble = 1.0 + 0.002 * repetition
            times = {NAME: 64.0 / p * wobble, "sum": 0.5 * p * wobble, "main": 0.25 / p}
            write_foam_case(folder / f"app.p{p}.r{repetition}", times, processes=p)


def main() -> None:
    """Write the results directory of this version."""
    with tempfile.TemporaryDirectory() as folder:
        study, out = Path(folder) / "study", Path(folder) / "results"
        write_study(study)
        run(study, Options(out=out, at=({"p": 64.0},)))
        target = GOLDEN / f"version-{STORE_VERSION}"
        target.mkdir(parents=True)
        for file in out.iterdir():
            if file.suffix == ".parquet" or file.name in KEPT:
                shutil.copy(file, target)


if __name__ == "__main__":
    main()
