"""A client of Assay's API in one file, with nothing but Python's own library: copy it beside your code.

    from assay_client import Assay

    assay = Assay("http://127.0.0.1:8501", token)        # or ASSAY_URL and ASSAY_TOKEN from the environment
    assay.send("support chats", lines)                   # items, judgments, labels, cards: docs/formats.md
    for row in assay.rows("support chats", "gold"):
        ...
    assert assay.check("support chats", judge="gpt-4o")["code"] == 0

A request that fails on the way is asked again. What is sent bears a key, so that nothing is done twice.
"""

from __future__ import annotations

import json
import os
import random
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode

Json = dict[str, Any]
AT_ONCE = 8 * 2**20
"""Bytes of lines that go out in one request."""


class Refused(Exception):
    """Assay did not do what was asked: its status, its sentence, and of lines which and why (`problems`)."""

    def __init__(self, status: int, problem: Json) -> None:
        super().__init__(problem.get("detail") or f"Assay answered {status}.")
        self.status, self.problems = status, problem.get("problems") or []


class Assay:
    """A workspace as the API gives it. `tries` is how often a request is made at most, `patience` seconds for each."""

    def __init__(self, url: str = "", token: str = "", tries: int = 6, patience: float = 300) -> None:
        self.url = (url or os.environ.get("ASSAY_URL", "http://127.0.0.1:8501")).rstrip("/") + "/api/v1"
        self._token, self._tries, self._patience = (token or os.environ["ASSAY_TOKEN"]).strip(), tries, patience
        self._opener = urllib.request.build_opener(_NoRedirect())

    def get(self, path: str, **query: Any) -> Json:
        """What stands at a path, as `get("/datasets")`."""
        return self._ask("GET", path, query)

    def post(self, path: str, body: Json, key: str = "") -> Json:
        """What comes of a body, as `post("/datasets/NAME/draws/audit", {"size": 50})`."""
        return self._ask("POST", path, {}, json.dumps(body).encode(), "application/json", key or str(uuid.uuid4()))

    def send(self, dataset: str, lines: Iterable[Mapping[str, Any]], what: str = "lines", **query: Any) -> list[Json]:
        """Send lines, in as many requests as they need; what came of each. Raises Refused.

        `what` is lines, items, judgments, labels or cards; of the query, `on_error="skip"` takes the good lines.
        """
        path = f"/datasets/{quote(dataset, safe='')}/{what}"
        return [
            self._ask("POST", path, query, body, "application/x-ndjson", str(uuid.uuid4())) for body in _bodies(lines)
        ]

    def rows(self, dataset: str, kind: str, **query: Any) -> Iterator[Json]:
        """The rows of items, judgments, labels, adjudications, gold, scores or samples, page after page."""
        path, cursor = f"/datasets/{quote(dataset, safe='')}/{kind}", None
        while True:
            page = self._ask("GET", path, {**query, **({"cursor": cursor} if cursor else {})})
            yield from page["rows"]
            cursor = page["next"]
            if cursor is None:
                return

    def check(self, dataset: str, judge: str = "", dimensions: Iterable[str] = ()) -> Json:
        """Whether a judge meets the policy: `code` 0 it does, 1 it does not, 2 it cannot be said."""
        return self._ask("GET", "/check", {"dataset": dataset, "judge": judge, "dimension": list(dimensions)})

    def run(self, dataset: str, card: str, model: str, key: str = "", **order: Any) -> Json:
        """Start a run: `run` is its id. `order`: `spending_limit`, `price`, `params`, `endpoint`, `most`."""
        return self.post("/runs", {"dataset": dataset, "card": card, "model": model, **order}, key)

    def wait(self, run: str, every: float = 5.0) -> Json:
        """A run's state, once it goes on no more: `finished`, `failed`, `stopped` or `interrupted`."""
        while (found := self.get(f"/runs/{run}"))["state"] in ("running", "stopping", "waiting for batch"):
            time.sleep(every)
        return found

    def _ask(
        self, method: str, path: str, query: Mapping[str, Any], body: bytes | None = None, kind: str = "", key: str = ""
    ) -> Json:
        """The answer; what fails on the way, and 429 and 503, is tried again."""
        told = {n: str(v).lower() if isinstance(v, bool) else v for n, v in query.items() if v not in ("", None)}
        address = f"{self.url}{path}" + (f"?{urlencode(told, doseq=True)}" if told else "")
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        headers |= {"Content-Type": kind, "Idempotency-Key": key} if body is not None else {}
        for left in reversed(range(self._tries)):
            try:
                asked = urllib.request.Request(address, body, headers, method=method)
                with self._opener.open(asked, timeout=self._patience) as answer:
                    found: Json = json.loads(answer.read())
                    return found
            except urllib.error.HTTPError as error:
                wait = error.headers.get("Retry-After", "")
                if not left or (error.code < 500 and not wait):
                    raise Refused(error.code, _problem(error.read())) from None
            except (OSError, ValueError):  # cut off on the way, also in the middle of an answer
                if not left:
                    raise
                wait = ""
            time.sleep(float(wait) if wait.isdigit() else min(2.0 ** (self._tries - left), 30) * random.random())
        raise AssertionError("unreachable")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, which would take the token elsewhere."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _bodies(lines: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """The lines in bodies of about AT_ONCE bytes."""
    held, size = list[bytes](), 0
    for line in lines:
        held.append(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        size += len(held[-1])
        if size >= AT_ONCE:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)


def _problem(body: bytes) -> Json:
    try:
        found = json.loads(body)
    except ValueError:
        found = {}
    return found if isinstance(found, dict) else {}
