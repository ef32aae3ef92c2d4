"""The models as a scikit-learn regressor."""

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ingest.arrays import FloatArray
from pipeline.models.agreeing_formulas import formula_range, prediction_formulas
from pipeline.models.fit import fit
from pipeline.models.options import Exponent, ModelOptions
from pipeline.models.scaling_models import ScalingModels


class NormalFormRegressor(MultiOutputMixin, RegressorMixin, BaseEstimator):  # type: ignore[misc]  # untyped bases
    """Regression by c0 + sum of c_k * product over features of x^i * log2(x)^j.

    Every column of X is a parameter, every column of y a kernel; all kernels are fitted together and share
    what can be known about the noise. Equal rows of X are repetitions of one measurement.

    The normal form needs positive parameters: 0^i * log2(0)^j does not exist. What happens to a feature that
    is zero or negative somewhere is decided by `nonpositive`.

    Args:
        method: see `ModelOptions`.
        prior: how plausible each exponent is before any data, see `ModelOptions`.
        exponents: the exponents to try, None lets them follow the data.
        nonnegative: whether coefficients and predictions below zero are excluded; ``auto`` excludes them
            if no target is negative.
        nonpositive: ``shift`` moves a feature that reaches zero or below so that its smallest training value
            is 1, and takes whatever lies below the training range for its lower end; ``raise`` refuses it.
        rivals: how many models are kept per kernel for the intervals.

    Attributes:
        models_: the `ScalingModels`, in shifted features.
        shift_: float64[n_features], what is added to the features.
        n_features_in_, feature_names_in_: as everywhere in scikit-learn.
    """

    def __init__(
        self,
        *,
        method: Literal["evidence", "extra-p"] = "evidence",
        prior: Literal["uniform", "simple"] | Mapping[Exponent, float] = "uniform",
        exponents: tuple[Exponent, ...] | None = None,
        nonnegative: bool | Literal["auto"] = "auto",
        nonpositive: Literal["shift", "raise"] = "shift",
        rivals: int = 8,
    ) -> None:
        self.method = method
        self.prior = prior
        self.exponents = exponents
        self.nonnegative = nonnegative
        self.nonpositive = nonpositive
        self.rivals = rivals

    def fit(self, X: ArrayLike, y: ArrayLike) -> "NormalFormRegressor":
        """Fit one model per column of y, float64[n] or [n, K], at X, float64[n, D].

        ValueError if the arrays do not fit together or are not finite, or a feature is not positive and that
        is refused.
        """
        if self.nonpositive not in ("shift", "raise"):
            raise ValueError(f"nonpositive must be 'shift' or 'raise', not {self.nonpositive!r}")
        features, target = validate_data(self, X, y, dtype=np.float64, multi_output=True, y_numeric=True)
        smallest = features.min(axis=0)
        if self.nonpositive == "raise" and (smallest <= 0).any():
            raise ValueError(f"feature {int(np.argmax(smallest <= 0))} of X is not positive everywhere")
        self.shift_ = np.where(smallest <= 0, 1.0 - smallest, 0.0)
        self._one_target = target.ndim == 1
        targets = np.asarray(target, dtype=np.float64).reshape(len(features), -1)
        nonnegative = bool((targets >= 0).all()) if self.nonnegative == "auto" else bool(self.nonnegative)
        options = ModelOptions(
            method=self.method,
            prior=self.prior,
            exponents=self.exponents,
            nonnegative=nonnegative,
            rivals=self.rivals,
        )
        self.models_: ScalingModels = fit(
            self._names(), features + self.shift_, targets.T[:, :, None], options
        )
        return self

    def predict(
        self, X: ArrayLike, *, return_interval: bool = False, level: float = 0.9
    ) -> FloatArray | tuple[FloatArray, FloatArray, FloatArray]:
        """Predict expected values at X, float64[n, D]: float64[n] or [n, K] as y was.

        With the interval that holds them with a probability, `level`, there are three such arrays: values,
        lower and upper ends.
        """
        check_is_fitted(self)
        features = validate_data(self, X, dtype=np.float64, reset=False)
        points = features + self.shift_
        # below what the normal form is defined for, the lower end of the training range stands in
        outside = points <= np.where(self.shift_ > 0, 1.0, 0.0)
        if self.nonpositive == "raise" and outside.any():
            raise ValueError(f"feature {int(outside.any(axis=0).argmax())} of X is not positive everywhere")
        prediction = self.models_.predict(np.where(outside, self.models_.first, points), level)
        value = self._as_targets(prediction.value)
        if not return_interval:
            return value
        return value, self._as_targets(prediction.lower), self._as_targets(prediction.upper)

    def formulas(self) -> list[str]:
        """Return the formula of each target's predictions in the training range, in shifted features."""
        check_is_fitted(self)
        within = formula_range(self.models_, 0, self.models_.last[None])
        return [formula.text() for formula in prediction_formulas(self.models_, within)]

    def _names(self) -> tuple[str, ...]:
        names = getattr(self, "feature_names_in_", None)
        return tuple(f"x{d}" for d in range(self.n_features_in_)) if names is None else tuple(names)

    def _as_targets(self, values: FloatArray) -> FloatArray:
        return values[0] if self._one_target else values.T
