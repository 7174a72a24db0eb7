"""Of what tests do in several processes nothing is lost: neither a failure, nor a process, nor a test after either."""

import os
import subprocess
import sys
from pathlib import Path

from tests.server import ROOT

CONFTEST = """
from tests import workers

def pytest_runtestloop(session):
    workers.run(session, 2, [[0, 1], [2, 3, 4], *([n] for n in range(5, len(session.items)))], lambda item: False)
    return True

def pytest_runtest_protocol(item, nextitem):
    return workers.run_again(item, nextitem) if "again" in item.name else None
"""
TESTS = """
import os, pytest
@pytest.fixture(scope="module")
def shared():
    yield []
def test_first(shared): shared.append(1)
def test_second(shared): assert shared == [1]
def test_fails(): assert [1, 2] == [1, 3]
def test_dies(): os._exit(3)
def test_after_a_death(tmp_path): assert tmp_path.exists()
TRIED = []
@pytest.fixture
def fresh(tmp_path):
    yield TRIED.append(tmp_path)
def test_again_and_well(fresh): assert len(set(TRIED)) == 2, "fails at first"
def test_again_and_wrong(fresh): assert len(TRIED) < 3, f"tried {len(TRIED)} times"
@pytest.mark.parametrize("n", range(5))
def test_alone(n, capfd): print(n); assert capfd.readouterr().out == f"{n}\\n"
"""


def test_failures_deaths_and_what_comes_after_them_are_all_told(tmp_path: Path) -> None:
    for name, text in (("conftest.py", CONFTEST), ("test_some.py", TESTS), ("pytest.ini", "[pytest]\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    alone = {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, env={**os.environ, **alone}, capture_output=True, text=True)
    assert "3 failed, 9 passed, 2 warnings" in done.stdout and done.returncode == 1, done.stdout + done.stderr
    assert "fails at first" in done.stdout and "tried 4 times" in done.stdout
    assert "assert [1, 2] == [1, 3]" in done.stdout and "The process ended with status" in done.stdout
