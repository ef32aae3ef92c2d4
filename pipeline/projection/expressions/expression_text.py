"""Expressions as text: read into models, and written as source for Octave or MATLAB, Python, LaTeX.

Nothing in a text is ever run: of the syntax tree that Python's parser makes, only numbers, known names,
``+ - * / **``, ``a if x <= y else b`` and calls of known functions are accepted. ``unit.s`` and so on give a
plain number its unit.
"""

import ast
import inspect
import keyword
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ingest.errors import UsageError, nearest_hint
from ingest.units import BYTES, CORES, FLOP, TIME_DIMENSION
from pipeline.projection.expressions import symbolic_model as arithmetic
from pipeline.projection.expressions.ensembles import columns
from pipeline.projection.expressions.symbolic import Expression, nodes
from pipeline.projection.expressions.symbolic_model import Model

Function: TypeAlias = Callable[..., Model]
Names: TypeAlias = Mapping[str, Model | Function]

_FUNCTIONS: dict[str, Function] = {
    "max": arithmetic.maximum,
    "min": arithmetic.minimum,
    "floor": arithmetic.floor,
    "ceil": arithmetic.ceiling,
    "log": arithmetic.log,
    "log2": arithmetic.log2,
    "sqrt": arithmetic.sqrt,
}
_UNITS: dict[str, Model] = {
    "unit.s": arithmetic.constant(1, TIME_DIMENSION),
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
_CHOICES: dict[type[ast.cmpop], Callable[[Model, Model, Model, Model], Model]] = {
    ast.LtE: arithmetic.choose,
    ast.GtE: lambda x, y, a, b: arithmetic.choose(y, x, a, b),
    ast.Lt: lambda x, y, a, b: arithmetic.choose(y, x, b, a),
    ast.Gt: lambda x, y, a, b: arithmetic.choose(x, y, b, a),
}
_LONGEST = 10_000


def parse(text: str, names: Names, *, where: str = "", missing: Mapping[str, str] | None = None) -> Model:
    """Return the model that an expression states.

    Names stand for models, or functions of models; `_FUNCTIONS` and `_UNITS` are always known.
    """
    tree = _syntax(text, where)
    model = _Tree({**_FUNCTIONS, **_UNITS, **names}, text, where, missing or {}).model(tree)
    if not all(math.isfinite(node.value) for node in nodes(model.expression)):
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
            case ast.IfExp(test=ast.Compare(left=x, ops=[op], comparators=[y])) if type(op) in _CHOICES:
                return _CHOICES[type(op)](*map(self.model, (x, y, node.body, node.orelse)))
            case ast.Call(keywords=[]):
                return self._call(_dotted(node.func), [self.model(argument) for argument in node.args])
        raise UsageError("not allowed", hint="use numbers, names, + - * / ** and " + ", ".join(_FUNCTIONS))

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
        near = nearest_hint(name, self.names)
        hints = [near] if near else []
        hints += [hint for beginning, hint in self.missing.items() if name.startswith(beginning)]
        known = ", ".join(sorted(set(self.names) - set(_FUNCTIONS) - set(_UNITS)))
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

_CHOSEN = "({2} if {0} <= {1} else {3})"
_WRITTEN: Mapping[str, Mapping[str, str]] = {
    "text": {"*": "{0}*{1}", "/": "{0}/{1}", "**": "{0}**{1}", "choose": _CHOSEN},
    "python": {
        **{"*": "{0}*{1}", "/": "{0}/{1}", "**": "{0}**{1}", "choose": _CHOSEN},
        **{kind: f"math.{kind}({{0}})" for kind in ("floor", "ceil", "log")},
    },
    "octave": {
        **{"*": "{0}.*{1}", "/": "{0}./{1}", "**": "{0}.^{1}"},
        "choose": "(({0} <= {1}).*({2}) + (~({0} <= {1})).*({3}))",
    },
    "latex": {
        **{"*": "{0} {1}", "/": r"\frac{{{0}}}{{{1}}}", "**": "{0}^{{{1}}}"},
        **{"floor": r"\left\lfloor{0}\right\rfloor", "ceil": r"\left\lceil{0}\right\rceil"},
        "log": r"\log\left({0}\right)",
        "choose": r"\begin{{cases}} {2} & \text{{for}}\: {0} \leq {1} \\ "
        r"{3} & \text{{otherwise}} \end{{cases}}",
    },
}
"""How operations are written, if not as ``+``, ``-`` or a call."""
_BINDING = {"+": 1, "-": 1, "neg": 1, "*": 2, "/": 2, "**": 3}
_ATOM = 4
_LEAST = {"+": (1, 2), "-": (1, 2), "neg": (2,), "*": (2, 2), "/": (2, 3), "**": (_ATOM, _ATOM)}
"""How strongly the parts of an operation have to bind to need no brackets."""


def text_of(expression: Expression, language: str = "text", names: Mapping[str, str] | None = None) -> str:
    """Return an expression with these names as text, as written but for sums with 0 and products with 1."""
    written: dict[Expression, str] = {}
    for node in nodes(expression):
        if node.kind == "symbol":
            written[node] = (names or {}).get(node.name, node.name)
        elif node.kind == "number":
            written[node] = _number_text(node.value, language)
        else:
            written[node] = _operation_text(node, written, language)
    return written[expression]


def _operation_text(node: Expression, written: Mapping[Expression, str], language: str) -> str:
    if node.kind == "+" and node.parts[1].kind in ("+", "-"):
        least: tuple[int, ...] = (1, 1)
    elif language == "latex" and node.kind in ("/", "**"):
        least = (0 if node.kind == "/" else _ATOM, 0)
    else:
        least = _LEAST.get(node.kind, (0,) * len(node.parts))
    parts = [
        _bracketed(part, written[part], low, language) for part, low in zip(node.parts, least, strict=True)
    ]
    if node.kind == "neg":
        return f"-{parts[0]}"
    if node.kind in ("+", "-"):
        return f"{parts[0]} {node.kind} {parts[1]}"
    if node.kind in ("max", "min"):
        return _call_text(node, written, language)
    if node.kind == "*" and language == "latex" and parts[1][0].isdigit():
        return rf"{parts[0]} \cdot {parts[1]}"
    return _WRITTEN[language].get(node.kind, f"{node.kind}({{0}})").format(*parts)


def _call_text(node: Expression, written: Mapping[Expression, str], language: str) -> str:
    """Return a maximum or minimum, of any number of parts where the language has that: Octave has not."""
    opening, closing = (rf"\{node.kind}\left(", r"\right)") if language == "latex" else (f"{node.kind}(", ")")

    def inner(part: Expression) -> str:
        text = written[part]
        return text[len(opening) : -len(closing)] if part.kind == node.kind and language != "octave" else text

    return f"{opening}{', '.join(map(inner, node.parts))}{closing}"


def _bracketed(part: Expression, text: str, least: int, language: str) -> str:
    binding = _BINDING.get(part.kind, 1 if part.kind == "number" and part.value < 0 else _ATOM)
    if binding >= least:
        return text
    return rf"\left({text}\right)" if language == "latex" else f"({text})"


def _number_text(value: float, language: str) -> str:
    text = str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    mantissa, exponential, exponent = text.partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponential and language == "latex" else text


def export(model: Model, language: Language, *, name: str = "T", title: str = "") -> str:
    """Return a model as source text, in SI units.

    For Octave/MATLAB and Python it is a function of the inputs, with the best bound values as constants at
    its top; for LaTeX it is the formula alone.
    """
    plain = _plain_names(model)
    if language == "latex":
        return text_of(model.expression, language, {name: _latex(name) for name in model.symbols})
    bound = columns(model.ensembles)
    constants = {plain[n]: value for n, (value, _) in bound.items() if n in model.symbols}
    inputs = [plain[n] for n in model.symbols if n not in bound]
    lines = [f"{symbol} = {value:.15g}" for symbol, value in constants.items()]
    head = f"{_identifier(name)}({', '.join(inputs)})"
    formula = text_of(model.expression, language, plain)
    if language == "octave":
        body = [f"% {title}", *(f"{line};" for line in (*lines, f"value = {formula}"))]
        return "\n".join([f"function value = {head}", *(f"  {line}" for line in body), "end", ""])
    body = [f'"""{title}"""', *lines, f"return {formula}"]
    return "\n".join(["import math", "", "", f"def {head}:", *(f"    {line}" for line in body), ""])


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
