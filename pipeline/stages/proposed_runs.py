"""What `pipeline inspect --propose` writes: the runs of a directory as entries of pipeline.toml."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.errors import InputError
from ingest.inferred_runs import describe
from ingest.profile_search import FoundProfile, nothing_found, search_profiles
from ingest.readers import find_profile_reader
from ingest.run_metadata import read_metadata
from ingest.run_names import RunSpec
from ingest.run_proposal import Proposal, propose
from pipeline.wording.quantities import counted

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class ProposedRuns:
    """The runs of a directory with guessed parameters.

    Attributes:
        runs: as the configuration lists runs, with absolute paths.
        remarks: one sentence on each guess, and on each profile that cannot be read.
    """

    runs: tuple[RunSpec, ...]
    remarks: tuple[str, ...]


def propose_runs(directory: Path) -> ProposedRuns:
    """Guess the parameters of the runs below a directory.

    Raises:
        InputError: there is no profile, or none can be read.
    """
    if not directory.is_dir() or find_profile_reader(directory):
        raise InputError("not a directory of runs", where=str(directory), hint="give the directory of runs")
    found, skipped = search_profiles(directory)
    if not found:
        raise nothing_found(directory, skipped)
    described = describe(found, directory)
    damaged = [f"left out {one.path}: {one.reason}" for one in described.damaged]
    if not described.runs:
        raise InputError("no profile can be read", where=str(directory), hint=damaged[0])
    proposal = propose(described.runs, _metadata(described.found))
    return ProposedRuns(_specs(described.found, proposal), (*proposal.remarks, *damaged))


def _metadata(profiles: Sequence[FoundProfile]) -> Mapping[str, tuple[float, ...]]:
    """Return the parameters in the metadata, one value per profile; empty if some profile has none."""
    metadata = read_metadata(profiles)
    if metadata is None or len(metadata.found) < len(profiles):
        return {}
    columns = zip(*metadata.values, strict=True)
    return dict(zip(metadata.parameters, columns, strict=True))


def _specs(profiles: Sequence[FoundProfile], proposal: Proposal) -> tuple[RunSpec, ...]:
    rows = zip(*proposal.parameters.values(), strict=True)
    specs = [
        RunSpec(
            profile.path.resolve(), dict(zip(proposal.parameters, row, strict=True)), proposal.repetitions[i]
        )
        for i, (profile, row) in enumerate(zip(profiles, rows, strict=True))
    ]
    specs.sort(key=lambda spec: (*spec.parameters.values(), spec.repetition or 0))
    return tuple(specs)


def proposal_toml(directory: Path, proposed: ProposedRuns) -> str:
    """Return the runs as TOML, with the guesses as comments."""
    points = len({tuple(run.parameters.values()) for run in proposed.runs})
    lines = [
        f"# Proposed for {_comment(str(directory))}: {counted(len(proposed.runs), 'run')} at"
        f" {counted(points, 'point')}. Check it, save it as a file, and give it as --config FILE.",
        *(f"# {_comment(remark)}" for remark in proposed.remarks),
    ]
    for run in proposed.runs:
        values = ", ".join(f"{_key(name)} = {value:.15g}" for name, value in run.parameters.items())
        lines += [
            "",
            "[[run]]",
            f"path = {_text(str(run.path))}",
            f"parameters = {{{values}}}",
            f"repetition = {run.repetition}",
        ]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _text(name)


def _text(value: str) -> str:
    """Return a text of TOML, whose escapes JSON's are."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(text: str) -> str:
    return " ".join(text.split())
