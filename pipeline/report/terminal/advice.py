"""What to measure next, in the terminal."""

from collections.abc import Sequence

from rich.console import Console

from pipeline.models.kernels import Kernels
from pipeline.questions.planning.advice import Advice
from pipeline.report.terminal.sentences import show_sentence
from pipeline.report.terminal.tables import Column, named_table
from pipeline.wording.quantities import callpath_text, percent, point_text, quantity

NAME_WIDTH = 60


def show_advice(out: Console, plan: Sequence[Advice], parameters: Sequence[str], kernels: Kernels) -> None:
    """Print what to measure next, the most informative per core-second first."""
    if not plan:
        show_sentence(
            out, "No measurement within the budget would narrow the interval of the total noticeably."
        )
        return
    points = [point_text(dict(zip(parameters, advice.point, strict=True))) for advice in plan]
    columns = [
        Column(header="repetitions", cells=[str(advice.repetitions) for advice in plan]),
        Column(header="cost", cells=[quantity(advice.cost, "core-s") for advice in plan]),
        Column(header="interval after", cells=[f"±{percent(advice.width / 2)}" for advice in plan]),
        Column(header="narrower by", cells=[percent(advice.reduction) for advice in plan]),
    ]
    width = max(map(len, points))
    out.print(named_table("measure", lambda _: points, columns, width=out.width, shortest=width))
    total = quantity(sum(advice.cost for advice in plan), "core-s")
    show_sentence(out, f"Total: {total}. Measure in this order.")
    for point, advice in zip(points, plan, strict=True):
        if advice.settles:
            show_sentence(out, f"{point} clarifies most: {_first_settled(advice, kernels)}")


def _first_settled(advice: Advice, kernels: Kernels) -> str:
    first = advice.settles[0]
    name = callpath_text(kernels.callpaths[first.kernel], NAME_WIDTH)
    return f"{name} ({' or '.join(first.rivals)})" if first.rivals else name
