"""Scaling models of a study, and single kernels among them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from ingest.arrays import FloatArray
from ingest.errors import UsageError, extra
from ingest.record_codec import document
from pipeline.columns.column import percentage
from pipeline.config.job_options import read_job, read_kept
from pipeline.config.option_readers import broadcast_points
from pipeline.models.formulas import PredictionFormula
from pipeline.models.growth import growth_classes, stated_law
from pipeline.models.options import MIN_EFFICIENCY
from pipeline.models.prediction import Prediction
from pipeline.models.total import predict_total
from pipeline.questions.analysis import Analysis, Level, kernel_formulas, look_ahead
from pipeline.questions.runtime.runtime import Runtime, runtime
from pipeline.questions.runtime_summary import runtime_summary
from pipeline.questions.what_if import what_if
from pipeline.report import frames
from pipeline.report.export import hatchet_graph_frame
from pipeline.report.plots import draw_curve
from pipeline.stages.choose import chosen_jobs, kept_efficiency, resources_of
from pipeline.stages.model import require_additive, summary_of, target_points
from pipeline.stages.plot import find_kernel, kernel_curve
from pipeline.store.results import read_study
from pipeline.wording.quantities import callpath_text, counted, probability_text

if TYPE_CHECKING:
    from hatchet import GraphFrame
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Values = float | Sequence[float]
_NAME_WIDTH = 60


@dataclass(frozen=True, eq=False, repr=False)
class Kernel:
    """The scaling model of one kernel; ``models["name"]`` makes it."""

    _analysis: Analysis
    _level: Level
    _number: int

    @property
    def name(self) -> str | tuple[str, ...]:
        """The region, or the call path as a tuple of region names."""
        return frames.kernel_names(self._level)[self._number]

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
        description = f"Return {kernels.metric}{unit} of {'/'.join(path)}"
        return self._formula.python(self._short_name, description)

    def predict(
        self, at: Mapping[str, Values] | None = None, /, *, level: float = 0.9, **parameters: Values
    ) -> pd.DataFrame:
        """Predict this kernel, arguments and columns as of `Models.predict`."""
        points = target_points(self._analysis, broadcast_points({**(at or {}), **parameters}))
        found: Prediction = self._level.models.take([self._number]).predict(points, level)
        return frames.predictions_frame([self.name], self._analysis.experiment.parameters, points, found)

    def plot(self, ax: "Axes | None" = None, *, logarithmic: bool = True, **parameters: float) -> "Axes":
        """Plot the measured points, the model and its 90 % interval along the parameter that scales.

        Args:
            ax: the axes of matplotlib to draw into; by default new ones.
            logarithmic: whether both axes are logarithmic.
            parameters: the point up to which to plot; by default 4 times the largest measured scale.
        """
        if ax is None:
            with extra("plot"):
                from matplotlib import pyplot

            ax = pyplot.subplots()[1]
        at = broadcast_points(parameters)
        draw_curve(ax, kernel_curve(self._analysis, self._level, self._number, at), logarithmic=logarithmic)
        return ax

    def __repr__(self) -> str:
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
        return frames.facts_html(title, facts)

    @property
    def _short_name(self) -> str:
        return callpath_text(self._level.kernels.callpaths[self._number], _NAME_WIDTH)

    @property
    def _formula(self) -> PredictionFormula:
        return kernel_formulas(self._analysis, self._level)[self._number]


_NOUNS = {"regions": "region", "callpaths": "call path", "groups": "group"}
_NO_LIMITS: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False, repr=False)
class Models:
    """The scaling models of all kernels of a study; `Study.fit` and `read_results` make them.

    Kernels are the regions, the call paths in `callpaths`, or the groups in `groups`.
    ``models["MPI_Allreduce"]`` is one kernel: its name, a call path joined by ``/``, or the id of one such as
    ``#17``; ``*`` and ``?`` are wildcards.
    """

    _analysis: Analysis
    _level_name: Literal["regions", "callpaths", "groups"] = "regions"
    _resources: Callable[[], Mapping[str, Analysis]] = dict  # models of memory and energy

    @property
    def callpaths(self) -> "Models":
        """The models of the call paths."""
        return replace(self, _level_name="callpaths")

    @property
    def regions(self) -> "Models":
        """The models of the regions: their call paths are summed before fitting."""
        return replace(self, _level_name="regions")

    @property
    def groups(self) -> "Models":
        """The models of groups: communication ... and those of ``[groups]``; PipelineError without a sum."""
        require_additive(self._analysis)
        return replace(self, _level_name="groups")

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return self._analysis.experiment.parameters

    @property
    def scaling(self) -> str:
        """How the study scales, and how that is known."""
        return self._analysis.decision.reason

    def what_if(self, *changes: str) -> "Models":
        """Return the models as they would be: ``models.what_if("MPI_Send=0.5", "balanced")``.

        Args:
            changes: as of `pipeline predict --what-if`.

        Raises:
            PipelineError: a change is none, or the models are not of time.
        """
        return replace(self, _analysis=what_if(self._analysis, changes))

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row per kernel, the largest at 4 times the largest measured scale first.

        Columns: ``kernel``, ``metric``, ``unit``, ``formula``, ``growth`` (the leading term),
        ``growth_class`` (how it grows, in words), ``probability_growing``, ``quality`` (symmetric mean error
        in per cent, every point predicted from the others), ``smape`` (the same for the fit to all points),
        ``share`` of the total at the largest measured scale, ``points``, ``repetitions``, ``notes``
        and ``source`` (file and line); before them the ``id`` of call paths.
        """
        targets = target_points(self._analysis, ())
        return frames.models_frame(
            self._level, look_ahead(self._analysis, self._level, targets, crossing=False)
        )

    def predict(
        self, at: Mapping[str, Values] | None = None, /, *, level: float = 0.9, **parameters: Values
    ) -> pd.DataFrame:
        """Predict every kernel: ``models.predict(p=[64, 128])``.

        Args:
            at: values of parameters whose names are not Python identifiers.
            level: probability that an interval holds the expected value.
            parameters: a number or a list of numbers per parameter; parameters that are left out are at their
                largest measured value. Without any, the point is 4 times the largest measured scale.

        Returns:
            One row per kernel and point: ``kernel``, the parameters, ``value``, ``lower``, ``upper``; the
            largest kernel at the last point comes first.

        Raises:
            PipelineError: an unknown parameter, or a value that is not a positive number.
        """
        points = self._points(at, parameters)
        found = self._level.models.predict(points, level)
        return frames.predictions_frame(frames.kernel_names(self._level), self.parameters, points, found)

    def predict_total(
        self, at: Mapping[str, Values] | None = None, /, *, level: float = 0.9, **parameters: Values
    ) -> pd.DataFrame:
        """Predict the sum of all kernels, as `predict`; PipelineError, too, if the metric has no sum."""
        require_additive(self._analysis)
        points = self._points(at, parameters)
        callpaths = self._analysis.callpaths.models
        found = predict_total(callpaths, points, level)
        return frames.predictions_frame(["total"], self.parameters, points, found)

    def runtime(
        self,
        at: Mapping[str, Values] | None = None,
        /,
        *,
        min_efficiency: float = MIN_EFFICIENCY,
        full: bool = False,
        **parameters: Values,
    ) -> pd.DataFrame:
        """Return wall time, speed-up and efficiency: ``models.runtime(p=[64, 128])``.

        Args:
            at: target points, arguments as of `predict`.
            min_efficiency: the efficiency up to whose scale ``attrs["efficient_up_to"]`` looks.
            full: whether to add ``locations``, ``extrapolation``, ``effort``, every interval, and ``rate``,
                ``gpu_hours`` and ``gpu_busy`` where they were measured.

        Returns:
            One row per measured point, then one per target: the parameters, ``measured``, ``wall_seconds``
            with its 90 % interval ``wall_seconds_lower`` and ``wall_seconds_upper``, ``speedup``,
            ``efficiency`` (weak scaling: ``weak_efficiency``, sizes: ``work_rate``) and ``core_hours``.
            What holds nothing is left out. ``attrs`` has the rest of the ``runtime`` in ``summary.json``:
            ``fastest``, ``efficient_up_to``, ``losses``, ``back_test``, ``trust`` ...

        Raises:
            PipelineError: an invalid target, or the models are not of time.
        """
        found = self._runtime(self._points(at, parameters), min_efficiency)
        table = frames.runtime_frame(found, self.parameters, full=full)
        described = document(runtime_summary(found, self.parameters))
        table.attrs.update({key: value for key, value in described.items() if key != "at"})
        return table

    def plot(
        self, at: Mapping[str, Values] | None = None, /, *, logarithmic: bool = True, **parameters: Values
    ) -> "Figure":
        """Plot wall time and efficiency, measured and predicted, with 90 % intervals: ``models.plot(p=128)``.

        Args:
            at: the point up to which to plot; arguments as of `predict`.
            logarithmic: whether the axis of the wall time is logarithmic.

        Returns:
            A figure of matplotlib with two axes; under weak scaling the second has the weak efficiency, for
            sizes the work per second.

        Raises:
            PipelineError: an invalid target, or the models are not of time.
        """
        with extra("plot"):
            from matplotlib import pyplot
        from pipeline.report.proposal import FIGURE_SIZE, draw_charts
        from pipeline.report.runtime_charts import runtime_charts

        points = self._points(at, parameters)
        found = self._runtime(points, MIN_EFFICIENCY)
        figure = pyplot.figure(figsize=FIGURE_SIZE, layout="constrained")
        draw_charts(figure, runtime_charts(self._analysis, found, points[-1], first="wall"))
        if not logarithmic:
            figure.axes[0].set_yscale("linear")
        return figure

    def choose(
        self,
        at: Mapping[str, Values] | None = None,
        /,
        *,
        job: Mapping[str, Any] = _NO_LIMITS,
        **parameters: Values,
    ) -> pd.DataFrame:
        """Return a job at many scales: ``models.choose(job={"deadline": "6h"}, p=4096)``.

        Args:
            at: the largest scale to look at, and the other parameters of the job; arguments as of `predict`.
            job: what it must hold and how it is run, by the names of the options of `pipeline choose`:
                ``deadline``, ``budget``, ``efficiency``, ``memory_per_node``, ``energy``, ``price``,
                ``cores_per_node``, ``steps``.

        Returns:
            One row per scale: the parameters, ``nodes``, ``measured``, ``wall_seconds``, ``core_hours``,
            ``efficiency``, ``memory_per_node`` and ``energy`` with the ends of their 90 % intervals,
            ``price``, ``probability`` that all limits hold, ``fails_first`` and ``best``; what there is not
            is left out. ``attrs`` has the rest of what
            `pipeline choose --json` writes: ``limits``, ``best``, ``relaxed``.

        Raises:
            PipelineError: an invalid target or limit, or the models are not of time.
        """
        targets = broadcast_points({**(at or {}), **parameters})
        return frames.jobs_frame(chosen_jobs(self._analysis, self._resources(), targets, read_job(**job)))

    def isoefficiency(
        self, efficiency: str = "75%", at: Mapping[str, Values] | None = None, /, **parameters: Values
    ) -> pd.DataFrame:
        """Return which sizes and scales keep an efficiency: ``models.isoefficiency("75%", p=1024)``.

        Args:
            efficiency: with the name of the size if there are several: ``"n=75%"``.
            at: up to which scale and size to look; arguments as of `predict`.

        Returns:
            One row per scale (``sought`` is the least size), then one per size (the largest scale):
            ``sought``, ``given``, ``at``, ``value``, ``lower``, ``upper`` and ``wall_seconds``; NaN where
            none that was looked at keeps it. ``attrs`` has the rest of what `pipeline choose --isoefficiency`
            writes as JSON.

        Raises:
            PipelineError: an invalid target or efficiency, no size varies, or the models are not of time.
        """
        size, share = read_kept(efficiency)
        targets = broadcast_points({**(at or {}), **parameters})
        return frames.isoefficiency_frame(kept_efficiency(self._analysis, targets, share, size))

    def summary(self, at: Mapping[str, Values] | None = None, /, **parameters: Values) -> dict[str, Any]:
        """Return the content of ``summary.json`` for target points as of `predict`."""
        found = summary_of(self._analysis, broadcast_points({**(at or {}), **parameters}))
        content: dict[str, Any] = document(found)
        return content

    def to_hatchet(self) -> "GraphFrame":
        """Return the call tree with the values at the largest scale as a ``GraphFrame`` of Hatchet.

        PipelineError if Hatchet is not installed, or the metric has no sum.
        """
        require_additive(self._analysis)
        return hatchet_graph_frame(self._analysis)

    def __getitem__(self, kernel: str) -> Kernel:
        return Kernel(self._analysis, *find_kernel(self._analysis, kernel))

    def __iter__(self) -> Iterator[Kernel]:
        return (Kernel(self._analysis, self._level, number) for number in range(len(self)))

    def __len__(self) -> int:
        return len(self._level.kernels)

    def __repr__(self) -> str:
        kernels, points = self._level.kernels, self._analysis.experiment.points
        counts = counted(len(self), _NOUNS[self._level_name])
        names = ", ".join(self.parameters)
        per = self._analysis.experiment.per
        what = kernels.metric if per is None else f"{kernels.metric} {per.text}"
        return f"Models({what} of {counts} over {names} at {counted(len(points), 'point')})"

    def _repr_html_(self) -> str:
        columns = ["kernel", "formula", "growth_class", "cv_smape", "share_measured"]
        return frames.frame_html(repr(self), self.frame[columns])

    @property
    def _level(self) -> Level:
        level: Level = getattr(self._analysis, self._level_name)
        return level

    def _runtime(self, points: FloatArray, min_efficiency: float) -> Runtime:
        found = runtime(self._analysis, points, min_efficiency)
        if found is None:
            metric = self._analysis.callpaths.kernels.metric
            raise UsageError(
                f"the models are of {metric}, so there is no runtime", hint="fit the metric time"
            )
        return found

    def _points(self, at: Mapping[str, Values] | None, parameters: Mapping[str, Values]) -> FloatArray:
        return target_points(self._analysis, broadcast_points({**(at or {}), **parameters}))


def read_results(directory: str | PathLike[str], metric: str | None = None) -> Models:
    """Read the models that `pipeline run` stored in a results directory.

    Args:
        directory: of the results.
        metric: what the models are of: ``visits``, ``time_per_visit`` ...; by default the metric that was
            chosen for the run.

    Raises:
        PipelineError: the directory is not a complete result, or has no models of that metric.
    """
    study = read_study(Path(directory))
    return Models(study.of(metric), _resources=lambda: resources_of(study))
