"""Four models of one kernel from another, compared on measured kernels (paper 000, Table 3)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from pipeline.projection.ports.estimate import estimate_cpi
from pipeline.projection.ports.port_map import PortMap, superscalar
from pipeline.projection.ports.schedule import cycles
from pipeline.projection.ports.variants import Variants

MODELS = ("constant ratio", "equal IPC", "superscalar", "contention")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Predictions of m targets by the four models.

    Attributes:
        targets: group and variant of every target.
        measured: float64[m], cycles per iteration.
        predicted: float64[4, m], in the order of `MODELS`; NaN if a model has no prediction.
    """

    targets: tuple[tuple[str, str], ...]
    measured: FloatArray
    predicted: FloatArray

    def summary(self, group: str | None = None) -> dict[str, tuple[float, float, float]]:
        """Return mean, standard deviation (of the sample itself) and worst |relative error| of each model."""
        chosen = [group is None or target[0] == group for target in self.targets]
        errors = np.abs(self.predicted[:, chosen] / self.measured[chosen] - 1)
        known = [row[np.isfinite(row)] for row in errors]
        return {
            model: (float(e.mean()), float(e.std()), float(e.max()))
            for model, e in zip(MODELS, known, strict=True)
            if len(e)
        }


def constant_ratio(mini: float, ratio: float) -> float:
    """Return C_target = R_c C_mini (Eq. 4), R_c measured on another machine or instruction set."""
    return ratio * mini


def equal_ipc(mini: float, instructions_target: float, instructions_mini: float) -> float:
    """Return C_target = C_mini I_target / I_mini (Eq. 5)."""
    return mini * instructions_target / instructions_mini


def by_difference(
    portmap: PortMap, mini: float, counts_target: FloatArray, counts_mini: FloatArray, cpi: FloatArray
) -> float:
    """Return C_target = C_mini + C(n_target) - C(n_mini) (Eq. 7 with Eq. 9).

    The paper writes the change as the model of the difference in counts, which means nothing if the target
    has more of one class and less of another; the difference of the modelled cycles always means something.
    """
    modelled = cycles(portmap, np.stack([counts_target, counts_mini]), cpi)
    return mini + float(modelled[0] - modelled[1])


def compare_models(
    portmap: PortMap, groups: Mapping[str, Variants], reference: str, *, offset: bool = False
) -> Comparison:
    """Return the predictions of every variant from the reference and all variants but itself.

    Args:
        portmap: the ports, one map for all groups.
        groups: variants by machine and instruction set. The constant ratio is measured in the first and
            assumed in the others, as in the paper.
        reference: the variant that is the mini-app.
        offset: see `estimate_cpi`.

    Raises:
        InputError: a group has no such variant.
        ModelError: too few variants are left.
    """
    if not groups:
        raise UsageError("no variants to compare", hint="give at least one group")
    calibration = next(iter(groups.values()))
    targets, measured, predicted = [], [], []
    for group, variants in groups.items():
        mini = variants.index(reference)
        ratios = {} if variants is calibration else _ratios(calibration, reference)
        for k, name in enumerate(variants.names):
            if k == mini:
                continue
            targets.append((group, name))
            measured.append(variants.cycles[k])
            predicted.append(_predicted(portmap, variants, k, mini, ratios.get(name, np.nan), offset))
    return Comparison(tuple(targets), np.array(measured), np.array(predicted).T)


def _ratios(calibration: Variants, reference: str) -> dict[str, float]:
    ratios = calibration.cycles / calibration.cycles[calibration.index(reference)]
    return dict(zip(calibration.names, ratios.tolist(), strict=True))


def _predicted(
    portmap: PortMap, variants: Variants, target: int, mini: int, ratio: float, offset: bool
) -> tuple[float, ...]:
    known = np.arange(len(variants.names)) != target
    at = float(variants.cycles[mini])
    simple, membership = superscalar(portmap)
    grouped = variants.counts @ membership
    apart = estimate_cpi(simple, grouped[known], variants.cycles[known], offset=offset)
    shared = estimate_cpi(portmap, variants.counts[known], variants.cycles[known], offset=offset)
    return (
        constant_ratio(at, ratio),
        equal_ipc(at, variants.instructions[target], variants.instructions[mini]),
        by_difference(simple, at, grouped[target], grouped[mini], apart.cpi),
        by_difference(portmap, at, variants.counts[target], variants.counts[mini], shared.cpi),
    )
