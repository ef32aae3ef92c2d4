"""How a gate judges nights: what fails, what it cannot tell, what is found, by kind of night.

    python -m benchmarks.gate.nights [--nights 200] [--seed 2026] [--kinds "slow rank" ...]

A program of eight computing kernels, four MPI functions and two that write, one process per rank, five scales
and five repetitions; a process waits in MPI for the slowest one. Each night is checked against another one,
models included. Nights of heavy tails were kept back: nothing in the gate was chosen by them. What is said
of runs that disturb several functions was chosen with those of bursts (seed 2026) in view, one limit with
those of another program.
"""

import argparse
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np

from benchmarks.gate.simulation import study_of
from benchmarks.gate.splits import checked
from pipeline.gate.check_result import Outcome
from pipeline.gate.kernel_values import KernelValues

REPETITIONS = 5
SECONDS = 100.0  # of one process, at the smallest scale


@dataclass(frozen=True, kw_only=True)
class Program:
    """What a program does: shares of the time of a process, and the parts of the waiting in MPI functions.

    Attributes:
        changed: the kernels that `Night.changed` names.
        halves: the exponent by which the computing of a process falls with p.
    """

    p: tuple[int, ...] = (8, 16, 32, 64, 128)
    computing: tuple[float, ...] = (0.2, 0.15, 0.1, 0.08, 0.05, 0.04, 0.02, 0.02)
    mpi: Mapping[str, float]
    waits: tuple[float, ...]
    writing: Mapping[str, float] = field(default_factory=dict)
    changed: Mapping[str, tuple[str, ...]]
    halves: float = 0.0

    @property
    def shares(self) -> Mapping[str, float]:
        """Share of the time of a process by kernel, the computing ones first."""
        return {f"kernel{n}": one for n, one in enumerate(self.computing)} | {**self.mpi, **self.writing}

    @property
    def in_mpi(self) -> slice:
        """Where the MPI functions are among the kernels."""
        return slice(len(self.computing), len(self.computing) + len(self.mpi))


USUAL = Program(
    mpi={"MPI_Allreduce": 0.06, "MPI_Waitall": 0.08, "MPI_Bcast": 0.03, "MPI_Alltoall": 0.07},
    waits=(0.4, 0.35, 0.05, 0.2),
    writing={"write": 0.04, "fwrite": 0.03},
    changed={"computing": ("kernel2",), "MPI": ("MPI_Alltoall",), "two": ("MPI_Alltoall", "MPI_Allreduce")},
)
KEPT = Program(
    p=(2, 4, 8, 16, 32),
    computing=(0.3, 0.2, 0.12, 0.1, 0.06),
    mpi={"MPI_Recv": 0.05, "MPI_Barrier": 0.03, "MPI_Isend": 0.04, "MPI_Reduce": 0.06, "MPI_Init": 0.04},
    waits=(0.6, 0.3, 0.0, 0.1, 0.0),
    changed={"computing": ("kernel2",), "MPI": ("MPI_Reduce",), "two": ("MPI_Reduce", "MPI_Recv")},
    halves=0.5,
)


@dataclass(frozen=True, kw_only=True)
class Night:
    """What is special in a night; factors are drawn evenly between two ends.

    Attributes:
        rank, network, machine: how much slower one rank computes, MPI communicates, everything is.
        changed: the kernels that the program made slower, by `factor`, the second of two by twice its
            excess, or growing with p.
        tick: to what times are rounded, in seconds; `sampled`: whether they are counts of samples.
        seconds: of one process; `of_process`: whether that is what is known, instead of the sum.
        digits: to how many digits times are written.
        column: whether only the run time is known, with a common factor of the night of this deviation.
        tail, bursts: of noises that are kept back.
    """

    rank: tuple[float, float] = (0.0, 0.0)
    network: tuple[float, float] = (0.0, 0.0)
    machine: tuple[float, float] = (0.0, 0.0)
    program: Program = USUAL
    changed: str = ""
    factor: float = 1.0
    growing: float = 0.0
    tick: float = 0.0
    sampled: bool = False
    digits: int = 0
    seconds: float = SECONDS
    of_process: bool = False
    column: float = 0.0
    ranks_known: bool = True
    tail: float = 0.0
    bursts: float = 0.0

    @property
    def differs(self) -> bool:
        """Whether the program changed."""
        return self.factor > 1 or self.growing > 0


NIGHTS: Mapping[str, Night] = {
    "unchanged": Night(),
    "slow rank": Night(rank=(0.05, 0.15)),
    "slow rank, sums only": Night(rank=(0.05, 0.15), ranks_known=False),
    "slow network": Night(network=(0.05, 0.3)),
    "slow machine": Night(machine=(0.05, 0.3)),
    "a kernel 1.2x": Night(changed="computing", factor=1.2),
    "an MPI function 1.2x": Night(changed="MPI", factor=1.2),
    "a kernel grows": Night(changed="computing", growing=0.2),
    "an MPI function grows": Night(changed="MPI", growing=0.2),
    "an MPI function 1.5x, slow network": Night(network=(0.05, 0.3), changed="MPI", factor=1.5),
    "ticks of 0.01 s": Night(tick=0.01, seconds=0.1),
    "ticks of 0.01 s, 1.2x": Night(tick=0.01, seconds=0.1, changed="computing", factor=1.2),
    "samples": Night(tick=0.01, sampled=True, seconds=0.1),
    "samples, 1.2x": Night(tick=0.01, sampled=True, seconds=0.1, changed="computing", factor=1.2),
    "ticks of a process": Night(tick=0.01, seconds=0.2, of_process=True),
    "ticks of a process, 1.2x": Night(
        tick=0.01, seconds=0.2, of_process=True, changed="computing", factor=1.2
    ),
    "one digit": Night(digits=1),
    "two digits": Night(digits=2),
    "two digits, 1.2x": Night(digits=2, changed="computing", factor=1.2),
    "one digit, 1.2x": Night(digits=1, changed="computing", factor=1.2),
    "a column of run times": Night(column=0.08),
    "a column that grows": Night(column=0.08, growing=0.2),
    "heavy tails": Night(tail=3.0),
    "heavy tails, slow rank": Night(tail=3.0, rank=(0.05, 0.15)),
    "heavy tails, slow network": Night(tail=3.0, network=(0.05, 0.3)),
    "bursts": Night(bursts=0.1),
    "bursts, slow rank": Night(bursts=0.1, rank=(0.05, 0.15)),
    "bursts, slow network": Night(bursts=0.1, network=(0.05, 0.3)),
    "an MPI function 1.2x, sums only": Night(changed="MPI", factor=1.2, ranks_known=False),
    "an MPI function grows, sums only": Night(changed="MPI", growing=0.2, ranks_known=False),
    "an MPI function 1.5x, slow network, sums only": Night(
        network=(0.05, 0.3), changed="MPI", factor=1.5, ranks_known=False
    ),
    "two MPI functions": Night(changed="two", factor=1.2),
    "two MPI functions, sums only": Night(changed="two", factor=1.2, ranks_known=False),
    "two MPI functions grow, sums only": Night(changed="two", growing=0.2, ranks_known=False),
    "bursts, slow rank, sums only": Night(bursts=0.1, rank=(0.05, 0.15), ranks_known=False),
    "heavy tails, slow rank, sums only": Night(tail=3.0, rank=(0.05, 0.15), ranks_known=False),
    "kept back": Night(program=KEPT),
    "kept back, slow rank": Night(program=KEPT, rank=(0.05, 0.15), ranks_known=False),
    "kept back, slow network": Night(program=KEPT, network=(0.05, 0.3), ranks_known=False),
    "kept back, a kernel 1.2x": Night(program=KEPT, changed="computing", factor=1.2, ranks_known=False),
    "kept back, an MPI function 1.4x": Night(program=KEPT, changed="MPI", factor=1.4, ranks_known=False),
    "kept back, an MPI function grows": Night(program=KEPT, changed="MPI", growing=0.3, ranks_known=False),
    "kept back, two MPI functions": Night(program=KEPT, changed="two", factor=1.3, ranks_known=False),
}


def studies(night: Night, rng: np.random.Generator) -> tuple[KernelValues, KernelValues]:
    """Return an ordinary night as the baseline and this one."""
    usual = replace(night, rank=(0, 0), network=(0, 0), machine=(0, 0), factor=1.0, growing=0.0)
    noise = rng.uniform(0.01, 0.04)
    return _study(usual, noise, rng), _study(night, noise, rng)


def _study(night: Night, noise: float, rng: np.random.Generator) -> KernelValues:
    p = np.array(night.program.p)
    factor = _factors(night, rng)
    slow = rng.uniform(*night.rank)
    common = night.column * rng.normal()
    at_point = [_runs(night, noise, n, factor[:, n], slow, rng) for n in range(len(p))]
    values, uneven, balance = zip(*at_point, strict=True)
    values = np.stack(values, axis=1)
    if night.column:
        return study_of(["main"], p * 1.0, values.sum(axis=0, keepdims=True) * np.exp(common))
    study = study_of(list(night.program.shares), p * 1.0, values)
    study = replace(study, locations=lambda points: points[:, 0])
    if not night.ranks_known:
        return study
    return replace(study, load_balance=np.array(balance), uneven=np.stack(uneven, axis=1))


def _factors(night: Night, rng: np.random.Generator) -> np.ndarray:
    """Factors of kernels at scales, float64[K, P]."""
    program, p = night.program, np.array(night.program.p)
    names = list(program.shares)
    factor = np.full((len(names), len(p)), 1 + rng.uniform(*night.machine))
    factor[: len(program.computing)] *= (p / p[0]) ** -program.halves
    factor[program.in_mpi] *= 1 + rng.uniform(*night.network)
    kernels = program.changed[night.changed] if night.changed else names if night.differs else ()
    for n, kernel in enumerate(kernels):
        more = 1 + n * night.changed.startswith("two")
        factor[names.index(kernel)] *= (1 + more * (night.factor - 1)) * (p / p[0]) ** night.growing
    return factor


def _runs(
    night: Night, noise: float, at: int, factor: np.ndarray, slow: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sums over ranks float64[K, R], of the total and each kernel largest over mean, load balance."""
    program, p = night.program, night.program.p[at]
    shares = np.array(list(program.shares.values()))
    ranks = (len(shares), REPETITIONS, p)
    of_run = noise * (
        rng.standard_t(night.tail, size=(*ranks[:2], 1)) if night.tail else rng.normal(size=(*ranks[:2], 1))
    )
    burst = rng.uniform(0.2, 0.6, size=(1, REPETITIONS, 1)) * (rng.random((1, REPETITIONS, 1)) < night.bursts)
    burst = burst * (rng.random((len(shares), 1, 1)) < 0.5)
    seconds = shares * night.seconds
    times = (seconds * factor)[:, None, None] * np.exp(of_run + burst + noise / 2 * rng.normal(size=ranks))
    computing = slice(0, len(program.computing))
    times[computing, :, rng.integers(p)] *= 1 + slow
    useful = times[computing].sum(axis=0)
    waiting = useful.max(axis=1, keepdims=True) - useful
    times[program.in_mpi] += np.array(program.waits)[:, None, None] * waiting
    if night.sampled:
        times = rng.poisson(times / night.tick) * night.tick
    values = times.mean(axis=2) if night.of_process else times.sum(axis=2)
    if night.tick:
        values = np.round(values / night.tick) * night.tick
    if night.digits:
        size = 10.0 ** (np.floor(np.log10(values)) - night.digits + 1)
        values = np.round(values / size) * size
    useful = times[computing].sum(axis=0)
    uneven = (times.max(axis=2) / np.maximum(times.mean(axis=2), 1e-9)).mean(axis=1)
    return values, np.append(1.0, uneven), useful.mean(axis=1) / useful.max(axis=1)


def row(name: str, nights: int, seed: int) -> str:
    """One line of the table: a kind of night."""
    night, counts = NIGHTS[name], Counter[str]()
    for number in range(nights):
        rng = np.random.default_rng((seed, list(NIGHTS).index(name), number))
        before, now = studies(night, rng)
        result = checked(before, now)
        counts[result.outcome.name] += 1
        counts["named"] += result.outcome is Outcome.INCONCLUSIVE and "cannot tell" in str(result.reasons)
    shares = [counts[one] for one in ("REGRESSED", "INCONCLUSIVE", "named", "PASSED")]
    return f"| {name} | " + " | ".join(f"{100 * count / nights:.1f} %" for count in shares) + " |"


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--nights", type=int, default=200)
    options.add_argument("--seed", type=int, default=2026)
    options.add_argument("--kinds", nargs="+", choices=list(NIGHTS), default=list(NIGHTS))
    given = options.parse_args()
    print("| night | fails | cannot tell | named as the machine | passes |\n|---|---:|---:|---:|---:|")
    count = len(given.kinds)
    with ProcessPoolExecutor() as pool:
        for line in pool.map(row, given.kinds, [given.nights] * count, [given.seed] * count):
            print(line, flush=True)


if __name__ == "__main__":
    main()
