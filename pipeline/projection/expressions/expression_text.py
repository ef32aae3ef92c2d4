"""Expressions as text: read into models, and written as source for Octave or MATLAB, Python, LaTeX.

Nothing in a text is ever run: of the syntax tree that Python's parser makes, only numbers, known names,
``+ - * / **`` and calls of known functions are accepted. ``unit.s`` and so on give a plain number its unit.
"""

import ast
import difflib
import inspect
import keyword
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from typing import Literal, TypeAlias

from ingest.errors import UsageError
from ingest.units import BYTES, CORES, FLOP, TIME
from pipeline.projection.expressions import symbolic_model as arithmetic
from pipeline.projection.expressions.ensembles import columns
from pipeline.projection.expressions.symbolic import Expression, real_symbol, replace, sympy
from pipeline.projection.expressions.symbolic_model import Model

Function: TypeAlias = Callable[..., Model]
Names: TypeAlias = Mapping[str, Model | Function]

FUNCTIONS: dict[str, Function] = {
    "max": arithmetic.maximum,
    "min": arithmetic.minimum,
    "floor": arithmetic.floor,
    "ceil": arithmetic.ceiling,
    "log": arithmetic.log,
    "log2": arithmetic.log2,
    "sqrt": arithmetic.sqrt,
}
UNITS: dict[str, Model] = {
    "unit.s": arithmetic.constant(1, TIME),
    "unit.B": arithmetic.constant(1, BYTES),
    "unit.flop": arithmetic.constant(1, FLOP),
    "unit.core": arithmetic.constant(1, CORES),
}
_OPERATORS: dict[type[ast.operator], Callable[[Model, Model], Model]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}
_LONGEST = 10_000


def parse(text: str, names: Names, *, where: str = "", missing: Mapping[str, str] | None = None) -> Model:
    """Return the model that an expression states.

    Args:
        names: what the names in it stand for: models, or functions of models. `FUNCTIONS` and `UNITS` are
            always known.

    Raises:
        UsageError: the text is not such an expression, a name is unknown, or units do not match.
    """
    tree = _syntax(text, where)
    model = _Tree({**FUNCTIONS, **UNITS, **names}, text, where, missing or {}).model(tree)
    if model.expression.has(sympy.zoo, sympy.nan, sympy.oo, sympy.I):
        raise UsageError(f"'{text}' has no finite value", where=where, hint="correct the expression")
    return model


def _syntax(text: str, where: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise UsageError(
            f"an expression of {len(text)} characters is too long", where=where, hint="split it up"
        )
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UsageError(
            f"'{_brief(text)}' is not an expression", where=where, hint="check its brackets"
        ) from error


@dataclass(frozen=True)
class _Tree:
    names: Names
    text: str
    where: str
    missing: Mapping[str, str]

    def model(self, node: ast.expr) -> Model:
        try:
            return self._node(node)
        except UsageError as error:
            if error.where:
                raise
            what = f"{error.what} in '{_brief(ast.unparse(node))}'"
            raise UsageError(what, where=self.where or self.text, hint=error.hint) from error
        except RecursionError as error:
            raise UsageError(
                "the expression is nested too deeply", where=self.where, hint="split it up"
            ) from error

    def _node(self, node: ast.expr) -> Model:
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                try:
                    return arithmetic.constant(float(value))
                except OverflowError as error:
                    raise UsageError("a number is too large", hint="correct it") from error
            case ast.Name() | ast.Attribute():
                return self._symbol(_dotted(node))
            case ast.BinOp(op=op) if type(op) in _OPERATORS:
                return _OPERATORS[type(op)](self.model(node.left), self.model(node.right))
            case ast.UnaryOp(op=ast.USub()):
                return -self.model(node.operand)
            case ast.Call(keywords=[]):
                return self._call(_dotted(node.func), [self.model(argument) for argument in node.args])
        raise UsageError("not allowed", hint="use numbers, names, + - * / ** and " + ", ".join(FUNCTIONS))

    def _symbol(self, name: str) -> Model:
        found = self._look_up(name)
        if not isinstance(found, Model):
            raise UsageError(f"'{name}' is a function", hint=f"give its arguments: {name}(...)")
        return found

    def _call(self, name: str, arguments: list[Model]) -> Model:
        function = self._look_up(name)
        if isinstance(function, Model):
            raise UsageError(f"'{name}' is not a function", hint="write '*' for a product")
        try:
            inspect.signature(function).bind(*arguments)
        except TypeError as error:
            raise UsageError(f"{name}() does not take {len(arguments)} arguments") from error
        return function(*arguments)

    def _look_up(self, name: str) -> Model | Function:
        if name in self.names:
            return self.names[name]
        close = difflib.get_close_matches(name, self.names)
        hints = [f"did you mean '{close[0]}'?"] if close else []
        hints += [hint for beginning, hint in self.missing.items() if name.startswith(beginning)]
        known = ", ".join(sorted(set(self.names) - set(FUNCTIONS) - set(UNITS)))
        raise UsageError(
            f"unknown name '{name}'", hint=" or ".join(hints) or f"known here: {known or 'none'}"
        )


def _brief(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def _dotted(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=inner, attr=name):
            return f"{_dotted(inner)}.{name}"
    raise UsageError("only plain names can be called or dotted")


Language: TypeAlias = Literal["octave", "python", "latex"]


def export(model: Model, language: Language, *, name: str = "T", title: str = "") -> str:
    """Return a model as source text, in SI units.

    For Octave/MATLAB and Python it is a function of the inputs, with the best bound values as constants at
    its top; for LaTeX it is the formula alone.
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
    nodes = expression.atoms(sympy.Max, sympy.Min)
    return replace(expression, {n: reduce(partial(n.func, evaluate=False), n.args) for n in nodes})


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
    above, _, index = re.sub(r"([_%#&$])", r"\\\1", name).rpartition(".")
    text = index if len(index) == 1 else rf"\mathrm{{{index}}}"
    return rf"{text}_{{\mathrm{{{above}}}}}" if above else text
