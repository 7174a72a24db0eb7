"""The audit log: who did what when, read from the tables themselves, as every row names the change that wrote it."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from data.records import datasets, exposure, tables
from data.records.access import allow, require
from data.records.names import display_name
from data.store import Store, columns_of, table_of
from data.trail.trail_kinds import FREQUENT_KINDS, TRACES

KINDS = tuple(dict.fromkeys(trace.kind for trace in TRACES))
DEFAULT_KINDS = tuple(kind for kind in KINDS if kind not in FREQUENT_KINDS)
"""The kinds that are not so many that they hide the others."""
_MAX_TEXT_LENGTH = 2_000
"""Characters of a long text that are shown."""
ROWS = 100
"""Rows of a table that are shown of one change."""
_PARTS = ("label", "comment", "repair", "approval_evidence")
"""Tables whose rows are parts of what another table describes."""


@dataclass(frozen=True)
class TrailEntry:
    """A change: its revision, when (UTC), by whom, of which kind and dataset ("" none), and what it was in words."""

    seq: int
    at: datetime
    actor: str
    kind: str
    dataset: str
    description: str


@dataclass(frozen=True)
class TrailFilter:
    """The choice of changes to show.

    They are of these kinds, by this person, about this dataset (its id), in this time (UTC), with these words in their
    description or names. "" and None mean any; `until` itself is left out.
    """

    kinds: tuple[str, ...] = DEFAULT_KINDS
    person: str = ""
    dataset: str = ""
    since: datetime | None = None
    until: datetime | None = None
    words: str = ""

    def fits(self, entry: TrailEntry) -> bool:
        """Whether an entry has all the words that are searched for, whatever their case and width."""
        text = _fold_case(f"{entry.description} {display_name(entry.actor)} {entry.dataset} {entry.seq}")
        return all(word in text for word in _fold_case(self.words).split())


def _fold_case(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


@allow("researcher")
def trail_entries(store: Store, narrow: TrailFilter, before: int | None = None, limit: int = 100) -> list[TrailEntry]:
    """The newest changes of that sort, newest first; `before` is the revision of the one to go on from."""
    if not narrow.words.split():
        return _entries(store, narrow, before, limit)
    entries: list[TrailEntry] = []
    while page := _entries(store, narrow, before, 1_000):
        for entry in page:
            if narrow.fits(entry):
                if len({e.seq for e in entries} | {entry.seq}) > limit:
                    return entries
                entries.append(entry)
        before = page[-1].seq
    return entries


def _entries(store: Store, narrow: TrailFilter, before: int | None, limit: int) -> list[TrailEntry]:
    traces = [trace for trace in TRACES if trace.kind in narrow.kinds and (trace.dataset or not narrow.dataset)]
    if not traces:
        return []
    conditions, params = list[str](), list[Any]()
    for condition, value in (
        ("c.seq < {}", before),
        ("c.actor = {}", narrow.person or None),
        ("c.made_at >= {}", narrow.since),
        ("c.made_at < {}", narrow.until),
    ):
        if value is not None:
            params.append(value)
            conditions.append(condition.format(f"${len(params)}"))
    rows = [f"select seq from {trace.source or trace.table} t" for trace in traces]
    if narrow.dataset:
        params.append(narrow.dataset)
        rows = [f"select seq from ({trace.dataset}) t where dataset_id = ${len(params)}" for trace in traces]
    conditions.append(f"c.seq in ({' union '.join(rows)})")
    changes = store.rows(
        f"select c.seq, c.made_at, c.actor from change c where {' and '.join(conditions)} "
        f"order by c.seq desc limit {limit:d}",
        params,
    )
    descriptions = _describe_changes(store, [int(seq) for seq, *_ in changes], {trace.kind for trace in traces})
    return [
        TrailEntry(int(seq), at, str(actor), kind, dataset, description)
        for seq, at, actor in changes
        for kind, dataset, description in descriptions[int(seq)]
    ]


@allow("researcher")
def all_entries(store: Store, narrow: TrailFilter) -> Iterator[TrailEntry]:
    """All of them, newest first, fetched as they are asked for."""
    before: int | None = None
    while page := trail_entries(store, narrow, before, 1_000):
        yield from page
        before = page[-1].seq


@allow("researcher")
def acting_people(store: Store) -> list[str]:
    """Everybody who ever changed anything, by name."""
    return [str(r[0]) for r in store.rows("select distinct actor from change order by lower(actor), actor")]


_TABLES_THAT_EXPOSE = {
    "label": (True, True), "comment": (True, False), "repair": (True, False), "adjudication": (True, False),
    "fit": (False, True), "reply": (False, True), "draw": (False, True),
}  # fmt: skip
"""Tables whose rows show what people, and what judges, answered about an item."""
_RECORDS: dict[str, type[NamedTuple]] = {
    table_of(record): record for name, record in vars(tables).items() if name.endswith("Row")
}


@allow("researcher")
def appended_rows(store: Store, actor: str, seq: int) -> dict[str, list[dict[str, Any]]]:
    """Return the first rows that a change appended to each table, by column, with long texts cut short.

    It leaves out rows that show what somebody else said of an item that the actor may still have to answer blind, and
    of the draw of such an item its stratum and probability, which may show a score. It records that the others are
    shown. Raises NotAllowed below the role researcher.
    """
    require(store, actor, "researcher")
    appended, blind_items = {}, exposure.blind_pending(store, actor)
    judges_by_item: dict[str, set[str]] = defaultdict(set)
    for table in dict.fromkeys([*(trace.table for trace in TRACES), *_PARTS]):
        fields = _RECORDS[table]._fields
        query = f"select {columns_of(_RECORDS[table])} from {table} where seq = $1 limit {ROWS:d}"
        shown = []
        for row in (dict(zip(fields, values, strict=True)) for values in store.rows(query, [seq])):
            by = _exposed_to(table, actor, row)
            if table == "draw" and row["item_id"] in blind_items:
                row |= {"stratum": "", "probability": None}
            if not by or row["item_id"] not in blind_items:
                shown.append({name: _shorten(value) for name, value in row.items()})
            if by and row["item_id"] not in blind_items:
                judges_by_item[row["item_id"]] |= by
        if shown:
            appended[table] = shown
    exposure.record_exposures(store, actor, judges_by_item, "trail")
    return appended


def _exposed_to(table: str, actor: str, row: dict[str, Any]) -> set[str]:
    """Return the judges (or other people, as one) whose answers about its item a row shows to `actor`."""
    people_say, judges_say = _TABLES_THAT_EXPOSE.get(table, (False, False))
    own = actor in (row.get("annotator"), row.get("person"))
    by = {exposure.OTHER_PEOPLE} if people_say and not own else set[str]()
    if judges_say and row["judge_id"] and row.get("saw", True) and row.get("stream") != "audit":
        by.add(row["judge_id"])
    return by


def _describe_changes(store: Store, seqs: list[int], kinds: set[str]) -> dict[int, list[tuple[str, str, str]]]:
    """(kind, dataset, words) of each change, one for every kind that it has to do with."""
    by_seq: dict[int, dict[str, tuple[str, list[str]]]] = {seq: {} for seq in seqs}
    if not seqs:
        return {}
    names = datasets.dataset_names(store)
    span = [min(seqs), max(seqs)]
    for trace in TRACES:
        if trace.kind not in kinds:
            continue
        words: dict[int, list[str]] = defaultdict(list)
        for seq, *columns in store.rows(trace.sql, span):
            if int(seq) in by_seq:
                words[int(seq)].append(trace.tell(*columns))
        about: dict[int, str] = {}
        if words and trace.dataset:
            query = f"select seq, min(dataset_id) from ({trace.dataset}) t where seq between $1 and $2 group by seq"
            about = {int(seq): names.get(str(id_), "") for seq, id_ in store.rows(query, span)}
        for seq, texts in words.items():
            dataset, before = by_seq[seq].get(trace.kind, ("", []))
            by_seq[seq][trace.kind] = (dataset or about.get(seq, ""), before + texts)
    return {
        seq: [(kind, dataset, "; ".join(texts)) for kind, (dataset, texts) in by_kind.items()]
        for seq, by_kind in by_seq.items()
    }


def _shorten(value: Any) -> Any:
    return f"{value[:_MAX_TEXT_LENGTH]}…" if isinstance(value, str) and len(value) > _MAX_TEXT_LENGTH else value
