"""How a command is ended before it is done: once, whatever asks for it, with all cleared away that is to be."""

import asyncio
import signal
import subprocess
import sys
from asyncio import events
from collections.abc import Iterator
from signal import SIGHUP, SIGINT, SIGTERM, raise_signal

import pytest

from judges.process import delay_interrupts, run_async
from tests.server import ROOT

COMMAND = """
import atexit, signal, sys, types
from signal import SIGHUP, SIGINT, SIGTERM, raise_signal
from judges.process import run_process
def main(arguments):
    {body}
sys.modules["command"] = types.ModuleType("command")
sys.modules["command"].main = main
{before}
run_process("command")
"""


def run_command(body: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command with this body in a process of its own."""
    code = COMMAND.format(body="\n    ".join(body.splitlines()), before=before)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_what_asks_a_command_to_end_lets_it_clear_away_once(name: str) -> None:
    ended = run_command(
        f"try:\n    raise_signal({name})\n    print('goes on')\n"
        "finally:\n    raise_signal(SIGINT)\n    raise_signal(SIGHUP)\n    print('cleared', flush=True)"
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "cleared\n", "")


def test_an_interrupt_that_others_have_made_another_error_of_is_one() -> None:
    """As pandas does while it is loaded: Python printed where."""
    body = "try:\n    raise_signal(SIGINT)\nexcept KeyboardInterrupt:\n    pandas.half_loaded"
    ended = run_command(body, "import judges as pandas")
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")
    ended = run_command("pandas.half_loaded", "import judges as pandas")
    assert ended.returncode == 1 and "AttributeError" in ended.stderr


def test_a_second_sigterm_ends_a_command_that_takes_too_long_to_clear_away() -> None:
    ended = run_command("try:\n    raise_signal(SIGINT)\nfinally:\n    raise_signal(SIGTERM)\n    print('cleared')")
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


def test_an_interrupt_after_a_command_is_done_changes_nothing() -> None:
    """Python printed where it was in a function that it calls at the end."""
    ended = run_command("return 0", "atexit.register(lambda: raise_signal(SIGINT))")
    assert (ended.returncode, ended.stderr) == (0, "")


def test_what_is_ignored_stays_so() -> None:
    """As nohup has it, and a shell for what runs in the background."""
    ended = run_command("raise_signal(SIGHUP)\nreturn 0", "signal.signal(SIGHUP, signal.SIG_IGN)")
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.fixture
def handlers() -> Iterator[None]:
    """The interrupts raise KeyboardInterrupt, as in a command; afterwards they do what they did."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in (SIGINT, SIGTERM, SIGHUP)}
    yield
    assert {signal.getsignal(number) for number in before} == {signal.default_int_handler}
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [SIGINT, SIGTERM, SIGHUP])
def test_an_interrupt_that_is_delayed_comes_after_the_body(handlers: None, number: signal.Signals) -> None:
    steps = []
    with pytest.raises(KeyboardInterrupt), delay_interrupts():
        with delay_interrupts():
            raise_signal(number)
            steps.append("inner")
        steps.append("outer")
    assert steps == ["inner", "outer"]


@pytest.mark.parametrize("early", [False, True])
def test_an_interrupt_cancels_a_coroutine(handlers: None, monkeypatch: pytest.MonkeyPatch, early: bool) -> None:
    """One while its loop is made, too: Python said that the coroutine was never awaited."""
    steps = []

    async def work() -> None:
        try:
            if not early:
                raise_signal(SIGTERM)
            await asyncio.Event().wait()
        finally:
            steps.append("cleared")

    if early:
        make = events.new_event_loop
        monkeypatch.setattr(events, "new_event_loop", lambda: raise_signal(SIGINT) or make())
    with pytest.raises(KeyboardInterrupt):
        run_async(work())
    assert steps == ["cleared"]


def test_an_interrupt_calls_in_the_loop_what_is_to_stop_the_work(handlers: None) -> None:
    stop = asyncio.Event()

    async def work() -> str:
        raise_signal(SIGHUP)
        await stop.wait()
        return "stopped"

    assert run_async(work(), stop.set) == "stopped"
