"""What a user must know about a model beside its figures."""

from enum import IntFlag


class Note(IntFlag):
    """Remarks on one kernel's model; stored as the bits of an int64."""

    FEW_POINTS = 1
    CANNOT_TELL = 2
    NOTHING_MEASURED = 4
    SINGLE_REPETITION = 8
    LAST_SEGMENT = 16
    OUTSIDE_SPACE = 32
    CONFOUNDED = 64
    FEW_VALUES = 128


_TEXT = {
    Note.FEW_POINTS: "fewer than 5 points",
    Note.CANNOT_TELL: "cannot tell",
    Note.NOTHING_MEASURED: "nothing measured",
    Note.SINGLE_REPETITION: "one repetition: noise is judged by the misfit alone",
    Note.LAST_SEGMENT: "behaviour changes within the range: model of the last segment",
    Note.OUTSIDE_SPACE: "grows faster than any exponent tried",
    Note.CONFOUNDED: "parameters change together in all runs: their effects cannot be told apart",
    Note.FEW_VALUES: "fewer than 3 values of a parameter: its growth is a guess",
}


def note_texts(bits: int) -> tuple[str, ...]:
    """Return the remarks in words."""
    return tuple(text for note, text in _TEXT.items() if bits & note)
