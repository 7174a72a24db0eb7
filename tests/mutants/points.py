"""Where Python code can be made wrong at one point, and what stands there then."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

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
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
SQL = {
    **{" and ": " or ", " <> ": " = ", " = ": " <> ", " <= ": " < ", " < ": " <= ", " >= ": " > ", " > ": " >= "},
    **{" desc": "", "not exists": "exists", " is not null": " is null", "min(": "max(", "max(": "min("},
}
_SQL_WORD = re.compile("|".join(map(re.escape, sorted(SQL, key=len, reverse=True))))
_SQL_TEXT = re.compile(r"\bselect\b.+\bfrom\b|\$\d", re.DOTALL)


@dataclass(frozen=True)
class Point:
    """One change of a file: the bytes from `start` to `end` become `text`; `kind` says what sort of change it is.

    `line` and `last` are the lines that a test has to run for it to see the change. What is not `in_function` runs when
    the module is loaded.
    """

    file: str
    line: int
    last: int
    start: int
    end: int
    text: str
    kind: str
    in_function: bool = True

    def apply(self, source: bytes) -> bytes:
        """The file with the change in it."""
        return source[: self.start] + self.text.encode() + source[self.end :]


def find_points(file: str, source: str) -> list[Point]:
    """Every point of a file of Python, in the order of its lines.

    Of a text only the words of SQL are changed. Left alone are types, docstrings, the flags of decorators, and what
    stands in f-strings, whose places Python 3.11 does not tell.
    """
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    tree, points = ast.parse(source), []
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = {line for body in bodies for line in range(body[0].lineno, (body[-1].end_lineno or 0) + 1)}
    for node, kind, text, lines in _changes(tree):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        points.append(Point(file, lines[0], lines[1], start, end, text, kind, lines[0] in inside))
    return sorted(points, key=lambda point: (point.start, point.end, point.kind))


Change = tuple[ast.expr | ast.stmt, str, str, tuple[int, int]]


def _changes(node: ast.AST) -> Iterator[Change]:
    """What can be changed at a node and below it: the node that is replaced, the kind, the new text, the lines."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.JoinedStr):
        for new in _of_sql(node):
            yield node, "sql", f"({ast.unparse(new)})", (node.lineno, node.end_lineno or node.lineno)
        return
    if isinstance(node, ast.stmt):
        yield from _of_statement(node)
    elif isinstance(node, ast.expr):
        for kind, new in _of_expression(node):
            yield node, kind, f"({ast.unparse(new)})", (node.lineno, node.end_lineno or node.lineno)
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_comment"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _changes(child)


def _of_statement(node: ast.stmt) -> Iterator[Change]:
    """A statement left out, or its condition turned round."""
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return
        case ast.If(test=test) | ast.While(test=test):
            lines = (test.lineno, test.end_lineno or test.lineno)
            yield test, "condition", f"(not ({ast.unparse(test)}))", lines
            if isinstance(node, ast.If) and not node.orelse:
                yield node, "block", "pass", lines
        case ast.Expr(value=ast.Constant() | ast.Yield() | ast.YieldFrom()):
            return
        case (
            ast.Assign(targets=[ast.Attribute() | ast.Subscript()])
            | ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break()
        ):  # fmt: skip
            yield node, "statement", "pass", (node.lineno, node.lineno)


def _of_expression(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """An expression with another operator, a part of it, or another number."""
    match node:
        case ast.Compare(left=left, ops=[op, *others], comparators=comparators) if type(op) in COMPARISONS:
            yield "comparison", ast.Compare(left, [COMPARISONS[type(op)](), *others], comparators)
        case ast.BoolOp(op=op, values=values):
            yield "and/or", ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            for place in range(len(values)):
                rest = values[:place] + values[place + 1 :]
                yield "part", rest[0] if len(rest) == 1 else ast.BoolOp(op, rest)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            yield "operator", ast.BinOp(left, OPERATORS[type(op)](), right)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "not", operand
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield "condition", ast.IfExp(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.Constant(value=str()):
            yield from (("sql", new) for new in _of_sql(node))
        case ast.Constant(value=bool(value)):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield "constant", ast.Constant(value + 1)


def _of_sql(node: ast.Constant | ast.JoinedStr) -> Iterator[ast.expr]:
    """A text of SQL with one word changed: a comparison, a condition, an order."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    texts = [str(part.value) if isinstance(part, ast.Constant) else "" for part in parts]
    if not _SQL_TEXT.search(" ".join(texts)):
        return
    for place, text in enumerate(texts):
        for word in _SQL_WORD.finditer(text):
            new: ast.expr = ast.Constant(text[: word.start()] + SQL[word[0]] + text[word.end() :])
            yield ast.JoinedStr([*parts[:place], new, *parts[place + 1 :]]) if len(parts) > 1 else new
