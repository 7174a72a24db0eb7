"""What mutants are: one change of the code, each of them Python, none of them the code as it stands."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.mutants.points import Point, find_points
from tests.mutants.trials import choose
from tests.server import ROOT

FILES = sorted(str(file.relative_to(ROOT)) for room in ("data", "judges") for file in (ROOT / room).rglob("*.py"))


def made(source: str) -> set[str]:
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
    assert set(mutants) <= made(source)


@pytest.mark.parametrize("source", ['"""About 1 and 2."""', "def f(x: Literal[1]) -> Literal[2]: ...", 'f"{1 + 1}"'])
def test_types_and_texts_are_left_alone(source: str) -> None:
    assert made(source) <= {"pass"}


@given(st.sampled_from(FILES), st.integers(0, 10_000))
def test_every_change_of_a_file_is_another_program(file: str, place: int) -> None:
    source = (ROOT / file).read_text(encoding="utf-8")
    if points := find_points(file, source):
        point = points[place % len(points)]
        changed = point.apply(source.encode()).decode()
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source)), point


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
    within = Point("data/queue/deeper/other.py", 1, 1, 0, 0, "", "")  # tried by those of the room around it
    assert choose(within, lines, seconds, 30) == ["tests/data/queue/test_b.py::t", room, own]
