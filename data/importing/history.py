"""What was imported here, newest first: every import leaves a row, and nothing that it brought is ever deleted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from data.store import Store


@dataclass(frozen=True)
class ImportRecord:
    """One import: when (UTC), by whom, from what, into which dataset, read as what, and how many of each it added."""

    at: datetime
    by: str
    source: str
    dataset: str
    format: str
    items: int
    judgments: int
    labels: int


def list_imports(store: Store, most: int = 10) -> list[ImportRecord]:
    """The newest imports."""
    rows = store.rows(
        "select c.made_at, c.actor, n.source, d.name, n.format, n.items, n.judgments, n.labels from intake n "
        "join change c on c.seq = n.seq join dataset d on d.id = n.dataset_id order by n.seq desc limit $1",
        [most],
    )
    return [ImportRecord(*row) for row in rows]
