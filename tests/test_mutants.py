"""What mutants are: one change of the code, each of them a program, none of them the code as it stands."""

import argparse
import ast
import json
import pickle
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.mutants import scripts
from tests.mutants.__main__ import _try
from tests.mutants.code_exchange import exchange, loaded_functions
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
        (
            "f('select a from b where c = $1 and ' f'd < {e}' ' order by a desc')",
            [f"f(f'select a from b where c {first} $1 {also} d {less} {{e}} order by a{down}')"
             for first, also, less, down in (("<>", "and", "<", " desc"), ("=", "or", "<", " desc"),
                                             ("=", "and", "<=", " desc"), ("=", "and", "<", ""))],
        ),
        ("f('max(a) > $2')", ["f('min(a) > $2')", "f('max(a) >= $2')"]),
    ],
)
def test_a_point_is_one_change(source: str, mutants: list[str]) -> None:
    assert set(mutants) <= all_mutants(source)


@pytest.mark.parametrize(
    "source",
    [
        '"""About 1 and 2."""', '"""Select a from b and c."""', "f(' and then = ')", 'f"{1 + 1}"',
        "def f(x: Literal[1]) -> Literal[2]: ...",
    ],
)  # fmt: skip
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


def call(file: Path, change: Point | None = None, in_file: bool = False) -> str | None:
    """What `call` of a file gives or raises with a change; none if no loaded function has it."""
    text = change.apply(file.read_bytes()) if change and in_file else file.read_bytes()
    module: dict[str, Any] = {}
    exec(compile(text, file, "exec", dont_inherit=True), module)
    if change and not in_file and not exchange(change, loaded_functions(file.parent).get(str(file), [])):
        return None
    try:
        return repr(module["call"]())
    except (ArithmeticError, LookupError, TypeError) as error:
        return repr(error)


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("def call():\n    return [\n        n * 2 for n in range(3)\n        if n < 2\n    ]\n", 4),
        ("def call():\n    a = 1\n    class B:\n        c = a + 2\n    return (lambda: B.c * 3)()\n", 5),
        ("def call(x=0):\n    if (\n        not x\n    ):\n        x = 2\n    return x, (lambda: 3)()\n", 5),
        (
            "class A:\n    @property\n    def a(self): return 2\n    def b(self): yield self.a + 1\n"
            "def call(): return [*A().b()]\n", 3,
        ),
        ("def twice(f):\n    def inner(*a): return f(*a) * 2\n    return inner\n@twice\ndef call(): return 5\n", 3),
    ],
)  # fmt: skip
def test_a_change_of_what_is_loaded_does_what_it_does_in_the_file(source: str, count: int, tmp_path: Path) -> None:
    file = tmp_path / "some.py"
    file.write_text(source, encoding="utf-8")
    points = find_points(str(file), source)
    results = [call(file, point) for point in points]
    assert results == [call(file, point, in_file=True) if point.in_function else None for point in points]
    assert sum(result not in (None, call(file)) for result in results) == count


@pytest.mark.parametrize("unchanged", ["survived", "hung"])
def test_what_takes_as_long_without_the_change_is_in_doubt(unchanged: str, tmp_path: Path) -> None:
    point, out = Point("data/log.py", 1, 1, 0, 0, "", ""), tmp_path / "out"
    own: Any = SimpleNamespace(in_tree=None, in_place=lambda point, *_: ("hung" if point else unchanged, ""))
    arguments = argparse.Namespace(scripts=False, seconds=1, again=2)
    test = "tests/data/test_log.py::t"
    _try([point, point], own, {point.file: {1: {test}}}, {test: 0.5}, arguments, out)
    assert [json.loads(line)["sure"] for line in out.read_text().splitlines()] == [unchanged == "survived"] * 2


TRY = """if True:
    import argparse, json, sys
    from pathlib import Path
    from tests.mutants.__main__ import try_all
    from tests.mutants.points import Point
    kept, points = Path(sys.argv[1]), [Point(**point) for point in json.loads(sys.argv[2])]
    options = argparse.Namespace(seen=kept, scripts=False, seconds=30, again=120, workers=1)
    try_all(points, options, kept / "out")
"""


@pytest.mark.slow
def test_what_is_noticed_and_what_survives(tmp_path: Path) -> None:
    file, name = "judges/plural.py", "test_the_size_of_a_file_is_in_megabytes_from_one_on_and_in_kilobytes_below"
    test = f"tests/judges/test_plural.py::{name}"
    points = [point for point in find_points(file, (ROOT / file).read_text()) if point.kind == "comparison"]
    lines = {file: {point.line: {test} for point in points}}
    (tmp_path / "1.pickle").write_bytes(pickle.dumps((lines, {test: 0.1})))
    points.append(Point(file, 1, 1, 0, 0, "1 / 0\n", "statement", in_function=False))
    arguments = [str(tmp_path), json.dumps([asdict(point) for point in points])]
    subprocess.run([sys.executable, "-c", TRY, *arguments], cwd=ROOT, check=True)
    entries = [json.loads(line) for line in (tmp_path / "out").read_text(encoding="utf-8").splitlines()]
    assert [(entry["point"]["text"], entry["outcome"], entry["by"]) for entry in entries] == [
        ("(round(n) != 1)", "survived", ""), ("(count > 2 ** 20)", "noticed", test), ("1 / 0\n", "noticed", ""),
    ]  # fmt: skip
    assert all(entry["sure"] for entry in entries)
