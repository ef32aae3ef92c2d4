"""The formats that can be read: one small module or package and one entry here for each.

A `ProfileReader` reads one run; a `SeriesReader` reads a file that holds many measurement points.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.errors import InputError
from ingest.profile import Profile
from ingest.readers import (
    callgrind,
    craypat,
    cube3,
    cubex,
    folded,
    gprof,
    hpctoolkit,
    likwid,
    mpip,
    openfoam,
    perf_script,
    pprof,
    speedscope,
    tau,
    tau_packed,
    timer_tables,
)
from ingest.readers.caliper import cali, json_split
from ingest.readers.extrap import experiment, json_format, json_lines, text
from ingest.readers.gpu import (
    chrome_trace,
    nsight_compute,
    nsys,
    nsys_stats,
    rocprof,
    rocprof_launches,
    rocprofv3,
    rocprofv3_json,
    summary_tables,
)
from ingest.series import Series


@dataclass(frozen=True, kw_only=True)
class ProfileReader:
    """A format for one run.

    Attributes:
        name: as users know the format.
        pattern: what its files are called, for messages.
        matches: whether a file or directory looks like this format; cheap, and raises nothing.
        read: reads it; raises InputError if it cannot.
        parameters: the numbers that describe the run, if the format has them; raises InputError.
        files: of a run that is a directory, the files that `read` reads or chooses from, found by their names
            only; a run is read again if one of them changes, comes or goes. If not given, all files below it.
        unnamed_parameters: the numbers that describe the run, used only if the names of the runs have none.
        beside: of a run that is a file, others that `read` looks at.
        context: what `read` takes from the names of the file and its folder.
        content: equal for files in one folder that are copies of the same measurement.
        fallback: files count only in runs without a profile of a reader with a smaller number: those of
            profilers, folded stacks that are made of them and launches without copies and calls, logs.
    """

    name: str
    pattern: str
    matches: Callable[[Path], bool]
    read: Callable[[Path], Profile]
    parameters: Callable[[Path], Mapping[str, float]] | None = None
    files: Callable[[Path], Iterable[Path]] | None = None
    unnamed_parameters: Callable[[Path], Mapping[str, float]] | None = None
    beside: Callable[[Path], Iterable[Path]] | None = None
    context: Callable[[Path], str] | None = None
    content: Callable[[Path], Hashable] | None = None
    fallback: int = 0


@dataclass(frozen=True)
class SeriesReader:
    """A format for many measurement points in one file.

    Attributes:
        name: as users know the format.
        pattern: what its files are called, for messages.
        matches: whether a file looks like this format; cheap, and raises nothing.
        read: reads it; raises InputError if it cannot.
    """

    name: str
    pattern: str
    matches: Callable[[Path], bool]
    read: Callable[[Path], Series]


PROFILE_READERS: tuple[ProfileReader, ...] = (
    ProfileReader(name="CUBE", pattern="*.cubex", matches=cubex.matches, read=cubex.read),
    ProfileReader(name="CUBE 3", pattern="*.cube", matches=cube3.matches, read=cube3.read),
    ProfileReader(
        name="OpenFOAM",
        pattern="<time>/uniform/profiling",
        matches=openfoam.matches,
        read=openfoam.read,
        files=openfoam.files,
    ),
    ProfileReader(
        name="TAU",
        pattern="profile.<node>.<context>.<thread>",
        matches=tau.matches,
        read=tau.read,
        files=tau.files,
    ),
    ProfileReader(name="TAU packed", pattern="*.ppk", matches=tau_packed.matches, read=tau_packed.read),
    ProfileReader(
        name="Caliper",
        pattern="*.cali",
        matches=cali.matches,
        read=cali.read,
        parameters=cali.parameters,
    ),
    ProfileReader(
        name="Caliper JSON",
        pattern="*.json",
        matches=json_split.matches,
        read=json_split.read,
        parameters=json_split.parameters,
    ),
    ProfileReader(
        name="HPCToolkit",
        pattern="<database>/meta.db, experiment.xml",
        matches=hpctoolkit.matches,
        read=hpctoolkit.read,
        files=hpctoolkit.files,
    ),
    ProfileReader(
        name="Nsight Systems",
        pattern="*.sqlite",
        matches=nsys.matches,
        read=nsys.read,
        files=nsys.files,
        fallback=1,
    ),
    ProfileReader(
        name="Nsight Compute",
        pattern="*.csv",
        matches=nsight_compute.matches,
        read=nsight_compute.read,
        fallback=1,
    ),
    ProfileReader(
        name="rocprof",
        pattern="results.db, results.json",
        matches=rocprof.matches,
        read=rocprof.read,
        files=rocprof.files,
        fallback=1,
    ),
    ProfileReader(
        name="rocprofv3",
        pattern="*_kernel_trace.csv",
        matches=rocprofv3.matches,
        read=rocprofv3.read,
        files=rocprofv3.files,
        beside=rocprofv3.beside,
        content=rocprofv3.content,
        fallback=1,
    ),
    ProfileReader(
        name="rocprofv3 JSON",
        pattern="*_results.json",
        matches=rocprofv3_json.matches,
        read=rocprofv3_json.read,
        files=rocprofv3_json.files,
        fallback=1,
    ),
    ProfileReader(
        name="GPU summary tables",
        pattern="*stats.csv, *_sum.csv, pmc_kernel_top.csv",
        matches=summary_tables.matches,
        read=summary_tables.read,
        beside=summary_tables.beside,
        content=summary_tables.content,
        fallback=1,
    ),
    ProfileReader(
        name="rocprof launches",
        pattern="results.csv",
        matches=rocprof_launches.matches,
        read=rocprof_launches.read,
        fallback=2,
    ),
    ProfileReader(
        name="callgrind",
        pattern="callgrind.out.*",
        matches=callgrind.matches,
        read=callgrind.read,
        fallback=1,
    ),
    ProfileReader(name="gprof", pattern="gprof.txt", matches=gprof.matches, read=gprof.read, fallback=1),
    ProfileReader(
        name="perf", pattern="*.perf", matches=perf_script.matches, read=perf_script.read, fallback=1
    ),
    ProfileReader(
        name="CrayPat",
        pattern="RUNTIME.rpt",
        matches=craypat.matches,
        read=craypat.read,
        unnamed_parameters=craypat.parameters,
        content=craypat.content,
        fallback=1,
    ),
    ProfileReader(
        name="LIKWID",
        pattern="proc_<k>.out",
        matches=likwid.matches,
        read=likwid.read,
        files=likwid.files,
        unnamed_parameters=likwid.parameters,
        fallback=1,
    ),
    ProfileReader(
        name="speedscope",
        pattern="*.speedscope.json",
        matches=speedscope.matches,
        read=speedscope.read,
        fallback=1,
    ),
    ProfileReader(
        name="Chrome trace",
        pattern="*.pt.trace.json",
        matches=chrome_trace.matches,
        read=chrome_trace.read,
        files=chrome_trace.files,
        fallback=1,
    ),
    ProfileReader(
        name="mpiP",
        pattern="*.mpiP",
        matches=mpip.matches,
        read=mpip.read,
        unnamed_parameters=mpip.parameters,
        fallback=1,
    ),
    ProfileReader(
        name="pprof", pattern="*.prof, *.pb.gz", matches=pprof.matches, read=pprof.read, fallback=1
    ),
    ProfileReader(
        name="folded stacks", pattern="*.folded", matches=folded.matches, read=folded.read, fallback=2
    ),
    ProfileReader(
        name="timer table",
        pattern="*.log, *.out",
        matches=timer_tables.matches,
        read=timer_tables.read,
        unnamed_parameters=timer_tables.parameters,
        beside=timer_tables.beside,
        context=timer_tables.context,
        content=timer_tables.content,
        fallback=3,
    ),
    ProfileReader(
        name="nsys stats",
        pattern="*.csv, *.txt",
        matches=nsys_stats.matches,
        read=nsys_stats.read,
        fallback=2,
    ),
)

# The first that matches reads: from the most to the least specific.
SERIES_READERS: tuple[SeriesReader, ...] = (
    SeriesReader("Extra-P experiment", "*.extra-p", experiment.matches, experiment.read),
    SeriesReader("Talpas", "*.txt", json_lines.matches_talpas, json_lines.read_talpas),
    SeriesReader("Extra-P JSON lines", "*.jsonl", json_lines.matches, json_lines.read),
    SeriesReader("Extra-P JSON", "*.json", json_format.matches, json_format.read),
    SeriesReader("Extra-P text", "*.txt", text.matches, text.read),
)


def find_profile_reader(path: Path) -> ProfileReader | None:
    """Return the first reader whose format the file or directory looks like, None if there is none."""
    return next((reader for reader in PROFILE_READERS if reader.matches(path)), None)


def read_profile(path: Path) -> Profile:
    """Read one run.

    Raises:
        InputError: if no reader knows the file or directory, or it is damaged.
    """
    reader = find_profile_reader(path)
    if reader is None:
        what = "no profile in a known format" if path.exists() else "no such file or directory"
        raise InputError(what, where=str(path), hint=f"known formats: {known_profiles()}")
    return reader.read(path)


def find_series_reader(path: Path) -> SeriesReader | None:
    """Return the first reader whose format the file looks like, None if there is none."""
    return next((reader for reader in SERIES_READERS if reader.matches(path)), None)


def read_series(path: Path) -> Series:
    """Read a file of many measurement points.

    Raises:
        InputError: if no reader knows the file, or it is damaged.
    """
    reader = find_series_reader(path)
    if reader is None:
        what = "no measurements in a known format" if path.exists() else "no such file or directory"
        raise InputError(what, where=str(path), hint=f"known formats: {_listed(SERIES_READERS)}")
    return reader.read(path)


def known_profiles() -> str:
    """Return the formats of single runs with the names of their files, for messages."""
    return _listed(PROFILE_READERS)


def _listed(readers: Sequence[ProfileReader | SeriesReader]) -> str:
    return ", ".join(f"{reader.name} ({reader.pattern})" for reader in readers)
