"""Questions are found, answered once, stored in summary.json and restored from it."""

import json
from pathlib import Path

import numpy as np

from ingest.record_codec import document, restored
from pipeline.columns.summary import Summary
from pipeline.models.options import Expectation
from pipeline.questions import expected_growth, extra_p, what_if
from pipeline.questions.question import Answers, TargetForecast, questions
from pipeline.report.summary import summarise
from tests.pipeline.questions.runtime.programs import strong
from tools.json_schema import json_schema

SCHEMA = Path(__file__).parents[3] / "docs" / "reference" / "schemas" / "summary.schema.json"


def test_the_schema_has_the_answers_to_all_questions(request):
    """``--update-snapshots`` adds those that it lacks."""
    stated = json.loads(SCHEMA.read_text(encoding="utf-8"))
    lacking = [question for question in questions() if question.key not in stated["properties"]]
    if request.config.getoption("--update-snapshots"):
        for question in lacking:
            made = json_schema(question.kind, "")
            stated["$defs"] = made.pop("$defs", {}) | stated["$defs"]
            del made["$schema"], made["title"]
            stated["properties"][question.key] = made
        SCHEMA.write_text(json.dumps(stated, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    else:
        assert lacking == []


def test_answers_are_entries_of_the_summary_and_come_back_from_it():
    expected = Expectation(region="", growth="1", exponents={}, metric="time", place="pipeline.toml:3")
    ahead = TargetForecast(analysis=strong(noise=0.01), targets=np.array([[256.0]]), expectations=(expected,))
    plain = json.loads(json.dumps(document(summarise(ahead))))
    assert {question.key for question in questions()} <= plain.keys()
    answers = restored(Summary, plain).answers
    assert document(answers) == document(ahead.answers)
    assert list(answers.sentences()) == list(ahead.answers.sentences())
    assert answers.of(extra_p.QUESTION).at == {"p": 256}
    assert answers.headed["As expected"] == "1 of 1 expectation met."
    assert answers.of(what_if.QUESTION).sentence in dict(answers.sentences())


def test_what_is_not_answered_is_empty():
    nothing = Answers()
    assert len(nothing) == len(questions()) and not any(nothing.values())
    assert nothing.of(expected_growth.QUESTION) == () and nothing.of(what_if.QUESTION) is None
    assert list(nothing.sentences()) == list(nothing.sentences(remarks=True)) == []
    assert nothing.headed == {}


def test_each_question_has_its_key_and_its_place():
    assert len({question.key for question in questions()}) == len(questions())
    orders = [question.order for question in questions()]
    assert orders == sorted(set(orders))
