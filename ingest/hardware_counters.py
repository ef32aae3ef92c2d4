"""What libraries call the events that processors count: instructions and cycles of a core.

Sources: PAPI's presets, events of Linux perf, of Intel and AMD as LIKWID writes them, of HPCToolkit and TALP.
"""

import re
from collections.abc import Iterable

INSTRUCTIONS = "instructions"
CYCLES = "cycles"
_EVENTS = {
    INSTRUCTIONS: "PAPI_TOT_INS INSTRUCTIONS INSTR_RETIRED_ANY INST_RETIRED_ANY INST_RETIRED"
    " RETIRED_INSTRUCTIONS",
    CYCLES: "PAPI_TOT_CYC CYCLES CPU_CYCLES CPU_CLK_UNHALTED_CORE CPU_CLK_UNHALTED_THREAD CPU_CLOCKS_UNHALTED"
    " CPU_CLK_UNHALTED",
}
_PREFIX = re.compile(r"^(?:.*::|PAPI_NATIVE_|PAPI[.]|PERF[.]|LIBPFM[.](?:COUNTER[.])?|CPU(?:_CORE|_ATOM)?/)")
_SUFFIX = re.compile(r"(?::[UKHPGSD]+|:?CPU=\d+|:[A-Z]=\d+|/[UKHPGSD]*)$")


def canonical(name: str) -> str:
    """Return a counter's name as tables of counters here have it.

    Capital letters, words joined with ``_``, without the PMU in front (``skx::``, ``papi.``,
    ``uncore_imc_0/``), the reduction of Caliper (``sum#``) and modifiers behind (``:u``):
    ``fp_arith_inst_retired.scalar_double:u`` becomes ``FP_ARITH_INST_RETIRED_SCALAR_DOUBLE``.
    """
    text = name.strip().upper().rpartition("#")[2]
    text = _SUFFIX.sub("", _PREFIX.sub("", text))
    text = re.sub(r"^UNCORE_IMC(?:_FREE_RUNNING)?(?:_\d+)?/", "UNC_M_", text)
    return re.sub(r"[\s.:/-]+", "_", text).strip("_")


def event(metric: str) -> str | None:
    """Return which event a metric counts, `INSTRUCTIONS` or `CYCLES`; None for any other.

    Names of libraries before it and modifiers behind it do not matter: ``papi.PAPI_TOT_INS``,
    ``perf::INSTRUCTIONS``, ``cycles:u``.
    """
    name = canonical(metric)
    return next((event for event, names in _EVENTS.items() if name in names.split()), None)


def counter_of(wanted: str, metrics: Iterable[str]) -> str | None:
    """Return the first metric that counts an event; None if none does."""
    return next((metric for metric in metrics if event(metric) == wanted), None)
