"""Which format each file of a source has, and the entries of all of them one after the other."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from data.cards.cards import known as known_cards
from data.importing import canonical, chats, fastchat, table, tools
from data.importing.container import Container, container, first, records
from data.importing.fastchat_rows import Role, role_of
from data.importing.lines import Entry, Found, Line
from data.importing.mapping import Mapping, signature
from data.importing.plan import Format, Plan
from data.importing.settlement import settled
from data.importing.source import File, Source
from data.records.settings import get
from data.store import Store
from data.store.errors import BadInput
from judges.authoring.custom import from_spec
from judges.card import Card
from judges.cards import cards
from judges.importing.contents import line_of_columns
from judges.importing.jsonl import Record

SCOPE = "mapping"
_SHORT = 2**20

_NAMES: dict[str, str] = {
    "canonical": "Assay's JSON lines",
    "messages": "chats",
    "fastchat": "FastChat",
    "table": "a table",
}


_ROLES: dict[Role, str] = {
    "question": "questions",
    "answer": "answers of a model",
    "reference": "reference answers",
    "single": "ratings by a judge",
    "pair": "verdicts on pairs",
    "vote": "votes on pairs",
    "prompt": "a judge's prompts",
}


@dataclass(frozen=True)
class Known:
    """A file and what it turned out to be, with the columns of its first rows and those rows, as far as they are short.
    """

    file: File
    held: Container
    format: Format
    role: Role | None = None
    columns: list[str] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)

    @property
    def says(self) -> str:
        """What the file is, in words."""
        return f"FastChat: {_ROLES[self.role]}" if self.format == "fastchat" and self.role else _title(self.format)


def _title(name: Format) -> str:
    return _NAMES.get(name) or tools.tool(name).TITLE


def formats(source: Source, wanted: Format = "auto") -> list[Known]:
    """What each file of a source is. Raises BadInput for archives, empty files and what is no data."""
    return [_format(file, wanted) for file in source.files]


def _format(file: File, wanted: Format) -> Known:
    held = container(file)
    sample = first(file, held, 20)
    if held == "csv" and not sample and not _any(file, held):
        raise BadInput(f"{file.name} holds a header and no rows.")
    shapes = list(dict.fromkeys(frozenset(record.value) for record in sample))
    roles = [role for keys in shapes if (role := role_of(file.name, keys)) is not None]
    role = roles[0] if roles else None
    if wanted == "fastchat" and role is None:
        named = ", ".join(sorted(frozenset().union(*shapes)))[:200] or "none"
        raise BadInput(f"{file.name} is none of FastChat's files: its keys are {named}.")
    if wanted != "auto":
        return Known(file, held, wanted, role, *_begins(sample))
    written = ("lines", "list", "object")
    if any(map(canonical.fits if held in written else canonical.exported, shapes)):
        found: Format = "canonical"
    elif of := tools.fitting([record.value for record in sample]):
        found = of
    elif any(map(chats.fits, shapes)):
        found = "messages"
    elif role is not None and held != "csv":
        found = "fastchat"
    elif len(sample) == 1 and (bare := tools.bare(sample[0].value)):
        raise BadInput(f"{file.name} holds nothing to import: its list {bare} is empty.")
    elif held == "object":
        named = ", ".join(sorted(frozenset().union(*shapes)))[:200] or "none that can be read"
        raise BadInput(
            f"{file.name} is one JSON object that none of the tools known here writes (its keys: {named}). Give its "
            "rows as a list in brackets, or as JSON lines."
        )
    else:
        found = "table" if shapes else "canonical"
    return Known(file, held, found, role, *_begins(sample))


def _any(file: File, held: Container) -> bool:
    """Whether a file holds a record at all, good or bad."""
    with file.fresh() as stream:
        return next(iter(records(file, held, stream)), None) is not None


def _begins(sample: list[Record]) -> tuple[list[str], list[dict[str, Any]]]:
    """The columns of the first rows, and those of them that are short enough together to be shown."""
    columns = list(dict.fromkeys(name for record in sample for name in record.value))
    sizes = itertools.accumulate(len(str(record.value)) for record in sample)
    return columns, [record.value for record, size in zip(sample, sizes, strict=True) if size <= _SHORT]


def mapping_for(store: Store, plan: Plan, known: Known) -> Mapping:
    """The mapping of a table: the plan's that fits its columns best, else the one that such a table had before.

    Raises BadInput, saying what is missing, where there is none or it is not complete.
    """
    columns = set(known.columns)
    fitting = [m for m in plan.mappings if m.columns() <= columns]
    kept = get(store, SCOPE, signature(columns))
    if fitting:
        found = max(fitting, key=lambda m: len(m.columns()))
    elif plan.mappings:
        found = plan.mappings[0]
    elif kept is not None:
        found = Mapping.model_validate(kept)
    else:
        raise BadInput(
            f"{known.file.name} is a table with the columns {', '.join(known.columns)[:300]}. Say what they mean: on "
            "the import page, or with --mapping FILE (--suggest writes one to begin with)."
        )
    there = {**found.cards(), **known_cards(store), **{card.name: card for card in made(plan)}}
    if faults := found.faults(columns, there):
        raise BadInput(f"The mapping does not fit {known.file.name}. {' '.join(faults)}")
    return found.completed(there)


def made(plan: Plan) -> list[Card]:
    """The cards that a plan brings."""
    return [from_spec(spec, cards()) for spec in plan.cards]


def entries(source: Source, plan: Plan, found: list[Known], mappings: dict[str, Mapping]) -> Iterator[Entry]:
    """Everything that the files of a source hold; those of FastChat, and of each other tool, are read together.

    `mappings` has the mapping of every table by the name of its file. The cards that the plan brings come first.
    """
    brought = {card.version: card for card in made(plan)}
    brought |= {card.version: card for mapping in mappings.values() for card in mapping.cards().values()}
    yield from (Line(source.name, 0, "card", {"card": card.spec}) for card in brought.values())
    with contextlib.ExitStack() as stack:
        parts = [
            fastchat.Part(known.file.name, known.role, _lazy(stack, known))
            for known in found
            if known.format == "fastchat" and known.role is not None
        ]
        if parts:
            yield from fastchat.read(parts)
    for name in sorted({known.format for known in found} & set(tools.NAMES)):
        yield from settled(of_tool(name, found), plan.questions)
    readers: dict[str, Callable[[str, Iterator[Record]], Iterator[Entry]]] = {
        "canonical": canonical.read,
        "messages": chats.read,
    }
    # What knows its items by their names alone gives way to what has their texts.
    for known in sorted(found, key=lambda one: one.format == "table" and mappings[one.file.name].textless):
        if known.format == "fastchat" or known.format in tools.NAMES:
            continue
        name = known.file.name
        with known.file.open() as stream:
            held = records(known.file, known.held, stream)
            if known.format == "table":
                yield from table.read(name, held, mappings[name])
            else:
                if known.format == "canonical" and known.held in ("csv", "parquet"):
                    held = (replace(row, value=line_of_columns(row.value, known.held == "csv")) for row in held)
                yield from readers[known.format](name, held)


def of_tool(name: str, found: list[Known]) -> Iterator[Found]:
    """What all files of one tool hold, with what they say under names of their own."""
    with contextlib.ExitStack() as stack:
        parts = [tools.Part(known.file.name, _lazy(stack, known)) for known in found if known.format == name]
        yield from tools.tool(name).read(parts)


def _lazy(stack: contextlib.ExitStack, known: Known) -> Iterator[Record]:
    """The records of a file that is opened when the first of them is asked for."""
    stream = stack.enter_context(known.file.open())
    yield from records(known.file, known.held, stream)
    stream.close()


def say(found: list[Known]) -> list[str]:
    """The formats of a source in words, each once."""
    return sorted({_title(known.format) for known in found})
