"""Files of other tools, a module for each tool: it is found by being there, and its files by what is in them.

A module has a `TITLE`, the paths of the long `LISTS` that its JSON objects hold, `fits(rows)`, which tells from the
first rows of a file whether the tool wrote it, and `read(parts)`, which gives what all its files in one import hold.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from data.importing.lines import ToolEntry
from judges.importing.jsonl import Record

NAMES: tuple[str, ...] = tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))
"""What the formats are called."""


@dataclass(frozen=True)
class Part:
    """One of the files: its name and its records."""

    name: str
    records: Iterable[Record]


class Tool(Protocol):
    """What a module of a tool has."""

    TITLE: str
    LISTS: tuple[tuple[str, ...], ...]

    def fits(self, rows: Sequence[dict[str, Any]]) -> bool:
        """Whether the tool wrote a file that begins with these rows."""

    def read(self, parts: Iterable[Part]) -> Iterator[ToolEntry]:
        """What the files hold; what they say of each other's items is joined, whatever order they have."""


def titles() -> list[str]:
    """What the tools are called."""
    return [tool(name).TITLE for name in NAMES]


def tool(name: str) -> Tool:
    """The tool of that name."""
    return cast("Tool", importlib.import_module(f"data.importing.tools.{name}"))


def fitting(rows: Sequence[dict[str, Any]]) -> str:
    """The name of the tool that wrote a file that begins with these rows, "" for none that is known."""
    return next((name for name in NAMES if rows and tool(name).fits(rows)), "")


def lists() -> frozenset[tuple[str, ...]]:
    """The long lists that the JSON objects of all tools hold."""
    return frozenset(path for name in NAMES for path in tool(name).LISTS)


def bare(value: dict[str, Any]) -> str:
    """The name of the list of a tool's object in which its rows would stand, where all of these lists are empty."""
    held = [value[name] for name in value if (name,) in lists()]
    named = [name for name in value if (name,) in lists()]
    return named[0] if named and not any(held) and all(isinstance(one, list) for one in held) else ""


def within(value: dict[str, Any], *keys: str) -> list[dict[str, Any]]:
    """The objects of the list that lies under the first of these keys, or the value itself."""
    for key in keys:
        if isinstance(held := value.get(key), list):
            return [one for one in held if isinstance(one, dict)]
    return [value]
