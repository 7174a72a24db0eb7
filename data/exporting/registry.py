"""The kinds of export that there are: the modules of kinds/, each with a KIND."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from data.exporting import kinds as folder
from data.exporting.kind import ExportKind
from data.store.errors import NotFound


@cache
def export_kinds() -> dict[str, ExportKind]:
    """Every kind by name, in the order of lists."""
    names = sorted(m.name for m in pkgutil.iter_modules(folder.__path__))
    found = [importlib.import_module(f"data.exporting.kinds.{name}").KIND for name in names]
    return {kind.name: kind for kind in sorted(found, key=lambda k: (k.place, k.name))}


def export_kind(name: str) -> ExportKind:
    """The kind of that name. Raises NotFound, naming those there are."""
    there = export_kinds()
    if name not in there:
        raise NotFound(f"There is no export called {name[:60]!r}. There are: {', '.join(there)}.")
    return there[name]
