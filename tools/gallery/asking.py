"""What commands of `pipeline` answer, run in this process, since most of a process is imports."""

import json
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from pipeline.cli.app import app, register

ROOT = Path(__file__).parents[2]


@cache
def asked(command: str) -> dict[str, Any]:
    """Return what a command answers with ``--json -``."""
    if not app.registered_commands:
        register()
    with chdir(ROOT):
        answer = CliRunner().invoke(app, [*shlex.split(command), "--json", "-"])
    if answer.exit_code != 0:
        raise RuntimeError(f"pipeline {command}: {answer.output}") from answer.exception
    found: dict[str, Any] = json.loads(answer.stdout_bytes)
    return found


def run(directory: str, options: str) -> dict[str, Any]:
    """Return what `pipeline run` finds; its results directory is thrown away."""
    with scratch() as folder:
        return asked(f"run {directory} {options} -o {folder}/out")


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield a directory that is removed afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def part(projection: Mapping[str, Any], *path: str) -> float:
    """Return the value of a part of a projection."""
    return next(float(line["value"]) for line in projection["breakdown"] if line["path"] == list(path))


def defined(projection: Mapping[str, Any]) -> dict[str, float]:
    """Return what an application defines, by name."""
    return {line["path"][0]: line["value"] for line in projection["definitions"]}


def machine_value(machine: str, name: str) -> float:
    """Return a value of a shipped machine in SI units, as ``machine list`` has it."""
    values = next(one["values"] for one in asked("machine list")["machines"] if one["name"] == machine)
    return float(values[name]["value"])
