"""What the page draws over a size and a scale: efficiency, wall time, and where an efficiency is kept."""

from typing import Any

from ingest.arrays import FloatArray
from pipeline.columns.isoefficiency import reference_text
from pipeline.questions.choosing.isoefficiency import efficiency_and_wall, sizes_of, surface_of
from pipeline.questions.runtime.figures import RuntimeStudy
from pipeline.report.page.embedding import plain
from pipeline.wording.quantities import value_text


def surface_data(study: RuntimeStudy, target: FloatArray, share: float) -> dict[str, Any] | None:
    """Return predicted figures over the first size and the scale; None if no size varies or nothing scales.

    Args:
        study: the study.
        target: float64[D], up to which scales are looked at; its other parameters are those of the figures.
        share: the efficiency asked for.
    """
    sizes = sizes_of(study.analysis)
    if not sizes or not study.scales or study.analysis.is_profile:
        return None
    surface = surface_of(study, target, sizes[0])
    efficiency, lower, upper, wall = (part.ravel() for part in efficiency_and_wall(surface))
    return {
        "scaled": surface.scaled,
        "size": surface.size,
        "at": target.tolist(),
        "beside": ", ".join(
            f"{name} = {value_text(value)}"
            for name, value in zip(study.analysis.experiment.parameters, target.tolist(), strict=True)
            if name not in (surface.scaled, surface.size)
        ),
        "scales": surface.scales.tolist(),
        "sizes": surface.sizes.tolist(),
        "efficiency": {"value": plain(efficiency), "lower": plain(lower), "upper": plain(upper)},
        "wall": plain(wall),
        "share": share,
        "reference": reference_text(surface.scaled, surface.size),
    }
