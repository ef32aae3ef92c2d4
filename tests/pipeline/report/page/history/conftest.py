"""What tests of the site share."""

from pathlib import Path
from typing import Any

import pytest

from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.report.page.history import site
from tests.pipeline.report.page.history.histories import TOTAL, history

TEMPLATE = "https://example.org/commit/{commit}"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a small history."""
    return written(site(history(), TEMPLATE), tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of 2000 commits, with all their digits, and 200 kernels."""
    names = (f"a_long_name_{n}" for n in range(199))
    kernels = (TOTAL, *(KernelId(Scope.CALLPATH, ("main", "solver", name)) for name in names))
    entries = history(2000, at=1500, kernels=kernels, digests=True)
    return written(site(entries, TEMPLATE), tmp_path_factory.mktemp("large"))


def written(files: Any, folder: Path) -> Path:
    """Write the files of a site."""
    for path, text in files:
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder
