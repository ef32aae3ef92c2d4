"""Extra-P in an environment of its own, since it needs other versions of our dependencies."""

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.environments import interpreter_with

VERSION = "4.2.5"
MODELLER = Path(__file__).with_name("model.py")


def interpreter() -> Path:
    """Return the interpreter of the environment, making it and installing Extra-P at the first call."""
    return interpreter_with(f"extrap-{VERSION}", f"extrap=={VERSION}")


def model(
    points: npt.NDArray[np.float64], values: npt.NDArray[np.float64], targets: npt.NDArray[np.float64]
) -> dict[str, Any]:
    """Model kernels with Extra-P's default modeller.

    Args:
        points: float64[P, D], or float64[P] for one parameter.
        values: float64[K, P, R], NaN where nothing was measured.
        targets: float64[Q, D] or float64[Q], where to predict.

    Returns:
        ``seconds`` for modelling alone, ``predictions`` [K][Q], and ``leading`` [K] the exponents (i, j) of
        the fastest term of one parameter, null for a constant.
    """
    with tempfile.TemporaryDirectory() as folder:
        data, answer = Path(folder) / "data.npz", Path(folder) / "answer.json"
        columns = {"points": points.reshape(len(points), -1), "targets": targets.reshape(len(targets), -1)}
        np.savez(data, values=values, **columns)
        subprocess.run([interpreter(), MODELLER, data, answer], check=True, stderr=subprocess.DEVNULL)
        result: dict[str, Any] = json.loads(answer.read_text())
        return result
