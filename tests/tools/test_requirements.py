"""What requirements/ pins agrees with pyproject.toml, and the bill of materials with what is pinned."""

import json
import re
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tools.renew_requirements import EXTRAS, FILES, SHIPPED
from tools.sbom import BILL, bill_of_materials, licence_of, licence_table, read_pins

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ALLOWED = {
    "BSD-3-Clause",
    "BSD-2-Clause",
    "MIT",
    "MIT-CMU",
    "Apache-2.0",
    "ISC",
    "PSF-2.0",
    "0BSD",
    "Zlib",
    "CC0-1.0",
}
CPYTHON_311 = {"python_full_version": "3.11.7", "python_version": "3.11", "sys_platform": "linux"}


def wanted(*extras):
    """What pyproject.toml asks for, with some extras."""
    texts = [
        *PROJECT["dependencies"],
        *(t for extra in extras for t in PROJECT["optional-dependencies"][extra]),
    ]
    return [one for one in map(Requirement, texts) if one.name != PROJECT["name"]]  # but for extras in extras


def pinned(name):
    """Pins of a file by package, for all platforms."""
    found = {}
    for pin in read_pins(ROOT / f"requirements/{name}.txt"):
        found.setdefault(canonicalize_name(pin.name), []).append(pin)
    return found


@pytest.mark.parametrize("name", FILES)
def test_everything_is_pinned_with_hashes(name):
    pins = [pin for same in pinned(name).values() for pin in same]
    assert pins
    for pin in pins:
        assert pin.hashes, pin.name
        assert len(set(pin.hashes)) == len(pin.hashes), pin.name


@pytest.mark.parametrize(
    ("name", "extras"),
    [
        ("runtime", SHIPPED),
        ("development", (*SHIPPED, "test", "docs")),
        ("extras", EXTRAS),
        ("lowest-runtime", SHIPPED),
        ("lowest", (*SHIPPED, "test", "docs")),
    ],
)
def test_every_direct_dependency_is_pinned_within_its_bounds(name, extras):
    pins = pinned(name)
    for requirement in wanted(*extras):
        releases = pins[canonicalize_name(requirement.name)]
        assert all(requirement.specifier.contains(pin.version) for pin in releases), requirement
        here = [pin for pin in releases if not pin.marker or Marker(pin.marker).evaluate(CPYTHON_311)]
        assert len(here) == 1, requirement


def test_the_lowest_releases_are_those_of_the_bounds():
    pins = pinned("lowest")
    for requirement in wanted(*SHIPPED):
        (bound,) = [Version(one.version) for one in requirement.specifier if one.operator == ">="]
        (pin,) = pins[canonicalize_name(requirement.name)]
        assert Version(pin.version) == bound, requirement


def test_what_make_installs_is_the_same_for_users_and_developers():
    runtime, development = pinned("runtime"), pinned("development")
    for name, pins in runtime.items():
        assert [pin.version for pin in development[name]] == [pin.version for pin in pins], name
    for name, pins in pinned("build").items():
        for others in (runtime, development, pinned("lowest")):
            assert name not in others or [p.version for p in others[name]] == [p.version for p in pins], name


def test_the_version_is_the_same_everywhere():
    (cited,) = re.findall(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)
    assert cited == PROJECT["version"]


def test_the_bill_of_materials_lists_what_is_pinned():
    bill = json.loads(BILL.read_text(encoding="utf-8"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    listed = [
        (
            part["name"],
            part["version"],
            tuple(one["content"] for one in part["externalReferences"][0]["hashes"]),
        )
        for part in bill["components"]
    ]
    assert listed == [
        (pin.name, pin.version, pin.hashes) for pin in read_pins(ROOT / "requirements/runtime.txt")
    ]
    references = [part["bom-ref"] for part in bill["components"]]
    assert len(set(references)) == len(references)
    assert bill["metadata"]["component"]["version"] == PROJECT["version"]


def test_licences_are_known_and_permissive():
    for part in json.loads(BILL.read_text(encoding="utf-8"))["components"]:
        (licence,) = part["licenses"]
        assert set(re.split(r" AND | OR ", licence["expression"])) <= ALLOWED, part["name"]


def test_the_list_of_licences_has_every_package():
    rows = licence_table().splitlines()[2:]
    assert len(rows) == len(read_pins(ROOT / "requirements/runtime.txt"))
    assert "| [jinja2](https://pypi.org/project/jinja2/) | 3.1.6 | BSD-3-Clause |" in rows


def test_licences_come_from_what_is_installed():
    assert {name: licence_of(name) for name in ("jinja2", "matplotlib", "rich", "colorama")} == {
        "jinja2": "BSD-3-Clause",
        "matplotlib": "PSF-2.0",
        "rich": "MIT",
        "colorama": "BSD-3-Clause",
    }
    with pytest.raises((KeyError, PackageNotFoundError)):
        licence_of("a-package-that-is-not-installed")


def test_the_bill_is_the_same_for_the_same_pins():
    pins = read_pins(ROOT / "requirements/runtime.txt")
    stored = json.loads(BILL.read_text(encoding="utf-8"))
    licences = {part["name"]: part["licenses"][0]["expression"] for part in stored["components"]}

    class Project:
        name, version = "callpath-pipeline", PROJECT["version"]

    assert bill_of_materials(pins, licences, Project()) == stored


def test_a_requirement_without_a_pin_is_refused(tmp_path):
    file = tmp_path / "loose.txt"
    file.write_text("jinja2>=3.1.6\n")
    with pytest.raises(ValueError, match=re.escape("loose.txt: not a pinned requirement: jinja2>=3.1.6")):
        read_pins(file)


def test_no_lower_bound_is_below_what_is_installed_for_the_tests():
    for requirement in wanted(*SHIPPED):
        assert requirement.specifier.contains(version(requirement.name)), requirement
