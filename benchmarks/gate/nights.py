"""How a gate judges nights: what fails, what it cannot tell, what is found, by kind of night.

    python -m benchmarks.gate.nights [--nights 200] [--seed 2026] [--kinds "slow rank" ...]

A program of eight computing kernels, four MPI functions and two that write, one process per rank, five scales
and five repetitions; a process waits in MPI for the slowest one. Each night is checked against another one,
models included. ``missed`` counts nights in which something changed and the check passes. Nights of the last
two noises were kept back: nothing in the gate was chosen by them.
"""

import argparse
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.gate.simulation import study_of
from benchmarks.gate.splits import checked
from pipeline.gate.check_result import Outcome
from pipeline.gate.kernel_values import KernelValues

P = np.array([8, 16, 32, 64, 128])
REPETITIONS = 5
COMPUTING = {f"kernel{n}": share for n, share in enumerate((0.2, 0.15, 0.1, 0.08, 0.05, 0.04, 0.02, 0.02))}
MPI = {"MPI_Allreduce": 0.06, "MPI_Waitall": 0.08, "MPI_Bcast": 0.03, "MPI_Alltoall": 0.07}
WRITING = {"write": 0.04, "fwrite": 0.03}
SHARES = COMPUTING | MPI | WRITING
WAITS = np.array([0.4, 0.35, 0.05, 0.2])  # parts of the waiting in the MPI functions
CHANGED = {"computing": list(SHARES).index("kernel2"), "MPI": list(SHARES).index("MPI_Alltoall")}
SECONDS = 100.0  # of one process, all scales: the effort is constant per process


@dataclass(frozen=True, kw_only=True)
class Night:
    """What is special in a night; factors are drawn evenly between two ends.

    Attributes:
        rank, network, machine: how much slower one rank computes, MPI communicates, everything is.
        changed: the kernel that the program made slower, of `CHANGED`, by `factor`, or growing with p.
        tick: to what times are rounded, in seconds; `sampled`: whether they are counts of samples.
        seconds: of one process; `of_process`: whether that is what is known, instead of the sum.
        digits: to how many digits times are written.
        column: whether only the run time is known, with a common factor of the night of this deviation.
        tail, bursts: of noises that are kept back.
    """

    rank: tuple[float, float] = (0.0, 0.0)
    network: tuple[float, float] = (0.0, 0.0)
    machine: tuple[float, float] = (0.0, 0.0)
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
}


def studies(night: Night, rng: np.random.Generator) -> tuple[KernelValues, KernelValues]:
    """Return an ordinary night as the baseline and this one."""
    usual = replace(night, rank=(0, 0), network=(0, 0), machine=(0, 0), factor=1.0, growing=0.0)
    noise = rng.uniform(0.01, 0.04)
    return _study(usual, noise, rng), _study(night, noise, rng)


def _study(night: Night, noise: float, rng: np.random.Generator) -> KernelValues:
    factor = _factors(night, rng)
    slow = rng.uniform(*night.rank)
    common = night.column * rng.normal()
    at_point = [_runs(night, noise, int(p), factor[:, n], slow, rng) for n, p in enumerate(P)]
    values, uneven, balance = zip(*at_point, strict=True)
    values = np.stack(values, axis=1)
    if night.column:
        return study_of(["main"], P * 1.0, values.sum(axis=0, keepdims=True) * np.exp(common))
    study = study_of(list(SHARES), P * 1.0, values)
    if not night.ranks_known or not hasattr(study, "load_balance"):
        return study
    return replace(study, load_balance=np.array(balance), uneven=np.stack(uneven, axis=1))


def _factors(night: Night, rng: np.random.Generator) -> np.ndarray:
    """Factors of kernels at scales, float64[K, P]."""
    factor = np.full((len(SHARES), len(P)), 1 + rng.uniform(*night.machine))
    mpi = slice(len(COMPUTING), len(COMPUTING) + len(MPI))
    factor[mpi] *= 1 + rng.uniform(*night.network)
    change = night.factor * (P / P[0]) ** night.growing
    rows = [CHANGED[night.changed]] if night.changed else np.arange(len(factor) if night.differs else 0)
    factor[rows] *= change
    return factor


def _runs(
    night: Night, noise: float, p: int, factor: np.ndarray, slow: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sums over ranks float64[K, R], of the total and each kernel largest over mean, load balance."""
    ranks = (len(SHARES), REPETITIONS, p)
    of_run = noise * (
        rng.standard_t(night.tail, size=(*ranks[:2], 1)) if night.tail else rng.normal(size=(*ranks[:2], 1))
    )
    burst = rng.uniform(0.2, 0.6, size=(1, REPETITIONS, 1)) * (rng.random((1, REPETITIONS, 1)) < night.bursts)
    burst = burst * (rng.random((len(SHARES), 1, 1)) < 0.5)
    seconds = np.array(list(SHARES.values())) * night.seconds
    times = (seconds * factor)[:, None, None] * np.exp(of_run + burst + noise / 2 * rng.normal(size=ranks))
    computing = slice(0, len(COMPUTING))
    times[computing, :, rng.integers(p)] *= 1 + slow
    useful = times[computing].sum(axis=0)
    waiting = useful.max(axis=1, keepdims=True) - useful
    times[len(COMPUTING) : len(COMPUTING) + len(MPI)] += WAITS[:, None, None] * waiting
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
