"""The formats of an import, a module for each: it is found by being there, and its files by what is in them.

A module has a `TITLE`, `fits(start)`, which tells from the beginning of a file, with a row at least, whether it is of
the format, and `read(files)`, which gives what its files in one import hold, or a `Reader` that does (`ToolReader`).
Where its JSON objects hold long lists, it has their paths as `LISTS`. Where a format has several sorts of files, the
module has their titles by name as `ROLES_OF_FILES`, and `role(start)`, which is None for a file of no sort.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any, cast

from data.importing.format_file import FileStart, FormatFile
from data.store.errors import BadInput
from judges.importing.entries import ToolEntry

BENCH = ("fastchat", "swallow", "mt_bench_101")
"""The formats of MT-Bench's files, beside which others are left aside."""
ASIDE = "aside"
OWN = ("canonical", "messages", *BENCH, "table")
"""The formats that belong to no other tool. The last is that of tables which no other format knows."""
TOOLS: tuple[str, ...] = tuple(
    sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name not in (*OWN, ASIDE) and not m.name.startswith("_"))
)
"""The formats of other tools, by name."""
SEPARATE = frozenset(("canonical", "messages", "table"))
"""The formats whose files are read one at a time, in their order; files of any other are read together."""
_RECOGNISED = ("canonical", "swallow", "mt_bench_101", *TOOLS, "messages", "fastchat")
"""The order in which formats are asked whether a file is theirs."""


def format_module(name: str) -> ModuleType:
    """The module of the format of that name."""
    return importlib.import_module(f"data.importing.formats.{name}")


def read_files(name: str, files: Iterable[FormatFile]) -> Iterator[ToolEntry]:
    """What files of a format hold; what they say of each other's items is joined, whatever order they have."""
    module = format_module(name)
    read = module.Reader(module.TITLE).read if hasattr(module, "Reader") else module.read
    return cast("Iterator[ToolEntry]", read(files))


def titles() -> list[str]:
    """Return the titles of the other tools whose files are read."""
    return [format_module(name).TITLE for name in TOOLS]


def recognise(start: FileStart) -> str:
    """The name of the format of a file that begins so, "" for none that is known."""
    return next((name for name in _RECOGNISED if start.rows and format_module(name).fits(start)), "")


def file_roles(name: str) -> Mapping[str, str]:
    """The titles of the sorts of files that a format has, by name; none where it has one sort only."""
    return cast("Mapping[str, str]", getattr(format_module(name), "ROLES_OF_FILES", {}))


def file_role(name: str, start: FileStart) -> str | None:
    """Return the sort of a file, None if the format has only one. Raises BadInput if the file is none of them."""
    if not file_roles(name):
        return None
    module = format_module(name)
    if (role := cast("str | None", module.role(start))) is None:
        named = ", ".join(sorted(frozenset().union(*start.shapes)))[:200] or "none"
        raise BadInput(f"{start.name} is no file of {module.TITLE}: its keys are {named}.")
    return role


def items_role(name: str) -> str:
    """The role in which a format reads the items that a dataset holds already, "" where it has no use for them."""
    return cast("str", getattr(format_module(name), "ITEMS_ROLE", ""))


def lists() -> frozenset[tuple[str, ...]]:
    """The long lists that the JSON objects of all formats hold."""
    return frozenset(path for name in (*OWN, *TOOLS) for path in getattr(format_module(name), "LISTS", ()))


def empty_list(value: dict[str, Any]) -> str:
    """The name of the list of a tool's object in which its rows would stand, where all of these lists are empty."""
    known = lists()
    lists_by_name = {name: entries for name, entries in value.items() if (name,) in known}
    return next(iter(lists_by_name), "") if all(entries == [] for entries in lists_by_name.values()) else ""
