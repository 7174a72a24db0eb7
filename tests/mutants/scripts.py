"""Where JavaScript can be made wrong at one point, and what stands there then: the kinds of change as in Python."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Language, Node, Parser
from tree_sitter_javascript import language

from tests.mutants.points import Point

PARSER = Parser(Language(language()))
OPERATORS = {
    **{"<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===", "==": "!=", "!=": "=="},
    **{"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "**": "*", "&&": "||", "||": "&&", "??": "&&"},
}
SIGNS = {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "++": "--", "--": "++"}
LOGICAL = {"&&", "||", "??"}


def find_points(file: str, source: str) -> list[Point]:
    """Every point of a file of JavaScript, in the order of its lines; texts and patterns are left alone."""
    points = []
    for node, kind, text in _changes(PARSER.parse(source.encode()).root_node):
        lines = node.start_point.row + 1, node.end_point.row + 1
        points.append(Point(file, *lines, node.start_byte, node.end_byte, text, kind))
    return sorted(points, key=lambda point: (point.start, point.end, point.kind, point.text))


def _changes(node: Node) -> Iterator[tuple[Node, str, str]]:
    """What can be changed at a node and below it: the node that is replaced, the kind, the new text."""
    yield from _of_node(node)
    for child in node.children:
        yield from _changes(child)


def _of_node(node: Node) -> Iterator[tuple[Node, str, str]]:
    def text(part: Node | None) -> str:
        return part.text.decode() if part is not None and part.text else ""

    def field(name: str) -> Node | None:
        return node.child_by_field_name(name)

    match node.type:
        case "if_statement" | "while_statement" | "ternary_expression" | "for_statement" if test := field("condition"):
            if node.type == "for_statement" and test.type in ("empty_statement", ";"):
                return
            yield test, "condition", f"(!({text(test)}))"
            if node.type == "if_statement" and field("alternative") is None and (block := field("consequence")):
                yield block, "block", "{}"
        case "binary_expression" if (sign := field("operator")) and text(sign) in OPERATORS:
            other, left, right = OPERATORS[text(sign)], text(field("left")), text(field("right"))
            if text(sign) in LOGICAL:
                yield from ((node, "part", left), (node, "part", right))
                yield node, "and/or", f"(({left}) {other} ({right}))"  # without brackets, ?? stands beside no && or ||
            else:
                yield sign, "operator", other
        case "augmented_assignment_expression" | "update_expression":
            if (sign := field("operator")) and text(sign) in SIGNS:
                yield sign, "operator", SIGNS[text(sign)]
        case "unary_expression" if text(field("operator")) == "!":
            yield node, "not", text(field("argument"))
        case "true" | "false":
            yield node, "constant", "false" if node.type == "true" else "true"
        case "number" if node.parent is None or node != node.parent.child_by_field_name("key"):
            yield node, "constant", f"({text(node)} + 1)"
        case "expression_statement" | "throw_statement" | "continue_statement" | "break_statement":
            if node.children[0].type != "string":  # "use strict"
                yield node, "statement", ";"
