"""Refusals of the API in one form (RFC 9457): a title, a sentence on what is wrong and, for lines, which lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from data import log
from data.importing.report import ImportPreview, ImportRefused
from data.records.requests import KeyInUse
from data.store.errors import NotAllowed, NotFound, StoreFailed, StoreLocked
from judges.errors import AssayError
from pages.server.problems import problem

_STATUS: tuple[tuple[type[AssayError], int], ...] = (
    (NotAllowed, 403), (NotFound, 404), (KeyInUse, 409), (ImportRefused, 422), (StoreFailed, 503), (StoreLocked, 503),
    (AssayError, 400),
)  # fmt: skip
MAX_SHOWN_LINES = 100
"""Lines that cannot be taken and are named in one answer, and its warnings."""


class Refusal(Exception):
    """A refusal by the server itself: its status, a sentence, and headers."""

    def __init__(self, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.headers = status, sentence, dict(headers or {})


def lines_of(preview: ImportPreview) -> list[dict[str, Any]]:
    """The first lines that cannot be imported."""
    return [
        {"line": problem.line, "field": problem.field, "detail": problem.sentence}
        for problem in preview.problems[:MAX_SHOWN_LINES]
    ]


def answer_error(error: Exception) -> Response:
    """The answer to an exception of a handler. An unexpected one is logged and not quoted."""
    if isinstance(error, Refusal):
        return problem(error.status, error.sentence, error.headers)
    if isinstance(error, ImportRefused):
        return problem(422, str(error), None, lines_of(error.preview), error.preview.problem_count)
    if isinstance(error, AssayError):
        status = next(status for kind, status in _STATUS if isinstance(error, kind))
        wait = status == 503 or (isinstance(error, KeyInUse) and error.wait)
        return problem(status, str(error), {"retry-after": "5"} if wait else None)
    log.error("api_failed", error)
    return problem(500, "An unexpected error occurred; the server's log says where. It is not known that anything was "
                        "written. Send the request again with the same Idempotency-Key.")  # fmt: skip
