"""Reading a whole workspace once: what does not fit together is reported in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pydantic import ValidationError

from data.records.access import allow
from data.records.rows import content_hash
from data.store import Store, hidden_rows
from judges.card import Item
from judges.plural import many, verb
from judges.sections import unasked_units
from judges.types import ITEM, units

_PAGE = 500
_NAMED_OTHERWISE = {"card_version": ("card", "version"), "previous": ("answer", "id"), "replaces": ("label", "id")}
"""Columns that name a row and are not called as its table: every other one that does is `item_id`, `judge_id`, ..."""
_UNCHECKED_COLUMNS = (("answer", "judge_id"), ("label", "judge_id"), ("exposure", "judge_id"))
"""Judges as the browser, or a store that a backup has replaced, named them; they may be missing here."""
_MAY_BE_EMPTY = {
    "answer_id": ("label",), "draw_id": ("answer", "claim", "label"), "run_id": ("charge", "judgment"),
    "previous": ("answer",), "replaces": ("label",), "judge_id": ("design", "draw"),
    "dataset_id": ("export", "webhook_event"), "login_id": ("login_end",),
}  # fmt: skip
"""Column -> the tables whose rows may name nothing in it."""


@allow("lead")
def verify(store: Store) -> list[str]:
    """Everything that is wrong with a workspace, in sentences; an empty list where it is sound."""
    columns: dict[str, list[str]] = dict(store.rows(
        "select c.table_name, list(c.column_name order by c.column_name) from information_schema.columns c "
        "join information_schema.tables t on t.table_name = c.table_name where t.table_type = 'BASE TABLE' "
        "group by c.table_name order by c.table_name"
    ))  # fmt: skip
    holding = " union all ".join(f"select '{table}' where exists (select 1 from {table})" for table in columns)
    filled = {table: columns[table] for (table,) in sorted(store.rows(holding))}
    return [
        *_changes(store, filled), *_references(store, filled, columns), *_check_replacements(store), *_samples(store),
        *_items(store),
    ]  # fmt: skip


def _changes(store: Store, filled: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The numbers of the changes run from 1, without a gap but before imports, and every row belongs to one of them."""
    count, newest, mismatches = store.rows(
        "select count(*), coalesce(max(seq), 0), coalesce(sum(case when action = 'import' and gap between 0 and $1 "
        "then 0 else abs(gap) end), 0) from (select seq, action, seq - lag(seq, 1, 0) over (order by seq) - 1 as gap "
        "from change) c",
        [hidden_rows.RESERVED_CHANGES],
    )[0]
    if mismatches:
        mismatches = many(int(mismatches), "number")
        yield f"The changes run to {newest}, but there are {count}: {mismatches} missing or doubled."
    for table in (name for name, fields in filled.items() if "seq" in fields):
        query = f"select count(*) from {table} t where not exists (select 1 from change c where c.seq = t.seq)"
        if mismatches := store.rows(query)[0][0]:
            yield f"{many(mismatches, 'row')} of {table} {verb(mismatches, 'belongs', 'belong')} to no change."


def _references(
    store: Store, filled: Mapping[str, Sequence[str]], columns: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """Everything that a row names by id exists, in whichever table."""
    for table, column in ((table, column) for table, fields in filled.items() for column in fields):
        named = column.removesuffix("_id")
        # A table of events has the id of what they are about beside that of each row.
        other, key = _NAMED_OTHERWISE.get(column, (named, column if column in columns.get(named, ()) else "id"))
        if other == column or other not in columns or (table, column) in _UNCHECKED_COLUMNS:
            continue
        query = (
            f"select t.{column}, count(*) as n from {table} t where not exists "
            f"(select 1 from {other} o where o.{key} = t.{column})"
        )
        if table in _MAY_BE_EMPTY.get(column, ()):
            query += f" and t.{column} is not null and t.{column} <> ''"
        for name, count in store.rows(query + f" group by t.{column} order by n desc limit 3"):
            rows = f"{many(count, 'row')} of {table} {verb(count, 'names', 'name')}"
            yield f"{rows} the {other} {name!r}, which is not there."


def _check_replacements(store: Store) -> Iterator[str]:
    """No label is replaced twice, and a replaced one is of the same person and cell."""
    twice = "select replaces, count(*) as n from label where replaces is not null group by replaces having count(*) > 1"
    for name, count in store.rows(twice):
        yield f"The label {name!r} is replaced {count} times."
    other = (
        "select l.id, o.id from label l join label o on o.id = l.replaces where l.item_id <> o.item_id "
        "or l.unit <> o.unit or l.dimension <> o.dimension or l.annotator <> o.annotator limit 20"
    )
    for label, replaced in store.rows(other):
        yield f"The label {label!r} replaces {replaced!r}, which answers something else."


def _samples(store: Store) -> Iterator[str]:
    """The score of a judge that was asked several times is what its samples combine to."""
    query = (
        "select c.judge_id, count(*) from combined_now c left join combination_now n on n.judge_id = c.judge_id "
        "and n.item_id = c.item_id and n.unit = c.unit and n.dimension = c.dimension where n.samples is null "
        "or n.samples <> c.samples or coalesce(abs(n.value - c.value) > 1e-9, n.value is distinct from c.value) "
        "group by c.judge_id order by c.judge_id limit 20"
    )
    for judge, count in store.rows(query):
        differ = verb(count, "differs", "differ")
        yield f"{many(count, 'value')} of the judge {judge!r} {differ} from what its samples combine to."


def _items(store: Store) -> Iterator[str]:
    """The content of every item is what it was, and its scores and labels are about units that it has."""
    last = ""
    while rows := store.rows(
        "select id, name, kind, content, hash from item where id > $1 order by id limit $2", [last, _PAGE]
    ):
        last = rows[-1][0]
        items: dict[str, Item] = {}
        for key, name, kind, content, stored_hash in rows:
            if content_hash(content) != stored_hash:
                yield f"The content of the item {name!r} is not what it was when it came in."
            try:
                item = ITEM.validate_json(content, strict=True)
            except ValidationError:
                yield f"The content of the item {name!r} is no item."
                continue
            if item.id != name:
                yield f"The content of the item {name!r} is that of {item.id!r}."
            if item.kind != kind:
                yield f"The item {name!r} is kept as a {kind}, and its content is a {item.kind}."
            items[key] = item
        units_by_item = {key: set(units(item)) for key, item in items.items()}
        ids = [row[0] for row in rows]
        for table in ("score", "label", "remark"):
            query = f"select distinct item_id, unit from {table} where item_id = any($1) order by item_id, unit"
            for key, unit in store.rows(query, [ids]):
                if key not in items or unit in units_by_item[key]:
                    continue
                # What a judge says of the sections of a short pair is kept, though nobody is asked about them.
                if table == "label" or unit not in unasked_units(items[key]):
                    yield f"A {table} is about {unit} of the item {key!r}, which it does not have."
