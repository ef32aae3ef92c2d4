"""The command line, called in this process."""

import sys

import pytest

from pipeline.cli import main
from pipeline.config.options import Options
from pipeline.stages.run import run as run_stages


@pytest.fixture(autouse=True)
def own_runtime_folder(tmp_path, monkeypatch):
    """Keep the lock of the machine to this test, so that others need not wait for its campaigns."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


@pytest.fixture
def call(monkeypatch, capsys):
    """Call `pipeline` with arguments: returns exit code, standard output and standard error."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["pipeline", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main()
        told = capsys.readouterr()
        return stop.value.code or 0, told.out, told.err

    return run


@pytest.fixture
def refused(call):
    """Call `pipeline` with arguments that it refuses: returns the one line that says why."""

    def run(*arguments):
        code, text, error = call(*arguments)
        assert (code, text, error.count("\n")) == (2, "", 1)
        return error

    return run


@pytest.fixture
def results(strong_study, tmp_path):
    """The results directory of a strong-scaling study."""
    run_stages(strong_study, Options(out=tmp_path / "results"))
    return tmp_path / "results"
