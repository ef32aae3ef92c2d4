"""The models of a study's call paths and regions: those of `pipeline run`, which `pipeline predict` asks."""

from dataclasses import dataclass

from ingest.arrays import FloatArray, IntArray
from pipeline.models.scaling_models import ScalingModels


@dataclass(frozen=True, eq=False, kw_only=True)
class StudyModels:
    """Models of a study; behind those of its kernels there may be one of what kernels left out take.

    Attributes:
        values: float64[K, P, R], the very values of the study that they were fitted to.
        callpaths: models of the call paths, whose sum is the total.
        regions: models of the regions, which add up to that; None without regions.
        callpath_rows, region_rows: int64, their rows in the study.
    """

    values: FloatArray
    callpaths: ScalingModels
    regions: ScalingModels | None
    callpath_rows: IntArray
    region_rows: IntArray
