"""Recipes of package managers say what pyproject.toml says: version, command, needed releases."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
import types
from contextlib import nullcontext
from pathlib import Path

import pytest
import yaml
from jinja2 import Environment, StrictUndefined
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tools.address import FILES, UNKNOWN, write_address

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION = PROJECT["version"]
NEEDED = {one.name: one.specifier for one in map(Requirement, PROJECT["dependencies"])}
EXTRAS = {name: [*map(Requirement, texts)] for name, texts in PROJECT["optional-dependencies"].items()}


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def conda():
    template = Environment(undefined=StrictUndefined).from_string(text("recipes/conda/meta.yaml"))
    return yaml.safe_load(template.render(PYTHON="python"))


def specifiers(lines):
    return {name: SpecifierSet(rest) for name, _, rest in (line.partition(" ") for line in lines)}


def test_conda_needs_what_the_project_needs():
    recipe = conda()
    run = specifiers(recipe["requirements"]["run"])
    assert run.pop("python") == SpecifierSet(PROJECT["requires-python"])
    assert run == NEEDED
    assert recipe["package"] == {"name": PROJECT["name"], "version": VERSION}
    assert recipe["build"]["entry_points"] == [f"{k} = {v}" for k, v in PROJECT["scripts"].items()]
    build = tomllib.loads(text("pyproject.toml"))["build-system"]["requires"]
    host = specifiers(recipe["requirements"]["host"])
    assert {one.name: one.specifier for one in map(Requirement, build)}.items() <= host.items()


def test_conda_holds_extras_within_the_same_bounds():
    held = specifiers(conda()["requirements"]["run_constrained"])
    held["matplotlib"] = held.pop("matplotlib-base")  # conda's name for what needs no Qt
    assert held == {one.name: one.specifier for one in EXTRAS["plot"]}


class Recipe:
    """What the directives of a recipe of Spack say, in the names of `spack.package`."""

    def __init__(self):
        self.said = {"depends_on": [], "version": [], "variant": [], "license": []}
        names = {name: self._collector(name) for name in self.said}
        self.module = types.SimpleNamespace(PythonPackage=type("PythonPackage", (), {}), **names)
        self.module.default_args = lambda **_: nullcontext()

    def _collector(self, name):
        return lambda *texts, **options: self.said[name].append((texts[0], options))


def spack():
    recipe = Recipe()

    source = text("recipes/spack/package.py").replace("from spack.package import *", "pass")
    names = dict(vars(recipe.module))
    exec(compile(source, "package.py", "exec"), names)
    return recipe.said, names["PyCallpathPipeline"]


def spack_bounds(spec):
    """Return the name and the least release of a spec such as ``py-typer@0.27:0.28+x``, and the last."""
    name, _, range_ = re.sub(r"[+~].*", "", spec).removeprefix("py-").partition("@")
    least, _, most = range_.partition(":")
    return name, least, most


def test_spack_needs_what_the_project_needs():
    said, package = spack()
    found = {}
    for spec, options in said["depends_on"]:
        name, least, most = spack_bounds(spec)
        found[name] = (least, most, options.get("when", ""))
    assert found.pop("hatchling")[0] == "1.21"
    assert found.pop("python") == ("3.11", "", "")
    wanted = {name: ("", bound) for name, bound in NEEDED.items()}
    wanted |= {one.name: ("+plot", one.specifier) for one in EXTRAS["plot"]}
    assert set(found) == set(wanted)
    for name, (when, bound) in wanted.items():
        least, most, condition = found[name]
        assert condition == when
        assert {one.version for one in bound if one.operator == ">="} == {least}, name
        excluded = [Version(one.version) for one in bound if one.operator == "<"]
        assert bool(most) == bool(excluded), name
        if most:  # Spack's ranges include all releases that begin with their end
            assert bound.contains(f"{most}.99") and not bound.contains(excluded[0])
    assert [version for version, _ in said["version"]] == [VERSION]
    assert package.pypi.endswith(f"-{VERSION}.tar.gz")
    assert {name for name, _ in said["variant"]} <= set(EXTRAS)


@pytest.mark.slow
def test_the_test_of_spacks_recipe_runs_the_program(tmp_path, monkeypatch):
    _, package = spack()
    monkeypatch.chdir(tmp_path)

    def pipeline(*arguments, **_):
        command = [sys.executable, "-c", "from pipeline.cli import main; main()", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout + done.stderr

    def check_outputs(expected, printed):
        for one in expected:
            assert one in printed

    names = package.test_series.__globals__
    monkeypatch.setitem(names, "which", lambda _: pipeline)
    monkeypatch.setitem(names, "check_outputs", check_outputs)
    here = types.SimpleNamespace(prefix=types.SimpleNamespace(bin=types.SimpleNamespace(pipeline="pipeline")))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    package.test_series(here)


def easybuild():
    tree = ast.parse(text(f"recipes/easybuild/callpath-pipeline-{VERSION}.eb"))
    names = {
        "name": PROJECT["name"],
        "version": VERSION,
        "SOURCE_PY3_WHL": "wheel",
        "SOURCE_TAR_GZ": "source",
    }
    exec(compile(tree, "easyconfig", "exec"), names)
    return names


def test_easybuild_brings_what_the_project_needs():
    config = easybuild()
    assert (config["name"], config["version"], config["easyblock"]) == (
        PROJECT["name"],
        VERSION,
        "PythonBundle",
    )
    brought = {name: version for name, version, *_ in config["exts_list"]}
    assert brought.pop(PROJECT["name"]) == VERSION
    modules = {
        "numpy": "2.3.2",
        "scipy": "1.16.1",
        "pandas": "2.3.1",
        "scikit-learn": "1.7.1",
        "jinja2": "3.1.6",
    }
    assert {"SciPy-bundle", "scikit-learn", "Python-bundle-PyPI"} <= {n for n, _ in config["dependencies"]}
    assert dict(config["dependencies"])["scikit-learn"] == modules["scikit-learn"]
    for name, bound in NEEDED.items():
        assert bound.contains({**modules, **brought}[name]), name
    for name, _, options in config["exts_list"]:
        for checksum in options["checksums"]:
            assert re.fullmatch("[0-9a-f]{64}", checksum), name


def test_other_recipes_name_the_version():
    assert (ROOT / f"recipes/lmod/{VERSION}.lua").is_file()  # from whose name Lmod takes it
    assert f"callpath-pipeline[all]=={VERSION}" in text(f"recipes/lmod/{VERSION}.lua")
    assert f'image.version="{VERSION}"' in text("recipes/Containerfile")


def test_the_image_is_built_from_what_its_context_has():
    kept = [line[1:] for line in text(".dockerignore").splitlines() if line.startswith("!")]
    used = re.findall(r"/source/(\S+)", text("recipes/Containerfile"))
    assert used and set(used) <= set(kept)
    packages = tomllib.loads(text("pyproject.toml"))["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert {*packages, "LICENSE", "README.md", "pyproject.toml"} <= set(kept)
    assert all((ROOT / name).exists() for name in kept)
    last = text("recipes/Containerfile").rpartition("FROM ")[2]
    assert re.search(r"^USER 1000$", last, re.MULTILINE)
    for run in re.findall(r"^RUN ((?:.*\\\n)*.*)", text("recipes/Containerfile"), re.MULTILINE):
        subprocess.run(["sh", "-n", "-c", run], check=True)


@pytest.mark.skipif(shutil.which("luac") is None, reason="no Lua here")
def test_the_module_file_can_be_compiled():
    subprocess.run(["luac", "-p", ROOT / f"recipes/lmod/{VERSION}.lua"], check=True)


@pytest.fixture
def copy(tmp_path):
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_one_variable_fills_every_address(copy):
    address = "https://code.example.com/hpc/callpath-pipeline"
    changed = write_address(address, copy)
    assert changed == len([name for name in FILES if address in (copy / name).read_text(encoding="utf-8")])
    assert not [name for name in FILES if UNKNOWN in (copy / name).read_text(encoding="utf-8")]
    assert write_address(UNKNOWN, copy) == changed
    for name in FILES:
        assert (copy / name).read_bytes() == (ROOT / name).read_bytes(), name


@pytest.mark.parametrize(
    "wrong", ["", "http://host/owner/name", "https://host", "https://host/a b/c", "x; rm -r ."]
)
def test_what_is_no_address_is_refused(copy, wrong):
    with pytest.raises(ValueError, match="is no address such as"):
        write_address(wrong, copy)


def test_no_other_file_names_the_address():
    listed = subprocess.run(
        ["git", "grep", "-lF", UNKNOWN], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode == 128:
        pytest.skip("not a checkout")
    others = {"tools/address.py"}
    assert set(listed.stdout.split()) - others <= set(FILES)
