"""Text expressions such as ``"niters * CG(V) + max(a, b)"`` become models; nothing in the text is ever run.

Python's own parser reads the text into a syntax tree, of which only a whitelist is accepted: numbers, known
names, ``+ - * / **``, calls of known functions. Everything else is refused in one clear line. ``unit.s``,
``unit.B``, ``unit.flop`` and ``unit.core`` give a plain number its unit.
"""

import ast
import difflib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ingest.errors import UsageError
from pipeline.projection.expressions import symbolic_model as arithmetic
from pipeline.projection.expressions.symbolic import sympy
from pipeline.projection.expressions.symbolic_model import Model
from pipeline.projection.expressions.units import BYTES, CORES, FLOP, TIME

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
        text: the expression.
        names: what the names in it stand for: models, or functions of models. `FUNCTIONS` and `UNITS` are
            always known.
        where: the file and key the text comes from, for errors.
        missing: hints for unknown names, by how they begin.

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
                return arithmetic.constant(_number(value))
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


def _number(value: int | float) -> float:
    try:
        return float(value)
    except OverflowError as error:
        raise UsageError("a number is too large", hint="correct it") from error


def _dotted(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=inner, attr=name):
            return f"{_dotted(inner)}.{name}"
    raise UsageError("only plain names can be called or dotted")
