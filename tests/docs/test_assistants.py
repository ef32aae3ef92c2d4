"""The session shown in the page for assistants: every answer holds what is shown of it."""

import json
import re
from pathlib import Path

import pytest

from ingest.record_codec import document
from pipeline.cli.assistant import Assistant
from tests.snapshots import alike

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/assistants.md").read_text(encoding="utf-8")
CALL = re.compile(
    r"^```text\n(?P<tool>\w+) (?P<given>\{[^\n]*\})\n```\n```json\n(?P<shown>.*?)^```$", re.M | re.S
)


def holds(answer, shown):
    """Whether an answer holds what is shown of it: some keys, the first entries of lists, numbers to 1 %."""
    if isinstance(shown, dict):
        return all(key in answer and holds(answer[key], part) for key, part in shown.items())
    if isinstance(shown, list):
        return len(answer) >= len(shown) and all(map(holds, answer, shown))
    if isinstance(shown, float):
        return answer == pytest.approx(shown, rel=0.01)
    return alike(answer, shown) if isinstance(shown, str) else answer == shown


@pytest.mark.slow
def test_the_session_gives_the_answers_shown(tmp_path):
    assistant = Assistant(root=ROOT / "sample_profiles", made=tmp_path)
    calls = list(CALL.finditer(PAGE))
    assert [call["tool"] for call in calls] == ["inspect", "run", "predict", "predict", "choose"]
    for call in calls:
        answer = document(getattr(assistant, call["tool"])(**json.loads(call["given"])))
        assert holds(answer, json.loads(call["shown"])), (call[0], answer["verdict"], answer["notices"])


def test_the_page_lists_all_tools(tmp_path):
    named = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert named == [tool.__name__ for tool in Assistant(root=ROOT, made=tmp_path).tools]


@pytest.mark.parametrize(
    ("answer", "shown", "same"),
    [
        ({"a": 1, "b": [1.0, 2.0]}, {"b": [1.001]}, True),
        ({"a": 1, "b": [1.0, 2.0]}, {"b": [2.0]}, False),
        ({"a": "at p = 4"}, {"a": "at p = 5"}, False),
        ({"a": 1}, {"c": 1}, False),
        ([1.0], [1.0, 2.0], False),
    ],
)
def test_what_is_shown_is_part_of_the_answer(answer, shown, same):
    assert holds(answer, shown) is same
