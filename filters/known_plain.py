"""Plain times that are known from elsewhere: run times without instrumentation, runs with fewer regions."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from filters.event_cost import HOOK_SPREAD, EventCost, Visited, calibrated, usual_cost
from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import UsageError
from ingest.number_text import count, figure

KNOWN_SPREAD = 0.03  # of the logarithm of a plain time that was measured
RUN_SPREAD = 0.06  # of the logarithm of a run time, from one run to the next
TAIL = 1.645  # standard deviations to either end of a 90 % interval
_LEAST_COMPUTING = 0.25  # of the share that computing has of measured time, which it has of the plain time
_LEAST_INSIDE = 0.25  # of a run time, that is the program's
_MOST_STARTUP = 10.0  # seconds that starting processes takes on a machine that is not large
LONGER = 1.2  # times the instrumented run, which a plain run of the same input cannot take
_SAME_RUN = 0.05  # of the visits, that two measurements of one run may differ by
_PAIR_SPREAD = 0.1  # of the logarithm of a cost that two profiles show
_STEPS = np.linspace(-4, 4, 161)  # standard deviations
_USUAL = EventCost()
# what a rejected visit may cost as shares of a recorded one
_HOOKS = np.minimum(_USUAL.filtered / _USUAL.recorded * np.exp(HOOK_SPREAD * _STEPS), 1.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class KnownPlain:
    """Plain computing times of R runs."""

    point: IntArray  # int64[R], runs of one point share the error of what is known
    total: FloatArray  # float64[R], core-seconds, NaN where nothing is known
    spread: FloatArray  # float64[R], standard deviations of their logarithms
    # float64[R], core-seconds of the whole runs, with what does not compute; NaN where unknown
    whole: FloatArray
    # bool[R], whether those were timed, so that nothing is estimated but what is communication
    stated: BoolArray

    @classmethod
    def of(cls, total: float, spread: float = KNOWN_SPREAD, whole: float = np.nan) -> "KnownPlain":
        """Take the plain time of a single run."""
        return cls(
            point=np.zeros(1, dtype=np.int64),
            total=np.array([total]),
            spread=np.array([spread]),
            whole=np.array([whole]),
            stated=np.array([False]),
        )

    def joined(self, other: "KnownPlain") -> "KnownPlain":
        """Join what is known of the same runs from two sources, each by how sure it is."""
        logs = np.log(np.stack([self.total, other.total]))
        weight = np.where(np.isfinite(logs), np.stack([self.spread, other.spread]) ** -2.0, 0.0)
        every = weight.sum(axis=0)
        weighted = (np.nan_to_num(logs) * weight).sum(axis=0)
        mean = np.divide(weighted, every, out=np.full(every.shape, np.nan), where=every > 0)
        spread = np.divide(1.0, np.sqrt(every), out=np.ones(every.shape), where=every > 0)
        first = self.stated | (~other.stated & np.isfinite(self.whole))
        return KnownPlain(
            point=self.point,
            total=np.exp(mean),
            spread=spread,
            whole=np.where(first, self.whole, other.whole),
            stated=self.stated | other.stated,
        )


def joined(sources: Sequence[KnownPlain]) -> KnownPlain | None:
    """Join what is known from any number of sources; None without any."""
    return reduce(KnownPlain.joined, sources) if sources else None


def inside_program(seconds: FloatArray | float, startup: FloatArray | float) -> FloatArray:
    """Return what run times are the program's at least, if all that may be start-up is."""
    return np.asarray(np.maximum(seconds - startup, _LEAST_INSIDE * seconds))


def plain_by_run_time(
    runs: Visited,
    seconds: FloatArray,
    wall: FloatArray,
    where: str,
    *,
    startup: FloatArray | float = 0.0,
    lines: Sequence[str] = (),
    spread: FloatArray | float = KNOWN_SPREAD,
    point: IntArray | None = None,
) -> KnownPlain:
    """Return plain computing times, given how long the same runs take without instrumentation.

    No profile shows how much of the plain time is communication: at most what was measured, since overhead
    makes processes wait for each other, and mostly no less than its measured share. Time outside of all
    regions is that of the measurement system.

    Of R runs: `seconds` float64[R] they take plain, NaN if unknown, of which `startup` may be none of the
    program's; `wall` they took instrumented; `spread`, standard deviations of the logarithms of run times;
    `point` int64[R], by default each is of its own. If times do not fit, UsageError names `where`, and
    `lines` are what to write into a table of plain times if start-up makes them longer.
    """
    of_program = seconds - startup
    inside = inside_program(seconds, startup)
    point = np.arange(len(wall)) if point is None else point
    for run in np.flatnonzero(of_program > LONGER * wall).tolist():
        alike = point == point[run]  # of a point, runs in the middle count: single ones are disturbed
        if np.median(of_program[alike]) <= LONGER * np.median(wall[alike]):
            continue
        raise _longer(float(of_program[run]), float(wall[run]), where, lines[run] if lines else "")
    everything = runs.time.sum(axis=0)
    locations = np.divide(everything, wall, out=np.ones(len(wall)), where=wall > 0)
    whole = np.sqrt(inside * seconds) * locations
    share = np.divide(runs.measured, everything, out=np.zeros(len(wall)), where=everything > 0)
    most = np.where(share > 0, np.minimum(whole * share, runs.measured), np.nan)
    least = np.clip(whole - (everything - runs.measured), _LEAST_COMPUTING * most, most)
    doubt = np.hypot(np.log(most / least), np.log(seconds / inside)) / (2 * TAIL)
    return KnownPlain(
        point=point,
        total=np.sqrt(least * most),
        spread=np.hypot(spread, doubt),
        whole=whole,
        stated=np.isfinite(whole) & (share > 0) & (inside == seconds),
    )


def _longer(plain: float, instrumented: float, where: str, line: str) -> UsageError:
    """Return the error for a plain run that took longer than the instrumented one, perhaps by start-up."""
    what = f"the run without instrumentation took {figure(plain)} s, the instrumented one only "
    starting = "what starting its processes takes, as `time mpirun -n P true` shows it, is not in the profile"
    cure = "take it away, or give it in a table of run times as startup"
    if line and plain - instrumented <= _MOST_STARTUP:
        cure = f"give it in a table of run times: {line}"
    hint = f"give the time of the same run, with the same input on the same machine; {starting}: {cure}"
    return UsageError(f"{what}{figure(instrumented)} s", where=where, hint=hint)


def plain_by_pair(
    full: Visited, fewer: Visited, where: str, *, at_run_time: bool = False
) -> tuple[KnownPlain, EventCost]:
    """Find the plain computing time of a run and the cost of a visit from two measurements of it.

    T1 = P + c E1 and T2 = P + c (E2 + r H), with computing times T, the events E whose cost lies in them, and
    the H visits that a filter at run time rejects in the second. Which share r of a recorded visit these take
    is believed as anywhere, if the plain time is positive and c what visits usually cost. The second, with
    fewer regions recorded, is what an error names; it must have fewer events and take less time.
    """
    (time, events), (left, kept) = (
        (float(one.measured[0]), float(one.events_computing[0])) for one in (full, fewer)
    )
    if not (events > kept and time > left):
        what = f"no event cost can be derived: {count(events - kept)} fewer visits took "
        hint = "give the full measurement first, then one of the same run with fewer regions"
        raise UsageError(f"{what}{figure(time - left)} core-s less", where=where, hint=hint)
    rejected = max(float(full.visits.sum() - fewer.visits.sum()), 0.0) if at_run_time else 0.0
    hooks = _HOOKS * rejected
    costs = (time - left) / np.maximum(events - kept - hooks, 1.0)
    plains, usual = left - costs * (kept + hooks), usual_cost(full)
    apart = np.hypot(_STEPS, np.log(costs / usual.recorded) / usual.spread)
    weight = np.exp(-0.5 * apart**2) * (plains > 0)
    if rejected and weight.any():
        cost, plain = (float(np.average(values, weights=weight)) for values in (costs, plains))
        of_hooks = float(np.sqrt(np.average((plains - plain) ** 2, weights=weight)))
    else:
        cost, of_hooks = (time - left) / (events - kept), 0.0
        plain = max(left - cost * kept, 0.0)
    error = np.hypot(_PAIR_SPREAD * cost * kept, of_hooks)
    spread = float(np.hypot(KNOWN_SPREAD, error / plain)) if plain > 0 else 1.0
    beside = float(fewer.time.sum() - fewer.measured.sum())
    known = KnownPlain.of(plain, spread, plain + beside)
    return known, calibrated(cost, _PAIR_SPREAD, f"calibrated by {where}")


def same_runs(runs: Visited, fewer: Visited) -> BoolArray:
    """Return which of R runs have the visits of another measurement with fewer regions, bool[R].

    Visits are compared in what both recorded. Functions that every input calls as often distinguish nothing.
    """
    recorded = fewer.computing & (fewer.visits[:, 0] > 0)
    names = {fewer.regions.mangled[r] for r in np.unique(fewer.tree.region[recorded]).tolist()}
    number = {name: i for i, name in enumerate(sorted(names & set(runs.regions.mangled)))}

    def by_region(one: Visited) -> FloatArray:
        place = np.array([number.get(name, -1) for name in one.regions.mangled])[one.tree.region]
        found = np.zeros((len(number), one.visits.shape[1]))
        np.add.at(found, place[place >= 0], one.visits[place >= 0])
        return found

    every, asked = by_region(runs), by_region(fewer)
    apart = np.abs(every - asked).sum(axis=0)
    return np.asarray(apart <= _SAME_RUN * np.maximum(every, asked).sum(axis=0))
