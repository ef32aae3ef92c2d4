"""VASP: each timer is printed into OUTCAR where it ends, in seconds of the first rank.

``LOOP`` is one iteration of the electrons and ``LOOP+`` one step of the ions: they hold the other timers.
"""

from collections.abc import Sequence

from ingest.readers.timer_tables.log_tables import added
from ingest.readers.timer_tables.log_values import known, timer
from ingest.readers.timer_tables.timer_kind import (
    Facts,
    LogLine,
    Placed,
    Statistic,
    Timer,
    TimerRow,
    TimerTable,
)

_LOOPS = ("LOOP", "LOOP+")
_ROW = r"^\s*(?P<name>\S.{{0,30}}?)\s*:\s*{0} time\s*[0-9.*]+\s*: *{1} time\s*(?P<seconds>[0-9.*]+)\s*$"


def _place(rows: Sequence[TimerRow], facts: Facts) -> Placed:
    """Sum the calls of every timer."""
    sums: dict[str, Timer] = {}
    unknown = 0
    for row in rows:
        if known(row.values.get("seconds")) is None:  # asterisks: the number did not fit
            unknown += 1
            continue
        call = timer(
            TimerRow(group="", name=row.name, values={**row.values, "calls": "1"}),
            overlapping=row.name in _LOOPS,
        )
        sums[row.name] = added(sums[row.name], call) if row.name in sums else call
    notices = (f"times that were too large for their columns are missing: {unknown}",) if unknown else ()
    iterations = {
        name: f"{sums[loop].calls:.0f}"
        for name, loop in (("steps", "LOOP"), ("ionic_steps", "LOOP+"))
        if loop in sums
    }
    return Placed(
        timers=tuple(sums.values()), total=known(facts.get("total")), facts=iterations, notices=notices
    )


VASP = TimerTable(
    name="VASP",
    begin=LogLine("vasp.", r"^\s*vasp\.(?P<version>[0-9]\S*)"),
    mark=LogLine(
        " time", r"^\s*\S.{0,30}?:\s*(?:cpu|VPU) time\s*[0-9.*]+\s*: *(?:real|CPU) time\s*[0-9.*]+\s*$"
    ),
    scattered=(
        LogLine("real time", _ROW.format("cpu", "real")),
        LogLine("VPU time", _ROW.format("VPU", "CPU")),
    ),
    facts=(
        LogLine("mpi-ranks", r"running\s+(?P<processes>\d+) mpi-ranks(?:, with\s+(?P<threads>\d+) threads)?"),
        LogLine("total cores", r"running on\s+(?P<processes>\d+) total cores"),
        LogLine("nodes", r"^\s*running on\s+(?P<processes>\d+) nodes"),
        LogLine("Elapsed time (sec):", r"Elapsed time \(sec\):\s+(?P<total>[0-9.]+)"),
        LogLine("NCORE=", r"distr:\s+one band on NCORE=\s*(?P<NCORE>\d+) cores"),
        LogLine("distrk:", r"distrk:.*,\s+(?P<KPAR>\d+) groups"),
    ),
    place=_place,
    statistic=Statistic.ONE,
    rest=True,
)
