"""The script that makes one run, whoever starts it.

It leaves files that hold the state of the run: `started` (only one script can make it; if it is there, the
script does nothing; empty without space on the disk), `environment`, `provenance`, `run.log` and `finished`.
Profiles appear in their folder with one rename, after the program has ended well, so that discovery never
sees half a run. What all these scripts do is in `run_script.sh`.

Sources of what measuring tools need: Score-P user manual, appendix "Score-P Measurement Configuration"; TAU
user's guide, "Environment Variables"; Caliper, "ConfigManager", ``hatchet-region-profile``. OpenFOAM profiles
if its controlDict says so (``profiling { active true; }``).
"""

import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.campaign.campaign_design import PlannedRun
from pipeline.campaign.description import (
    FOLDER,
    REPETITION,
    RUN,
    Campaign,
    Input,
    Launcher,
    Measurement,
    Resources,
    Settings,
    Tool,
    fill,
    point_values,
    resources,
    settings_at,
)
from pipeline.campaign.folders import JOBS, RunFolder

_ENVIRONMENT: dict[Tool, dict[str, str]] = {
    "score-p": {
        "SCOREP_ENABLE_PROFILING": "true",
        "SCOREP_ENABLE_TRACING": "false",
        "SCOREP_EXPERIMENT_DIRECTORY": "scorep",
    },
    "tau": {"TAU_PROFILE": "1", "PROFILEDIR": "."},
    "caliper": {"CALI_CONFIG": "hatchet-region-profile(output=profile.cali,output.format=cali)"},
}

_PROFILES: dict[Tool, tuple[str, ...]] = {
    "score-p": ("scorep/profile.cubex",),
    "openfoam": ("processor*/*/uniform/profiling", "[0-9]*/uniform/profiling"),
    "tau": ("profile.*.*.*", "*.ppk"),
    "caliper": ("*.cali",),
}
_NOTHING_MEASURES = Measurement()
NO_SPACE = "no space left on the disk"
NO_MATCH = "no file matches"
CLOCK_SET = "the clock was set"
_FUNCTIONS = Path(__file__).with_name("run_script.sh")


def _environment(measurement: Measurement, filter_file: Path | None) -> dict[str, str]:
    """Return the variables to set for a run, perhaps with a filter; those that the user gives count.

    A program that was built with the filter gets none: what it rejects at run time would cost time.
    """
    at_run_time = filter_file and not measurement.rebuild
    filtering = {"SCOREP_FILTERING_FILE": str(filter_file)} if at_run_time else {}
    return {**_ENVIRONMENT.get(measurement.tool, {}), **filtering, **measurement.environment}


def run_script(
    campaign: Campaign, run: PlannedRun, folder: RunFolder, *, version: str, cpus: Sequence[int] = ()
) -> str:
    """Return the script of a run, pinned to CPUs if any are given; it notes the version of this program."""
    needs = resources(campaign.launcher, run.point)
    others = {REPETITION: str(run.repetition), RUN: run.name, FOLDER: str(campaign.path.parent)}
    values = {**others, **point_values(run.point)}
    command = campaign.measurement.plain if run.plain else campaign.application.command
    words = [fill(word, values) for word in command]
    prepare = [fill(line, values) for line in campaign.application.prepare]
    measurement = _NOTHING_MEASURES if run.plain else campaign.measurement
    filter_file = campaign.filter if run.in_series else None
    pinned = ["taskset", "--cpu-list", ",".join(map(str, cpus))] if cpus else []
    variables = {"OMP_NUM_THREADS": str(needs.threads), **_environment(measurement, filter_file)}
    return _lines(
        (
            _head(campaign, run, folder),
            "start_run",
            "enter_files",
            *map(_copy, campaign.application.inputs),
            "{",
            *(map(_checked_line, prepare) if prepare else [":"]),
            '} >"$campaign_run/prepare.log" 2>&1 </dev/null || finish 1 "prepare.log cannot be written"',
            "enter_files",
            *(f"export {name}={shlex.quote(value)}" for name, value in variables.items()),
            "note_environment",
            _provenance(campaign, filter_file, program=words[0], version=version),
            shlex.join(["measure", *pinned, *_launched(campaign.launcher, needs, values), *words]),
            *_collecting(campaign, run),
        )
    )


def collect_script(campaign: Campaign, run: PlannedRun, folder: RunFolder) -> str:
    """Return the script that collects once more what a run has written, and notes how that ended."""
    return _lines((_head(campaign, run, folder), "collect_again", *_collecting(campaign, run)))


def _head(campaign: Campaign, run: PlannedRun, folder: RunFolder) -> str:
    """Return what the script of a run and that which collects again have in common."""
    facts = {
        "campaign_run": str(folder.path.absolute()),
        "campaign_profiles": str(profiles_of(campaign, run)),
        "campaign_name": run.name,
        "no_space": NO_SPACE,
        "no_match": NO_MATCH,
        "clock_set": CLOCK_SET,
    }
    return _lines(
        (
            "#!/usr/bin/env bash",
            f"# Run {run.name}, written by `pipeline campaign submit`. Started again, it does nothing.",
            *(f"{name}={shlex.quote(value)}" for name, value in facts.items()),
            "",
            _FUNCTIONS.read_text(encoding="utf-8"),
        )
    )


def _collecting(campaign: Campaign, run: PlannedRun) -> list[str]:
    """Return the lines that collect what a run has written, and end."""
    lines = [] if run.plain else [f"collect {shlex.join(patterns)}" for patterns in _patterns(campaign)]
    if not run.plain and campaign.measurement.tool == "score-p":
        lines.append("collect_if_there 'scorep/scorep.*'")
    return ["start_collecting", *lines, 'finish 0 ""', ""]


def profiles_of(campaign: Campaign, run: PlannedRun) -> Path:
    """Return the folder in which what a run measured is collected."""
    if run.plain:
        return campaign.plain_runs
    return campaign.pilot_profiles if run.unfiltered else campaign.profiles


def _launched(launcher: Launcher, needs: Resources, values: Mapping[str, str]) -> list[str]:
    """Return the words before the command that start it in parallel."""
    options = [fill(word, values) for word in launcher.options]
    if launcher.program == "srun":
        return ["srun", f"--ntasks={needs.processes}", f"--cpus-per-task={needs.threads}", *options]
    if launcher.program == "mpirun":
        return ["mpirun", "-n", str(needs.processes), *options]
    return []


def _patterns(campaign: Campaign) -> list[tuple[str, ...]]:
    """Return groups of patterns; each has to match."""
    profiles = _PROFILES.get(campaign.measurement.tool, ())
    return [*([profiles] if profiles else []), *((one,) for one in campaign.application.collect)]


def _copy(given: Input) -> str:
    source = shlex.quote(str(given.path)) + ("/." if given.content_only else "")
    reason = shlex.quote(f"{given.path.name} cannot be copied")
    return f"cp -R -- {source} . || finish 1 {reason}"


def _checked_line(line: str) -> str:
    reason = shlex.quote(f"prepare failed: {line}")
    return f"{line}\n[ $? -eq 0 ] || finish 1 {reason}"


def _provenance(campaign: Campaign, filter_file: Path | None, *, program: str, version: str) -> str:
    """Return the line that notes a run's origin, with the versions of the tools it is started with."""
    tools = {"score-p": ["scorep"], "tau": ["tau_exec"]}.get(campaign.measurement.tool, [])
    launcher = [campaign.launcher.program] if campaign.launcher.program != "none" else []
    filtered = str(filter_file or "/nonexistent")
    words = ["note_provenance", str(campaign.path.parent), filtered, program, version, *tools, *launcher]
    return shlex.join(words)


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines)


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is submitted at once."""

    name: str
    runs: tuple[PlannedRun, ...]  # in order; several are the tasks of an array
    script: str
    after: tuple[int, ...]  # numbers of the jobs that have to end before


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
