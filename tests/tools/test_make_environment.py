"""Dependencies are installed by hash; only a release that the index lacks lets them be installed without."""

import hashlib
import shutil
import subprocess
import sys
import zipfile

import pytest

from tools import make_environment

pytestmark = pytest.mark.slow

BACKEND = """
import pathlib, zipfile

def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "project-1.0-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(folder) / name, "w") as wheel:
        wheel.writestr("project.py", "")
        info = "project-1.0.dist-info/"
        about = ("Metadata-Version: 2.1", "Name: project", "Version: 1.0", "Requires-Dist: tiny", "")
        kind = ("Wheel-Version: 1.0", "Generator: test", "Root-Is-Purelib: true", "Tag: py3-none-any", "")
        wheel.writestr(info + "METADATA", "\\n".join(about))
        wheel.writestr(info + "WHEEL", "\\n".join(kind))
        wheel.writestr(info + "RECORD", "")
    return name
"""


def make_wheel(folder, version):
    path = folder / f"tiny-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        info = f"tiny-{version}.dist-info/"
        wheel.writestr("tiny.py", f"version = '{version}'\n")
        wheel.writestr(info + "METADATA", f"Metadata-Version: 2.1\nName: tiny\nVersion: {version}\n")
        wheel.writestr(
            info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(info + "RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """An environment with pip, to be copied: making one takes seconds."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    return folder


@pytest.fixture
def python(environment, tmp_path, monkeypatch):
    """An environment, an index that serves tiny 2.0 only, and a project that needs tiny."""
    shutil.copytree(environment, tmp_path / "venv", symlinks=True)
    served = tmp_path / "served"
    served.mkdir()
    make_wheel(served, "2.0")
    project = tmp_path / "project"
    (project / "requirements").mkdir(parents=True)
    (project / "requirements/build.txt").write_text("")
    (project / "backend.py").write_text(BACKEND)
    (project / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        '[project]\nname = "project"\nversion = "1.0"\ndependencies = ["tiny"]\n'
    )
    for name, value in {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(served),
        "PIP_CONFIG_FILE": "/dev/null",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setattr(make_environment, "PROJECT", project)
    monkeypatch.setattr(make_environment, "REQUIREMENTS", project / "requirements")
    return tmp_path / "venv/bin/python"


def pin(python, version, digest):
    file = make_environment.REQUIREMENTS / "runtime.txt"
    file.write_text(f"tiny=={version} --hash=sha256:{digest}\n")
    return make_environment.install(python, "runtime")


def installed(python):
    command = [python, "-m", "pip", "list", "--format=freeze"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return {line for line in lines if line.startswith(("tiny", "project"))}


def test_pinned_files_with_the_right_hash_are_installed(python, tmp_path, capfd):
    digest = hashlib.sha256((tmp_path / "served/tiny-2.0-py3-none-any.whl").read_bytes()).hexdigest()
    assert pin(python, "2.0", digest) == 0
    assert installed(python) == {"tiny==2.0", "project==1.0"}
    assert "NOT PINNED" not in capfd.readouterr().err


def test_a_file_with_another_hash_is_an_error(python, capfd):
    assert pin(python, "2.0", "0" * 64) != 0
    assert installed(python) == set()
    errors = capfd.readouterr().err
    assert "DO NOT MATCH THE HASHES" in errors
    assert "NOT PINNED" not in errors


def test_a_release_that_is_not_served_is_replaced_and_that_is_said(python, capfd):
    assert pin(python, "1.0", "0" * 64) == 0
    assert installed(python) == {"tiny==2.0", "project==1.0"}
    assert "NOT PINNED: this package index lacks a file of requirements/runtime.txt" in capfd.readouterr().err


def test_a_requirement_without_a_hash_is_an_error(python, capfd):
    (make_environment.REQUIREMENTS / "runtime.txt").write_text("tiny==2.0\n")
    assert make_environment.install(python, "runtime") != 0
    assert installed(python) == set()
    assert "Hashes are required" in capfd.readouterr().err


def test_a_release_that_is_not_served_excuses_no_wrong_hash():
    missing = "ERROR: No matching distribution found for tiny==1.0\n"
    assert make_environment.is_unavailable(missing)
    assert not make_environment.is_unavailable(missing + "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES\n")
