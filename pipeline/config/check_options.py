"""`[check]` of pipeline.toml: the numbers, the rules and the waivers of the gate."""

import datetime
import re
import tomllib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from ingest.errors import UsageError
from pipeline.config.options import parse_at
from pipeline.config.toml_file import Place
from pipeline.gate.options import CheckOptions, KernelRule, Waiver
from pipeline.models.normal_form import Exponent

INFINITE = float("inf")
LIMITS = {
    "factor": (1.0, INFINITE),
    "false_alarms": (1e-6, 0.5),
    "share_floor": (0.0, 1.0),
    "new_share": (0.0, 1.0),
    "resolution": (1.0, INFINITE),
    "parallel_efficiency": (0.0, 1.0),
    "total": (0.0, INFINITE),
}
GROWTH = re.compile(
    r"(?P<power>[A-Za-z_]\w*(?:\^(?:\((?P<fraction>\d+/\d+|\d+)\)|(?P<whole>\d+(?:\.\d+)?)))?)?"
    r"(?:(?P<times>\*)?log2?\([A-Za-z_]\w*\)(?:\^(?P<logs>\d))?)?"
)
GROWTH_MEND = 'write it like "1", "log2(p)", "p^(1/2)" or "p * log2(p)^2"'


def load_check_options(path: Path | None) -> CheckOptions:
    """Read the `[check]` table; defaults where there is no file or no table.

    Raises:
        UsageError: with line, key and what was expected.
    """
    if path is None:
        return CheckOptions()
    try:
        text = path.read_text(encoding="utf-8")
        document = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"cannot be read: {error}", where=str(path)) from error
    whole = Place(path, tuple(text.splitlines()))
    table = document.get("check", {})
    if not isinstance(table, dict):
        raise whole.error("check", "is no table", "write [check]")
    place = whole.within("[check]")
    place.check_keys(table, ("targets", *LIMITS, "rule", "waiver"))
    numbers = {key: place.number(table, key, *limits) for key, limits in LIMITS.items() if key in table}
    return CheckOptions(
        targets=_targets(place, table),
        kernels=tuple(
            _rule(whole.within("[[check.rule]]", n), entry)
            for n, entry in enumerate(_entries(place, table, "rule"))
        ),
        waivers=tuple(
            _waiver(whole.within("[[check.waiver]]", n), entry)
            for n, entry in enumerate(_entries(place, table, "waiver"))
        ),
        **numbers,
    )


def _entries(place: Place, table: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    entries = table.get(key, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise place.error(key, "is no list of tables", f"write [[check.{key}]]")
    return entries


def _targets(place: Place, table: Mapping[str, Any]) -> tuple[Mapping[str, float], ...]:
    entries = table.get("targets", [])
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise place.error("targets", f"{entries!r} is no list of points", 'write targets = ["p=4096"]')
    try:
        return parse_at(entries)
    except UsageError as error:
        raise place.error("targets", error.what, 'write targets = ["p=4096"]') from error


def _rule(place: Place, entry: Mapping[str, Any]) -> KernelRule:
    place.check_keys(entry, ("kernel", "growth", "share", "factor"))
    if len(entry) < 2:
        raise place.error("kernel", "is given no rule", "add growth, share or factor")
    return KernelRule(
        place.text(entry, "kernel"),
        _growth(place, entry) if "growth" in entry else None,
        place.number(entry, "share", 0.0, 1.0) if "share" in entry else None,
        place.number(entry, "factor", 1.0, INFINITE) if "factor" in entry else None,
        place.at("kernel"),
    )


def _growth(place: Place, entry: Mapping[str, Any]) -> Exponent:
    """Read ``1``, ``log2(p)``, ``p^(3/2)``, ``p * log2(p)``."""
    text = place.text(entry, "growth").replace(" ", "")
    if text in ("1", "constant"):
        return Fraction(0), 0
    match = GROWTH.fullmatch(text)
    if match is None or not text or bool(match["times"]) != bool(match["power"] and "log" in text):
        raise place.error("growth", f"{entry['growth']!r} is no growth", GROWTH_MEND)
    power = Fraction(match["fraction"] or match["whole"] or 1) if match["power"] else Fraction(0)
    return power, int(match["logs"] or 1) if "log" in text else 0


def _waiver(place: Place, entry: Mapping[str, Any]) -> Waiver:
    place.check_keys(entry, ("kernel", "reason", "until"))
    kernel, reason = place.text(entry, "kernel"), place.text(entry, "reason")
    until = entry.get("until")
    if not isinstance(until, datetime.date) or isinstance(until, datetime.datetime):
        raise place.error("until", f"{until!r} is no date", "write until = 2027-01-31")
    return Waiver(kernel, reason, until, place.at("kernel"))
