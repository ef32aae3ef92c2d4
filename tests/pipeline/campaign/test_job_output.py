"""Why a scheduler ended a job; the lines are those that Slurm 22.05 and OpenPBS write."""

import pytest

from pipeline.campaign.job_output import job_end

SLURM = "slurmstepd-vm: error: *** JOB 2 ON vm CANCELLED AT 2026-11-22T10:24:30"


@pytest.mark.parametrize(
    ("line", "reason", "interrupted"),
    [
        (f"{SLURM} ***", "job was cancelled", True),
        (f"{SLURM} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***", "its node failed", True),
        (f"{SLURM} DUE TO PREEMPTION ***", "preempted by another job", True),
        (f"{SLURM} DUE TO TIME LIMIT ***", "time limit reached", False),
        ("slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch.", "memory limit exceeded", False),
        (
            f"slurmstepd: error: Job 2 exceeded memory limit (40 > 20), being killed\n{SLURM} ***",
            "memory limit exceeded",
            False,
        ),
        ("=>> PBS: job killed: walltime 152 exceeded limit 120", "time limit reached", False),
        ("=>> PBS: job killed: mem 2048kb exceeded limit 1024kb", "memory limit exceeded", False),
    ],
)
def test_what_ended_a_job(line, reason, interrupted):
    end = job_end(f"before\n{line}\nafter\n")
    assert end is not None
    assert (end.reason, end.interrupted) == (reason, interrupted)


@pytest.mark.parametrize("text", ["", "Terminated\n", f"the program prints: {SLURM} ***\n"])
def test_other_output_says_nothing_of_that(text):
    assert job_end(text) is None
