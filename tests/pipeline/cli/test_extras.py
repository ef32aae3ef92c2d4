"""An installation without extras: what works all the same, and one line for what does not."""

import shutil
import subprocess
import sys

import pytest

from ingest.errors import UsageError, extra

WITHOUT = """
import sys
from importlib.abc import MetaPathFinder
EXTRAS = set("IPython dask distributed openpyxl hatchet ipykernel isal matplotlib mcp plotext".split())
class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
from pipeline.cli import main
main()
"""


@pytest.fixture
def bare(strong_study, tmp_path):
    """Call `pipeline` without the packages of extras, {study}, {out} and {tmp} filled in: the process."""

    def run(*arguments, code=0):
        texts = [text.format(study=strong_study, out=tmp_path / "out", tmp=tmp_path) for text in arguments]
        command = [sys.executable, "-c", WITHOUT, *texts]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        assert done.returncode == code, done.stderr
        return done

    return run


@pytest.mark.slow
def test_a_study_is_answered_without_extras(bare, tmp_path):
    bare("run", "{study}", "--out", "{out}")
    assert "p = 64" in bare("predict", "{out}", "--at", "p=64").stdout
    (tmp_path / "out" / "report.html").unlink()
    bare("report", "{out}")
    assert (tmp_path / "out" / "report.html").stat().st_size > 100_000
    bare("baseline", "{out}", "--out", "{tmp}/base.json")
    bare("check", "{out}", "--baseline", "{tmp}/base.json")
    assert "no function differs significantly" in " ".join(bare("compare", "{out}", "{out}").stdout.split())
    bare("bottlenecks", "{out}")
    bare("choose", "{out}")
    bare("export", "{out}", "--to", "csv")
    bare("project", "milc", "--on", "power5plus", "--at", "L=8,P=1024")


def test_a_filter_is_made_without_extras(bare, strong_study, tmp_path):
    bare("filter", "{study}", "--out", "{tmp}/app.filter")
    assert "SCOREP_REGION_NAMES_BEGIN" in (tmp_path / "app.filter").read_text()


@pytest.mark.parametrize(
    ("arguments", "package", "name"),
    [
        (("plot", "{out}", "sum"), "plotext", "plot"),
        (("plot", "{out}", "sum", "--out", "{tmp}/sum.png"), "matplotlib", "plot"),
        (("export", "{out}", "--to", "proposal", "--out", "{tmp}/paper"), "matplotlib", "plot"),
        (("serve-mcp", "{study}"), "mcp", "mcp"),
        (("run", "{tmp}/t.xlsx"), "openpyxl", "excel"),
        (("run", "{study}", "--engine", "dask", "--scheduler", "tcp://x:1"), "distributed", "dask"),
    ],
)
def test_what_is_missing_is_one_line_with_the_extra_that_brings_it(
    bare, strong_results, tmp_path, arguments, package, name
):
    if "{out}" in arguments:
        shutil.copytree(strong_results, tmp_path / "out")
    (tmp_path / "t.xlsx").write_bytes(b"PK\3\4")
    done = bare(*arguments, code=2)
    assert f"{package} is not installed; pip install 'callpath-pipeline[{name}]'" in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_what_is_installed_and_fails_is_no_missing_extra():
    with pytest.raises(ImportError), extra("plot"):
        raise ImportError("damaged")
    said = r"^here: a is not installed; pip install '.*\[b\]'$"
    with pytest.raises(UsageError, match=said), extra("b", where="here"):
        raise ModuleNotFoundError(name="a")
