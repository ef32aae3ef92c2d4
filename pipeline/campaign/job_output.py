"""Why a job ended, from what the scheduler writes into its output.

Sources: Slurm's slurmstepd (``*** JOB 7 ON node CANCELLED AT ... DUE TO TIME LIMIT ***``), OpenPBS's pbs_mom
(``=>> PBS: job killed: walltime 152 exceeded limit 120``).
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class JobEnd:
    """Why a scheduler ended a job, and whether that was by no fault of the run."""

    reason: str
    interrupted: bool


_ENDS = tuple(
    (re.compile(pattern, re.MULTILINE), JobEnd(reason, interrupted))
    for pattern, reason, interrupted in (
        (
            r"^slurmstepd.*: error: .*\b([Ee]xceeded (job |step )?memory limit|oom_kill)",
            "memory limit exceeded",
            False,
        ),
        (r"^=>> PBS: job killed: v?mem ", "memory limit exceeded", False),
        (r"^slurmstepd.*: error: \*\*\* JOB .* DUE TO TIME LIMIT", "time limit reached", False),
        (r"^=>> PBS: job killed: (walltime|cput) ", "time limit reached", False),
        (r"^slurmstepd.*: error: \*\*\* JOB .* DUE TO NODE FAILURE", "its node failed", True),
        (r"^slurmstepd.*: error: \*\*\* JOB .* DUE TO PREEMPTION", "preempted by another job", True),
        (r"^slurmstepd.*: error: \*\*\* JOB .* CANCELLED AT", "job was cancelled", True),
    )
)


def job_end(output: str) -> JobEnd | None:
    """Return why the scheduler ended a job; None if its output says nothing of that."""
    return next((end for pattern, end in _ENDS if pattern.search(output)), None)
