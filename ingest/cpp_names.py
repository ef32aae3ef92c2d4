"""C++ signatures taken apart: return type, qualified name, parameters and what follows them.

Names come as demanglers and compilers print them: libiberty (``{lambda(int)#1}``, ``[clone .isra.0]``), LLVM
(``'lambda'(int)``, ``(.cold)``), GCC's own ``T* f(int) [with T = double]``, TAU's ``int f(int) C``. All other
names (of C and Fortran, ``!$omp parallel @a.c:3``, ``MPI_Send``, free text of user regions) are no signatures
and stay as they are.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

# What stands for text that was blanked out, none of it printable, so that names hold none of it.
_NAME, _CONVERSION, _INSIDE = "\1", "\2", "\0"

_TOKEN = re.compile(
    r"""
    (?P<operator>(?<![\w$])operator\s*(?:
        \(\)|\[\]|->\*?|<=>|<<=|>>=|<<(?=\W|$)|>>|[-+*/%^&|=!<>]=|&&|\|\||\+\+|--|[-+*/%^&|~!=<>,]
        |""\s*\w+|(?:new|delete)\b(?:\s*\[\])?|co_await\b)(?:(?<=<)\s+(?=<))?)
    |(?P<conversion>(?<![\w$])operator(?=\s+[\w:(]))
    |(?P<name>\((?:anonymous|unnamed|lambda)\b[^()]*\)|[`'](?:anonymous|unnamed|lambda)[^'`]*')
    |(?P<open>(?:(?:decltype|typeof|__typeof__)\s*)?\(|[<{\[])
    |(?P<close>(?<!-)>|[)}\]])
    """,
    re.VERBOSE,
)
_LISTED = 5
_CLOSING = {"<": ">", "{": "}", "[": "]"}
_NOT_A_POINT = re.compile(r"[^.]")

_IN = rf"[{_INSIDE}.]*+"
_LIST = rf"\({_IN}\)"
_QUALIFIERS = rf"(?:\s*+(?:\bconst\b|\bvolatile\b|&&?|\bnoexcept\b(?:{_LIST})?|\bthrow\s*{_LIST}))*+"
_SUFFIX = rf"\[{_IN}\]|\(\.{_IN}\)|->.*|\brequires\b.*|@plt|\bC$"
_PART = rf"~?[\w${_NAME}](?:[\w${_NAME}]|\[{_IN}\])*+"
_TYPE = rf"{_CONVERSION}+\s[^()]+(?:{_LIST}{_LIST})?"  # of a conversion; with parentheses a function pointer
_SIGNATURE = re.compile(
    rf"""
    (?P<returns>(?:[^(){_CONVERSION}]*[\s*&])?)
    (?P<name>
        (?:::)?(?:{_PART}(?:(?P<enclosing>{_LIST}){_QUALIFIERS})?::)*+
        (?:{_PART}|{_TYPE}(?=\(\)))
    )
    (?:(?P<parameters>{_LIST})(?P<rest>{_QUALIFIERS}(?:\s*+(?:{_SUFFIX}))*))?
    """,
    re.VERBOSE | re.DOTALL,
)
_ENCLOSING = re.compile(rf"{_LIST}{_QUALIFIERS}(?=::)")
_RETURNS_FUNCTION = re.compile(rf"[^(){_CONVERSION}]*\((?P<declared>{_IN})\)[(\[]{_IN}[)\]]{_QUALIFIERS}")


@dataclass(frozen=True, kw_only=True)
class Signature:
    """A displayed name, taken apart; all parts but the name are empty if it is not a C++ signature."""

    returns: str  # the return type and other words before the name, with the blank behind them
    name: str  # the qualified name with template arguments, without the parameters of functions around it
    parameters: str  # the parameter list in its parentheses
    rest: str  # what follows, such as `` const``, `` [with T = double]`` or `` [clone .isra.0]``

    @property
    def without_parameters(self) -> str:
        """All but the parameter list."""
        return f"{self.returns}{self.name}{self.rest}"


@lru_cache(maxsize=1 << 16)
def parse_signature(displayed: str) -> Signature:
    """Take a displayed (demangled) name apart."""
    found = None
    if "(" in displayed and displayed.isprintable() and (masked := _masked(displayed)):
        found = _function(displayed, masked) or _function_returning_function(displayed, masked)
    return found or Signature(returns="", name=displayed, parameters="", rest="")


def short_name(displayed: str) -> str:
    """Return the qualified name of a C++ signature; other names stay as they are.

    ``int ComputeSPMV(const SparseMatrix&, Vector&)`` becomes ``ComputeSPMV``; ``time.run()``, ``MPI_Send``
    and ``!$omp parallel @a.c:3`` are not signatures.
    """
    return parse_signature(displayed).name


def short_list(names: Sequence[str]) -> str:
    """Return the first names, without parameters, and how many are left out."""
    shown = ", ".join(short_name(name) for name in names[:_LISTED])
    return f"{shown} and {len(names) - _LISTED} more" if len(names) > _LISTED else shown


def _function(displayed: str, masked: str) -> Signature | None:
    match = _SIGNATURE.fullmatch(masked)
    if match is None or not (match["parameters"] or match["enclosing"]):
        return None
    returns, name, parameters, rest = (
        displayed[slice(*match.span(part))] if match[part] else ""
        for part in ("returns", "name", "parameters", "rest")
    )
    for enclosing in reversed(list(_ENCLOSING.finditer(match["name"]))):
        name = name[: enclosing.start()] + name[enclosing.end() :]
    return Signature(returns=returns, name=name, parameters=parameters, rest=rest)


def _function_returning_function(displayed: str, masked: str) -> Signature | None:
    """Take ``void (*signal(int, void (*)(int)))(int)`` apart: the name stands within the return type."""
    match = _RETURNS_FUNCTION.fullmatch(masked)
    start, end = match.span("declared") if match else (0, 0)
    declared = displayed[start:end].lstrip("*&")
    inner_mask = _masked(declared) if len(declared) < end - start else None
    inner = _function(declared, inner_mask) if inner_mask else None
    if inner is None or not inner.parameters:
        return None
    return Signature(
        returns=displayed[: end - len(declared)] + inner.returns,
        name=inner.name,
        parameters=inner.parameters,
        rest=inner.rest + displayed[end:],
    )


def _masked(name: str) -> str | None:
    """Blank out what is in brackets, and what is part of a name though it is not written in letters.

    In a text of the same length, parentheses and square brackets are empty, and template arguments, lambdas,
    anonymous namespaces and operators letters of a name; None if brackets do not match.
    """
    masked: list[str] = []
    closing: list[str] = []  # what closes the open brackets
    fill = ""  # what stands for the text in the outermost of them
    end = 0
    for token in _TOKEN.finditer(name):
        masked.append(_blank(name[end : token.start()], fill))
        end, text = token.end(), token[0]
        if token["open"]:
            outermost = not closing
            closing.append(_CLOSING.get(text, ")"))
            fill = fill or (_INSIDE if text in ("(", "[") else _NAME)
            masked.append(text if outermost and fill is _INSIDE else _blank(text, fill))
        elif token["close"]:
            while closing and closing[-1] == ">" != text:
                closing.pop()  # it was a comparison
            if closing and closing[-1] == text:
                closing.pop()
                masked.append(text if not closing and fill is _INSIDE else _blank(text, fill))
                fill = fill if closing else ""
            elif text == ">":
                masked.append(_blank(text, fill))
            else:
                return None
        else:
            masked.append(_blank(text, fill or (_CONVERSION if token["conversion"] else _NAME)))
    masked.append(name[end:])
    return None if closing else "".join(masked)


def _blank(text: str, fill: str) -> str:
    """Return what stands for a text; points stay in parentheses, where they mark clones."""
    if fill is _INSIDE:
        return _NOT_A_POINT.sub(fill, text)
    return fill * len(text) if fill else text
