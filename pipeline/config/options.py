"""The options of a run: declared here once, read from pipeline.toml and the command line."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar, get_type_hints

from filters.filter_options import PaperRule
from ingest.errors import UsageError, located
from ingest.options import Declaration, checked, declaration, option
from ingest.run_names import RunSpec
from ingest.table_mapping import TableMapping
from ingest.toml_table import TomlTable, read_toml, unknown_hint
from pipeline.config.option_readers import (
    TARGET_HELP,
    TARGET_METAVAR,
    read_baseline_time,
    read_conditions,
    read_file,
    read_kernels,
    read_patterns,
    read_positive_share,
    read_targets,
)
from pipeline.models.options import MIN_EFFICIENCY, Expectation, ModelOptions


def _read_expectation(table: TomlTable) -> Expectation:
    """Read one; UsageError with line, key and what was expected."""
    from pipeline.models.formulas import GROWTH_HINT, read_growths  # which loads numpy, as options do not

    table.check_keys(("region", "growth", "metric"))
    growth = table.text("growth")
    exponents = read_growths(growth)
    if exponents is None:
        raise table.error("growth", f"invalid growth {growth!r}", GROWTH_HINT)
    return Expectation(
        region=table.text("region", ""),
        metric=table.text("metric", "time"),
        growth=growth,
        exponents=exponents,
        place=table.at("growth"),
    )


CONFIGURATION = "pipeline.toml"
_RUN = ("run",)
_GATE = ("baseline", "check", "compare")
_FILTER = ("filter",)
_MEASURED = (*_RUN, *_FILTER, "baseline", "check", "compare")
_FROM_1 = Declaration(help="", least=1)

_FILE_ONLY = (TableMapping,)
"""Records inside `Options` whose keys are only in files, so that names may be those of options."""

Record = TypeVar("Record")


def _repeated(
    help: str, metavar: str, read: Callable[[Any, Path], Any], commands: tuple[str, ...] = _RUN
) -> Any:  # noqa: ANN401  # as of `option`
    """Declare an option that may be given several times, and is empty by default."""
    return option((), help, commands=commands, metavar=metavar, given=list[str], read=read)


@dataclass(frozen=True, kw_only=True)
class FilterOptions(PaperRule):
    """``[filter]`` of pipeline.toml and the options of `pipeline filter`."""

    max_overhead: float | None = option(
        None,
        "Select regions within an overhead budget, such as 5%.",
        commands=_FILTER,
        metavar="SHARE",
        given=str,
        read=read_positive_share,
    )
    applied: Literal["run-time", "compile-time"] | None = option(
        None, "When the filter is applied.", commands=_FILTER
    )
    protect: tuple[str, ...] = _repeated(
        "Always keep regions that match; repeatable.", "PATTERN", read_patterns, commands=_FILTER
    )
    drop: tuple[str, ...] = _repeated(
        "Always drop regions that match; repeatable.", "PATTERN", read_patterns, commands=_FILTER
    )
    protect_growing: bool = option(
        True, "Keep regions whose time grows with the scale; off: --no-protect-growing.", commands=_FILTER
    )
    form: Literal["shorter", "include", "exclude"] = option(
        "shorter", "Rules for kept or dropped regions, or the shorter list.", commands=_FILTER
    )
    whole_files: bool = option(False, "Exclude whole source files where possible.", commands=_FILTER)
    to: Literal["scorep", "tau", "gcc", "xray"] = option(
        "scorep", "Tool or format to write for.", commands=_FILTER
    )
    merge: Path | None = option(
        None, "Merge with this existing filter.", commands=_FILTER, metavar="FILE", read=read_file
    )
    event_cost: float | None = option(
        None, "Time that recording a visit takes.", commands=_MEASURED, metavar="SECONDS", least=0, most=1
    )
    baseline_time: float | Path | None = option(
        None,
        "Time without instrumentation at the largest scale, or CSV of all.",
        commands=_MEASURED,
        metavar="SECONDS|FILE",
        given=str,
        read=read_baseline_time,
    )
    calibrate: Path | None = option(
        None,
        "Profile, or runs, with fewer regions or before a filter.",
        commands=_MEASURED,
        metavar="PROFILE|DIR",
        read=read_file,
    )


@dataclass(frozen=True, kw_only=True)
class Options:
    """Everything a user can decide about `pipeline run`: ``[analysis]`` and the other tables."""

    out: Path = option(
        Path("results"),
        "Where to write: the results directory.",
        commands=_RUN,
        metavar="PATH",
        recompute=False,
    )
    scaling: Literal["auto", "strong", "weak"] = option(
        "auto", "Fixed problem (strong) or size per process (weak).", commands=(*_RUN, *_GATE)
    )
    parameter: tuple[str, ...] = _repeated(
        "Sizes stated by runs, as parameters: 'atoms,cells'.", "NAMES", read_kernels, commands=(*_RUN, *_GATE)
    )
    metric: str = option(
        "time", "Metric to model or show: time as core-seconds.", commands=(*_RUN, *_GATE), metavar="NAME"
    )
    at: tuple[Mapping[str, float], ...] = _repeated(TARGET_HELP, TARGET_METAVAR, read_targets)
    jobs: int | None = option(
        None,
        "Processes that read; default: one per core.",
        metavar="N",
        commands=(*_RUN, *_GATE),
        least=1,
        recompute=False,
    )
    overhead: Literal["auto", "correct", "keep"] = option(
        "auto", "Overhead of measuring: correct it, keep it, or correct above 5 % (auto).", commands=_MEASURED
    )
    min_efficiency: float = option(
        MIN_EFFICIENCY,
        "Parallel efficiency at least.",
        commands=(*_RUN, "predict", "report"),
        flag="--efficiency",
        metavar="SHARE",
        given=str,
        read=read_positive_share,
    )
    focus: tuple[str, ...] = _repeated(
        "List only kernels that match or are called from these: 'CG*,#17'; totals stay.",
        "PATTERNS",
        read_kernels,
    )
    without: tuple[str, ...] = _repeated(
        "Leave out kernels, also of totals: 'MPI_Init,MPI_Finalize'.", "PATTERNS", read_kernels
    )
    hold_out: tuple[str, ...] = _repeated(
        "Predict runs that are left out, such as 'p > 624'; repeatable.", "CONDITION", read_conditions
    )
    exclude_metrics: tuple[str, ...] = _repeated(
        "Metrics not to model beside the chosen one: 'PAPI_*', or '*'.", "PATTERNS", read_kernels
    )
    per: str = option(
        "",
        "Divide values by visits of this region, by 'steps' of logs, or not: 'run'.",
        commands=_RUN,
        metavar="REGION",
    )
    strict: bool = option(
        False, "Exit with code 3 if a run could not be read.", commands=(*_RUN, "check"), recompute=False
    )
    engine: Literal["local", "dask"] = option(
        "local", "Read on this machine or on a Dask cluster.", commands=_RUN, recompute=False
    )
    scheduler: str = option(
        "", "Address or scheduler file of Dask.", commands=_RUN, metavar="ADDRESS", recompute=False
    )
    filter: FilterOptions = field(default_factory=FilterOptions)
    models: ModelOptions = field(default_factory=ModelOptions)
    table: TableMapping = field(default_factory=TableMapping)  # ``[table]``: what the columns of tables mean
    runs: tuple[RunSpec, ...] = ()  # ``[[run]]``: explicit runs, which replace discovery
    expectations: tuple[Expectation, ...] = ()
    # ``[groups]``: patterns of the kernels in user-defined groups, by name
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def processes(self) -> int:
        """Number of processes that may work at once."""
        from ingest.run_settings import usable_cores  # which loads numpy, as options do not

        return self.jobs or usable_cores()


def load_options(config: Path | None, directory: Path | None, **given: Any) -> Options:  # noqa: ANN401
    """Make the options: defaults, then the configuration file, then what the command line gives.

    Without the file named by ``--config``, it is ``pipeline.toml`` in `directory` if it exists. What is given
    has the names of the fields, None if it is not.
    """
    path = configuration_file(config, directory)
    options = Options() if path is None else _from_file(path)
    options = override(options, given)
    if (options.engine == "dask") != bool(options.scheduler):
        what, flag = "only Dask takes a scheduler", "--scheduler"
        if options.engine == "dask":
            what, flag = "Dask needs a scheduler", "--engine"
        raise UsageError(what, where=flag, hint="give --engine dask --scheduler ADDRESS_OR_FILE")
    return options


def configuration_file(config: Path | None, directory: Path | None) -> Path | None:
    """Return the file named by ``--config``, else the one in the directory if it exists."""
    if config is None and directory is not None and (directory / CONFIGURATION).is_file():
        return directory / CONFIGURATION
    return config


def _from_file(path: Path) -> Options:
    document = read_toml(path, UsageError)
    document.check_keys(("analysis", "filter", "models", "table", "run", "check", "expect", "groups"))
    filter_ = FilterOptions(**document.table("filter").options(FilterOptions))
    models = ModelOptions(**document.table("models").options(ModelOptions))
    return Options(
        **document.table("analysis").options(Options),
        filter=filter_,
        models=models,
        table=TableMapping(**document.table("table").options(TableMapping)),
        runs=tuple(_run(table) for table in document.tables("run")),
        expectations=tuple(map(_read_expectation, document.tables("expect"))),
        groups=_groups(document.table("groups")),
    )


def _groups(table: TomlTable) -> dict[str, tuple[str, ...]]:
    """Read the patterns of groups, by name."""
    patterns = Declaration(help="", read=read_patterns)
    return {name: table.value(name, tuple, patterns) for name in table.content}


def _run(table: TomlTable) -> RunSpec:
    """Read a ``[[run]]``; its path is relative to the file."""
    table.check_keys(("path", "parameters", "repetition", "metadata"))
    parameters = table.table("parameters")
    if not parameters.content:
        raise table.error("parameters", "are missing", "write parameters = {p = 4}")
    return RunSpec(
        table.path.parent.resolve() / table.text("path"),
        {name: parameters.number(name) for name in parameters.content},
        table.value("repetition", int, _FROM_1) if "repetition" in table else None,
        table.table("metadata").texts(),
    )


def override(options: Record, given: Mapping[str, Any], *, flags: bool = True) -> Record:
    """Return a record of options with the values given, also in records inside it; None keeps what is there.

    UsageError if an option is unknown or a value invalid: it names the option of the command line, by
    `flags`, or the argument of Python.
    """
    known = [one.name for one, _, _ in declared_fields(type(options))]
    for name in given:
        if name not in known:
            raise UsageError("unknown option", where=name, hint=unknown_hint(name, known))
    return _overridden(options, given, flags)


def _overridden(options: Record, given: Mapping[str, Any], flags: bool) -> Record:
    kinds, changes = get_type_hints(type(options)), {}
    for one in fields(options):  # type: ignore[arg-type]
        declared, value = declaration(one), given.get(one.name)
        nested = getattr(options, one.name)
        if is_dataclass(nested) and not isinstance(nested, _FILE_ONLY):
            changes[one.name] = _overridden(nested, given, flags)
        elif declared is not None and value is not None:
            with located(flag_of(one.name, declared) if flags else one.name):
                changes[one.name] = checked(value, kinds[one.name], declared, Path())
    return replace(options, **changes)  # type: ignore[type-var]


def declared_fields(record: type) -> Iterator[tuple[Field[Any], Any, Declaration]]:
    """Yield the options of a record and of the records inside it: field, type and declaration.

    Keys of configuration files only are left out.
    """
    kinds = get_type_hints(record)
    for one in fields(record):
        declared, kind = declaration(one), kinds[one.name]
        if is_dataclass(kind) and kind not in _FILE_ONLY:
            yield from declared_fields(kind)  # type: ignore[arg-type]  # a class, as annotations of fields are
        elif declared is not None:
            yield one, kind, declared


def flag_of(name: str, declared: Declaration) -> str:
    """Return the name of an option on the command line."""
    return declared.flag or f"--{name.replace('_', '-')}"
