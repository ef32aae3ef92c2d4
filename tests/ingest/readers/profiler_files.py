"""Small outputs of profilers, written as they write them."""

from collections.abc import Mapping

STACKS: Mapping[str, float] = {
    "main": 2,
    "main;solve;dot": 5,
    "main;solve;MPI_Allreduce": 3,
    "main;io write": 4,
}


def folded(stacks: Mapping[str, float] = STACKS, end: str = "\n") -> str:
    """Folded stacks."""
    return "".join(f"{stack} {value:.15g}{end}" for stack, value in stacks.items())


def alternating(samples: int = 20) -> str:
    """Folded stacks of one sample each, in the order of time."""
    return "".join(("a;b 1\n", "c;d 1\n")[i % 2] for i in range(samples))


FOLDED: Mapping[str, str] = {
    "plain": folded(),
    "crlf": folded(end="\r\n"),
    "in time": alternating(),
    "annotated": "# made by hand\n" + folded({"java;read_[k]": 1.5, "a;a;a": 2, "a": 1}) + "no value\n",
}
