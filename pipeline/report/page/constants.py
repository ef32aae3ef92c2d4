"""Constants of the models that the page's scripts compute with: what changes in Python changes there."""

from scipy.special import ndtri

from pipeline.models import prediction, total, trend
from pipeline.questions import bottlenecks
from pipeline.report.page.predictor import UPPER
from pipeline.statistics import student


def constants() -> dict[str, dict[str, float]]:
    """Return them by the module of ``js/data`` that needs them; ``js/data/payload.js`` has their types."""
    return {
        "mixture": {
            "upper": UPPER,
            "steps": student.STEPS,
            "margin": student.MARGIN,
            "farther": student.FARTHER,
            "negligible": student.NEGLIGIBLE,
        },
        "trend": {
            "width": float(ndtri(UPPER)),
            "halfLife": trend.HALF_LIFE,
            "steepestFall": trend.STEEPEST_FALL,
            "ridge": trend.RIDGE,
            "fullReach": trend.FULL_REACH,
            "smallestEnd": trend.SMALLEST_END,
            "lopsided": trend.LOPSIDED,
            "below": trend.BELOW,
            "above": trend.ABOVE,
        },
        "total": {
            "least": prediction.LEAST,
            "twoSided": student.TWO_SIDED,
            "mostVariance": total.MOST_VARIANCE,
            "bend": total.BEND,
            "apart": total.APART,
            "sideBelow": total.SIDE_BELOW,
            "sideAbove": total.SIDE_ABOVE,
            "halvings": total.HALVINGS,
            "steepest": total.STEEPEST_TILT,
        },
        "crossovers": {
            "scales": bottlenecks.CROSSOVER_SCALES,
            "followers": bottlenecks.FOLLOWERS,
            "share": bottlenecks.CROSSING_SHARE,
        },
    }
