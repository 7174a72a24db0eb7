"""Everything that comes in: validated, told apart from what is there, and written all at once or not at all."""

from data.intake.apart import Waits
from data.intake.formats import Known, mapping_for
from data.intake.mapping import FIELDS, From, JudgmentColumns, LabelColumns, Mapping, parse, signature, spell, unspell
from data.intake.plan import FORMATS, SAMPLINGS, Plan
from data.intake.report import Preview, Problem, Refused, Result
from data.intake.source import Source, from_bytes, from_path, from_paths, from_uploads
from data.intake.suggest import before, suggest
from data.intake.table import example
from data.intake.take import detect, looked, preview, take
from data.intake.tools import titles

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
