"""Everything that goes out: each kind of export is a module in kinds/, found by being there; give.py has the acts."""

from data.exporting.exporting import Given, blinded, count, give, known_options, loads, preview
from data.exporting.files import FORMATS, Format
from data.exporting.kind import Kind, Option, Options
from data.exporting.registry import kind, kinds

__all__ = [
    "FORMATS", "Format", "Given", "Kind", "Option", "Options", "blinded", "count", "give", "kind", "kinds",
    "known_options", "loads", "preview",
]  # fmt: skip
