"""The files of the Batch API: one line for each request and one for each result, in any order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from judges.client.response_body import MAX_FILE_BYTES
from judges.params import Params
from judges.protocols.call_plan import Task

CALL_PATH = "/v1/chat/completions"
MAX_LINES, MAX_BYTES = 50_000, 100_000_000
"""The most lines and bytes of one file, as at OpenAI (which takes twice the bytes)."""
_ID_SEPARATOR = "|"
_TOKEN_BYTES, _TOKEN_LOGPROBS_BYTES, _OVERHEAD_BYTES = 8, 800, 4096
"""The usual maximum of bytes of a reply's token, of a token with its alternatives, and of the envelope of a reply."""


Place = tuple[str, str, int, str]
"""(item, part, sample, piece): one call."""


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The result of one call: the HTTP status and body, or `missed`: why it was not carried out."""

    place: Place
    status: int
    body: bytes
    missed: str = ""


def max_calls(params: Params) -> int:
    """Return the most calls that one file may hold so that its results can be read (response_body.MAX_FILE_BYTES)."""
    call_bytes = params.max_tokens * (_TOKEN_LOGPROBS_BYTES if params.logprobs else _TOKEN_BYTES) + _OVERHEAD_BYTES
    return max(min(MAX_LINES, MAX_FILE_BYTES // call_bytes), 1)


def custom_id(task: Task, piece: str) -> str:
    """The stable name of a call, from which item, part, sample and piece can be read back.

    ValueError if one of them contains the separator.
    """
    parts = (task.key, task.part, str(task.sample), piece)
    if any(_ID_SEPARATOR in part for part in parts):
        raise ValueError(f"No part of a call's name may hold {_ID_SEPARATOR!r}: {parts}.")
    return _ID_SEPARATOR.join(parts)


def batch_line(task: Task, piece: str, body: dict[str, Any]) -> bytes:
    """The line that asks for one call; `body` is what a direct call would send."""
    request = {"custom_id": custom_id(task, piece), "method": "POST", "url": CALL_PATH, "body": body}
    return json.dumps(request, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def refusal(faults: Any) -> str:
    """The message of a batch's `errors`, in OpenAI's form or another; "" if there is none."""
    listed = faults.get("data", faults) if isinstance(faults, dict) else faults
    entries = listed if isinstance(listed, list) else [listed]
    messages = (entry.get("message") if isinstance(entry, dict) else entry for entry in entries)
    return "; ".join(str(message) for message in messages if message)


def read_results(lines: bytes) -> Iterator[BatchResult]:
    """The results in an output or error file; lines that are broken or not ours are skipped."""
    for text in lines.split(b"\n"):
        try:
            record = json.loads(text)
            key, part, sample, piece = str(record["custom_id"]).split(_ID_SEPARATOR)
            place = key, part, int(sample), piece
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        response, error = record.get("response"), record.get("error")
        if isinstance(response, dict) and isinstance(response.get("status_code"), int):
            body = json.dumps(response.get("body"), ensure_ascii=False).encode("utf-8", "replace")
            yield BatchResult(place, response["status_code"], body)
        else:
            details = error if isinstance(error, dict) else {}
            yield BatchResult(place, 0, b"", str(details.get("code") or details.get("message") or "no answer"))
