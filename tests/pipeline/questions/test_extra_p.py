"""What Extra-P's method predicts beside the models."""

import numpy as np
import pytest

from pipeline.questions.extra_p import QUESTION, OtherMethod
from pipeline.questions.question import TargetForecast
from tests.pipeline.questions.runtime.programs import strong


def found(at):
    return QUESTION.ask(TargetForecast(analysis=strong(noise=0.01), targets=np.array([[at]])))


def test_a_law_that_is_found_by_both_is_agreed_on():
    other = found(64.0)
    assert other.agrees and other.value == pytest.approx(64 + 0.1 * 64, rel=0.05)
    assert other.held_out_error == pytest.approx(0, abs=0.05)


@pytest.mark.parametrize("agrees", [True, False])
def test_the_sentence_says_whether_it_agrees_and_which_was_better(agrees):
    other = OtherMethod(
        at={"p": 64.0}, value=12.0, agrees=agrees, held_out_error=-0.2, own_held_out_error=0.05
    )
    text = other.sentence("core-s")
    assert ("agrees: 12.0 core-s at p = 64" in text) == agrees
    assert ("missed that by 20.0 %, these models by 5.0 %" in text) != agrees
