"""Imports: everything is validated, compared with what is there, and written all at once or not at all."""

from data.importing.formats import Known, mapping_for
from data.importing.importing import detect, looked, preview, take
from data.importing.mapping import (
    FIELDS,
    From,
    JudgmentColumns,
    LabelColumns,
    Mapping,
    parse,
    signature,
    spell,
    unspell,
)
from data.importing.plan import FORMATS, SAMPLINGS, Plan
from data.importing.report import Preview, Problem, Refused, Result
from data.importing.source import Source, from_bytes, from_path, from_paths, from_uploads
from data.importing.subprocess_reader import Waits
from data.importing.suggest import before, suggest
from data.importing.table import example
from data.importing.tools import titles

__all__ = [
    "FIELDS",
    "FORMATS",
    "SAMPLINGS",
    "From",
    "JudgmentColumns",
    "Known",
    "LabelColumns",
    "Mapping",
    "Plan",
    "Preview",
    "Problem",
    "Refused",
    "Result",
    "Source",
    "Waits",
    "before",
    "detect",
    "example",
    "from_bytes",
    "from_path",
    "from_paths",
    "from_uploads",
    "looked",
    "mapping_for",
    "parse",
    "preview",
    "signature",
    "spell",
    "suggest",
    "take",
    "titles",
    "unspell",
]
