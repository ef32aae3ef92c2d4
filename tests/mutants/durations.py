"""A pytest plugin that writes how long every test took."""

import json
from pathlib import Path
from typing import Any


def pytest_addoption(parser: Any) -> None:
    parser.addoption("--durations-file", type=Path)


def pytest_configure(config: Any) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Durations(config.getoption("durations_file")))


class _Durations:
    """Adds up set-up, call and tear-down of each test."""

    def __init__(self, path: Path) -> None:
        self.path, self.seconds = path, {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration

    def pytest_sessionfinish(self) -> None:
        self.path.write_text(json.dumps(self.seconds), encoding="utf-8")
