"""WRF's log of the first process, ``rsl.error.0000``, or of a run with one process: what each step took.

``Timing for main`` stands behind each step of a domain. It is the time of that step with what it wrote and
read and with the steps of the nests inside it, all of which were printed before (``start_timing`` comes first
in the loop of ``integrate``, frame/module_integrate.F). What is written after the last step, and what is read
of the outermost domain before the first, is in no step. The first step sets up tables.
"""

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from ingest.errors import InputError
from ingest.profile import Profile
from ingest.readers import ProfileReader
from ingest.readers.timer_tables import assemble
from ingest.readers.timer_tables.log import last_facts, processes_named, read_log
from ingest.readers.timer_tables.log_tables import in_grid
from ingest.readers.timer_tables.timer_kind import LogLine, Placed, Statistic, Timer, TimerTable
from ingest.reading.files import blocks_of, ends_of, is_folder, is_page, stamp
from ingest.run_settings import stopped

_START, _BOUNDARIES, _OUTPUT = "input and first step", "lateral boundaries", "output"
_FIRST_PROCESS = ("rsl.error.0000", "rsl.out.0000")
_OUTERMOST = 1  # the domain that holds all others; a nest has a larger number than what it is in
_MAX_STREAMS = 32  # files of output that are distinguished by their names
_LONGEST = 1e9  # seconds of one step: more is damage

_TIMING = re.compile(
    rb"Timing for (?:main(?: \([^)\n]*\))?: time \S+ on domain"
    rb"|(Writing |processing )([^\n]{1,999}?) for domain)"
    rb" +(\d{1,3}): +(\d+\.\d+) elapsed seconds"
)
_BEGIN = LogLine("Timing for main", r"^.*Timing for main.* on domain")
_ENDED = LogLine("SUCCESS COMPLETE WRF", "(?P<_ended>SUCCESS)")
_FACTS = (
    LogLine("Ntasks in X", r"Ntasks in X\s*(?P<_grid>\d+\s*,\s*ntasks in Y\s*\d{1,9})", first=True),
    LogLine("OMP_GET_MAX_THREADS", r"OMP_GET_MAX_THREADS =\s*(?P<threads>\d{1,9})", first=True),
    LogLine(" MODEL", r"WRF V(?P<version>\S+) MODEL", first=True),
    LogLine(
        "ids,ide",
        r"ids,ide,jds,jde\s+(?P<_west>\d{1,9})\s+(?P<_east>\d{1,9})\s+(?P<_south>\d{1,9})\s+(?P<_north>\d{1,9})",
        True,
    ),
    LogLine(
        "I/O tasks",
        r"Quilting with\s+(?P<_groups>\d{1,9}) groups? of\s+(?P<_servers>\d{1,9}) I/O tasks",
        first=True,
    ),
)
_STREAM = re.compile(rb"_d\d\d(?=_|$).*")  # wrfout_d01_2001-10-25_00:00:00
_KIND = TimerTable(
    name="WRF", begin=_BEGIN, place="rows", statistic=Statistic.ONE, output=f"^{_OUTPUT}|^{_BOUNDARIES}"
)


@dataclass(kw_only=True)
class StepTimings:
    """The sums of what a log states, in seconds; what lies inside a step is taken out of it."""

    steps: dict[int, int] = field(default_factory=dict)  # of each domain
    # of each domain, without what lies inside its steps, and without the first of the outermost
    stepping: dict[int, float] = field(default_factory=dict)
    start: float = 0.0  # what the outermost domain read before the first step, and that step
    # number and seconds of files, by the name of the stream
    written: dict[bytes, list[float]] = field(default_factory=dict)
    # number and seconds of readings of boundaries
    boundaries: list[float] = field(default_factory=lambda: [0, 0.0])
    total: float = 0.0  # steps of the outermost domain, and what lies outside of all steps
    exceeded: int = 0  # steps that took less than what lies in them
    _inside: dict[int, float] = field(default_factory=dict)  # of steps that are still to come, by domain

    def step(self, domain: int, seconds: float) -> None:
        """Count a step; what was printed since the last of the same domain lies inside it."""
        own, inside = seconds, self._inside
        if inside:
            for around in [number for number in inside if number >= domain]:
                own -= inside.pop(around)
            if own < 0.0:
                own, self.exceeded = 0.0, self.exceeded + 1
        if domain > _OUTERMOST:
            inside[domain - 1] = inside.get(domain - 1, 0.0) + seconds
        else:
            self.total += seconds
        number = self.steps[domain] = self.steps.get(domain, 0) + 1
        if number == 1 and domain == _OUTERMOST:
            self.start += own
        else:
            self.stepping[domain] = self.stepping.get(domain, 0.0) + own

    def file(self, what: bytes, name: bytes, domain: int, seconds: float) -> None:
        """Count a file that was written or read."""
        if what == b"processing " and b"boundary" not in name:
            if domain == _OUTERMOST and not self.steps:
                self.start, self.total = self.start + seconds, self.total + seconds
            return  # the rest of what nests read is start-up of the step around it
        counted = self.boundaries
        if what == b"Writing ":
            stream = _STREAM.sub(b"", name)
            known = stream in self.written or len(self.written) < _MAX_STREAMS
            counted = self.written.setdefault(stream if known else b"other files", [0, 0.0])
        counted[0] += 1
        counted[1] += seconds
        self._inside[domain] = self._inside.get(domain, 0.0) + seconds

    def finish(self) -> None:
        """Count what was printed after the last step as time outside of steps."""
        self.total += sum(self._inside.values())
        self._inside.clear()

    @property
    def timers(self) -> list[Timer]:
        """Start-up, steps by domain, boundaries and output; none lies inside another."""
        found = [(_START, self.start, 1.0)]
        found += [
            (f"steps of domain {domain}", seconds, self.steps[domain] - (domain == _OUTERMOST))
            for domain, seconds in sorted(self.stepping.items())
        ]
        found += [(_BOUNDARIES, self.boundaries[1], self.boundaries[0])] if self.boundaries[0] else []
        found += [
            (f"{_OUTPUT} {stream.decode('utf-8', 'replace')}", seconds, count)
            for stream, (count, seconds) in sorted(self.written.items())
        ]
        return [Timer(path=(name,), seconds=seconds, calls=float(calls)) for name, seconds, calls in found]


def _matches(path: Path) -> bool:
    """Return whether a file, or one in a folder, is the log of the first process, finished or not."""
    log = _log_of(path)
    text = ends_of(log) if log and not is_page(log) else b""
    return _TIMING.search(text) is not None or (b"taskid: 0 hostname" in text and b" MODEL" in text)


def _log_of(path: Path) -> Path | None:
    if not is_folder(path):
        return path
    return next((path / name for name in _FIRST_PROCESS if (path / name).is_file()), None)


def _read(path: Path) -> Profile:
    """Read the steps of a run: as many locations as processes, all with the times of the first."""
    table, notices = _table(path)
    return assemble([table], _KIND, str(path), notices)


def _content(path: Path) -> Hashable:
    """Return what ``rsl.error.0000`` and ``rsl.out.0000`` have in common."""
    return tuple((timer.path, timer.seconds) for timer in _table(path)[0].timers)


def _table(path: Path) -> tuple[Placed, tuple[str, ...]]:
    log = _log_of(path) or path
    table, notices = _timers(log, stamp(log))
    named = processes_named(path) if "processes" not in table.facts else ""
    return replace(table, facts={**table.facts, "processes": named}) if named else table, notices


@lru_cache(maxsize=4)
def _timers(log: Path, stamp: tuple[int, ...]) -> tuple[Placed, tuple[str, ...]]:
    """Read a log once for all questions; it may be large."""
    timings = StepTimings()
    step, file = timings.step, timings.file
    for block in blocks_of(log):
        for what, name, number, seconds in _TIMING.findall(block):
            took = float(seconds)
            if took > _LONGEST:
                continue
            if what:
                file(what, name, int(number), took)
            else:
                step(int(number), took)
    timings.finish()
    steps = timings.steps.get(_OUTERMOST, 0)
    text = read_log(log)
    facts = last_facts(text, _FACTS)
    processes = int(in_grid(facts).get("processes", 0))
    why = stopped(_KIND.name, processes, text.content)
    if not steps:
        raise InputError(f"{why}: no time step in it", where=str(log))
    notices = []
    if not next(text.find(_ENDED), None):
        notices.append(f"the log ends before the run: {steps} steps up to there")
        facts["_stopped"] = why
    if timings.exceeded:
        notices.append(f"{timings.exceeded} steps took less than what lies in them: is the log damaged?")
    facts |= in_grid(facts) | _described(facts, steps)
    return Placed(timers=timings.timers, total=timings.total, facts=facts), tuple(notices)


def _described(facts: Mapping[str, str], steps: int) -> dict[str, str]:
    """Return the steps, the points of the outermost domain and the processes that only write."""
    found = {"steps": str(steps)}
    if "_east" in facts:
        sides = [
            int(facts[end]) - int(facts[begin]) + 1
            for begin, end in (("_west", "_east"), ("_south", "_north"))
        ]
        found["grid"] = " x ".join(map(str, sides))
    servers = int(facts.get("_groups", 0)) * int(facts.get("_servers", 0))
    return found | ({"I/O processes": f"{servers} beside those that compute"} if servers else {})


READER = ProfileReader(
    name="WRF",
    pattern="rsl.error.0000",
    matches=_matches,
    read=_read,
    files=lambda path: filter(None, [_log_of(path)]),
    processes=lambda path: int(_table(path)[0].facts.get("processes", 0)),
    context=processes_named,
    content=_content,
    fallback=3,
    precedence=2,
)
