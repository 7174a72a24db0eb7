"""Refusals to programs in one form (RFC 9457): a title, the status, and what is wrong in a sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

MEDIA_TYPE = "application/problem+json"


def problem(
    status: int, sentence: str, headers: Mapping[str, str] | None = None, problems: Sequence[Any] = (), count: int = 0
) -> Response:
    """The answer; `problems` are lines with their fields, `count` how many there are in all."""
    body: dict[str, Any] = {
        "type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": sentence,
    }  # fmt: skip
    if problems:
        body |= {"problems": list(problems), "problem_count": count}
    # A quotation from a bad request may contain invalid characters.
    text = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    return Response(text, status, headers, MEDIA_TYPE)
