"""Plausible defects of one line: what a tired author or a careless merge leaves behind."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tests.mutants.scripts import changes

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
SWAPPED_NAMES = {
    name: other
    for pair in (
        "min max",
        "minimum maximum",
        "argmin argmax",
        "any all",
        "floor ceil",
        "first last",
        "lower upper",
    )
    for name, other in (pair.split(), pair.split()[::-1])
}
LEFT_ALONE = (None, "strict", "stacklevel", "maxsize")  # arguments that only guard against defects, or cache
Place = tuple[int, int, int, int]
"""First line and column, last line and column, as `ast` counts them."""


@dataclass(frozen=True, kw_only=True)
class Defect:
    """One change of a file.

    Attributes:
        path: the file, relative to the repository.
        line: where it is.
        what: the change in words.
        place: the code that is replaced.
        text: what replaces it.
    """

    path: str
    line: int
    what: str
    place: Place
    text: str

    def applied(self, source: str) -> str:
        """Return the source with the defect; columns count bytes."""
        first, column, last, end = self.place
        lines = source.encode().split(b"\n")
        before, after = lines[first - 1][:column], lines[last - 1][end:]
        changed = before + self.text.encode() + after
        return b"\n".join([*lines[: first - 1], changed, *lines[last:]]).decode()


def defects(path: str, source: str) -> Iterator[Defect]:
    """Yield every defect of a Python file or a script whose code still compiles and differs."""
    if path.endswith(".js"):
        for what, start, end, text in changes(source, looks="/draw/" in path):
            place = (*position(source[:start]), *position(source[:end]))
            yield Defect(path=path, line=place[0], what=what, place=place, text=text)
        return
    tree = ast.parse(source)
    unread = _annotations(tree)
    for node in ast.walk(tree):
        if id(node) in unread or not hasattr(node, "lineno"):
            continue
        for what, replacement in _changes(node):
            text = replacement if isinstance(replacement, str) else f"({ast.unparse(replacement)})"
            place = (node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0)
            yield Defect(path=path, line=node.lineno, what=what, place=place, text=text)


def position(text: str) -> tuple[int, int]:
    """Return the line and the column, in bytes, where a text ends."""
    lines = text.split("\n")
    return len(lines), len(lines[-1].encode())


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.expr | str]]:  # noqa: C901  # one case a kind
    match node:
        case ast.Compare(left=left, ops=[op], comparators=comparators) if type(op) in COMPARISONS:
            yield "comparison", ast.Compare(left, [COMPARISONS[type(op)]()], comparators)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC and not _text(left, right):
            yield "operator", ast.BinOp(left, ARITHMETIC[type(op)](), right)
        case ast.BoolOp(op=op, values=values):
            yield "and/or", ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            yield "condition dropped", values[0]
        case ast.UnaryOp(op=ast.Not() | ast.Invert() | ast.USub(), operand=operand):
            yield "negation dropped", operand
        case ast.Constant(value=bool() as value):
            yield "boolean", str(not value)
        case ast.Constant(value=int() as value):
            yield "constant", str(value + 1)
        case ast.Constant(value=float() as value):
            yield "constant", repr(value * 1.5 if value else 1.0)
        case ast.Attribute(value=value, attr=attr) if attr in SWAPPED_NAMES:
            yield "name", ast.Attribute(value, SWAPPED_NAMES[attr], ast.Load())
        case ast.Name(id=name, ctx=ast.Load()) if name in SWAPPED_NAMES:
            yield "name", SWAPPED_NAMES[name]
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield "branches swapped", ast.IfExp(test, orelse, body)
        case ast.Call(func=func, args=args, keywords=[*others, last]) if last.arg not in LEFT_ALONE:
            yield f"argument {last.arg} dropped", ast.Call(func, args, others)
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break():
            yield "statement dropped", "pass"
        case ast.Subscript(value=value, slice=ast.Slice(lower=lower, upper=upper, step=None)) if (
            lower or upper
        ):
            yield "slice", ast.Subscript(value, ast.Slice(None, upper if lower else None), ast.Load())


def _text(*operands: ast.expr) -> bool:
    """Whether an operand is a text: there the operator could only be the one it is."""
    return any(isinstance(one, ast.JoinedStr | ast.Constant) and not _number(one) for one in operands)


def _number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _annotations(tree: ast.Module) -> set[int]:  # noqa: C901  # one case a kind
    """Return the nodes that are left alone: annotations, decorators, formatted texts, guarding arguments."""
    unread: set[int] = set()

    def leave_out(node: ast.AST | None) -> None:
        if node is not None:
            unread.update(id(inner) for inner in ast.walk(node))

    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            leave_out(node.returns)
            for decorator in node.decorator_list:
                leave_out(decorator)
        elif isinstance(node, ast.ClassDef):
            for decorator in node.decorator_list:
                leave_out(decorator)
        elif isinstance(node, ast.arg | ast.AnnAssign):
            leave_out(node.annotation)
            if isinstance(node, ast.AnnAssign) and "TypeAlias" in ast.unparse(node.annotation):
                leave_out(node.value)
        elif (
            (isinstance(node, ast.Assign) and "__all__" in ast.unparse(node.targets[0]))
            or isinstance(node, ast.JoinedStr)
            or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
            or (isinstance(node, ast.keyword) and node.arg in LEFT_ALONE[1:])
        ):
            leave_out(node)
    return unread
