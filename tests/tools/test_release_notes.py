"""A tag releases what is stated: one version, its section of the changes, nothing left over."""

import hashlib
from pathlib import Path

import pytest

from tools.release_notes import release_notes, sections

ROOT = Path(__file__).parents[2]
RELEASED = {"0.1.0": "a035223769ca79b1d665ae9a8829aedf4481fd0ff8a18cbdfcbd33b4bd36fb65"}
CHANGES = """# Changelog

## [Unreleased]

## [1.2.0] - 2026-01-31

### Added

- Something.

## [1.1.0] - 2025-01-31

- Older.
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(CHANGES)
    return tmp_path


def test_the_section_of_the_version_is_released(project):
    assert release_notes("v1.2.0", project) == "### Added\n\n- Something.\n"


@pytest.mark.parametrize("tag", ["1.2.0", "v1.1.0", "v1.2.0rc1", ""])
def test_a_tag_of_another_version_is_refused(project, tag):
    with pytest.raises(ValueError, match=r"pyproject.toml states 1\.2\.0, whose tag is v1\.2\.0"):
        release_notes(tag, project)


@pytest.mark.parametrize("heading", ["## [1.2.1] - 2026-01-31", "## [1.2.0]", "## 1.2.0 - 2026-01-31"])
def test_a_version_without_a_dated_section_is_refused(project, heading):
    (project / "CHANGELOG.md").write_text(CHANGES.replace("## [1.2.0] - 2026-01-31", heading))
    with pytest.raises(ValueError, match=r"no section '## \[1\.2\.0\]"):
        release_notes("v1.2.0", project)


def test_changes_that_no_version_has_are_not_released(project):
    (project / "CHANGELOG.md").write_text(CHANGES.replace("## [1.2.0]", "- New.\n\n## [1.2.0]"))
    with pytest.raises(ValueError, match="Unreleased is not empty"):
        release_notes("v1.2.0", project)


def test_what_was_released_is_not_rewritten():
    found = sections((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in found.items()}
    assert {name: digests[name] for name in RELEASED} == RELEASED
    assert set(found) - {"Unreleased"} == set(RELEASED), "write the digest of a new release here"
