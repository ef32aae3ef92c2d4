"""What `import pipeline` gives of one kernel: its formula, growth, predictions and plot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.errors import extra
from pipeline.columns.column import percentage
from pipeline.config.option_readers import broadcast_points
from pipeline.models.formulas import PredictionFormula
from pipeline.models.growth import growth_classes, stated_law
from pipeline.models.prediction import Prediction
from pipeline.questions.analysis import Analysis, Level, kernel_formulas
from pipeline.report.frames import facts_html, kernel_names, predictions_frame
from pipeline.report.plots import draw_curve
from pipeline.stages.model import target_points
from pipeline.stages.plot import kernel_curve
from pipeline.wording.quantities import callpath_text, probability_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Values = float | Sequence[float]
NAME_WIDTH = 60


@dataclass(frozen=True, eq=False, repr=False)
class Kernel:
    """The scaling model of one kernel; ``models["name"]`` makes it."""

    _analysis: Analysis
    _level: Level
    _number: int

    @property
    def name(self) -> str | tuple[str, ...]:
        """The region, or the call path as a tuple of region names."""
        return kernel_names(self._level)[self._number]

    @property
    def id(self) -> int | None:
        """The id of a call path, as in ``models["#17"]``; None for a region."""
        node = int(self._level.kernels.node[self._number])
        return node + 1 if node >= 0 else None

    @property
    def formula(self) -> str:
        """The prediction as text, with four significant digits: ``12.1 + 0.034 * p^(3/2)``.

        It agrees with `predict` within 10 % in the measured range and up to 4 times the largest scale.
        """
        return self._formula.text()

    @property
    def growth(self) -> str:
        """The leading term of the formula, ``1`` if the kernel does not grow, ``unclear`` without a law."""
        return stated_law(self.growth_class, self._formula.growth)

    @property
    def growth_class(self) -> str:
        """How the kernel grows, in words: ``grows, about p^0.5 to p^1.3``."""
        return growth_classes(self._level.models.take([self._number]))[0]

    @property
    def probability_growing(self) -> float:
        """The probability that the leading term grows."""
        return float(self._level.models.quality.probability_growing[self._number])

    @property
    def notes(self) -> tuple[str, ...]:
        """What limits the trust in the model."""
        return self._level.models.notes(self._number)

    def latex(self) -> str:
        """Return the formula with its range as LaTeX for math mode."""
        return self._formula.latex()

    def python(self) -> str:
        """Return the formula as the text of a Python function of the parameters, with its range.

        The function needs numpy only, and takes numbers or arrays.
        """
        kernels, path = self._level.kernels, self._level.kernels.callpaths[self._number]
        unit = f" [{kernels.unit}]" if kernels.unit else ""
        description = f"Return {kernels.metric}{unit} of {' > '.join(path)}"
        return self._formula.python(self._short_name, description)

    def predict(
        self, at: Mapping[str, Values] | None = None, /, *, level: float = 0.9, **parameters: Values
    ) -> "pd.DataFrame":
        """Predict this kernel, arguments and columns as of `Models.predict`."""
        points = target_points(self._analysis, broadcast_points({**(at or {}), **parameters}))
        found: Prediction = self._level.models.take([self._number]).predict(points, level)
        return predictions_frame([self.name], self._analysis.experiment.parameters, points, found)

    def plot(self, ax: "Axes | None" = None, *, logarithmic: bool = True, **parameters: float) -> "Axes":
        """Plot the measured points, the model and its 90 % interval along the parameter that scales.

        Args:
            ax: the axes of matplotlib to draw into; by default new ones.
            logarithmic: whether both axes are logarithmic.
            parameters: the point up to which to plot; by default 4 times the largest measured scale.

        Returns:
            The axes.
        """
        if ax is None:
            with extra("plot"):
                from matplotlib import pyplot

            ax = pyplot.subplots()[1]
        at = broadcast_points(parameters)
        draw_curve(ax, kernel_curve(self._analysis, self._level, self._number, at), logarithmic=logarithmic)
        return ax

    def __repr__(self) -> str:
        """Return kernel and formula in one line."""
        return f"Kernel({self._short_name}: {self.formula})"

    def _repr_html_(self) -> str:
        quality, number = self._level.models.quality, self._number
        facts = {
            "model": self.formula,
            "growth": self.growth_class,
            "probability that it grows": probability_text(self.probability_growing),
            "error of points predicted from the others": percentage(float(quality.cv_smape[number])),
            "points and repetitions": f"{quality.points[number]} and up to {quality.repetitions[number]}",
            "notes": "; ".join(self.notes),
        }
        title = f"{self._short_name}: {self._level.kernels.metric} [{self._level.kernels.unit}]"
        return facts_html(title, facts)

    @property
    def _short_name(self) -> str:
        return callpath_text(self._level.kernels.callpaths[self._number], NAME_WIDTH)

    @property
    def _formula(self) -> PredictionFormula:
        return kernel_formulas(self._analysis, self._level)[self._number]
