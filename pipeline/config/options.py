"""The configuration of a run: one frozen object, made from pipeline.toml and the command line at the edge."""

import difflib
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from filters.paper_rule import PaperRule
from ingest.discovery import RunSpec
from ingest.errors import UsageError
from pipeline.config.priors import prior_named
from pipeline.execution.local import ENGINES
from pipeline.models.options import ModelOptions

SCALINGS = ("auto", "strong", "weak")
METHODS = ("evidence", "leave-one-out")


@dataclass(frozen=True)
class Options:
    """Everything a user can decide about `pipeline run`.

    Attributes:
        out: results directory.
        scaling: ``auto``, ``strong`` or ``weak``.
        metric: the metric to model; ``time`` becomes effort.
        at: target points, as mappings of parameter to value.
        jobs: processes for reading profiles; 0 takes one per core.
        strict: skipped inputs make the exit code 3.
        engine: where profiles are read: ``local`` or ``dask``.
        scheduler: for ``dask``, the address of the scheduler or its scheduler file.
        filter: numbers of the filter rule.
        models: how models are fitted.
        runs: explicit runs, which replace discovery.
    """

    out: Path = Path("results")
    scaling: str = "auto"
    metric: str = "time"
    at: tuple[Mapping[str, float], ...] = ()
    jobs: int = 0
    strict: bool = False
    engine: str = "local"
    scheduler: str = ""
    filter: PaperRule = field(default_factory=PaperRule)
    models: ModelOptions = field(default_factory=ModelOptions)
    runs: tuple[RunSpec, ...] = ()

    @property
    def processes(self) -> int:
        """Number of processes that may work at once."""
        return self.jobs or len(os.sched_getaffinity(0))


def parse_at(texts: Sequence[str]) -> tuple[Mapping[str, float], ...]:
    """Read target points like ``p=4096`` or ``p=4096,n=32``.

    Raises:
        UsageError: where a text is not of that form.
    """
    return tuple(_parse_point(text) for text in texts)


def _parse_point(text: str) -> Mapping[str, float]:
    point = {}
    for part in text.split(","):
        name, equals, number = part.partition("=")
        try:
            value = float(number)
        except ValueError:
            value = 0.0
        if not name.strip() or not equals or not 0.0 < value < float("inf"):
            raise UsageError(
                f"'{text}' is no target point", where="--at", hint="write it like p=4096 or p=4096,n=32"
            )
        point[name.strip()] = value
    return point


def load_options(config: Path | None, directory: Path | None, **given: Any) -> Options:  # noqa: ANN401
    """Make the options: defaults, then the configuration file, then what the command line gives.

    Args:
        config: the file named by ``--config``; without it ``pipeline.toml`` in `directory` is read if there.
        directory: the profile directory; paths of ``[[run]]`` entries are relative to the file's folder.
        given: options of the command line; None where not given.

    Raises:
        UsageError: for an unknown key or a value that cannot be meant.
    """
    options = Options()
    path = configuration_file(config, directory)
    if path is not None:
        options = _from_file(options, path)
    if (prior := given.pop("prior", None)) is not None:
        options = replace(options, models=replace(options.models, prior=prior_named(prior)))
    options = replace(options, **{key: value for key, value in given.items() if value is not None})
    if options.scaling not in SCALINGS:
        raise UsageError(f"'{options.scaling}' is no scaling", where="scaling", hint="auto, strong or weak")
    _check_engine(options)
    return options


def _check_engine(options: Options) -> None:
    if options.engine not in ENGINES:
        raise UsageError(f"'{options.engine}' is no engine", where="--engine", hint=" or ".join(ENGINES))
    if (options.engine == "dask") != bool(options.scheduler):
        what = "dask needs a scheduler" if options.engine == "dask" else "a scheduler is for dask only"
        raise UsageError(what, where="--engine", hint="give --engine dask --scheduler ADDRESS_OR_FILE")


def configuration_file(config: Path | None, directory: Path | None) -> Path | None:
    """Return the file named by ``--config``, else ``pipeline.toml`` of the directory if it is there."""
    if config is None and directory is not None and (directory / "pipeline.toml").is_file():
        return directory / "pipeline.toml"
    return config


def _from_file(options: Options, path: Path) -> Options:
    try:
        text = path.read_text(encoding="utf-8")
        document = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"cannot be read: {error}", where=str(path)) from error
    where = _Place(path, text)
    where.check_keys(document, ("analysis", "filter", "models", "run", "check"))
    analysis = where.table(document, "analysis")
    where.check_keys(analysis, ("out", "scaling", "metric", "at", "jobs", "strict", "engine", "scheduler"))
    kinds = {"scaling": str, "metric": str, "jobs": int, "strict": bool, "engine": str, "scheduler": str}
    changes: dict[str, Any] = {
        key: where.typed(analysis, key, kind) for key, kind in kinds.items() if key in analysis
    }
    if "out" in analysis:
        changes["out"] = Path(where.typed(analysis, "out", str))
    if "at" in analysis:
        changes["at"] = tuple(where.point(entry) for entry in where.typed(analysis, "at", list))
    numbers = where.table(document, "filter")
    where.check_keys(numbers, [f.name for f in fields(PaperRule)])
    shares = {key: where.share(numbers, key) for key in numbers}
    models = where.table(document, "models")
    where.check_keys(models, ("method", "prior", "rivals"))
    return replace(
        options,
        **changes,
        filter=replace(options.filter, **shares),
        models=where.models(options.models, models),
        runs=tuple(where.run(entry) for entry in where.typed(document, "run", list))
        if "run" in document
        else (),
    )


@dataclass(frozen=True)
class _Place:
    """The configuration file being read, to say where in it something is wrong."""

    path: Path
    text: str

    def error(self, key: str, what: str, hint: str) -> UsageError:
        lines = self.text.splitlines()
        number = next((n for n, line in enumerate(lines, 1) if line.lstrip("[ ").startswith(key)), 0)
        return UsageError(
            f"{key}: {what}", where=f"{self.path}:{number}" if number else str(self.path), hint=hint
        )

    def check_keys(self, table: Mapping[str, Any], known: Sequence[str]) -> None:
        for key in table:
            if key not in known:
                near = difflib.get_close_matches(key, known, n=1)
                guess = f"did you mean '{near[0]}'?" if near else f"known keys: {', '.join(known)}"
                raise self.error(key, "unknown key", guess)

    def typed(self, table: Mapping[str, Any], key: str, kind: type) -> Any:  # noqa: ANN401
        value = table[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.error(key, f"{value!r} is not of type {kind.__name__}", "change the value")
        return value

    def table(self, document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.typed(document, key, dict) if key in document else {}
        return found

    def share(self, table: Mapping[str, Any], key: str) -> float:
        value = table[key]
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise self.error(key, f"{value!r} is no share", "write a number from 0 to 1")
        return float(value)

    def models(self, defaults: ModelOptions, table: Mapping[str, Any]) -> ModelOptions:
        changes: dict[str, Any] = {}
        if "method" in table:
            changes["method"] = table["method"]
            if table["method"] not in METHODS:
                raise self.error("method", f"{table['method']!r} is no method", " or ".join(METHODS))
        if "prior" in table:
            name = self.typed(table, "prior", str)
            file = self.path.parent / name
            changes["prior"] = prior_named(str(file) if file.is_file() else name)
        if "rivals" in table:
            changes["rivals"] = self.typed(table, "rivals", int)
        return replace(defaults, **changes)

    def point(self, entry: object) -> Mapping[str, float]:
        if isinstance(entry, str):
            return _parse_point(entry)
        if isinstance(entry, dict) and entry and all(_is_number(v) and v > 0 for v in entry.values()):
            return {str(name): float(value) for name, value in entry.items()}
        raise self.error("at", f"{entry!r} is no target point", 'write at = ["p=4096"] or at = [{p = 4096}]')

    def run(self, entry: Mapping[str, Any]) -> RunSpec:
        self.check_keys(entry, ("path", "parameters", "repetition"))
        if not isinstance(entry.get("path"), str) or not isinstance(entry.get("parameters"), dict):
            raise self.error("run", "needs a path and parameters", 'path = "a.cubex", parameters = {p = 4}')
        bad = {k: v for k, v in entry["parameters"].items() if not _is_number(v)}
        if bad:
            raise self.error("parameters", f"{bad} is not numeric", "write numbers")
        parameters = {name: float(value) for name, value in entry["parameters"].items()}
        return RunSpec(
            self.path.parent.resolve() / entry["path"], parameters, int(entry.get("repetition", 0)) or None
        )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
