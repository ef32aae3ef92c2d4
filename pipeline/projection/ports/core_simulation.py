"""A small out-of-order core: what a loop takes in steady state with ports, latencies and buffers of a table.

Each cycle the core retires what is finished, in order; issues what is ready to free units, oldest first;
and dispatches as many micro-operations as fit in the width, in the window of all instructions in flight, and
in the buffers in front of the units that they need. It follows llvm-mca's model of a core, so that its cycles
can be compared, and knows nothing of caches or branches.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from pipeline.projection.ports.dependencies import Access, Latency
from pipeline.projection.ports.processors import Cost, InstructionTable

_NONE = Cost(micro_operations=1.0, latency=1.0, late_latency=1.0, units=())


@dataclass(frozen=True, kw_only=True)
class CoreStep:
    """An instruction of the loop as the core sees it.

    Attributes:
        micro_operations: how many are dispatched.
        units: for each group that it occupies: its units and the cycles.
        buffers: where it waits until it issues.
        latency: cycles from issue to the result.
        access: its registers.
        delays: cycles by which a result is needed later than at issue, for registers, addresses and addends.
    """

    micro_operations: int
    units: tuple[tuple[tuple[int, ...], float], ...]
    buffers: tuple[int, ...]
    latency: float
    access: Access
    delays: tuple[float, float, float]


class _Unit:
    """Units of one name, and until when each is busy."""

    def __init__(self, busy: list[float]) -> None:
        self.busy = busy

    def free(self, cycle: float) -> int:
        return sum(until <= cycle for until in self.busy)

    def occupy(self, cycle: float, cycles: float) -> None:
        start = max(min(self.busy), cycle)
        self.busy.remove(min(self.busy))
        self.busy.append(start + cycles)


class _Turn:
    """Whose turn it is in a group of units: from the last to the first, without those used meanwhile."""

    def __init__(self, group: tuple[int, ...]) -> None:
        self.group = set(group)
        self.left = set(group)
        self.passed: set[int] = set()

    def next_of(self, free: Sequence[int]) -> int:
        """Return the unit to use among those that are free."""
        for _ in range(2):
            if candidates := self.left.intersection(free):
                break
            self.left, self.passed = self.group - self.passed, set()
        else:
            self.left = set(self.group)
            candidates = self.left.intersection(free)
        unit = max(candidates)
        self.left = {u for u in self.left if u <= unit}
        return unit

    def skip(self, unit: int) -> None:
        """Take a unit that some instruction uses out of turn."""
        if unit > max(self.left, default=-1):
            self.passed.add(unit)
            return
        self.left.discard(unit)
        if not self.left:
            self.left, self.passed = self.group - self.passed, set()


class Core:
    """The state of the core while it executes a loop."""

    def __init__(self, table: InstructionTable, steps: Sequence[CoreStep]) -> None:
        self.table = table
        self.steps = steps
        self.units = [_Unit([0.0] * many) for many in table.units.values()]
        groups = {group for step in steps for group, _ in step.units if len(group) > 1}
        self.turns = {group: _Turn(group) for group in groups}
        self.sharing = [
            [turn for group, turn in self.turns.items() if k in group] for k in range(len(self.units))
        ]
        self.busy = [0.0 for _ in self.units]
        self.users: dict[int, int] = {}
        self.room = [size for _, size in table.buffers]
        self.window = deque[int]()
        self.in_window = 0
        self.ready: list[tuple[float, int]] = []
        self.finished: dict[int, float] = {}
        self.issued: dict[int, float] = {}
        self.pending: dict[int, int] = {}
        self.earliest: dict[int, float] = {}
        self.waiting: dict[int, list[tuple[int, float]]] = {}
        self.writers: dict[str, tuple[int, float]] = {}
        self.next = 0
        self.owed = 0
        self.cycle = 0

    def run(self, instructions: int) -> int:
        """Execute until that many instructions are retired; return the cycle."""
        retired = self.next - len(self.window)
        while retired < instructions:
            while self.window and self.finished.get(self.window[0], self.cycle + 1) <= self.cycle:
                done = self.window.popleft()
                self.in_window -= self.steps[done % len(self.steps)].micro_operations
                del self.finished[done]
                retired += 1
            self._issue()
            self._dispatch()
            self.cycle += 1
        return self.cycle

    def pressure(self, cycles: float) -> dict[str, float]:
        """Return for how many of the cycles of an iteration each unit is busy; idle ones are left out."""
        units = zip(self.table.units.items(), self.busy, strict=True)
        return {name: busy / many / self.cycle * cycles for (name, many), busy in units if busy}

    def _issue(self) -> None:
        blocked = []
        candidates = []
        while self.ready and self.ready[0][0] <= self.cycle:
            candidates.append(heappop(self.ready)[1])
        for k in sorted(candidates, key=lambda k: (k - self.users.get(k, 0), k)):
            step = self.steps[k % len(self.steps)]
            if not self._occupied(step):
                blocked.append(k)
                continue
            for buffer in step.buffers:
                self.room[buffer] += 1
            self._start(k, step)
        for k in blocked:
            heappush(self.ready, (self.cycle, k))

    def _start(self, k: int, step: CoreStep) -> None:
        self.issued[k] = self.cycle
        self.finished[k] = self.cycle + step.latency
        for consumer, delay in self.waiting.pop(k, ()):
            self.earliest[consumer] = max(self.earliest[consumer], self.cycle + delay)
            self.pending[consumer] -= 1
            if not self.pending[consumer]:
                heappush(self.ready, (max(self.earliest.pop(consumer), self.cycle + 1), consumer))
                del self.pending[consumer]

    def _occupied(self, step: CoreStep) -> bool:
        """Occupy what the instruction needs; False, and nothing is changed, if something is busy."""
        chosen: list[int] = []
        for group, _ in step.units:
            free = [u for u in group if self.units[u].free(self.cycle) > chosen.count(u)]
            if not free and all(u in chosen for u in group):
                free = [chosen[-1] if chosen[-1] in group else group[0]]  # one after the other on that unit
            if not free:
                return False
            chosen.append(self.turns[group].next_of(free) if len(group) > 1 else free[0])
        for unit, (_, cycles) in zip(chosen, step.units, strict=True):
            self.units[unit].occupy(self.cycle, cycles)
            self.busy[unit] += cycles
            if not self.units[unit].free(self.cycle):
                for turn in self.sharing[unit]:
                    turn.skip(unit)
        return True

    def _dispatch(self) -> None:
        room = self.table.dispatch - self.owed
        self.owed = 0
        if room <= 0:
            self.owed = -room
            return
        for _ in range(max(len(self.steps), self.table.dispatch)):  # some instructions need no room
            step = self.steps[self.next % len(self.steps)]
            if min(step.micro_operations, self.table.dispatch) > room:
                break
            if self.in_window and self.in_window + step.micro_operations > self.table.window:
                break
            if any(not self.room[buffer] for buffer in step.buffers):
                break
            self._enter(step)
            if step.micro_operations > self.table.dispatch:
                self.owed = step.micro_operations - self.table.dispatch
                break
            room -= step.micro_operations

    def _enter(self, step: CoreStep) -> None:
        k, self.next = self.next, self.next + 1
        self.window.append(k)
        self.in_window += step.micro_operations
        for buffer in step.buffers:
            self.room[buffer] -= 1
        needed: dict[int, float] = {}
        access = step.access
        for registers, later in zip(
            (access.reads, access.addresses, access.addends), step.delays, strict=True
        ):
            for register in registers:
                if register in self.writers:
                    writer, latency = self.writers[register]
                    needed[writer] = max(needed.get(writer, 0.0), latency - later)
        earliest, pending = self.cycle + 1.0, 0
        for writer, delay in needed.items():
            self.users[writer] = self.users.get(writer, 0) + 1
            if writer in self.issued:
                earliest = max(earliest, self.issued[writer] + delay)
            else:
                self.waiting.setdefault(writer, []).append((k, delay))
                pending += 1
        if pending:
            self.pending[k], self.earliest[k] = pending, earliest
        else:
            heappush(self.ready, (earliest, k))
        self.writers |= dict.fromkeys(access.writes, (k, step.latency))
        self.writers |= dict.fromkeys(access.bases, (k, 1.0))


def steady_cycles(core: Core, *, warm_up: int = 40, measured: int = 40) -> float:
    """Return cycles per iteration of the loop in steady state."""
    size = len(core.steps)
    before = core.run(warm_up * size)
    return (core.run((warm_up + measured) * size) - before) / measured


def steps_of(
    table: InstructionTable,
    costs: Sequence[Cost | None],
    accesses: Sequence[Access],
    latencies: Sequence[Latency],
) -> tuple[CoreStep, ...]:
    """Return the instructions of a loop as the core sees them."""
    places = {unit: k for k, unit in enumerate(table.units)}
    steps = []
    for cost, access, latency in zip(costs, accesses, latencies, strict=True):
        known = cost or _NONE
        units = sorted(known.units, key=lambda use: len(use[0]))
        full = latency.address if access.addresses else latency.register
        steps.append(
            CoreStep(
                micro_operations=int(known.micro_operations),
                units=tuple((tuple(places[u] for u in group), cycles) for group, cycles in units),
                buffers=tuple(
                    k
                    for k, (behind, _) in enumerate(table.buffers)
                    if any(u in behind for group, _ in units for u in group)
                ),
                latency=full,
                access=access,
                delays=(full - latency.register, full - latency.address, full - latency.addend),
            )
        )
    return tuple(steps)
