"""What a projected study rests on, in words."""

from collections.abc import Iterator

import numpy as np

from ingest.number_text import percent
from pipeline.projection.study.kernel_table import TYPICAL_MIX, KernelTable, Way
from pipeline.projection.study.transfer import Transfer
from pipeline.questions.analysis import Analysis

NEARLY_ALL = 0.999  # of the computing: nothing is said of the rest
SMALLEST = 1e-300


def assumptions(analysis: Analysis, transfer: Transfer) -> tuple[str, ...]:
    """Return one sentence for everything that is assumed.

    Args:
        analysis: the study as it was measured.
        transfer: of its call paths.
    """
    return (
        *_of_computing(analysis, transfer.table),
        *_of_cores(analysis, transfer),
        *_of_communication(transfer),
        *(
            ["files, start-up and shut-down take as long as measured, within a factor of about 2"]
            if transfer.table.is_way(Way.STAYS).any()
            else []
        ),
        "nodes are filled; caches hold as much of the problem as here",
    )


def _of_computing(analysis: Analysis, table: KernelTable) -> Iterator[str]:
    computes = table.is_way(Way.COMPUTES)
    effort = np.nan_to_num(analysis.callpaths.kernels.mean).max(axis=1)
    tested = float(effort[computes & table.tested].sum() / max(effort[computes].sum(), SMALLEST))
    if tested >= NEARLY_ALL:
        return
    rest = "no counters tell what limits the computing: its time"
    if tested:
        rest = f"counters tell what limits {percent(tested)} of the computing; the rest"
    memory, arithmetic, latency = (f"{100 * share:.0f} %" for share in TYPICAL_MIX.values())
    yield (
        f"{rest} is taken to be limited to {memory} by memory bandwidth, to {arithmetic} by arithmetic, "
        f"to {latency} by memory latency, each uncertain"
    )


def _of_cores(analysis: Analysis, transfer: Transfer) -> Iterator[str]:
    source = transfer.source
    most = float(np.nanmax(transfer.locations(analysis.experiment.points)))
    if most > source.cores and not source.has_network:
        yield (
            f"up to {most:g} processes shared the {source.cores:g} cores of {source.name}: what they waited "
            "for a core falls away"
        )


def _of_communication(transfer: Transfer) -> Iterator[str]:
    if transfer.table.is_way(Way.CALLS).any():
        yield (
            "calls of MPI take what their number and bytes take on the network; what they took longer was "
            "waiting, which goes with the computing"
        )
        if not transfer.source.has_messages:
            yield f"{transfer.source.name} states no network: how much of its MPI time was waiting is open"
    elif not transfer.target.has_messages:
        yield f"{transfer.target.name} states no network: communication goes with the computing"
