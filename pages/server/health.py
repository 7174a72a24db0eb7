"""The addresses for monitoring the server: whether it reads, whether it saves, and its metrics.

`/health` reads. `/healthz` saves: it commits a small change of the store that leaves no row, at most once a second
however often it is asked. `/metrics` has no names and no texts in it, but is not public. If ASSAY_METRICS_TOKEN is set,
it answers requests with that token. Otherwise it answers only this machine, while the server has no other name.
"""

from __future__ import annotations

import hmac
import os
import resource
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from streamlit.runtime import Runtime

from data import log, metrics
from data.metrics import Metric
from data.store import Store
from data.workspace.figures import read_metrics
from judges.errors import AssayError
from pages.server.access import LOCAL_HOSTS, base_address, is_local

FRESH_SECONDS = 1.0
"""Seconds for which a save that was tried stands for those who ask after it."""
TYPE = "text/plain; version=0.0.4; charset=utf-8"


def routes(store: Callable[[], Store]) -> list[Route]:
    """The addresses that are asked, at the root and below the base path, of the store that is open then."""
    saving = _Saving()

    def health(_: Request) -> JSONResponse:
        try:
            return JSONResponse({"status": "ok", "changes": store().newest()})
        except AssayError as error:
            return JSONResponse({"status": "failing", "why": type(error).__name__}, 503)

    def healthz(_: Request) -> JSONResponse:
        why = saving.try_saving(store)
        return JSONResponse({"status": "failing", "why": why}, 503) if why else JSONResponse({"status": "ok"})

    def numbers(request: Request) -> Response:
        if not may_measure(request):
            return PlainTextResponse("There is nothing here.", 404)
        return Response(metrics.metrics_text([*_of_process(), *_of_store(store)]), media_type=TYPE)

    answers = {"health": health, "healthz": healthz, "metrics": numbers}
    return [Route(f"{base}/{name}", answers[name]) for name in answers for base in {"", base_address()}]


class _Saving:
    """Whether the store saves, tried anew when the last time was long enough ago."""

    def __init__(self) -> None:
        self._lock, self._at, self._why = threading.Lock(), -FRESH_SECONDS, ""

    def try_saving(self, store: Callable[[], Store]) -> str:
        """Try to save, unless that was done just now, and return the reason for a failure; "" if the store saves."""
        with self._lock:
            if time.monotonic() - self._at >= FRESH_SECONDS:
                try:
                    store().check_writable()
                    self._why = ""
                except AssayError as error:
                    self._why = type(error).__name__
                    log.warning("health_failed", why=self._why)
                self._at = time.monotonic()
            return self._why


def may_measure(request: Request) -> bool:
    """Whether somebody may have the numbers."""
    token = os.environ.get("ASSAY_METRICS_TOKEN", "").strip()
    if token:
        authorization = request.headers.get("authorization", "").encode()
        return hmac.compare_digest(authorization, f"Bearer {token}".encode())
    return is_local() and request.client is not None and request.client.host in LOCAL_HOSTS


def _of_process() -> list[Metric]:
    used = resource.getrusage(resource.RUSAGE_SELF)
    tabs = Runtime.instance()._session_mgr.num_active_sessions() if Runtime.exists() else 0
    return [
        Metric("open_tabs", "Tabs that are connected to this process.", "gauge", {(): tabs}),
        Metric("process_memory_bytes", "Memory that this process holds.", "gauge", {(): _memory(used.ru_maxrss)}),
        Metric("process_cpu_seconds_total", "Processor time that this process has used.", "counter", {
            (): used.ru_utime + used.ru_stime
        }),
    ]  # fmt: skip


def _memory(peak: int) -> int:
    """The memory held now; where the system does not say, the most that was held."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()
    except OSError:
        return peak if sys.platform == "darwin" else peak * 1024


def _of_store(store: Callable[[], Store]) -> list[Metric]:
    """Return the metrics of the store, and whether it could be read."""
    about = "Whether the store could be read for these numbers."
    try:
        return [*read_metrics(store()), Metric("store_up", about, "gauge", {(): 1})]
    except AssayError:
        return [Metric("store_up", about, "gauge", {(): 0})]
