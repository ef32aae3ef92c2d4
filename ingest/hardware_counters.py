"""What libraries call the events that processors count: instructions and cycles of a core.

Sources: PAPI's presets, events of Linux perf, of Intel and AMD as LIKWID writes them, of HPCToolkit and TALP.
"""

import re
from collections.abc import Iterable

INSTRUCTIONS = "instructions"
CYCLES = "cycles"
_EVENTS = {
    INSTRUCTIONS: {
        "papi_tot_ins",
        "instructions",
        "instr_retired_any",
        "inst_retired_any",
        "inst_retired",
        "retired_instructions",
    },
    CYCLES: {
        "papi_tot_cyc",
        "cycles",
        "cpu_cycles",
        "cpu_clk_unhalted_core",
        "cpu_clk_unhalted_thread",
        "cpu_clocks_unhalted",
        "cpu_clk_unhalted",
    },
}
_LIBRARY = re.compile(r"^.*(?:::|/|(?<=papi)\.|(?<=perf)\.)")
_MODIFIER = re.compile(r":[ukhGHPpSD]+$|/[ukh]*$")


def event(metric: str) -> str | None:
    """Return which event a metric counts, `INSTRUCTIONS` or `CYCLES`; None for any other.

    Names of libraries before it and modifiers behind it do not matter: ``papi.PAPI_TOT_INS``,
    ``perf::INSTRUCTIONS``, ``cycles:u``.
    """
    name = _LIBRARY.sub("", _MODIFIER.sub("", metric.strip())).lower().replace("-", "_").replace(".", "_")
    return next((event for event, names in _EVENTS.items() if name in names), None)


def counter_of(wanted: str, metrics: Iterable[str]) -> str | None:
    """Return the first metric that counts an event; None if none does."""
    return next((metric for metric in metrics if event(metric) == wanted), None)
