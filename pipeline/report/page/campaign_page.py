"""A campaign in a small page: how its answer narrowed with what was spent, its rounds, scales and runs."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from pipeline.columns.campaign_sentences import (
    ANSWER_UNITS,
    CampaignSummary,
    answer_sentences,
    answer_text,
    cost_sentence,
    cost_text,
    done_sentence,
    status_sentences,
    verdict_sentence,
)
from pipeline.columns.campaigns import rounds_table, runs_table, scales_table
from pipeline.report.page.embedding import cells_data, page_text
from pipeline.report.page.verdict_sentences import SPACE
from pipeline.wording.quantities import interval_text, point_text

_UNIT = re.compile(r"(?<=\d) (?=[^\W\d])")
"""Between a number and the word behind it."""


def campaign_html(summary: CampaignSummary) -> str:
    """Return the HTML text of a campaign, as `pipeline.stages.campaign.progress_summary` describes it."""
    answers, asked = list(_answers(summary)), _asked(summary)
    return page_text(
        "campaign",
        {
            "asked": asked,
            "answers": answers,
            "rounds": cells_data(rounds_table(summary).for_readers),
            "scales": cells_data(cells for cells in scales_table(summary).for_readers if not cells.is_empty),
            "runs": cells_data(runs_table(summary["runs"]).for_readers),
        },
        heading=summary["name"],
        verdict=_UNIT.sub(SPACE, verdict_sentence(summary)),
        sentences=_sentences(summary),
        asked=f"{asked[:1].upper()}{asked[1:]}" if answers else "",
        rounds=bool(summary["rounds"]),
    )


def _sentences(summary: CampaignSummary) -> list[str]:
    """Return what is said below the verdict: the rest of the answer, the costs, and what is under way."""
    said = answer_sentences(summary)[1:] if summary["question"] else []
    done = [done_sentence(summary)] if summary["question"] else []
    return [*said, " ".join([*done, cost_sentence(summary)]), *status_sentences(summary)]


def _asked(summary: CampaignSummary) -> str:
    """Name what is asked for, with its unit and place; empty without a question."""
    question = summary["question"]
    if question is None:
        return ""
    unit = ANSWER_UNITS.get(question["quantity"], "")
    return f"{question['quantity']}{unit and f' ({unit})'} at {point_text(question['at'])}"


def _answers(summary: CampaignSummary) -> Iterator[dict[str, Any]]:
    """Yield the answer after each round that has one, with what was spent by then."""
    question, spent = summary["question"], 0.0
    for one in summary["rounds"]:
        spent += one["spent_core_seconds"]
        if question is None or one["answer"] is None:
            continue
        write = partial(answer_text, question["quantity"])
        answer = one["answer"]
        interval = interval_text(answer["lower"], answer["upper"], write)
        said = f"{write(answer['value'])}, 90 % interval {interval}, for {cost_text(spent)}"
        yield {"spent": spent, **answer, "said": said}
