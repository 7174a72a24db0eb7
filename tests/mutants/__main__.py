"""How much of the code the tests hold: `make mutants`, or `python -m tests.mutants data judges --seed 7 --count 300`.

A random sample of points of the code is made wrong, one after the other, and the tests that run the point's lines are
run: those that end well have not noticed it. First all tests run once, to see which lines each of them runs; that is
kept in `.mutants` until --fresh. Then each change is made in the loaded functions of a fork, which takes a second or
two; in a copy of the checkout, which takes ten times as long, if it is outside of functions or was not noticed there.
What survives is printed, to be read: some mutants mean the same as the code.

`python -m tests.mutants --scripts pages/ui/sheet` does the same with the JavaScript of a room. Nobody sees
which lines of it a test runs: all tests of a script's room are run, in the browser too.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.mutants import line_coverage, trials
from tests.mutants.points import Point, find_points
from tests.mutants.scripts import find_points as find_script_points
from tests.server import ROOT

RESULTS = ROOT / ".mutants"


def look(arguments: argparse.Namespace) -> None:
    """Run all tests once, of scripts only those of their rooms, and keep which lines each of them runs."""
    shutil.rmtree(arguments.seen, ignore_errors=True)
    arguments.seen.mkdir(parents=True)
    run = [sys.executable, "-m", "pytest", "-q", "-p", "tests.mutants.line_coverage", "--lines", str(arguments.seen)]
    rooms = [f"tests/{room}" for room in (arguments.rooms if arguments.scripts else ("data", "judges", "pages"))]
    options = ["--workers", str(arguments.workers), *["--browsers"] * arguments.scripts]
    subprocess.run([*run, *options, *rooms], cwd=ROOT, check=False)


def sample(arguments: argparse.Namespace) -> tuple[list[Point], int]:
    """So many points of the rooms' files, and of how many."""
    find = find_script_points if arguments.scripts else find_points
    files = {file for room in arguments.rooms for file in (ROOT / room).rglob("*.js" if arguments.scripts else "*.py")}
    names = sorted(str(file.relative_to(ROOT)) for file in files if "bundled" not in file.parts)
    every = [point for name in names for point in find(name, (ROOT / name).read_text(encoding="utf-8"))]
    every = [point for point in every if arguments.kind in ("", point.kind)]
    return random.Random(arguments.seed).sample(every, min(arguments.count, len(every))), len(every)


def try_all(points: Sequence[Point], arguments: argparse.Namespace, out: Path) -> None:
    """Try every point, in so many processes, and write a line of what came of each as soon as it is known."""
    lines, seconds = line_coverage.read(arguments.seen)
    trials.load()
    with tempfile.TemporaryDirectory(prefix="assay-mutants-") as folder:
        base = trials.prepare(Path(folder))

        def fork(session: pytest.Session | None) -> None:
            context = get_context("fork")
            processes = []
            for number in range(arguments.workers):
                own = trials.Trials(Path(folder, str(number)), base, session)
                part = points[number :: arguments.workers]
                processes.append(context.Process(target=_try, args=(part, own, lines, seconds, arguments, out)))
                processes[-1].start()
            for process in processes:
                process.join()

        if arguments.scripts:
            fork(None)
        else:
            files = sorted({test.partition("::")[0] for test in seconds})
            options = ["-x", "-qq", "-s", "--no-summary", "-p", "no:cacheprovider"]
            pytest.main([*options, *files], plugins=[trials.Collected(fork)])


def _try(
    points: Sequence[Point],
    own: trials.Trials,
    lines: line_coverage.Lines,
    seconds: dict[str, float],
    arguments: argparse.Namespace,
    out: Path,
) -> None:
    sure: dict[object, bool] = {}
    often = Counter[str]()
    for point in points:
        outcome: trials.Outcome = "untried"
        by, tests, tried = "", list[str](), list[str]()
        attempt = own.in_tree if arguments.scripts else own.in_place
        for limit in (arguments.seconds, arguments.again):
            more = [test for test in trials.choose(point, lines, seconds, limit) if test not in tried]
            if more and outcome in ("untried", "survived"):
                tests = sorted(more, key=lambda test: -often[test])
                outcome, by = attempt(point, tests, _most(tests, seconds))
                tried += tests
        if tried and outcome in ("untried", "survived") and attempt != own.in_tree:
            attempt, tests = own.in_tree, tried
            outcome, by = attempt(point, tests, _most(tests, seconds))
        often[by] += 1
        # A test that fails without the change has noticed nothing, nor has one that takes as long without it.
        suspects = (by,) if by else tuple(tests) if outcome == "hung" else ()
        if suspects and (attempt, suspects) not in sure:
            unchanged, _ = attempt(None, suspects, 120 if by else _most(suspects, seconds))
            sure[attempt, suspects] = unchanged == "survived"
        is_sure = sure.get((attempt, suspects), True)
        line = {"point": asdict(point), "outcome": outcome, "by": by, "tests": len(tried), "sure": is_sure}
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def _most(tests: Sequence[str], seconds: dict[str, float]) -> float:
    """Seconds after which tests are taken to hang."""
    return 30 + 3 * sum(seconds[test] for test in tests)


def table(out: Path, every: int) -> str:
    """What came of the sample, and every mutant that nothing noticed."""
    entries = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    counts = Counter("in doubt" if not entry["sure"] else entry["outcome"] for entry in entries)
    rows = [
        f"{len(entries)} of {every:,} points: " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items()))
    ]
    for entry in sorted(entries, key=lambda entry: (entry["point"]["file"], entry["point"]["line"])):
        if entry["outcome"] in ("noticed", "hung") and entry["sure"]:
            continue
        point = Point(**entry["point"])
        was = (ROOT / point.file).read_bytes()[point.start : point.end].decode()
        rows += [
            "",
            f"{point.file}:{point.line} {point.kind}, {entry['tests']} tests",
            f"  - {was}",
            f"  + {point.text}",
        ]
    return "\n".join(rows)


def main(argv: list[str]) -> int:
    """Look, try, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("rooms", nargs="*", default=["data"], help="folders of the product (default: data)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--count", type=int, default=300, help="points to try (default: 300)")
    parser.add_argument("--seconds", type=float, default=30, help="of tests for each mutant (default: 30)")
    parser.add_argument("--again", type=float, default=120, help="and for one that survived those (default: 120)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--kind", default="", help="of change, such as sql or comparison (default: all)")
    parser.add_argument("--scripts", action="store_true", help="change the rooms' JavaScript, not their Python")
    parser.add_argument("--fresh", action="store_true", help="look again which lines each test runs")
    parser.add_argument("--kept", type=Path, default=RESULTS, help="folder of what was seen (default: .mutants)")
    arguments = parser.parse_args(argv)
    arguments.seen = arguments.kept / ("scripts" if arguments.scripts else "lines")
    if arguments.fresh or not arguments.seen.exists():
        look(arguments)
    points, every = sample(arguments)
    out = arguments.kept / f"{arguments.seen.name}-seed-{arguments.seed}.jsonl"
    out.unlink(missing_ok=True)
    try_all(points, arguments, out)
    print(table(out, every))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
