"""What the project writes itself, damaged: results, baselines, histories, configurations, evidence.

    python -m tests.fuzz.written --cases 1000 --flips 60

makes results of a small study, then

1. flips single bits in every file of them and counts what readers say: refused, unchanged, or silently
   another prediction;
2. mutates one file at a time, half of the time with a digest that fits the damage, and calls the commands
   that read it. Anything but an answer or one line is a finding.
"""

import argparse
import contextlib
import io
import json
import shutil
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from ingest.errors import PipelineError
from pipeline.cli.app import app, register
from tests.foam_cases import write_foam_case
from tests.fuzz.layers import mutate

CONFIGURATION = """\
scaling = "strong"
at = ["p=64", {p = 128}]
jobs = 1
[filter]
max_overhead = 0.05
[check]
factor = 1.2
targets = ["p=64"]
[[run]]
path = "study/app.p1"
parameters = {p = 1}
[[run]]
path = "study/app.p2"
parameters = {p = 2}
[[run]]
path = "study/app.p4"
parameters = {p = 4}
"""
RESULT, BASELINE, HISTORY, CONFIG = "result", "baseline.json", "history.parquet", "pipeline.toml"
READERS = {
    RESULT: (
        ("predict", RESULT, "--at", "p=64", "--json", "-"),
        ("bottlenecks", RESULT),
        ("tree", RESULT),
        ("report", RESULT),
        ("verify", RESULT),
    ),
    BASELINE: (("check", RESULT, "--baseline", BASELINE),),
    HISTORY: (
        ("history", "show", "total", "--history", HISTORY),
        ("history", "--out", "site", "--history", HISTORY),
        ("check", RESULT, "--history", HISTORY),
    ),
    CONFIG: (("model", "study", "--config", CONFIG), ("check", RESULT, "--config", CONFIG)),
}


def write_all(folder: Path) -> None:
    """Write a study, and everything that the project makes of it."""
    for p in (1, 2, 4, 8):
        write_foam_case(folder / "study" / f"app.p{p}", {"main": 1.0, "solve": 64.0 / p, "sum": 0.5 * p})
    for arguments in (
        ("run", "study", "--out", RESULT, "--at", "p=64"),
        ("baseline", RESULT, "-o", BASELINE),
        ("history", "add", RESULT, "--label", "a", "--history", HISTORY),
        ("history", "add", RESULT, "--label", "b", "--history", HISTORY),
    ):
        kind, told = call(folder, arguments)
        if kind != "answered":
            raise RuntimeError(f"{arguments}: {told}")
    (folder / CONFIG).write_text(CONFIGURATION)


def call(folder: Path, arguments: tuple[str, ...]) -> tuple[str, str]:
    """Call a command in a folder; return whether it answered, refused or failed, and its output or error."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                app(args=list(arguments), prog_name="pipeline", standalone_mode=False)
        except PipelineError as error:
            line = str(error)
            return (
                ("refused", line) if len(line.splitlines()) == 1 and line.isprintable() else ("failed", line)
            )
        except Exception:  # whatever it is, it is the finding
            return "failed", traceback.format_exc()
        out.flush()
        return "answered", out.buffer.getvalue().decode()  # type: ignore[attr-defined]


def files_of(folder: Path) -> list[Path]:
    """Return the files that are damaged: all of the result, and those beside it."""
    result = [f for f in sorted((folder / RESULT).iterdir()) if f.is_file() and f.name != ".lock"]
    return [*result, *(folder / name for name in (BASELINE, HISTORY, CONFIG))]


def commands_for(file: Path) -> tuple[tuple[str, ...], ...]:
    return READERS[file.name if file.name in READERS else RESULT]


@contextlib.contextmanager
def damaged(file: Path, content: bytes) -> Iterator[None]:
    """Replace a file, and restore its folder afterwards."""
    folder = file.parent
    with TemporaryDirectory() as kept:
        shutil.copytree(folder, Path(kept, "kept"), symlinks=True)
        file.write_bytes(content)
        try:
            yield
        finally:
            shutil.rmtree(folder)
            shutil.copytree(Path(kept, "kept"), folder)


def flips(folder: Path, number: int) -> dict[str, Counter[str]]:
    """Flip bits of each file, one at a time, and count what the predictions of a reader come to."""
    tallies = {}
    for file in files_of(folder):
        if file.name == CONFIG:
            continue  # written by people, so that every text is what they mean
        arguments = commands_for(file)[0]
        expected, content, tally = call(folder, arguments), file.read_bytes(), Counter[str]()
        rng = Random(file.name)
        for _ in range(number):
            changed = bytearray(content)
            changed[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
            file.write_bytes(changed)
            kind, told = call(folder, arguments)
            same = "unchanged" if (kind, told) == expected else "silently changed"
            tally[same if kind == "answered" else kind] += 1
        file.write_bytes(content)
        tallies[file.name] = tally
    return tallies


def mutations(folder: Path, numbers: range, sign: bool = True) -> tuple[Counter[str], dict[int, str]]:
    """Mutate a file per case, and call what reads it; return counts, and the findings by case."""
    tally, findings = Counter[str](), {}
    for number in numbers:
        rng = Random(f"written {number}")
        file = rng.choice(files_of(folder))
        content = mutate(file.read_bytes(), rng, rng.choice(files_of(folder)).read_bytes())
        with damaged(file, content):
            if sign and rng.random() < 0.5:
                _let_digests_fit(file)
            for arguments in commands_for(file):
                kind, told = call(folder, arguments)
                tally[f"{kind}"] += 1
                if kind == "failed":
                    findings[number] = f"{file.name}: {' '.join(arguments)}\n{told}"
    return tally, findings


def _let_digests_fit(file: Path) -> None:
    """Let a damaged file be one that was written so, as far as its form allows."""
    from pipeline.store.generation import signed

    run = file if file.name == "run.json" else file.parent / "run.json"
    with contextlib.suppress(ValueError, RecursionError, OSError, UnicodeError):
        if file.name == BASELINE:
            content = json.loads(file.read_bytes())
            content.pop("sha256", None)
            file.write_text(json.dumps(content))
        elif run.is_file():
            from tests.stored_results import sign

            if file.name != "run.json":
                sign(file.parent)
            else:
                content = json.loads(file.read_bytes())
                content.pop("sha256", None)
                file.write_text(json.dumps(signed(content)))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.written", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--flips", type=int, default=60, help="bits of each file")
    parser.add_argument("--unsigned", action="store_true", help="never let digests fit the damage")
    options = parser.parse_args()
    register()
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_all(folder)
        for file, tally in flips(folder, options.flips).items():
            print(f"{file:24} {dict(tally)}")
        numbers = range(options.first, options.first + options.cases)
        tally, findings = mutations(folder, numbers, sign=not options.unsigned)
    print(dict(tally), f"{len(findings)} findings")
    for number, told in findings.items():
        print(number, told)
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
