"""The head of the page: application, parameters, machine and date."""

from dataclasses import replace
from datetime import date

import pytest

from ingest.experiment import Experiment
from pipeline.report.page import report_html
from pipeline.report.page.sections import application, dates, heading, machine
from tests.pipeline.report.page.studies import PROVENANCE, altered, answered, study, two_parameter_study


def experiment(*stated: dict[str, str], source: str = "") -> Experiment:
    """The study whose runs state these attributes in turn."""
    found = study().experiment
    runs = [
        replace(run, attributes=stated[i % len(stated)], source=source or run.source)
        for i, run in enumerate(found.runs)
    ]
    return replace(found, runs=tuple(runs))


def test_title_is_application_and_parameters() -> None:
    assert heading(study(), PROVENANCE) == "app: p = 4 to 64, strong scaling"
    assert heading(two_parameter_study(), PROVENANCE).endswith(": p = 4 to 64, n = 10 to 50")


@pytest.mark.parametrize(
    ("stated", "source", "expected"),
    [
        ({}, "here/hpcg.p4.r1/profile.cubex", "hpcg"),
        ({}, "here/p4.n3.r1/profile.cubex", "made"),
        ({}, "nothing/to/see", "made"),
        ({"setting: program": "LAMMPS"}, "x/melt.p4.r1/log.lammps", "LAMMPS melt"),
        ({"setting: program": "LAMMPS"}, "x/lammps.p4.r1/log.lammps", "LAMMPS"),
        ({"cmdline": "/opt/bin/lulesh2.0 -s 40"}, "x/p4.r1/a.cali", "lulesh2.0"),
        ({"metadata: application": "Ocean model"}, "x/p4.r1/a.cali", "Ocean model"),
    ],
)
def test_application_is_stated_or_named(stated: dict[str, str], source: str, expected: str) -> None:
    assert application(experiment(stated, source=source), PROVENANCE) == expected


def test_programs_that_differ_name_no_application() -> None:
    assert application(experiment({"program": "a"}, {"program": "b"}), PROVENANCE) == "app"


def test_machines_are_those_of_the_runs() -> None:
    assert machine(experiment({"metadata: machine": "alps", "hosts": "n1"})) == "alps"
    assert machine(experiment({"system.machine": "Linux", "system.node": "n7"})) == "n7"
    assert machine(experiment({})) == ""
    assert machine(experiment(*({"hosts": f"n{i}"} for i in range(5)))) == "n0, n1, n2 and 2 more"


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({"metadata: date": "2026-03-01T12:00"}, "measured 2026-03-01"),
        ({"launchdate": "1700000000"}, "measured 2023-11-14"),
        ({"Starting Timestamp": "1700000000123456"}, "measured 2023-11-14"),
        ({"date": "yesterday"}, "input files of 2026-01-02 to 2026-01-05"),
        ({"date": "nan"}, "input files of 2026-01-02 to 2026-01-05"),
        ({}, "input files of 2026-01-02 to 2026-01-05"),
    ],
)
def test_dates_are_stated_or_those_of_the_files(stated: dict[str, str], expected: str) -> None:
    assert dates(experiment(stated), [date(2026, 1, 5), date(2026, 1, 2)]) == expected
    if not stated:
        assert dates(experiment(stated)) == ""


def test_page_shows_machine_and_date() -> None:
    analysis = replace(study(), experiment=experiment({"hosts": "n<1>", "date": "2026-03-01"}))
    text = report_html(altered(answered(study()), analysis=analysis))
    assert "Scaling report · n&lt;1&gt; · measured 2026-03-01</p>" in text
