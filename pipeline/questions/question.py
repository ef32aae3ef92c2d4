"""What is asked of a study at target points: one module per question, which ends with its `QUESTION`.

Nothing else names a question: ``summary.json``, the first screen and the page show all answers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from pkgutil import walk_packages
from types import MappingProxyType
from typing import Any, Generic, TypeAlias, TypeVar, cast, get_origin, get_type_hints

from ingest.arrays import FloatArray
from ingest.record_codec import restored
from pipeline import questions as package
from pipeline.models.options import MIN_EFFICIENCY, Expectation
from pipeline.questions.analysis import Analysis, Outlook, look_ahead
from pipeline.questions.runtime.runtime import Runtime, runtime

Said: TypeAlias = tuple[str, str]
"""A sentence and its style."""
Record = TypeVar("Record")
_NO_ANSWERS: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False, kw_only=True)
class TargetForecast:
    """What the models of a study say at target points; what is not asked for is not computed."""

    analysis: Analysis  # the models of the chosen metric
    targets: FloatArray  # float64[Q, D]
    min_efficiency: float = MIN_EFFICIENCY  # the efficiency up to whose scale is asked
    others: Mapping[str, Analysis] = field(default_factory=dict)  # the models of other metrics, by name
    expectations: Sequence[Expectation] = ()  # how some of it is expected to grow
    # the study that can be continued, if it is another one, such as that on another machine
    measurable: Analysis | None = None

    @property
    def all_metrics(self) -> dict[str, Analysis]:
        """The models of all metrics, by name."""
        return {self.analysis.metric: self.analysis, **self.others}

    @cached_property
    def outlooks(self) -> tuple[Outlook, Outlook]:
        """What the call paths and the regions do."""
        return outlooks(self.analysis, self.targets)

    @cached_property
    def groups(self) -> Outlook | None:
        """What the groups of kernels do; None if the metric has no sum."""
        return (
            look_ahead(self.analysis, self.analysis.groups, self.targets) if self.analysis.additive else None
        )

    @cached_property
    def of_others(self) -> dict[str, tuple[Outlook, Outlook]]:
        """What the call paths and the regions do in other metrics, by name, without crossovers."""
        return {
            metric: outlooks(other, self.targets, crossing=False) for metric, other in self.others.items()
        }

    @cached_property
    def runtime(self) -> Runtime | None:
        """Wall time, speed-up and losses; None if the models are not of time."""
        return runtime(self.analysis, self.targets, self.min_efficiency)

    @cached_property
    def answers(self) -> "Answers":
        """The answers to all questions."""
        return Answers(ahead=self)


def outlooks(analysis: Analysis, targets: FloatArray, *, crossing: bool = True) -> tuple[Outlook, Outlook]:
    """Look ahead from the call paths and from the regions to target points, float64[Q, D]."""
    callpaths, regions = (
        look_ahead(analysis, level, targets, crossing=crossing)
        for level in (analysis.callpaths, analysis.regions)
    )
    return callpaths, regions


@dataclass(frozen=True, kw_only=True)
class Question(Generic[Record]):
    """A question and what is said about its answer."""

    key: str  # of the answer in ``summary.json``
    order: int  # its place among the answers on the first screen, the smallest first
    # returns the answer, a record, or several in a tuple; None, or an empty tuple, if there is none
    ask: Callable[[TargetForecast], Record]
    # of an answer, on the first screen and on the page
    sentences: Callable[[Any], Iterable[Said]] = lambda _: ()
    detail: bool = False  # whether the first screen has them behind ``--details`` alone
    # whether they limit the other answers; without a full stop, as notices of the page are
    remark: bool = False
    heading: str = ""  # of the sentences on the page; empty if they are not there, or are a remark
    page_order: int | None = None  # their place there if it is another

    @property
    def kind(self) -> Any:  # noqa: ANN401  # whatever stands for a type
        """The type of the answer."""
        return get_type_hints(self.ask)["return"]


@cache
def questions() -> tuple[Question[Any], ...]:
    """Return all questions in their order."""
    modules = [import_module(found.name) for found in walk_packages(package.__path__, f"{package.__name__}.")]
    found = (module.QUESTION for module in modules if hasattr(module, "QUESTION"))
    return tuple(sorted(found, key=lambda question: question.order))


class Answers(Mapping[str, Any]):
    """Answers by the keys of their questions, found when they are asked for; those not given are empty."""

    def __init__(self, found: Mapping[str, Any] = _NO_ANSWERS, ahead: TargetForecast | None = None) -> None:
        self._found, self._ahead = dict(found), ahead

    @classmethod
    def restored(cls, plain: Mapping[str, Any]) -> "Answers":
        """Return the answers of which a document has these entries."""
        known = (question for question in questions() if question.key in plain)
        return cls({question.key: restored(question.kind, plain[question.key]) for question in known})

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401  # what `of` returns
        return self.of(next(question for question in questions() if question.key == key))

    def __iter__(self) -> Iterator[str]:
        return (question.key for question in questions())

    def __len__(self) -> int:
        return len(questions())

    def of(self, question: Question[Record]) -> Record:
        """Return the answer to a question."""
        if question.key not in self._found:
            empty = () if get_origin(question.kind) is tuple else None
            self._found[question.key] = question.ask(self._ahead) if self._ahead else empty
        return cast(Record, self._found[question.key])

    def but(self, question: Question[Record], answer: Record) -> "Answers":
        """Return the answers with another one to a question."""
        return Answers({**self._found, question.key: answer}, self._ahead)

    def sentences(self, *, remarks: bool = False, details: bool = False) -> Iterator[Said]:
        """Yield what is said about the answers: remarks, details, or all else."""
        for question in questions():
            if (question.remark, question.detail) == (remarks, details) and (answer := self.of(question)):
                yield from question.sentences(answer)

    @property
    def headed(self) -> dict[str, str]:
        """The sentences of the page by their headings."""
        there = [question for question in questions() if question.heading and self.of(question)]
        there.sort(key=lambda question: question.page_order or question.order)
        said = {question.heading: question.sentences(self.of(question)) for question in there}
        return {heading: text for heading, of in said.items() if (text := " ".join(one for one, _ in of))}
