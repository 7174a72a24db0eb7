"""Files and the Batch API of the practice endpoint: kept in memory, processed a few lines at a time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from judges.practice import model
from judges.practice.completion import unix_seconds
from judges.practice.model import ErrorReply
from judges.practice.options import PracticeOptions

URL = "/v1/chat/completions"
_LINES_PER_PAUSE = 20
_DAY_SECONDS = 86_400
_MAX_LINES = 50_000
"""Lines of a batch, as at OpenAI."""


class Batches:
    """Uploaded files and the batches made of them. Batches take `batch_seconds`, half of it before the first line.

    A batch ends as options.batch_ends says. `answer` gives the status and the body for the body of a line.
    """

    def __init__(
        self, options: PracticeOptions, answer: Callable[[dict[str, Any]], tuple[int, dict[str, Any]]]
    ) -> None:
        self._options, self._answer = options, answer
        self._files: dict[str, tuple[dict[str, Any], bytes]] = {}
        self._jobs: dict[str, dict[str, Any]] = {}
        self._work_of: dict[str, asyncio.Task[None]] = {}

    def keep(self, data: bytes, name: str, purpose: str) -> dict[str, Any]:
        """Store a file and describe it."""
        ident = f"file-practice{len(self._files) + 1}"
        details = {"bytes": len(data), "created_at": unix_seconds(), "filename": name, "purpose": purpose}
        shown = {"id": ident, "object": "file", **details, "status": "processed"}
        self._files[ident] = shown, data
        return shown

    def file(self, ident: str) -> tuple[dict[str, Any], bytes]:
        """A file by its id. Raises ErrorReply (404)."""
        if ident not in self._files:
            raise ErrorReply(404, f"No such file: {ident}.", "invalid_request_error", None, "id")
        return self._files[ident]

    def batch(self, ident: str) -> dict[str, Any]:
        """A batch by its id. Raises ErrorReply (404)."""
        if ident not in self._jobs:
            raise ErrorReply(404, f"No batch found with id '{ident}'.", "invalid_request_error", None, "batch_id")
        return self._jobs[ident]

    def list_batches(self) -> list[dict[str, Any]]:
        """All batches, newest first."""
        return list(reversed(self._jobs.values()))

    def start(self, body: dict[str, Any]) -> dict[str, Any]:
        """Begin a batch of an uploaded file. Raises ErrorReply."""
        if body.get("endpoint") != URL:
            raise model.bad_request(f"The practice endpoint runs batches for {URL} only.", "endpoint")
        shown_file, data = self.file(str(body.get("input_file_id")))
        if shown_file["purpose"] != "batch":
            raise model.bad_request("The file was not uploaded with purpose 'batch'.", "input_file_id")
        ident, at = f"batch_practice{len(self._jobs) + 1}", unix_seconds()
        shown: dict[str, Any] = {
            "id": ident,
            "object": "batch",
            "endpoint": URL,
            "errors": None,
            "input_file_id": body["input_file_id"],
            "completion_window": body.get("completion_window", "24h"),
            "status": "validating",
            "output_file_id": None,
            "error_file_id": None,
            "created_at": at,
            "expires_at": at + _DAY_SECONDS,
            **dict.fromkeys(("in_progress_at", "finalizing_at", "completed_at", "failed_at", "expired_at")),
            **dict.fromkeys(("cancelling_at", "cancelled_at")),
            "request_counts": {"total": 0, "completed": 0, "failed": 0},
            "metadata": body.get("metadata"),
        }
        self._jobs[ident] = shown
        self._work_of[ident] = asyncio.get_running_loop().create_task(self._work(shown, data))
        return shown

    async def cancel(self, ident: str) -> dict[str, Any]:
        """Cancel a batch; what was answered by then stays."""
        shown = self.batch(ident)
        if shown["status"] in ("validating", "in_progress"):
            shown["status"], shown["cancelling_at"] = "cancelling", unix_seconds()
        return shown

    async def close(self) -> None:
        """End the work under way."""
        for task in self._work_of.values():
            task.cancel()
        await asyncio.gather(*self._work_of.values(), return_exceptions=True)

    async def _work(self, shown: dict[str, Any], data: bytes) -> None:
        ends = self._options.batch_ends
        await asyncio.sleep(self._options.batch_seconds / 2)
        lines, faults = _lines(data)
        if ends == "failed" and not faults:
            faults = [_fault("practice_failed", "This batch was told to fail.", None)]
        if faults:
            shown["errors"] = {"object": "list", "data": faults}
            _set(shown, "failed")
            return
        counts = shown["request_counts"]
        counts["total"] = len(lines)
        if shown["status"] == "validating":
            _set(shown, "in_progress")
        last = len(lines) // 2 if ends == "expired" else len(lines)
        good: list[bytes] = []
        failed: list[bytes] = []
        for number, line in enumerate(lines):
            if number % _LINES_PER_PAUSE == 0:
                await asyncio.sleep(self._options.batch_seconds / 2 / (len(lines) // _LINES_PER_PAUSE + 1))
            if shown["status"] == "cancelling" or number >= last:
                code = "batch_cancelled" if shown["status"] == "cancelling" else "batch_expired"
                missed = {"code": code, "message": "This request was not carried out before the batch ended."}
                failed.append(model.to_bytes(_result(line, number, None, missed)))
                counts["failed"] += 1
                continue
            status, body = self._answer(line["body"])
            (good if status == 200 else failed).append(model.to_bytes(_result(line, number, (status, body), None)))
            counts["completed" if status == 200 else "failed"] += 1
        shown["finalizing_at"] = unix_seconds()
        for kind, rows in (("output", good), ("error", failed)):
            if rows:
                stored_file = self.keep(b"\n".join(rows) + b"\n", f"{shown['id']}_{kind}.jsonl", "batch_output")
                shown[f"{kind}_file_id"] = stored_file["id"]
        _set(shown, "cancelled" if shown["status"] == "cancelling" else ends)


def _lines(data: bytes) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The requests of an input file, and what is wrong with it by line."""
    lines: list[dict[str, Any]] = []
    faults: list[dict[str, Any]] = []
    seen: set[str] = set()
    for number, raw in enumerate(data.splitlines(), 1):
        if not raw.strip():
            continue
        try:
            line = json.loads(raw)
            ident, body, url = line["custom_id"], line["body"], line["url"]
        except (ValueError, KeyError, TypeError, RecursionError):
            faults.append(_fault("invalid_json_line", "This line is no request in JSON.", number))
            continue
        if ident in seen:
            faults.append(_fault("duplicate_custom_id", f"The custom_id {ident!r} stands twice.", number))
        elif url != URL or line.get("method") != "POST" or not isinstance(body, dict):
            faults.append(_fault("invalid_url", f"Each line must POST to {URL}.", number))
        seen.add(ident)
        lines.append(line)
    if not lines and not faults:
        faults.append(_fault("empty_file", "The input file has no lines.", None))
    if len(lines) > _MAX_LINES:
        faults.append(_fault("too_many_tasks", f"A batch has at most {_MAX_LINES} lines.", None))
    return lines, faults


def _fault(code: str, message: str, line: int | None) -> dict[str, Any]:
    return {"code": code, "message": message, "line": line, "param": None}


def _result(
    line: dict[str, Any], number: int, response: tuple[int, dict[str, Any]] | None, failed: dict[str, str] | None
) -> dict[str, Any]:
    ident = f"batch_req_practice{number + 1}"
    shown = response and {"status_code": response[0], "request_id": f"req_practice{number + 1}", "body": response[1]}
    return {"id": ident, "custom_id": line["custom_id"], "response": shown, "error": failed}


def _set(shown: dict[str, Any], status: str) -> None:
    shown["status"] = status
    shown[f"{status}_at"] = unix_seconds()
