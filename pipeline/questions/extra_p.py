"""What Extra-P's method (paper 001) predicts beside the models of a study, and which was better before."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from pipeline.models.back_test import back_test_total
from pipeline.models.fit import fit
from pipeline.models.options import ModelOptions
from pipeline.models.total import predict_total
from pipeline.questions.question import Question, TargetForecast
from pipeline.wording.quantities import percent, point_json, point_text, quantity

_METHOD = ModelOptions(method="extra-p")


@dataclass(frozen=True, kw_only=True)
class OtherMethod:
    """Extra-P's total at a target, in the unit of the kernels."""

    at: Mapping[str, float]
    value: float  # of the sum of all kernels, each modelled by its method
    agrees: bool  # whether it lies in the interval of the study
    # relative, of its prediction of the largest scale from the others; None if too few are left
    held_out_error: float | None
    own_held_out_error: float | None  # the same of the study

    def sentence(self, unit: str) -> str:
        """Say what is predicted beside the models, and which was better before."""
        said = f"{quantity(self.value, unit)} at {point_text(self.at)}"
        if self.agrees:
            return f"Extra-P's method agrees: {said}."
        before = ""
        if self.held_out_error is not None and self.own_held_out_error is not None:
            other, own = (percent(abs(error)) for error in (self.held_out_error, self.own_held_out_error))
            before = f"; without the largest scale it missed that by {other}, these models by {own}"
        return f"Extra-P's method says {said}, outside the interval{before}."


def _extra_p(asked: TargetForecast) -> OtherMethod | None:
    """Model a study by Extra-P's method and predict its total at the last target.

    None with several parameters, too few scales, or models that have no sum or are not of measurements.
    """
    analysis, point = asked.analysis, asked.targets[-1]
    models, kernels, experiment = analysis.callpaths.models, analysis.callpaths.kernels, analysis.experiment
    known = analysis.additive and not analysis.is_profile and models.predictor is None
    if not known or len(experiment.parameters) > 1 or models.trend is None:
        return None
    refit = partial(fit, experiment.parameters, options=_METHOD, per=models.per)
    other = predict_total(refit(experiment.points, kernels.values), point[None])
    own, value = predict_total(models, point[None]), float(other.value[0, 0])
    tested = back_test_total(refit, experiment, kernels, analysis.column, analysis.largest)
    return OtherMethod(
        at=point_json(experiment.parameters, point),
        value=value,
        agrees=bool(own.lower[0, 0] <= value <= own.upper[0, 0]),
        held_out_error=None if tested is None else tested.relative_error,
        own_held_out_error=None if analysis.back_test is None else analysis.back_test.relative_error,
    )


QUESTION = Question(key="extra_p", order=50, ask=_extra_p)
