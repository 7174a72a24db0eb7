"""Rows that go out: the exports of a dataset, a page at a time as JSON, or all of them as JSON lines."""

from __future__ import annotations

from data.exporting import delivery
from pages.api.call import Call, Lines
from pages.api.models import RowsOut


def export_rows(call: Call, kind: str) -> RowsOut | Lines:
    """The rows of an export; who took which is on record before they go out."""
    at = call.dataset
    if call.streams:
        return Lines(delivery.stream_export(call.store, call.actor, at, kind, call.options))
    page = delivery.export_page(
        call.store, call.actor, at, kind, call.options, call.query.cursor, call.query.limit
    )
    return RowsOut(rows=page.rows, next=page.next or None)
