"""What users say about a job: its limits, its nodes, what it costs, and how much work it does."""

from dataclasses import dataclass

from ingest.errors import UsageError
from pipeline.config.option_readers import CORE_SECONDS, parse_quantity, read_option_share
from pipeline.questions.choice import JobLimits
from pipeline.questions.runtime.figures import SECONDS_PER_HOUR

_TIME = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_BUDGET = {name: seconds / SECONDS_PER_HOUR for name, seconds in CORE_SECONDS.items()}
_MEMORY = {
    **{"B": 1.0, "KB": 1e3, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12},
    **{"KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40},
}
_ENERGY = {"J": 1.0, "kJ": 1e3, "MJ": 1e6, "GJ": 1e9, "Wh": 3.6e3, "kWh": 3.6e6, "MWh": 3.6e9}
_PRICE = {f"/{unit}": 1 / hours for unit, hours in _BUDGET.items()}
_NUMBER = {"": 1.0}


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job as users describe it; None for what they do not say.

    Attributes:
        limits: what it must hold.
        price: of a core-hour, in any currency.
        node_cores: cores of a node, which is paid for as a whole.
        units: steps, or visits, of the job, if models are of one.
    """

    limits: JobLimits
    price: float | None = None
    node_cores: float | None = None
    units: float | None = None


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
) -> Job:
    """Read a job from the texts of the options that are called like the arguments."""
    limits = JobLimits(
        deadline=_quantity("deadline", deadline, _TIME, "write 6h, 90min or 2d"),
        budget=_quantity("budget", budget, _BUDGET, "write 50000core-h"),
        efficiency=None if efficiency is None else _efficiency("--efficiency", efficiency),
        memory=_quantity("memory-per-node", memory_per_node, _MEMORY, "write 256GB or 240GiB"),
        energy=_quantity("energy", energy, _ENERGY, "write 40kWh or 150MJ"),
    )
    return Job(
        limits=limits,
        price=None if price is None else _price(price),
        node_cores=_positive("cores-per-node", cores_per_node),
        units=_positive("steps", steps),
    )


def _quantity(option: str, text: str | None, units: dict[str, float], hint: str) -> float | None:
    if text is None:
        return None
    return parse_quantity(text, option.replace("-", " "), units, hint, where=f"--{option}")


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
    if slash and f"/{unit.strip()}" not in _PRICE:
        raise UsageError(f"unknown unit '/{unit.strip()}'", where="--price", hint=hint)
    if not slash:
        raise UsageError(f"'{text}' does not say what it is for", where="--price", hint=hint)
    return parse_quantity(number, "price", _NUMBER, hint, where="--price") * _PRICE[f"/{unit.strip()}"]


def _positive(option: str, number: float | None) -> float | None:
    if number is not None and not 0 < number < float("inf"):
        raise UsageError(f"invalid number {number:g}", where=f"--{option}", hint="write one above 0")
    return number
