"""Everything that goes out. A kind of export is a module in kinds/, found by being there; exporting.py has the acts."""

from data.exporting.exporting import (
    ExportResult,
    count_export,
    count_waiting_blind,
    known_options,
    loading_code,
    preview_export,
    write_export,
)
from data.exporting.files import FORMATS, Format
from data.exporting.kind import ExportKind, ExportOption, Options
from data.exporting.registry import export_kind, export_kinds

__all__ = [
    "FORMATS",
    "ExportKind",
    "ExportOption",
    "ExportResult",
    "Format",
    "Options",
    "count_export",
    "count_waiting_blind",
    "export_kind",
    "export_kinds",
    "known_options",
    "loading_code",
    "preview_export",
    "write_export",
]  # fmt: skip
