"""Five reports as `pipeline run` writes them, made when the documentation is built: 1.7 MB not committed.

Three are of the sample measurements. Weak scaling and GPUs have none in the repository: their inputs are made
here by formulas, with noise, and the page says so.
"""

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
SAMPLES = PROJECT / "sample_profiles"
_NOISE = 0.02  # relative standard deviation of made values
_LAUNCHES = 400  # of each kernel
_NSYS = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name"


@dataclass(frozen=True, kw_only=True)
class LiveReport:
    """A report.

    Attributes:
        name: of its file.
        source: writes the input into a folder, or is there; returns where it is.
        at: target points.
    """

    name: str
    source: Callable[[Path], Path]
    at: str


def weak_scaling(folder: Path) -> Path:
    """Write a particle code as a table: work of a process is constant, communication grows."""
    noise = random.Random(1)
    rows = ["p,repetition,kernel,seconds"]
    for p in (16, 32, 64, 128, 256, 512):
        seconds = {
            "main->move": 21.0 + 0.12 * p**0.5,
            "main->collide": 9.0,
            "main->MPI_Sendrecv": 1.1 + 0.35 * p ** (1 / 3),
            "main->MPI_Allreduce": 0.08 * p**0.5,
            "main->sort": 2.5,
        }
        rows += [
            f"{p},{r},{kernel},{value * noise.gauss(1.0, _NOISE):.6f}"
            for r in (1, 2, 3)
            for kernel, value in seconds.items()
        ]
    table = folder / "particles.csv"
    table.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return table


def gpu(folder: Path) -> Path:
    """Write what `nsys stats` prints of a stencil of n³ cells on one GPU: two kernels, two calls."""
    noise = random.Random(2)
    for n in (64, 96, 128, 192, 256):
        for r in (1, 2, 3):
            run = folder / f"stencil.n{n}.r{r}"
            run.mkdir(parents=True)
            kernels = {"stencil7(double*)": 1e3 * (9 + n**3 / 11e3), "axpy(double*)": 1e3 * (4 + n**3 / 30e3)}
            calls = {"cudaLaunchKernel": 4.1e3, "cudaDeviceSynchronize": 1e3 * (12 + n**3 / 8e3)}
            for kind, values in (("cuda_gpu_kern_sum", kernels), ("cuda_api_sum", calls)):
                lines = []
                for name, value in values.items():
                    total = value * _LAUNCHES * noise.gauss(1.0, _NOISE)
                    lines.append(f'0,{total:.0f},{_LAUNCHES},{total / _LAUNCHES:.1f},0,0,0,0,"{name}"')
                (run / f"run_{kind}.csv").write_text("\n".join([_NSYS, *lines]) + "\n", encoding="utf-8")
    return folder


REPORTS = (
    LiveReport(name="weak", source=weak_scaling, at="p=4096"),
    LiveReport(name="strong", source=lambda _: SAMPLES / "hpcg-strong", at="p=32"),
    LiveReport(name="size", source=lambda _: SAMPLES / "openfoam-cavity", at="n=64"),
    LiveReport(name="gpu", source=gpu, at="n=512"),
    LiveReport(name="two-parameters", source=lambda _: SAMPLES / "gromacs-water", at="p=4,n=8"),
)


def live_reports() -> Iterator[tuple[str, bytes]]:
    """Yield name and content of every page.

    Raises:
        subprocess.CalledProcessError: a command failed.
    """
    environment = os.environ | {"PYTHONPATH": str(PROJECT)}
    for report in REPORTS:
        with tempfile.TemporaryDirectory() as temporary:
            folder, out = Path(temporary, "input"), Path(temporary, "out")
            folder.mkdir()
            source = report.source(folder)
            command = [sys.executable, "-m", "pipeline", "run", source, "--at", report.at, "--out", out]
            subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
            yield f"reports/{report.name}.html", (out / "report.html").read_bytes()
