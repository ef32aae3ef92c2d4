import re
from pathlib import Path

from pipeline.gate.check_result import Outcome
from pipeline.wording.exit_codes import ExitCode, exit_codes_line

ROOT = Path(__file__).parents[3]


def test_codes_are_those_that_scripts_rely_on():
    assert {code.name: int(code) for code in ExitCode} == {
        "FINE": 0,
        "REGRESSION": 1,
        "BAD_INPUT": 2,
        "INCONCLUSIVE": 3,
        "EXCEEDED": 4,
        "CRASHED": 70,
        "INTERRUPTED": 130,
    }
    assert exit_codes_line().startswith("0 fine, 1 regression, 2 bad usage or input, ")


def test_the_outcomes_of_a_check_are_exit_codes():
    assert [int(outcome) for outcome in Outcome] == [0, 1, 3, 4]


def test_no_command_states_a_code_of_its_own():
    files = (ROOT / "pipeline").rglob("*.py")
    stated = [
        (file.name, call)
        for file in files
        for call in re.findall(r"(?:sys\.exit|typer\.Exit)\(\d+\)", file.read_text(encoding="utf-8"))
    ]
    assert not stated
