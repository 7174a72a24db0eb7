"""A request as a handler sees it: who asks, in which store, and the values of path, query and body."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel

from data.records import datasets, requests
from data.records.access import Person, Role
from data.records.datasets import Dataset
from data.records.tokens import Token
from data.store import Store
from data.store.errors import NotFound
from pages.api.models import In

T = TypeVar("T")
Scope = Literal["", "check", "read", "write", "draw", "run"]


@dataclass(frozen=True)
class Call:
    """One request. `file` has a body of lines, `key` the idempotency key, `fingerprint` a mark of all of it.

    `streams`: rows are wanted in a stream. `options` are those of an export.
    """

    store: Store
    person: Person
    token: Token
    path: dict[str, str]
    query: Any
    body: Any = None
    file: Path | None = None
    key: str = ""
    fingerprint: str = ""
    streams: bool = False
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def actor(self) -> str:
        """The name of the person who makes the request."""
        return self.person.name

    @property
    def dataset(self) -> Dataset:
        """The dataset that the path names, by its name or its id. Raises NotFound."""
        return named_dataset(self.store, self.path["dataset"])

    def answer_once(
        self, work: Callable[[], T], give: Callable[[T], dict[str, Any]], one_change: bool = True
    ) -> StoredAnswer:
        """The answer of `give` to the result of `work`, which runs only once for an idempotency key."""
        return StoredAnswer(*requests.answer_once(
            self.store, self.actor, self.key, self.fingerprint, work, give, one_change=one_change
        ))  # fmt: skip


@dataclass(frozen=True)
class Lines:
    """An answer of rows in batches, which is sent while it is made."""

    batches: Iterator[list[dict[str, Any]]]


@dataclass(frozen=True)
class StoredAnswer:
    """An earlier answer to the same idempotency key."""

    body: dict[str, Any]
    again: bool


Answer = BaseModel | dict[str, Any] | Lines | StoredAnswer


@dataclass(frozen=True)
class ApiRoute:
    """An entry of the table: method and path, who may ask, and the handler.

    `scope` "" is met by every token; `lines`: the body is lines of these sorts ("lines": all). `kind` is that of an
    export whose options are parameters, too. `keeps_still`: the answer changes with the store alone, so that its
    revision stands for it.
    """

    method: Literal["GET", "POST"]
    path: str
    name: str
    description: str
    scope: Scope
    role: Role
    handler: Callable[[Call], Answer]
    gives: type[BaseModel]
    query: type[BaseModel] = In
    body: type[BaseModel] | None = None
    lines: str = ""
    kind: str = ""
    keeps_still: bool = False


def named_dataset(store: Store, name: str) -> Dataset:
    """The dataset of that name or id. Raises NotFound."""
    try:
        return datasets.dataset_named(store, name)
    except NotFound:
        return datasets.find_dataset(store, name)
