"""The audit fails if a pinned release is vulnerable, and is skipped, with a word, if no data answer."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools/audit.sh"
PIP_AUDIT = """#!/bin/sh
# Answers for services named in a file; of the pins, says whether any is vulnerable.
while [ $# -gt 0 ]; do
  case $1 in --vulnerability-service) service=$2 ;; --requirement) file=$2 ;; esac
  shift
done
grep -q "$service" answering || { echo "could not be audited"; exit 0; }
if grep -q "==bad\\|jinja2==3.1.2" "$file"; then echo "jinja2 3.1.2 CVE-2025-27516"; exit 1; fi
"""


@pytest.fixture
def audit(tmp_path):
    for name in ("runtime", "development", "extras", "build", "audit", "dist", "lowest-runtime"):
        file = tmp_path / f"requirements/{name}.txt"
        file.parent.mkdir(exist_ok=True)
        file.write_text("jinja2==3.1.6\n")
    (tmp_path / "tools").mkdir()
    shutil.copy(SCRIPT, tmp_path / "tools")
    (tmp_path / "Makefile").write_text(".venv-audit/.installed:\n\ttest ! -f broken\n")
    program = tmp_path / ".venv-audit/bin/pip-audit"
    program.parent.mkdir(parents=True)
    program.write_text(PIP_AUDIT)
    program.chmod(0o755)

    def run(answering):
        (tmp_path / "answering").write_text(answering)
        done = subprocess.run([tmp_path / "tools/audit.sh"], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    return run


@pytest.mark.parametrize("service", ["pypi", "osv"])
def test_all_files_are_audited_by_the_service_that_answers(audit, service):
    status, text = audit(service)
    assert status == 0
    assert text.count("requirements/") == 7


def test_a_vulnerable_release_fails_whichever_file_pins_it(audit, tmp_path):
    (tmp_path / "requirements/extras.txt").write_text("any==bad\n")
    status, text = audit("pypi osv")
    assert status == 1
    assert "CVE-2025-27516" in text
    assert "requirements/lowest-runtime.txt" in text  # the files after it are looked at, too


def test_without_data_the_audit_is_skipped_and_says_so(audit):
    status, text = audit("nobody")
    assert status == 0
    assert text.startswith("VULNERABILITIES NOT CHECKED: no vulnerability data")


def test_without_the_tool_the_audit_is_skipped_and_says_so(audit, tmp_path):
    (tmp_path / "broken").touch()
    assert audit("pypi") == (0, "VULNERABILITIES NOT CHECKED: pip-audit cannot be installed\n")
