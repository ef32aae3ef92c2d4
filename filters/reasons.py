"""Why a call path or region is kept or dropped."""

from enum import IntEnum


class Reason(IntEnum):
    """Ordered: of the reasons of a region's call paths, the largest is told."""

    DROPPED = 0
    NEVER_CALLED = 1
    TOO_COSTLY = 2
    ASKED_TO_DROP = 3
    PREFIX = 4
    STRUCTURE = 5
    TOTAL_TIME = 6
    TIME_PER_VISIT = 7
    TIME = 8
    PROTECTED = 9
    USER_REGION = 10
    ENTRY_POINT = 11

    @property
    def keeps(self) -> bool:
        """Whether what has this reason is measured."""
        return self >= Reason.PREFIX

    @property
    def sentence(self) -> str:
        """What it means, in words for users."""
        return _SENTENCES[self]


_SENTENCES = {
    Reason.DROPPED: "no rule keeps it",
    Reason.NEVER_CALLED: "no call path of the profile leads to it",
    Reason.TOO_COSTLY: "its visits cost more than the budget leaves, or are too short to tell anything",
    Reason.ASKED_TO_DROP: "asked to drop",
    Reason.PREFIX: "it leads to a call path that is kept",
    Reason.STRUCTURE: "what is spent below it is worth its cost",
    Reason.TOTAL_TIME: "it stands for call paths at or below it with much total time",
    Reason.TIME_PER_VISIT: "its time per visit is among the longest",
    Reason.TIME: "its own time is worth its cost",
    Reason.PROTECTED: "protected",
    Reason.USER_REGION: "a region instrumented by hand",
    Reason.ENTRY_POINT: "the entry point of the program",
}
