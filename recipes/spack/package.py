"""Spack's recipe; copy it to ``packages/py_callpath_pipeline/`` of a repository of Spack."""

from spack.package import *


class PyCallpathPipeline(PythonPackage):
    """Filters, scaling models with intervals and future bottlenecks from call-path profiles."""

    homepage = "https://example.org/callpath-pipeline"
    pypi = "callpath_pipeline/callpath_pipeline-0.1.0.tar.gz"

    license("BSD-3-Clause")

    version("0.1.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    variant("plot", default=False, description="Plots on the terminal and in files")

    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-hatchling@1.21:", type="build")
    with default_args(type=("build", "run")):
        depends_on("py-jinja2@3.1.6:")
        depends_on("py-numpy@2.1:")
        depends_on("py-pandas@2.2.3:")
        depends_on("py-pyarrow@26:+parquet")
        depends_on("py-rich@14.3:")
        depends_on("py-scikit-learn@1.6:")
        depends_on("py-scipy@1.15:")
        depends_on("py-typer@0.27:0.28")
        depends_on("py-matplotlib@3.10.8:", when="+plot")
        depends_on("py-plotext@5.3.2:5", when="+plot")

    import_modules = ["ingest", "filters", "pipeline"]

    def test_series(self):
        """Fit a series file and predict it (``spack test run``)."""
        values = ("DATA 1.02", "DATA 1.51", "DATA 2.02", "DATA 2.48", "DATA 2.99")
        lines = ("PARAMETER p", "POINTS 4 8 16 32 64", "REGION exchange", "METRIC time", *values)
        with open("series.txt", "w") as series:
            series.write("\n".join(lines) + "\n")
        pipeline = which(self.prefix.bin.pipeline)
        printed = pipeline("model", "series.txt", "--at", "p=128", output=str.split, error=str.split)
        check_outputs(["exchange", "p = 128"], printed)
