"""The bare name of a function in a displayed (demangled) name."""

import re

_OPERATOR = re.compile(
    r"(?<![\w$])operator\s*(\(\)|\[\]|->\*?|<=>|[-+*/%^&|~!=<>,]+|\"\"\s*\w+|new\b|delete\b)?"
)
_OPEN, _CLOSE = "(<[{", ")>]}"


def bare_name(displayed: str) -> str:
    """Return the qualified name without return type, parameters and what follows them.

    ``T* Allocate(size_t) [with T = double]`` gives ``Allocate``, ``int ns::A::operator()(int) const`` gives
    ``ns::A::operator()``. What cannot be told apart is left in.
    """
    masked = _masked(displayed)
    end = masked.find("(")
    head = masked[: end if end >= 0 else len(masked)].rstrip()
    start = head.rfind(" ") + 1
    return displayed[start : len(head)].lstrip("*&")


def without_parameters(displayed: str) -> str:
    """Return a displayed name with everything in its parameter list left out."""
    end = _masked(displayed).find("(")
    return displayed if end < 0 else displayed[:end] + displayed[displayed.rfind(")") + 1 :]


def _masked(name: str) -> str:
    """Blank out operators and template arguments, so that brackets and spaces in them do not count."""
    masked = _OPERATOR.sub(lambda hit: "o" * len(hit.group()), name)
    depth, out = 0, []
    for char in masked:
        depth -= char == ">" and depth > 0
        out.append("t" if depth or char in "<>" else char)
        depth += char == "<"
    return "".join(out)
