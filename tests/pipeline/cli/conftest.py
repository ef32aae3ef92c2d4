"""The command line, called in this process."""

import shutil
import sys

import pytest

from pipeline.cli import main
from pipeline.config.options import Options
from pipeline.stages.run import run as run_stages
from tests.foam_cases import write_foam_case, write_strong_study
from tests.pipeline.cli.published import require_published

WITH_RESULT = (0, 1, 3, 4)  # exit codes


@pytest.fixture(autouse=True)
def own_runtime_folder(tmp_path, monkeypatch):
    """Keep the lock of the machine to this test, so that others need not wait for its campaigns."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


@pytest.fixture
def call(monkeypatch, capsys):
    """Call `pipeline` with arguments: returns exit code, standard output and standard error.

    JSON on standard output has to be all of it, and of a shape that is published for the command.
    """

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["pipeline", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main()
        told = capsys.readouterr()
        code = stop.value.code or 0
        if code in WITH_RESULT:
            require_published(list(map(str, arguments)), told.out)
        return code, told.out, told.err

    return run


@pytest.fixture
def refused(call):
    """Call `pipeline` with arguments that it refuses: returns the one line that says why."""

    def run(*arguments):
        code, text, error = call(*arguments)
        assert (code, text, error.count("\n")) == (2, "", 1)
        return error

    return run


@pytest.fixture(scope="session")
def strong_results(tmp_path_factory):
    """The results of a strong-scaling study, made once; not to be changed."""
    folder = tmp_path_factory.mktemp("strong")
    run_stages(write_strong_study(folder / "study"), Options(out=folder / "results"))
    return folder / "results"


@pytest.fixture
def results(request, tmp_path):
    """The results of a strong-scaling study, of the test's own if it has one; the test may change them."""
    if "strong_study" in request.fixturenames:
        run_stages(request.getfixturevalue("strong_study"), Options(out=tmp_path / "results"))
        return tmp_path / "results"
    return shutil.copytree(request.getfixturevalue("strong_results"), tmp_path / "results")


@pytest.fixture
def studies(tmp_path):
    """Make two studies: as it is, and with `sum` growing faster; three repetitions with a little noise."""

    def make(name, exponent, wobbles=(1.0, 1.004, 0.997), **renamed):
        for p in (1, 2, 4, 8):
            for r, wobble in enumerate(wobbles, 1):
                times = {
                    "solve": 64.0 / p * wobble,
                    "sum": 0.5 * p ** (exponent - 1) * wobble,
                    "main": 0.25 / p,
                }
                times = {renamed.get(name, name): seconds for name, seconds in times.items()}
                write_foam_case(tmp_path / name / f"app.p{p}.r{r}", times, processes=p)
        return tmp_path / name

    return make
