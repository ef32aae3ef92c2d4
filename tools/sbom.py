"""Write what the project needs at run time as a software bill of materials (CycloneDX 1.6) and as a table.

Usage: sbom.py     in an environment with exactly what requirements/runtime.txt pins (``make requirements``)

All of it is in requirements/runtime.txt and in the metadata of the installed packages, so no more is needed.
"""

import json
import re
import sys
from dataclasses import dataclass, replace
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
PINS = PROJECT / "requirements" / "runtime.txt"
BILL = PROJECT / "requirements" / "sbom.cdx.json"

_PIN = re.compile(
    r"^(?P<name>[A-Za-z0-9._-]+)(?:\[[^\]]+\])?==(?P<version>[^\s;\\]+)(?:\s*;\s*(?P<marker>[^\\]+?))?\s*\\?$"
)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Python Software Foundation License": "PSF-2.0",
}
_NAMES = {"BSD": "BSD-3-Clause", "BSD-3-Clause": "BSD-3-Clause", "MIT": "MIT", "Apache-2.0": "Apache-2.0"}
_ELSEWHERE = {"colorama": "BSD-3-Clause"}
"""Licences of packages for other platforms, which cannot be installed here to look."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A release in a file of requirements."""

    name: str
    version: str
    marker: str
    """Where it is for, such as ``python_full_version < '3.12'``; empty: everywhere."""

    hashes: tuple[str, ...]
    """SHA-256 of every file of the release."""


def read_pins(file: Path) -> list[Pin]:
    """Return the releases that a file of requirements pins."""
    pins: list[Pin] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if found := _PIN.match(line):
            marker = found["marker"] or ""
            pins.append(Pin(name=found["name"], version=found["version"], marker=marker, hashes=()))
        elif found := _HASH.search(line):
            last = pins[-1]
            pins[-1] = replace(last, hashes=(*last.hashes, found[1]))
        elif line.strip() and not line.startswith("#"):
            raise ValueError(f"{file.name}: not a pinned requirement: {line}")
    return pins


def licence_of(name: str) -> str:
    """Return the SPDX expression of an installed package's licence; empty if it states no known one."""
    try:
        metadata = distribution(name).metadata
    except PackageNotFoundError:
        return _ELSEWHERE[name]
    if stated := metadata.get("License-Expression"):
        return stated
    for classifier in metadata.get_all("Classifier") or []:
        kind, _, licence = classifier.rpartition(" :: ")
        if kind.startswith("License") and licence in _CLASSIFIERS:
            return _CLASSIFIERS[licence]
    return _NAMES.get((metadata.get("License") or "").strip(), "")


def bill_of_materials(pins: list[Pin], licences: dict[str, str], project: Distribution) -> dict[str, object]:
    """Return a CycloneDX document, the same for the same pins.

    Args:
        pins: releases to list.
        licences: SPDX expression by package.
        project: this project.
    """
    components = [
        {
            "type": "library",
            "bom-ref": f"pkg:pypi/{pin.name}@{pin.version}",
            "name": pin.name,
            "version": pin.version,
            "purl": f"pkg:pypi/{pin.name}@{pin.version}",
            "licenses": [{"expression": licences[pin.name]}],
            "externalReferences": [
                {
                    "type": "distribution",
                    "url": f"https://pypi.org/project/{pin.name}/{pin.version}/",
                    "hashes": [{"alg": "SHA-256", "content": digest} for digest in pin.hashes],
                }
            ],
            **({"properties": [{"name": "marker", "value": pin.marker}]} if pin.marker else {}),
        }
        for pin in pins
    ]
    root = f"pkg:pypi/{project.name}@{project.version}"
    component = {"type": "application", "bom-ref": root, "name": project.name, "version": project.version}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {**component, "purl": root, "licenses": [{"license": {"id": "BSD-3-Clause"}}]}
        },
        "components": components,
    }


def licence_table() -> str:
    """Return a table of the bill's components for the documentation."""
    rows = ["| package | version | licence |", "|---|---|---|"]
    for component in json.loads(BILL.read_text(encoding="utf-8"))["components"]:
        marker = "".join(f", `{one['value']}`" for one in component.get("properties", []))
        (licence,) = component["licenses"]
        rows.append(
            f"| [{component['name']}](https://pypi.org/project/{component['name']}/) "
            f"| {component['version']}{marker} | {licence['expression']} |"
        )
    return "\n".join(rows)


def main() -> None:
    """Write the bill."""
    pins = read_pins(PINS)
    licences = {pin.name: licence_of(pin.name) for pin in pins}
    if unknown := [name for name, licence in licences.items() if not licence]:
        sys.exit(f"no known licence is stated by {', '.join(unknown)}")
    bill = bill_of_materials(pins, licences, distribution("callpath-pipeline"))
    BILL.write_text(json.dumps(bill, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
