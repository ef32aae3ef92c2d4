"""Call-path profiles to instrumentation filters, scaling models with intervals, and a CI gate.

    import pipeline as pl

    study = pl.read_study("profiles")      # runs found, read and aligned
    study.runs, study.measurements         # tables of pandas
    models = study.fit()                   # models.frame: one row per region
    models.predict(p=[64, 128])            # values with intervals
    models.runtime(p=[64, 128])            # wall time, speed-up and efficiency with intervals
    models.plot(p=128)                     # a figure of matplotlib: wall time and efficiency
    models["MPI_Allreduce"].plot()         # axes of one kernel; .formula, .latex(), .python()

    pl.make_filter("profile.cubex", max_overhead=0.05).write("app.filter")
    pl.check("profiles", baseline="base.json").verdict
    pl.project("milc", on="power5plus", at={"L": 8, "P": 1024})

Every error that a user can cause is a `PipelineError` with one line that says where, what and how to fix it.
Nothing is imported before it is used: the command line starts fast.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ingest.errors import PipelineError
    from pipeline.api.check import Check, check
    from pipeline.api.filters import Filter, make_filter
    from pipeline.api.models import Kernel, Models, read_results
    from pipeline.api.project import ProjectedStudy, Projection, project
    from pipeline.api.study import Study, read_frame, read_study
    from pipeline.models.estimator import NormalFormRegressor

    __version__: str

__all__ = [
    "Check",
    "Filter",
    "Kernel",
    "Models",
    "NormalFormRegressor",
    "PipelineError",
    "ProjectedStudy",
    "Projection",
    "Study",
    "__version__",
    "check",
    "make_filter",
    "project",
    "read_frame",
    "read_results",
    "read_study",
]

_MODULES = {
    "Check": "pipeline.api.check",
    "Filter": "pipeline.api.filters",
    "Kernel": "pipeline.api.models",
    "Models": "pipeline.api.models",
    "NormalFormRegressor": "pipeline.models.estimator",
    "PipelineError": "ingest.errors",
    "ProjectedStudy": "pipeline.api.project",
    "Projection": "pipeline.api.project",
    "Study": "pipeline.api.study",
    "check": "pipeline.api.check",
    "make_filter": "pipeline.api.filters",
    "project": "pipeline.api.project",
    "read_frame": "pipeline.api.study",
    "read_results": "pipeline.api.models",
    "read_study": "pipeline.api.study",
}

if not TYPE_CHECKING:  # a type checker reports names that do not exist

    def __getattr__(name: str) -> Any:  # noqa: ANN401
        """Import what a public name stands for (PEP 562)."""
        if name == "__version__":
            from importlib.metadata import version

            found = version("callpath-pipeline")
        elif name in _MODULES:
            from importlib import import_module

            found = getattr(import_module(_MODULES[name]), name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return __all__
