"""PAPI's high-level interface: the JSON that it writes for every process into ``papi_hl_output/``.

{"threads": {"0": {"regions": {"0": {"name": "sweep", "parent_region_id": "-1", "cycles": "170063700",
 "real_time_nsec": "65406221", "PAPI_FP_OPS": "93750000"}}}}}

Every execution of a region is an entry of its own, or one with a ``region_count``. Values include those of
regions inside; here they are exclusive. A value that was read inside the region is an object with
``region_value``.
"""

import json
from collections.abc import Mapping
from typing import Any

from ingest.counters.counter_report import CountedRegion, CounterReport
from ingest.errors import InputError

_OF_A_REGION = ("name", "parent_region_id", "region_count", "cycles", "real_time_nsec")
_SECONDS = "real_time_nsec"
_NO_PARENT = "-1"


def is_papi(head: str) -> bool:
    """Return whether a text begins like a file of PAPI's high-level interface."""
    return head.lstrip().startswith("{") and '"papi_version"' in head


def read_papi(text: str, where: str) -> CounterReport:
    """Return the regions of one process: the time of the longest thread, counters summed over threads.

    Raises:
        InputError: the file is damaged or has no region.
    """
    try:
        content = json.loads(text)
        instantaneous = _instantaneous(content.get("event_definitions", {}))
        threads = [_exclusive(thread["regions"]) for thread in content["threads"].values()]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        what = f"not a file of PAPI's high-level interface: {error}"
        raise InputError(what, where=where, hint="give papi_hl_output/ as PAPI wrote it") from error
    seconds: dict[str, float] = {}
    counters: dict[str, dict[str, float]] = {}
    for thread in threads:
        for name, values in thread.items():
            seconds[name] = max(seconds.get(name, 0.0), values[_SECONDS] / 1e9)
            of_region = counters.setdefault(name, {})
            for event in values.keys() - {*_OF_A_REGION, *instantaneous}:
                of_region[event] = of_region.get(event, 0.0) + values[event]
    if not seconds:
        raise InputError("no region was measured", where=where, hint="call PAPI_hl_region_begin and _end")
    regions = tuple(
        CountedRegion(path=(name,), seconds=seconds[name], counters=counters[name]) for name in seconds
    )
    return CounterReport(where=where, processes=1, cores=len(threads), regions=regions)


def _instantaneous(definitions: Mapping[str, Any]) -> list[str]:
    """Return the events that are states, not counts."""
    return [name for name, entry in definitions.items() if entry.get("type") == "instantaneous"]


def _exclusive(regions: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Return the values of one thread by region, without those of regions inside."""
    own = {key: {_SECONDS: float(entry[_SECONDS]), **_values(entry)} for key, entry in regions.items()}
    left = {key: dict(values) for key, values in own.items()}
    for key, entry in regions.items():
        parent = str(entry.get("parent_region_id", _NO_PARENT))
        if parent in left:
            for event, value in own[key].items():
                left[parent][event] = left[parent].get(event, 0.0) - value
    found: dict[str, dict[str, float]] = {}
    for key, values in left.items():
        of_name = found.setdefault(str(regions[key]["name"]), dict.fromkeys(values, 0.0))
        for event, value in values.items():
            of_name[event] = of_name.get(event, 0.0) + value
    return found


def _values(entry: Mapping[str, Any]) -> dict[str, float]:
    return {
        event: float(value["region_value"] if isinstance(value, dict) else value)
        for event, value in entry.items()
        if event not in ("name", "parent_region_id", "region_count")
    }
