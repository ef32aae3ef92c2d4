"""Jobs of a scheduler: their scripts, and the commands that submit them.

Slurm gets an array for consecutive runs that need the same; PBS a job for each run, since its arrays have two
tasks at least. A repetition waits until the one before it has ended, and if runs go one at a time, so does
every job: the order of the design holds whatever the queue does.
"""

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.campaign.campaign_design import PlannedRun
from pipeline.campaign.description import Campaign, Resources, Settings, resources, settings_at
from pipeline.campaign.folders import JOBS, RunFolder


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is submitted at once.

    Attributes:
        name: of the job and its script.
        runs: in order; several are the tasks of an array.
        script: what the scheduler runs.
        after: numbers of the jobs that have to end before.
    """

    name: str
    runs: tuple[PlannedRun, ...]
    script: str
    after: tuple[int, ...]


def jobs(campaign: Campaign, runs: Sequence[PlannedRun]) -> list[Job]:
    """Return the jobs of planned runs for Slurm or PBS, both in the order of the design."""
    arrays = campaign.scheduler.kind == "slurm"
    write = _slurm if arrays else _pbs
    groups: list[list[PlannedRun]] = []
    for run in runs:
        same = groups and _needs(campaign, groups[-1][0]) == _needs(campaign, run)
        if arrays and same and _block(groups[-1][0]) == _block(run):
            groups[-1].append(run)
        else:
            groups.append([run])
    blocks = [_block(group[0]) for group in groups]
    return [
        Job(
            name=_job_name(group),
            runs=tuple(group),
            script=write(campaign, group),
            after=_after(blocks, number, campaign.scheduler.one_at_a_time),
        )
        for number, group in enumerate(groups)
    ]


def submit_command(campaign: Campaign, job: Job, script: Path, after: Sequence[str]) -> list[str]:
    """Return the command that submits a job after others; it prints what the scheduler calls it."""
    waits = ":".join(("afterany", *after))
    if campaign.scheduler.kind == "pbs":
        return ["qsub", *(["-W", f"depend={waits}"] if after else []), str(script)]
    one_at_a_time = "%1" if campaign.scheduler.one_at_a_time else ""
    return [
        "sbatch",
        "--parsable",
        f"--array=0-{len(job.runs) - 1}{one_at_a_time}",
        *([f"--dependency={waits}"] if after else []),
        str(script),
    ]


def _needs(campaign: Campaign, run: PlannedRun) -> tuple[Resources, Settings]:
    return resources(campaign.launcher, run.point), settings_at(campaign.scheduler, run.point)


def _block(run: PlannedRun) -> tuple[int, int]:
    return run.round, run.repetition


def _job_name(runs: Sequence[PlannedRun]) -> str:
    return runs[0].name if len(runs) == 1 else f"{runs[0].name}-{len(runs)}"


def _after(blocks: Sequence[tuple[int, int]], number: int, one_at_a_time: bool) -> tuple[int, ...]:
    """Return the jobs that a job waits for: the one before it, or all of the block before."""
    if one_at_a_time:
        return (number - 1,) if number else ()
    first = blocks.index(blocks[number])
    return tuple(n for n in range(first) if blocks[n] == blocks[first - 1])


def _slurm(campaign: Campaign, runs: Sequence[PlannedRun]) -> str:
    needs, settings = _needs(campaign, runs[0])
    nodes = _nodes(needs, campaign.scheduler.cores_per_node)
    output = campaign.work / JOBS / "%A_%a.out"
    options = [
        f"--job-name={_job_name(runs)}",
        *([f"--nodes={nodes}"] if nodes else []),
        f"--ntasks={needs.processes}",
        f"--cpus-per-task={needs.threads}",
        *([f"--time={settings.time}"] if settings.time else []),
        "--no-requeue",
        f"--output={shlex.quote(str(output))}",
        *settings.options,
    ]
    scripts = (shlex.quote(str(RunFolder(campaign.work / run.name).script)) for run in runs)
    return "\n".join(
        (
            "#!/usr/bin/env bash",
            *(f"#SBATCH {option}" for option in options),
            "runs=(",
            *(f"  {script}" for script in scripts),
            ")",
            'exec bash "${runs[$SLURM_ARRAY_TASK_ID]}"',
            "",
        )
    )


def _pbs(campaign: Campaign, runs: Sequence[PlannedRun]) -> str:
    (run,) = runs
    needs, settings = _needs(campaign, run)
    per_node = campaign.scheduler.cores_per_node
    nodes = _nodes(needs, per_node) or 1
    processes = math.ceil(needs.processes / nodes)
    chunk = f"ncpus={per_node or needs.cores}:mpiprocs={processes}:ompthreads={needs.threads}"
    output = campaign.work / JOBS / f"{run.name}.out"
    options = [
        f"-N {run.name}",
        f"-l select={nodes}:{chunk}",
        *([f"-l walltime={settings.time}"] if settings.time else []),
        "-r n",
        "-j oe",
        f"-o {shlex.quote(str(output))}",
        *settings.options,
    ]
    script = shlex.quote(str(RunFolder(campaign.work / run.name).script))
    return "\n".join(
        ("#!/usr/bin/env bash", *(f"#PBS {option}" for option in options), f"exec bash {script}", "")
    )


def _nodes(needs: Resources, cores_per_node: int | None) -> int | None:
    if cores_per_node is None:
        return None
    return math.ceil(needs.processes / max(1, cores_per_node // needs.threads))
