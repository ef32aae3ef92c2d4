"""``[check]`` of pipeline.toml: the numbers, the rules and the waivers of the gate."""

import datetime
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ingest.errors import UsageError
from ingest.options import INFINITE
from ingest.toml_table import TomlTable, read_toml
from pipeline.config.option_readers import read_targets
from pipeline.config.options import override
from pipeline.gate.gate_options import CheckOptions, KernelRule, Waiver
from pipeline.models.formulas import GROWTH_HINT, read_growth
from pipeline.models.options import Exponent


def load_check_options(path: Path | None, **given: Any) -> CheckOptions:  # noqa: ANN401
    """Read the ``[check]`` table, if there is one; the command line counts as in `load_options`."""
    options = CheckOptions() if path is None else _from_table(read_toml(path, UsageError).table("check"))
    return override(options, given)


def _from_table(table: TomlTable) -> CheckOptions:
    return CheckOptions(
        **table.options(CheckOptions, beside=("targets", "rule", "waiver")),
        targets=_targets(table),
        kernels=tuple(_rule(entry) for entry in table.tables("rule")),
        waivers=tuple(_waiver(entry) for entry in table.tables("waiver")),
    )


def _targets(table: TomlTable) -> tuple[Mapping[str, float], ...]:
    with table.errors_of("targets"):
        return read_targets(table.content.get("targets", []), table.path.parent)


def _rule(table: TomlTable) -> KernelRule:
    table.check_keys(("kernel", "growth", "share", "factor"))
    if len(table.content) < 2:
        raise table.error("kernel", "has no rule", "add growth, share or factor")
    return KernelRule(
        match=table.text("kernel"),
        growth=_growth(table) if "growth" in table else None,
        share=table.number("share", least=0.0, most=1.0) if "share" in table else None,
        factor=table.number("factor", least=1.0, most=INFINITE) if "factor" in table else None,
        place=table.at("kernel"),
    )


def _growth(table: TomlTable) -> Exponent:
    """Read ``1``, ``log2(p)``, ``p^(3/2)``, ``p * log2(p)``."""
    found = read_growth(table.text("growth"))
    if found is None:
        raise table.error("growth", f"invalid growth {table.content['growth']!r}", GROWTH_HINT)
    return found


def _waiver(table: TomlTable) -> Waiver:
    table.check_keys(("kernel", "reason", "until"))
    until = table.content.get("until")
    if not isinstance(until, datetime.date) or isinstance(until, datetime.datetime):
        raise table.error("until", f"{until!r} is not a date", "write until = 2027-01-31")
    return Waiver(
        match=table.text("kernel"), reason=table.text("reason"), until=until, place=table.at("kernel")
    )
