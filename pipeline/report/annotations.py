"""A check as GitHub Actions annotations: workflow commands on standard output."""

from pipeline.gate.decision import CheckResult, Verdict
from pipeline.report.check_words import headline, kernel_name, story
from pipeline.report.source_places import relative_file

MOST = 10  # GitHub shows no more per step and kind
KINDS = {Verdict.REGRESSION: "error", Verdict.INCONCLUSIVE: "warning"}


def annotations(result: CheckResult, root: str = "") -> list[str]:
    """Return at most ten workflow commands, the worst first."""
    found = [f"::warning title={_property(headline(result))}::{_data(reason)}" for reason in result.reasons]
    for decision in result.of(*KINDS):
        place = ""
        if file := relative_file(decision, root):
            place = f"file={_property(file)},line={decision.line},"
        title = _property(f"{decision.verdict.value}: {kernel_name(decision, 80)}")
        found.append(f"::{KINDS[decision.verdict]} {place}title={title}::{_data(story(decision))}")
    return found[:MOST]


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
