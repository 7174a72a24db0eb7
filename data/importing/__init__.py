"""Imports: everything is validated, compared with what is there, and written all at once or not at all.

One file's way: `files/source` names it, `detection/detection` says what it is, `plan` has what a person decided (or
`detection/interpretation` proposes), and `snapshot` what has to be known of the workspace. `source_reader` goes through
it, for an upload in a process of its own (`subprocess_reader`): `files/container` makes records of its bytes, a module
of `formats/` lines of its records, `mapping/` questions of names, and `checks/line_checks` rows of lines. These wait in
files (`staging`) until all was read; then `importing` writes them in one transaction.
"""

from data.importing.detection.detection import DetectedFile
from data.importing.detection.plan_proposal import previous_mapping, suggest_mapping
from data.importing.entries import mapping_for
from data.importing.files.source import Source, from_bytes, from_path, from_paths, from_uploads
from data.importing.formats import titles
from data.importing.formats.table import example_lines
from data.importing.importing import detect_formats, import_source, preview_import, record_preview
from data.importing.mapping.mapping import (
    FIELDS,
    ColumnMapping,
    JudgmentColumns,
    LabelColumns,
    ValueSource,
    format_values,
    mapping_key,
    parse_mapping,
    parse_values,
)
from data.importing.plan import FORMATS, SAMPLINGS, ImportPlan
from data.importing.report import ImportPreview, ImportProblem, ImportRefused, ImportResult
from data.importing.subprocess_reader import OnWait

__all__ = [
    "FIELDS",
    "FORMATS",
    "SAMPLINGS",
    "ColumnMapping",
    "DetectedFile",
    "ImportPlan",
    "ImportPreview",
    "ImportProblem",
    "ImportRefused",
    "ImportResult",
    "JudgmentColumns",
    "LabelColumns",
    "OnWait",
    "Source",
    "ValueSource",
    "detect_formats",
    "example_lines",
    "format_values",
    "from_bytes",
    "from_path",
    "from_paths",
    "from_uploads",
    "import_source",
    "mapping_for",
    "mapping_key",
    "parse_mapping",
    "parse_values",
    "preview_import",
    "previous_mapping",
    "record_preview",
    "suggest_mapping",
    "titles",
]
