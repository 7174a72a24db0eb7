"""A kind of export: its name, a description, its columns, its options, and the rows that it makes of a dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import pyarrow as pa

from data.records.access import allow
from data.records.datasets import Dataset
from data.store import Store
from data.store.errors import BadInput

Row = dict[str, Any]
Options = Mapping[str, Any]
Choices = Callable[[Store, str], Mapping[str, str]]
Aliases = Callable[[Store, str, str], list[str]]
Query = tuple[str, list[Any]]
BEGIN: Options = MappingProxyType({})
"""The beginning of rows that begin with the first one."""


@dataclass(frozen=True)
class ExportOption:
    """Something a person decides about an export: a text, a yes or no, or a number, as the default is.

    `choices` gives the texts that can be chosen, with the words for them, and `aliases` those that other words mean;
    `help` is what it does, in a sentence.
    """

    name: str
    title: str
    help: str
    default: str | bool | int
    choices: Choices | None = None
    aliases: Aliases | None = None


@dataclass(frozen=True)
class ExportKind:
    """A kind of export.

    `columns` are the names and types of a row, which hold in all formats (a column of text holds nested values as JSON
    in Parquet and CSV). `count` gives how many rows there are without making them, where they may be many, or `query` a
    query that has as many. `first` gives the first so many without putting all of them in order; they begin with those
    of the item that the columns of a row name, or of all. `marks_tuning_items`: what is given out is put aside as
    tuning items. `place` is its place in lists. What the rows show of an item, and so show to whoever takes them:
    `shows_people`, what people said; `shows_judges`, what judges said, `all` of them unless one is chosen, or only a
    `chosen` one. `reimport` says in words whether an import takes it back, and with what. `provenance` is what the rows
    rest on besides their options, which is kept beside these in the record of the export. `parts` are the kinds whose
    rows an export of several sorts holds, in the order in which an import wants them: such rows differ in their keys,
    so it can only be JSON lines. `empty_message` is said where there are no rows.
    """

    name: str
    title: str
    description: str
    columns: pa.Schema
    rows: Callable[[Store, Dataset, Options], Iterator[Row]]
    shows_people: bool
    shows_judges: Literal["all", "chosen", "none"]
    count: Callable[[Store, Dataset, Options], int] | None = None
    options: tuple[ExportOption, ...] = ()
    place: int = 50
    first: Callable[[Store, Dataset, Options, int, Options], Iterator[Row]] | None = None
    marks_tuning_items: bool = False
    provenance: Callable[[Store, Dataset, Options], Row] = lambda *_: {}
    reimport: str = "not imported again"
    query: Callable[[Dataset, Options], Query] | None = None
    parts: tuple[ExportKind, ...] = ()
    empty_message: str = "There is nothing of this kind in the dataset yet."

    @property
    def is_reimported(self) -> bool:
        """Whether an import takes its files back."""
        return self.reimport.startswith("imported")

    def size(self, store: Store, dataset: Dataset, options: Options) -> int:
        """Return the number of rows."""
        if self.query is not None:
            return count_rows(store, self.query(dataset, options))
        if self.count is not None:
            return self.count(store, dataset, options)
        return sum(1 for _ in self.rows(store, dataset, options))

    def shown_judges(self, options: Options) -> tuple[bool, str]:
        """(whether every judge's word is shown with these options, else the one judge's id or "")."""
        named = next((options[name] for name in ("judge", "by_judge", "weakest_by") if options.get(name)), "")
        chosen = str(named) if self.shows_judges != "none" else ""
        return self.shows_judges == "all" and not chosen, chosen


TEXT, NUMBER, INTEGER, FLAG = pa.string(), pa.float64(), pa.int64(), pa.bool_()
_CALL = pa.struct([("id", TEXT), ("type", TEXT), ("function", pa.struct([("name", TEXT), ("arguments", TEXT)]))])
CHAT = pa.list_(
    pa.struct(
        [("role", TEXT), ("content", TEXT), ("name", TEXT), ("tool_call_id", TEXT), ("tool_calls", pa.list_(_CALL))]
    )
)
"""A conversation as TRL and most trainers take it: [{"role", "content"}, ...], and OpenAI's keys for calls of tools."""


def count_rows(store: Store, query: Query) -> int:
    """Return the number of rows that a query gives."""
    sql, params = query
    return int(store.rows(f"select count(*) from ({sql}) rows_of", params)[0][0])


def limit_clause(limit: int) -> str:
    """The end of a query of at most so many rows; 0 = all."""
    return f" limit {limit:d}" if limit else ""


def typed_schema(**types: pa.DataType) -> pa.Schema:
    """A schema of named types."""
    return pa.schema(list(types.items()))


@allow("researcher")
def list_choices(store: Store, option: ExportOption, dataset_id: str) -> dict[str, str]:
    """The texts that an option can be in a dataset, with the words for them; none where any text will do."""
    return dict(option.choices(store, dataset_id)) if option.choices else {}


def resolve_option(store: Store, dataset_id: str, option: ExportOption, value: Any) -> Any:
    """Return a value as the option takes it; for a choice, the beginning of its id or its name is enough.

    Raises BadInput with what there is.
    """
    if isinstance(option.default, (bool, int)):
        if type(value) is not type(option.default) or (not isinstance(value, bool) and value < 0):
            expected = "yes or no" if isinstance(option.default, bool) else "a whole number from 0"
            raise BadInput(f"{option.title}: {value!r} cannot be taken; give {expected}.")
        return value
    text = str(value)
    if option.choices is None or text == option.default:
        return text
    known = option.choices(store, dataset_id)
    if text in known:
        return text
    if option.aliases is not None:
        matches = option.aliases(store, dataset_id, text)
    else:
        matches = [k for k, words in known.items() if (text and k.startswith(text)) or text in words.split(" · ")]
    if len(matches) == 1:
        return matches[0]
    shown = {k: words for k, words in known.items() if k in matches or not matches}
    listing = "; ".join(f"{words} ({k})" if k != words else k for k, words in list(shown.items())[:12]) or "nothing"
    problem = "stands for several" if matches else "is not there"
    raise BadInput(f"{option.title}: {text[:60]!r} {problem}. There are: {listing}.")


def complete_options(store: Store, dataset_id: str, kind: ExportKind, options: Options) -> dict[str, Any]:
    """The options of a kind, those that were not given by their defaults. Raises BadInput."""
    names = {o.name for o in kind.options}
    if extra := sorted(set(options) - names):
        allowed = ", ".join(sorted(names)) or "none"
        raise BadInput(f"An export of {kind.name} has no option {', '.join(extra)}. It has: {allowed}.")
    return {o.name: resolve_option(store, dataset_id, o, options.get(o.name, o.default)) for o in kind.options}
