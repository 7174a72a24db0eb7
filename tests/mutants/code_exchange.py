"""A changed function in the place of the one that is loaded, so that a mutant needs no tree and loads nothing."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType

from tests.mutants.points import Point
from tests.server import ROOT

Functions = dict[str, list[FunctionType]]
"""The loaded functions of each file."""


def loaded_functions(folder: Path = ROOT) -> Functions:
    """All loaded functions of the files in a folder, but for those that `gc.freeze` has hidden."""
    functions: Functions = {}
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename.startswith(f"{folder}/"):
            functions.setdefault(thing.__code__.co_filename, []).append(thing)
    return functions


def exchange(point: Point, functions: Sequence[FunctionType]) -> bool:
    """Make a point's change in the loaded functions of its file; false if it is in none of them."""
    file = ROOT / point.file
    source = file.read_bytes()
    old, new = (compile(text, file, "exec", dont_inherit=True) for text in (source, point.apply(source)))
    changed = dict(find_changed(old, new))
    touched = [function for function in functions if function.__code__ in changed]
    for function in touched:
        function.__code__ = changed[function.__code__]
    return bool(touched)


def find_changed(old: CodeType, new: CodeType) -> list[tuple[CodeType, CodeType]]:
    """Where two codes differ: these two, and from there inward to where the change is; nothing if they are the same."""
    if _without_inner(old) != _without_inner(new):
        return [(old, new)]
    for pair in zip(_inner(old), _inner(new), strict=True):
        if inward := find_changed(*pair):
            return [(old, new), *inward]
    return []


def _inner(code: CodeType) -> Iterator[CodeType]:
    return (constant for constant in code.co_consts if isinstance(constant, CodeType))


def _without_inner(code: CodeType) -> CodeType:
    """What a code does itself, wherever it stands: a change of several lines into one moves what comes after it."""
    constants = tuple(value.co_name if isinstance(value, CodeType) else value for value in code.co_consts)
    return code.replace(co_consts=constants, co_firstlineno=0, co_linetable=b"")
