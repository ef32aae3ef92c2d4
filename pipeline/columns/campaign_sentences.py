"""What is said of a campaign: what it cost, what it answers, and which limit to lift for a better answer."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from ingest.number_text import figure, percent, value_text
from pipeline.wording.quantities import counted, interval_text, point_text, quantity

CampaignSummary: TypeAlias = Mapping[str, Any]
"""What `pipeline campaign status --json` writes."""

_RESERVE = 1.1  # in a budget that is proposed: costs scatter
ANSWER_UNITS = {"time": "s", "core-hours": "core-hours"}
_ENDINGS = {
    "": "",
    "answered": ": answered",
    "measured": "",
    "budget": "; the budget does not allow more",
    "nothing helps": "; no further run would narrow it noticeably",
}


def order_sentence(summary: CampaignSummary) -> str:
    """Say how many runs are planned at how many scales, and what their order is."""
    runs = summary["runs"]
    scales = len({tuple(run["point"].items()) for run in runs})
    return (
        f"{counted(len(runs), 'run')} at {counted(scales, 'scale')}; order of seed {summary['seed']}: "
        f"every repetition is a block, and the scales of a block are shuffled."
    )


def done_sentence(summary: CampaignSummary) -> str:
    """Say how many runs are done."""
    return f"{summary['counts']['done']} of {counted(len(summary['runs']), 'run')} done."


def status_sentences(summary: CampaignSummary) -> list[str]:
    """Say which runs are under way, and what must be known of the others."""
    running = [run["name"] for run in summary["runs"] if run["status"] == "running"]
    return [*([f"Running: {', '.join(running)}"] if running else []), *summary["notices"]]


def cost_sentence(summary: CampaignSummary) -> str:
    """Say what was spent, what the rest is expected to cost, and what is allowed."""
    parts = [f"Spent: {cost_text(summary['spent_core_seconds'])}"]
    known, unknown = summary["remaining_core_seconds"], summary["runs_without_known_cost"]
    ahead = len(summary["runs"]) - summary["counts"]["done"]
    if ahead > unknown:
        parts.append(f"the rest: {cost_text(known)} expected")
    if unknown:
        parts.append(f"{counted(unknown, 'run')} of unknown cost, until a first run at the scale is done")
    if summary["budget_core_seconds"] is not None:
        parts.append(f"budget: {cost_text(summary['budget_core_seconds'])}")
    return f"{'; '.join(parts)}."


def answer_sentences(summary: CampaignSummary) -> list[str]:
    """Say what is answered, what beside that a command takes, and which limit to lift."""
    said = [answer_sentence(summary), _beside_sentence(summary)]
    if summary["way_on"] is not None:
        said.append(_way_on_sentence(summary))
    return list(filter(None, said))


def answer_sentence(summary: CampaignSummary) -> str:
    """Say what the question is answered with, how sharp that is, and why no round follows."""
    question = summary["question"]
    asked = f"{question['quantity'].capitalize()} at {point_text(question['at'])}"
    answered = [one for one in summary["rounds"] if one["answer"] is not None]
    if not answered:
        return f"{asked}: no answer yet"
    *_, last = answered
    write = partial(answer_text, question["quantity"])
    answer = last["answer"]
    interval = interval_text(answer["lower"], answer["upper"], write)
    return (
        f"{asked}: {write(answer['value'])}, 90 % interval {interval}. "
        f"Its width is {percent(last['width'])}, {percent(question['width'])} is wanted"
        f"{_ENDINGS[summary['ending']]}."
    )


def answer_text(asked: str, value: float) -> str:
    """Write a value of the quantity that is asked for."""
    if asked == "efficiency":
        return percent(value)
    return figure(value) if asked == "speedup" else quantity(value, ANSWER_UNITS[asked])


def cost_text(core_seconds: float | None) -> str:
    """Write what runs cost; ``-`` if it is not known."""
    return "-" if core_seconds is None else quantity(core_seconds, "core-s")


def mean_times(runs: Sequence[CampaignSummary]) -> tuple[float | None, float | None, float | None]:
    """Return the mean seconds of the commands that are done, of what they measured, and the difference."""
    done = [run for run in runs if run["status"] == "done"]
    took = _mean([run["seconds"] for run in done])
    measured = _mean([run["measured_seconds"] for run in done])
    return took, measured, None if took is None or measured is None else took - measured


def _mean(values: Sequence[float | None]) -> float | None:
    """Return the mean of values that are all known; None without them."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _beside_sentence(summary: CampaignSummary) -> str:
    """Say what an answer is about, and what commands take beside it at the largest scale; else nothing."""
    by_size = sorted(summary["runs"], key=lambda run: math.prod(run["point"].values()))
    known = [run for run in by_size if run["status"] == "done" and run["measured_seconds"] is not None]
    if not known or not any(one["answer"] for one in summary["rounds"]):
        return ""
    point = known[-1]["point"]
    times = mean_times([run for run in known if run["point"] == point])
    took, measured, beside = ("-" if time is None else quantity(time, "s") for time in times)
    return (
        f"Answers are about what the program measures: {measured} at {point_text(point)}. "
        f"Costs are about its command: {took} there, a difference of {beside}."
    )


def _way_on_sentence(summary: CampaignSummary) -> str:
    """Say which limit to lift, how much that would gain, and at which price."""
    found, budget = summary["way_on"], summary["budget_core_seconds"]
    if found["limit"] == "width":
        best = math.ceil(found["width"] * 100) / 100
        return (
            f"Neither larger scales nor further runs would narrow it noticeably: write width = {best:g} in "
            "[question], or ask for a target nearer to the measured scales."
        )
    if not found["runs"]:
        return "A first model needs more runs than the budget pays for: raise budget in [campaign]."
    where = f" at {point_text(found['point'])}" if found["point"] else ""
    width = found["width"]
    effect = "come next" if width is None else f"would narrow it to about {percent(width)}"
    gain = f"{counted(found['runs'], 'further run')}{where}, about {cost_text(found['cost'])}, {effect}"
    needed = summary["spent_core_seconds"] + found["cost"]
    raise_budget = f'write budget = "{_budget(needed)}" in [campaign]'
    if found["limit"] == "budget":
        return f"{gain}: {raise_budget}."
    more = f", and {raise_budget}" if budget is not None and needed > budget else ""
    return f"Larger scales are not allowed: {gain}; add {point_text(found['point'])} to [scales]{more}."


def _budget(seconds: float) -> str:
    """Write a budget that is enough for core-seconds, as `campaign.toml` takes it."""
    unit, size = ("core-h", 3600.0) if seconds >= 3600.0 else ("core-s", 1.0)
    return f"{value_text(float(f'{_RESERVE * seconds / size:.2g}'))} {unit}"
