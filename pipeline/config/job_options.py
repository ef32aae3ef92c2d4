"""What users say about a job: its limits, its nodes, what it costs, and how much work it does."""

from dataclasses import dataclass

from ingest.errors import UsageError
from ingest.units import (
    BYTES,
    CORE_TIME,
    JOULE,
    NONE,
    SECONDS,
    TIME_DIMENSION,
    Dimension,
    parse_positive,
    size_of,
)
from pipeline.config.option_readers import read_option_share
from pipeline.questions.choice import JobLimits


@dataclass(frozen=True, kw_only=True)
class DescribedJob:
    """A job as users describe it; None for what they do not say."""

    limits: JobLimits  # what it must hold
    price: float | None = None  # of a core-hour, in any currency
    node_cores: float | None = None  # cores of a node, which is paid for as a whole
    units: float | None = None  # steps, or visits, of the job, if models are of one


def read_job(
    *,
    deadline: str | None = None,
    budget: str | None = None,
    efficiency: str | None = None,
    memory_per_node: str | None = None,
    energy: str | None = None,
    price: str | None = None,
    cores_per_node: int | None = None,
    steps: float | None = None,
) -> DescribedJob:
    """Read a job from the texts of the options that are called like the arguments."""
    limits = JobLimits(
        deadline=_quantity("deadline", deadline, TIME_DIMENSION, "write 6h, 90min or 2d"),
        budget=_quantity("budget", budget, CORE_TIME, "write 50000core-h", SECONDS["h"]),
        efficiency=None if efficiency is None else _efficiency("--efficiency", efficiency),
        memory=_quantity("memory-per-node", memory_per_node, BYTES, "write 256GB or 240GiB"),
        energy=_quantity("energy", energy, JOULE, "write 40kWh or 150MJ"),
    )
    return DescribedJob(
        limits=limits,
        price=None if price is None else _price(price),
        node_cores=_positive("cores-per-node", cores_per_node),
        units=_positive("steps", steps),
    )


def _quantity(
    option: str, text: str | None, dimension: Dimension, hint: str, unit: float = 1.0
) -> float | None:
    if text is None:
        return None
    return parse_positive(text, dimension, option.replace("-", " "), hint, where=f"--{option}") / unit


def _efficiency(flag: str, text: str) -> float:
    share = read_option_share(flag, text)
    if share == 0:
        raise UsageError("every job is at least 0 % efficient", where=flag, hint="write 75%")
    return share


def read_kept(text: str) -> tuple[str, float]:
    """Read an efficiency to keep and the name of the size, empty if it is not said: ``75%`` or ``n=75%``."""
    size, _, share = text.rpartition("=")
    return size.strip(), _efficiency("--isoefficiency", share)


def _price(text: str) -> float:
    """Read what a core-hour costs: a number, a slash and the unit that it is for."""
    number, slash, unit = text.partition("/")
    hint = "write 0.02/core-h"
    if not slash:
        raise UsageError(f"'{text}' does not say what it is for", where="--price", hint=hint)
    seconds = size_of(unit.strip(), CORE_TIME, hint, where="--price")
    return parse_positive(number, NONE, "price", hint, unit="1", where="--price") * SECONDS["h"] / seconds


def _positive(option: str, number: float | None) -> float | None:
    if number is not None and not 0 < number < float("inf"):
        raise UsageError(f"invalid number {number:g}", where=f"--{option}", hint="write one above 0")
    return number
