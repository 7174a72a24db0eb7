"""What mutants are: one change of the code, each of them a program, none of them the code as it stands."""

import ast
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.mutants import scripts
from tests.mutants.points import Point, find_points
from tests.mutants.trials import choose
from tests.server import ROOT

FILES = sorted(str(file.relative_to(ROOT)) for room in ("data", "judges") for file in (ROOT / room).rglob("*.py"))
SCRIPTS = sorted(str(file.relative_to(ROOT)) for file in (ROOT / "pages" / "ui").rglob("*.js"))


def all_mutants(source: str) -> set[str]:
    """Every mutant of a text, as Python writes it."""
    return {ast.unparse(ast.parse(point.apply(source.encode()))) for point in find_points("some.py", source)}


@pytest.mark.parametrize(
    ("source", "mutants"),
    [
        ("if a < b: go(1)", ["if not a < b:\n    go(1)", "pass", "if a <= b:\n    go(1)", "if a < b:\n    pass"]),
        (
            "x = a and b and not c",
            ["x = a or b or (not c)", "x = a and (not c)", "x = a and b and c", "x = b and (not c)"],
        ),
        ("x = 'é' + y[2] # é", ["x = 'é' - y[2]", "x = 'é' + y[3]"]),
        ("while a in b: continue", ["while a not in b:\n    continue", "while not a in b:\n    continue"]),
        ("x = a if b is None else True", ["x = a if b is not None else True", "x = a if b is None else False"]),
        ("raise ValueError(x)", ["pass"]),
        ("a.b[1] = c", ["pass", "a.b[2] = c"]),
        ("x += 1.5", ["pass", "x += 2.5"]),
    ],
)
def test_a_point_is_one_change(source: str, mutants: list[str]) -> None:
    assert set(mutants) <= all_mutants(source)


@pytest.mark.parametrize("source", ['"""About 1 and 2."""', "def f(x: Literal[1]) -> Literal[2]: ...", 'f"{1 + 1}"'])
def test_types_and_texts_are_left_alone(source: str) -> None:
    assert all_mutants(source) <= {"pass"}


@given(st.sampled_from(FILES), st.integers(0, 10_000))
def test_every_change_of_a_file_is_another_program(file: str, place: int) -> None:
    source = (ROOT / file).read_text(encoding="utf-8")
    if points := find_points(file, source):
        point = points[place % len(points)]
        changed = point.apply(source.encode()).decode()
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source)), point


@pytest.mark.parametrize(
    ("source", "mutants"),
    [
        ("if (a < b) go(1)", ["if (!((a < b))) go(1)", "if (a < b) {}", "if (a <= b) go(1)", "if (a < b) ;"]),
        ("const x = a ?? (b || c)", ["const x = a", "const x = (b || c)", "const x = ((a) && ((b || c)))"]),
        ("const x = 'é' + y[2] // é + 3", ["const x = 'é' - y[2] // é + 3", "const x = 'é' + y[(2 + 1)] // é + 3"]),
        ("for (;;) { x++; continue }", ["for (;;) { x--; continue }", "for (;;) { ; continue }"]),
        ("const x = {1: !a ? `${b * 2}` : true}", ["const x = {1: a ? `${b * 2}` : true}"]),
        ("x += true", ["x -= true", "x += false", ";"]),
        ("throw new Error(x)", [";"]),
    ],
)
def test_a_point_of_a_script_is_one_change(source: str, mutants: list[str]) -> None:
    points = scripts.find_points("some.js", source)
    assert set(mutants) <= {point.apply(source.encode()).decode() for point in points}


@pytest.mark.parametrize("source", ["'use strict'", "const x = {1: '1 + 1', r: /a+b/} // 1 + 1"])
def test_texts_and_names_of_a_script_are_left_alone(source: str) -> None:
    assert scripts.find_points("some.js", source) == []


@pytest.mark.parametrize("file", SCRIPTS)
def test_every_change_of_a_script_is_another_one_that_can_be_read(file: str) -> None:
    source = (ROOT / file).read_bytes()
    points = scripts.find_points(file, source.decode())
    for point in points[:: 1 + len(points) // 40]:
        changed = point.apply(source)
        assert changed != source and not scripts.PARSER.parse(changed).root_node.has_error, point


def test_a_point_says_whether_it_runs_when_the_module_is_loaded() -> None:
    source = "A = 1\ndef f(x=2):\n    return 3\nclass B:\n    c = 4\n    def d(self): return 5\nE = lambda: 6\n"
    points = find_points("a.py", source)
    assert {point.text: point.in_function for point in points if point.kind == "constant"} == {
        "(2)": False, "(3)": False, "(4)": True, "(5)": False, "(6)": True, "(7)": False,
    }  # fmt: skip


def test_tests_of_the_module_and_its_room_come_first_and_none_beyond_the_limit() -> None:
    point = Point("data/queue/strata.py", 10, 11, 0, 0, "", "")
    own, room, other, long = (
        f"tests/data/{name}::t"
        for name in ("queue/test_strata.py", "queue/test_queue.py", "test_rooms.py", "test_a.py")
    )
    seconds = {own: 4.0, room: 1.0, other: 0.5, long: 6.0, "tests/data/queue/test_b.py::t": 0.1}
    lines = {point.file: {10: {other, own, long}, 11: {room}, 12: {"tests/data/queue/test_b.py::t"}}}
    assert choose(point, lines, seconds, 30) == [own, room, other, long]
    assert choose(point, lines, seconds, 10) == [own, room, other]
    at_loading = Point(point.file, 1, 1, 0, 0, "", "")
    assert choose(at_loading, lines, seconds, 30) == [own, "tests/data/queue/test_b.py::t", room]
    loaded_late = replace(point, in_function=False)
    assert choose(loaded_late, lines, seconds, 30) == [own, room, other, long, "tests/data/queue/test_b.py::t"]
    within = Point("data/queue/deeper/other.py", 1, 1, 0, 0, "", "")  # tried by those of the room around it
    assert choose(within, lines, seconds, 30) == ["tests/data/queue/test_b.py::t", room, own]
