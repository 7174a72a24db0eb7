"""Every command is documented and answers in sentences: `make ...`, `python -m data ...`, `python -m judges ...`."""

import importlib
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from judges.version import VERSION
from tests.server import ROOT

TOOLS = [tool for tool in ("data", "judges") if (ROOT / tool / "__main__.py").exists()]


def run(*command: str | Path, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a command without a terminal."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)


def make(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run make with this Python in the place of .venv's, installing nothing."""
    if not shutil.which("make"):
        pytest.skip("make is not here.")
    options = (f"PY={sys.executable}", "-o", ".venv/.installed", "-f", str(ROOT / "Makefile"))
    return run("make", "--no-print-directory", *options, *arguments, folder=folder)


@pytest.mark.parametrize("tool", TOOLS)
def test_every_command_is_documented(tool, capsys):
    process = run(sys.executable, "-m", tool, "--help")
    assert process.returncode == 0, process.stderr
    commands = dict(re.findall(r"^ {4}([a-z][a-z-]*)\s+(\S.*)$", process.stdout, re.MULTILINE))
    assert commands, f"python -m {tool} --help lists no command with a word on what it does:\n{process.stdout}"
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    missing = [name for name in commands if f"python -m {tool} {name}" not in page]
    assert not missing, f"docs/commands.md does not say what python -m {tool} does with: {', '.join(missing)}"
    named = set(re.findall(rf"^ +python -m {tool} ([a-z]+)", page, re.MULTILINE))
    unknown = named - set(commands)
    assert not unknown, f"docs/commands.md names what python -m {tool} does not have: {', '.join(sorted(unknown))}"
    main = importlib.import_module(f"{tool}.cli").main  # in this process: a new one for each costs its imports
    for name in commands:
        with pytest.raises(SystemExit) as ended:
            main([name, "--help"])
        assert ended.value.code == 0 and f"python -m {tool} {name}" in capsys.readouterr().out


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("arguments", [(), ("nonsense",), ("--nonsense",)], ids=" ".join)
def test_a_slip_is_answered_with_the_usage(tool, arguments):
    answer = run(sys.executable, "-m", tool, *arguments)
    assert answer.returncode == 2
    assert f"python -m {tool}" in answer.stderr and "Traceback" not in answer.stderr


def test_make_says_what_there_is():
    """Plain `make` is help, and help has a line for every target that a person types."""
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    targets = set(phony[1].split())
    assert {line.split()[1] for line in make().stdout.splitlines()} == targets
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    missing = [f"make {target}" for target in targets - {"help"} if f"`make {target}`" not in page]
    assert not missing, f"CONTRIBUTING.md does not say what these do: {missing}"


@pytest.mark.parametrize(
    ("port", "sentence"),
    [
        ("abc", "ASSAY_PORT is 'abc'. It has to be a port"),
        ("70000", "ASSAY_PORT is '70000'. It has to be a port"),
        ("0", "ASSAY_PORT is '0'. It has to be a port"),
        ("taken", "is in use, perhaps by Assay already"),
    ],
)
def test_make_run_refuses_a_port_in_a_sentence(port, sentence):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        number = listener.getsockname()[1] if port == "taken" else port
        answer = make("run", f"ASSAY_PORT={number}")
    assert answer.returncode != 0
    assert sentence in answer.stderr and "Traceback" not in answer.stderr
    assert "http://127.0.0.1" not in answer.stdout, "It says where it is served, and is not served."


def test_make_without_a_python_says_so(tmp_path):
    answer = make(".venv/bin/pip", "PYTHON=/nowhere/python3", folder=tmp_path)
    assert answer.returncode != 0
    assert "Assay needs Python 3.11 or later, and /nowhere/python3 is not." in answer.stdout
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize("fails", ["", "check", "test", "test-slow", "check test"])
def test_continuous_integration_fails_where_the_checks_or_the_tests_do(tmp_path, fails):
    """A make that only says what it was asked for stands in for the real one."""
    stand_in = tmp_path / "make"
    stand_in.write_text(f'#!/bin/sh\necho "made $1"\ncase " {fails} " in *" $1 "*) exit 2;; esac\n', encoding="utf-8")
    stand_in.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    answer = subprocess.run([ROOT / ".ci" / "run"], env={"PATH": path}, capture_output=True, text=True, timeout=60)
    assert answer.stdout.split("made ")[1:] == ["check\n", "test\n", "test-slow\n"], "One run says everything."
    assert (answer.returncode != 0) is bool(fails)


@pytest.mark.parametrize("tool", TOOLS)
def test_the_version_is_said_in_one_way_everywhere(tool):
    answer = run(sys.executable, "-m", tool, "--version")
    assert (answer.returncode, answer.stdout) == (0, f"Assay {VERSION}\n")
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", changes, re.MULTILINE)[1] == VERSION, "CHANGELOG.md begins with another version."
