"""The practice endpoint for tests: in a thread of this process (its log at hand), or as a process of its own."""

import contextlib
import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judges.practice import background
from judges.practice.options import PracticeOptions
from judges.practice.server import Server
from tests.practice.faults import faults
from tests.practice.log import Log
from tests.practice.options import Equipment
from tests.practice.server import FaultyServer

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Running:
    """An endpoint that runs: its address, what was chosen, and what it was asked."""

    url: str
    options: Equipment
    log: Log


@contextlib.contextmanager
def practice(spec: str = "", **chosen: Any) -> Iterator[Running]:
    """An endpoint in a thread on a free port, with faults such as "429=0.1:0,reset=0.05" and any of Equipment.

    Each is a server of its own, with a log of its own, also where the options are those of one before.
    """
    options = Equipment(**{"port": 0, "faults": faults(spec), **chosen})
    server = FaultyServer(options)
    running = background.serve_in_thread(server)
    try:
        yield Running(running.url, options, server.log)
    finally:
        running.stop()


@contextlib.contextmanager
def product(**chosen: Any) -> Iterator[str]:
    """The base URL of an endpoint just as the product has it, in a thread on a free port, with any of Options."""
    running = background.serve_in_thread(Server(PracticeOptions(**{"port": 0, **chosen})))
    try:
        yield running.url
    finally:
        running.stop()


@contextlib.contextmanager
def practice_process(*arguments: str) -> Iterator[str]:
    """An endpoint as `python -m tests.practice --port 0 ...` of its own; the base URL."""
    command = [sys.executable, "-m", "tests.practice", "--port", "0", *arguments]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        yield next(word.rstrip(".") for word in line.split() if word.startswith("http://"))
    finally:
        process.terminate()
        process.wait(60)


def post(url: str, body: dict[str, Any], headers: dict[str, str] | None = None) -> tuple[int, Any, dict[str, str]]:
    """(status, the answer's JSON or its text, its headers) of one chat completion."""
    sent = {"Content-Type": "application/json", **(headers or {})}
    request = urllib.request.Request(f"{url}/chat/completions", json.dumps(body).encode(), sent)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            status, data, reply_headers = answer.status, answer.read(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        status, data, reply_headers = error.code, error.read(), dict(error.headers)
    try:
        return status, json.loads(data), reply_headers
    except ValueError:
        return status, data.decode(), reply_headers
