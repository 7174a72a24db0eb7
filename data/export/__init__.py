"""Everything that goes out: each kind of export is a module in kinds/, found by being there; give.py has the acts."""

from data.export.files import FORMATS, Format
from data.export.give import Given, blinded, count, give, known_options, loads, preview
from data.export.kind import Kind, Option, Options
from data.export.known import kind, kinds

__all__ = [
    "FORMATS", "Format", "Given", "Kind", "Option", "Options", "blinded", "count", "give", "kind", "kinds",
    "known_options", "loads", "preview",
]  # fmt: skip
