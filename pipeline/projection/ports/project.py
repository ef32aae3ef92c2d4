"""Project from a measured mini-app to a target kernel through the port model (paper 000, Eq. 7 and 9)."""

from collections.abc import Mapping
from functools import reduce

from pipeline.projection.binding import bind, limited, substitute
from pipeline.projection.model import Model, symbol
from pipeline.projection.ports.fit import PortFit, port_cycles
from pipeline.projection.quantity import Quantity


def from_mini(name: str, fit: PortFit, cycles: float, counts: Mapping[str, float]) -> Model:
    """Return C_target = C_mini + C(n_target) - C(n_mini), cycles per iteration in the symbols ``n.<class>``.

    What the ports do not explain is taken to be the same in both. The measured cycles of the mini-app are as
    uncertain as the variants scatter around the fit.

    Args:
        name: what the fit was called.
        fit: cycles per instruction on the machine.
        cycles: measured cycles per iteration of the mini-app on the machine.
        counts: its instructions per iteration by class; a class not named has none.
    """
    ports = port_cycles(name, fit.portmap)
    mini = substitute(ports, {f"n.{kind}": float(counts.get(kind, 0.0)) for kind in fit.portmap.classes})
    measured = symbol(f"{name}.mini")
    target = (measured + ports - mini) * symbol(f"{name}.scatter")
    known = bind(target, {f"{name}.mini": Quantity(value=cycles, relative_sd=fit.fit.quality.sigma)})
    drawn = reduce(bind, fit.fit.model.ensembles, known)
    return reduce(limited, fit.fit.model.limits, drawn)
