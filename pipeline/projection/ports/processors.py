"""Processors by name: what LLVM calls them, and what its scheduling models leave out."""

import difflib
import re
from dataclasses import dataclass
from functools import lru_cache

from ingest.errors import InputError, UsageError
from pipeline.projection.expressions.toml_tables import PROCESSORS, TomlTable, read_toml
from pipeline.projection.ports.assembly import Instruction


@dataclass(frozen=True)
class Slow:
    """A unit that LLVM's model leaves out.

    Attributes:
        form: which instruction forms need it.
        cycles: for how long each instruction occupies it.
    """

    form: re.Pattern[str]
    unit: str
    cycles: float


@dataclass(frozen=True, kw_only=True)
class Processor:
    """A processor core that loops can be estimated for.

    Attributes:
        since: the first version of LLVM with a model of it, or that knows it.
        borrowed: whose scheduling model LLVM uses for it; empty if it has its own.
        slow: units that the model leaves out.
    """

    key: str
    name: str
    isa: str
    llvm: str
    since: int
    avx512: bool
    borrowed: str
    slow: tuple[Slow, ...]
    slow_reason: str
    aliases: tuple[str, ...]

    def lacks(self, instruction: Instruction) -> InputError:
        """Return the error of an instruction that the processor does not have."""
        hint = f"compile it for {self.name}, or choose another processor"
        return InputError(f"{self.name} does not have '{instruction}'", hint=hint)


@lru_cache
def processors() -> tuple[Processor, ...]:
    """Return all known processors."""
    return tuple(_processor(key, entry) for key, entry in read_toml(PROCESSORS).tables().items())


def _processor(key: str, entry: TomlTable) -> Processor:
    return Processor(
        key=key,
        name=entry.text("name"),
        isa=entry.text("isa"),
        llvm=entry.text("llvm"),
        since=int(entry.content.get("since", 0)),
        avx512=bool(entry.content.get("avx512", False)),
        borrowed=entry.text("borrowed", ""),
        slow=tuple(
            Slow(re.compile(row.text("form")), row.text("unit"), float(row.content["cycles"]))
            for row in entry.rows("slow")
        ),
        slow_reason=entry.text("slow_reason", ""),
        aliases=tuple(entry.content.get("aliases", ())),
    )


def processor_named(name: str) -> Processor:
    """Return the processor of that name or alias, in whatever case.

    Raises:
        UsageError: it is not known.
    """
    wanted = re.sub(r"[\s_]+", "-", name.strip().lower())
    known = {alias: one for one in processors() for alias in (one.key, *one.aliases)}
    if wanted in known:
        return known[wanted]
    close = difflib.get_close_matches(wanted, known, n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"known: {', '.join(one.key for one in processors())}"
    raise UsageError(f"unknown processor '{name}'", hint=hint)
