"""Models as source text for other tools: Octave or MATLAB, Python, LaTeX."""

import keyword
import re
from typing import Literal, TypeAlias, get_args

from pipeline.projection.expressions.ensemble import columns
from pipeline.projection.expressions.symbolic import Expression, real_symbol, replace, sympy
from pipeline.projection.expressions.symbolic_model import Model

Language: TypeAlias = Literal["octave", "python", "latex"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


def export(model: Model, language: Language, *, name: str = "T", title: str = "") -> str:
    """Return a model as source text, in SI units.

    For Octave/MATLAB and Python it is a function of the inputs, with the best bound values as constants at
    its top; for LaTeX it is the formula alone.

    Args:
        model: the model.
        language: ``octave`` (also MATLAB), ``python`` or ``latex``.
        name: of the function.
        title: a comment.
    """
    plain = _plain_names(model)
    if language == "latex":
        text: str = sympy.latex(
            model.expression, symbol_names={real_symbol(n): _latex(n) for n in model.symbols}
        )
        return text
    expression = replace(model.expression, {real_symbol(old): real_symbol(new) for old, new in plain.items()})
    bound = columns(model.ensembles)
    constants = {plain[n]: value for n, (value, _) in bound.items() if n in model.symbols}
    inputs = [plain[n] for n in model.symbols if n not in bound]
    lines = [f"{symbol} = {value:.15g}" for symbol, value in constants.items()]
    head = f"{_identifier(name)}({', '.join(inputs)})"
    if language == "octave":
        made = f"value = {sympy.octave_code(_nested(expression))}"
        body = [f"% {title}", *(f"{line};" for line in (*lines, made))]
        return "\n".join([f"function value = {head}", *(f"  {line}" for line in body), "end", ""])
    body = [f'"""{title}"""', *lines, f"return {sympy.pycode(expression)}"]
    return "\n".join(["import math", "", "", f"def {head}:", *(f"    {line}" for line in body), ""])


def _nested(expression: Expression) -> Expression:
    """Return the expression with `Max` and `Min` of two arguments only: Octave's take no more."""
    many = [node for node in expression.atoms(sympy.Max, sympy.Min) if len(node.args) > 2]
    return replace(expression, {node: _pairs(node) for node in many}) if many else expression


def _pairs(node: Expression) -> Expression:
    first, *others = node.args
    for other in others:
        first = node.func(first, other, evaluate=False)
    return first


def _plain_names(model: Model) -> dict[str, str]:
    """Return an identifier for every symbol, no two alike."""
    plain: dict[str, str] = {}
    for name in model.symbols:
        candidate = _identifier(name)
        while candidate in plain.values():
            candidate += "_"
        plain[name] = candidate
    return plain


def _identifier(name: str) -> str:
    found = re.sub(r"\W", "_", name, flags=re.ASCII)
    if not found.isidentifier():
        return f"x{found}"
    return f"{found}_" if keyword.iskeyword(found) else found


def _latex(name: str) -> str:
    stem, _, index = name.rpartition(".")
    escaped = re.sub(r"([_%#&$])", r"\\\1", index)
    above = re.sub(r"([_%#&$])", r"\\\1", stem)
    text = escaped if len(escaped) == 1 else rf"\mathrm{{{escaped}}}"
    return rf"{text}_{{\mathrm{{{above}}}}}" if above else text
