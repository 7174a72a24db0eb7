"""The data in plain files, recognized by content: Assay's own lines in JSON lines, CSV or Parquet, or a table.

Every export of Assay about judges and people can be read: the whole dataset, judgments, labels, scores, samples, gold,
adjudications and items, in separate files or all in one.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import NoneType
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from judges import jsonl
from judges.audits import Cell
from judges.authoring.custom import from_spec
from judges.card import Card, Item
from judges.cards import cards
from judges.errors import AssayError, BadCard
from judges.gold import Resolve
from judges.importing import csv_rows, json_records, line_files, lines
from judges.importing.encodings import explain_other_file
from judges.importing.json_records import explain_object, wraps_rows
from judges.importing.line_files import BadLines, bad_rows, explain_left_out
from judges.importing.lines import JudgmentLine, LabelLine
from judges.jsonl import Record
from judges.render.csv_cells import unescape_formula
from judges.strict_json import check_depth
from judges.types import is_unit

_Container = Literal["parquet", "list", "lines", "csv"]
FORMAT = 2
"""The newest form of an export that is read and written.

An export names its own in its first line; without that line it is 1, which knew neither cards nor scores.
"""
_JSON = ("params", "labels", "turns", "sections", "meta", "response_a", "response_b", "scores", "reply", "card")
_NUMBERS = ("sample", "samples", "code", "confidence", "probability", "people")
_FLAGS = {"true": True, "false": False}
_MAX_SHOWN_KEYS, _FIRST_ROWS = 3, 20
_ALWAYS_EXPORTED = ("code", "sample")
"""Keys that an export writes for every row, even if empty: n/a has no code."""
_EXPORTED_KEYS = (
    {"id", "kind", "response_a", "task", "turns", "meta"},
    {"item", "card", "model", "params", "part", "sample", "raw"},
    {"item", "unit", "dimension", "value", "code", "annotator", "mode", "made_at"},
    {"item", "unit", "dimension", "value", "code", "adjudicator", "saw_judge", "labels"},
)
_KINDS = ("dialogue", "pair", "response")
_ITEM_KEYS = {"turns", "scenario", "response_a", "response_b"}
_NEEDED_KEYS = (
    ({"item", "card"}, {"model", "params", "reply", "raw", "scores", "part", "order"}),
    ({"item", "dimension"}, {"unit", "annotator", "adjudicator", "mode", "made_at", "how"}),
)
"""The keys of a judgment and of a label that there must be, and those of which there is one at the least."""
_REQUIRED_TEXTS = {"response": ("task", "output"), "pair": ("input",)}
"""The texts that an item of each kind must have, even if they are empty."""


@dataclass(frozen=True)
class ExportedValue:
    """The value of one cell in an export of scores, samples or gold: in words and as a code.

    `params` are the judge's parameters if the row is of a judge.
    """

    item: str
    unit: str
    dimension: str
    value: Any
    code: float | None
    params: dict[str, Any]
    row: dict[str, Any]

    @property
    def cell(self) -> Cell:
        """The cell that it is about."""
        return self.item, self.unit, self.dimension


@dataclass
class FileContents:
    """The data in the files; judgments and labels are listed by file, each with the number of its line.

    `tables` are the rows of the files without lines of Assay. `resolve` is the rule by which the files' gold rule makes
    one value from several people's. If judgments and labels are those of tables, `asked` has the items that a judge was
    asked about, even if it gave no answer, and `assumptions` are sentences on how the tables were interpreted, and on
    what is left out.
    """

    cards: dict[str, Card] = field(default_factory=dict)
    items: dict[str, Item] = field(default_factory=dict)
    judgments: dict[Path, list[tuple[int, JudgmentLine]]] = field(default_factory=dict)
    labels: dict[Path, list[tuple[int, LabelLine]]] = field(default_factory=dict)
    scores: list[ExportedValue] = field(default_factory=list)
    gold: list[ExportedValue] = field(default_factory=list)
    decided: list[ExportedValue] = field(default_factory=list)
    tables: dict[Path, list[Record]] = field(default_factory=dict)
    resolve: Resolve = "median"
    asked: set[str] = field(default_factory=set)
    assumptions: tuple[str, ...] = ()


def read_files(paths: Sequence[Path], good_rows: bool = False) -> FileContents:
    """Everything in some files; `good_rows` leaves out bad rows of a table.

    Raises BadLines, which names every line that cannot be read, OSError.
    """
    contents = FileContents()
    for path in paths:
        container, rows = read_rows(path)
        in_columns = container in ("csv", "parquet")
        first = [row for _, row in rows if isinstance(row, dict)][:_FIRST_ROWS]
        if not rows:
            raise BadLines(f"{path}: there is no line in it.")
        if first and not (holds_lines(first, in_columns) or _is_written_line(first[0])):
            if len(rows) == 1 and container == "lines" and wraps_rows(first[0]):
                raise BadLines(explain_object(str(path), first))
            bad = [(number, row) for number, row in rows if isinstance(row, str)]
            if bad and not good_rows:
                raise bad_rows(path, bad)
            contents.assumptions += (explain_left_out(path, bad, "row"),) if bad else ()
            contents.tables[path] = [Record(number, row) for number, row in rows if isinstance(row, dict)]
        else:
            if in_columns:
                in_text = container == "csv"
                rows = [(n, row if isinstance(row, str) else line_of_columns(row, in_text)) for n, row in rows]
            line_files.take_lines(path, rows, partial(_one, contents, path))
            if path in contents.judgments:
                contents.judgments[path] = line_files.join_orders(contents.judgments[path])
    if not (contents.scores or contents.judgments):
        contents.scores = [_judge_value(value) for value in contents.gold if value.row.get("judge_value") is not None]
    return contents


def _judge_value(gold: ExportedValue) -> ExportedValue:
    """The judge's value in a row of an export of gold, if a judge was chosen for the export."""
    code = gold.row.get("judge_code")
    try:
        return replace(gold, value=gold.row["judge_value"], code=None if code is None else float(code))
    except (TypeError, ValueError):
        raise BadLines(f"judge_code of {gold.item}, {gold.unit}: {str(code)[:40]!r} is not a number.") from None


def read_rows(path: Path) -> tuple[_Container, list[tuple[int, dict[str, Any] | str]]]:
    """How a file holds its rows, and (line or row, object) of each; a sentence in place of a bad object.

    Raises BadLines, also for a pipe, because its beginning is gone once the format is known; BadInput for a bad header.
    """
    if path.is_fifo():
        raise BadLines(f"{path} is a pipe, and it is read more than once: write it to a file, and give that.")
    with path.open("rb") as file:
        head = file.read(csv_rows.SAMPLE)
        file.seek(0)
        if why := explain_other_file(head):
            raise BadLines(f"{path} is {why}")
        text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        if head.startswith(b"PAR1"):
            return "parquet", list(read_parquet(path))
        if text[:1] == b"[":
            return "list", list(line_files.number_records(json_records.read_json_array(file)))
        if text[:1] == b"{" or path.suffix.lower() in (".jsonl", ".ndjson", ".json"):
            return "lines", list(line_files.number_records(jsonl.read_jsonl(file)))
        records = csv_rows.read_csv(str(path), file, csv_rows.detect_dialect(str(path), head))
        return "csv", [(r.line, f"The row {r.problem}." if r.problem else r.value) for r in records]


def read_parquet(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(row, object) of a Parquet file. Raises BadLines."""
    try:
        yield from enumerate(pq.read_table(path).to_pylist(), 1)
    except pa.ArrowException as error:
        raise BadLines(f"{path} cannot be read as a Parquet file: {str(error).splitlines()[0]}.") from None


def line_of_columns(row: dict[str, Any], text: bool = False) -> dict[str, Any]:
    """A row of an export in columns as the equivalent line: without empty cells, and with JSON texts parsed.

    `text`: all cells are texts, as in CSV.
    """
    line: dict[str, Any] = {}
    for name, value in row.items():
        if value is None or value != value or (text and value == "" and name != "raw"):
            if name in _ALWAYS_EXPORTED:
                line[name] = None
            continue
        if isinstance(value, str) and text:
            value = unescape_formula(value)
        if isinstance(value, str) and name in _JSON and value[:1] in ("{", "["):
            with contextlib.suppress(ValueError):
                check_depth(value)
                value = json.loads(value)
        elif name == "turns" and isinstance(value, list):  # in Parquet every entry has every field
            value = [{k: v for k, v in t.items() if v is not None} if isinstance(t, dict) else t for t in value]
        elif text and name in _NUMBERS:
            with contextlib.suppress(ValueError):
                value = int(value) if name in ("sample", "samples", "people") else float(value)
        elif text and name in ("saw_judge", "saw", "synthetic"):
            value = _FLAGS.get(value, value)
        line[name] = _read_turns(value) if name == "input" and row.get("kind") == "pair" else value
    for name in _REQUIRED_TEXTS.get(str(row.get("kind")), ()):
        line.setdefault(name, "")
    return line


def _read_turns(value: Any) -> Any:
    """The input of a pair: the turns of a conversation if the cell contains them as JSON, else the text unchanged."""
    with contextlib.suppress(ValueError, RecursionError):
        turns = json.loads(value) if isinstance(value, str) and value.startswith("[{") else None
        if isinstance(turns, list) and all(
            isinstance(t, dict) and t.keys() - {"name"} == {"turn", "role", "text"} for t in turns
        ):
            return turns
    return value


PARTITIONS = "_manifest.json"
"""The list of the files of an export in a folder."""


_KEYS_OF_SORTS = (
    ("head", {"assay"}),
    ("rule", {"gold_rule"}),
    ("item", {"id", "kind"}),
    ("score", {"item", "unit", "dimension", "judge", "card", "sample", "code"}),
    ("gold", {"item", "unit", "dimension", "how", "basis", "code"}),
    ("decided", {"item", "dimension", "adjudicator"}),
    ("label", {"item", "dimension", "annotator"}),
    ("label", {"item", "unit", "dimension", "mode"}),
    *(("judgment", {"item", "card", key}) for key in ("model", "reply", "raw")),
)
"""The keys by which a row is of a sort, the first that fits."""


def sort_of_line(row: dict[str, Any]) -> str:
    """The sort of line that a row is in Assay's own format; "" if it is none."""
    if isinstance(row.get("card"), dict) and "assay" not in row:
        return "card"
    if row.keys() == {"guidelines"}:
        return "guidelines"
    return next((sort for sort, needed in _KEYS_OF_SORTS if needed <= row.keys()), "")


def holds_lines(rows: Iterable[dict[str, Any]], in_columns: bool) -> bool:
    """Whether a file that begins with these rows has lines of Assay, or (`in_columns`) an export in CSV or Parquet."""
    return any(_is_export(row.keys()) if in_columns else _is_line(row) for row in rows)


def _is_written_line(row: dict[str, Any]) -> bool:
    """Whether a row, as programs write it in columns, has all that a judgment or a label needs, and nothing else."""
    fields = (LabelLine if sort_of_line(row) == "label" else JudgmentLine).model_fields
    return {name for name, field in fields.items() if field.is_required()} <= row.keys() <= fields.keys()


def _is_export(keys: Set[str]) -> bool:
    """Whether a row with these columns is one of an export of Assay in CSV or Parquet, which needs no mapping."""
    return sort_of_line(dict.fromkeys(keys)) in ("score", "gold") or any(needed <= keys for needed in _EXPORTED_KEYS)


def _is_line(row: dict[str, Any]) -> bool:
    """Whether an object is meant as a canonical line; a chat is none, whatever other keys it has.

    Others have items, kinds and dimensions too: then nothing else in a row is as it is here.
    """
    keys = row.keys()
    if keys in ({"gold_rule"}, {"guidelines"}, {"card"}, {"assay"}):
        return True
    if "messages" in keys:
        return False
    item = {"id", "kind"} <= keys and (row["kind"] in _KINDS or bool(keys & _ITEM_KEYS))
    return item or any(needed <= keys and keys & other for needed, other in _NEEDED_KEYS)


def _one(contents: FileContents, path: Path, number: int, row: dict[str, Any]) -> None:
    """Put a line of a file where its sort belongs. Raises AssayError, pydantic's ValidationError."""
    sort = sort_of_line(row)
    if sort == "head":
        file_format = row["assay"].get("format") if isinstance(row["assay"], dict) else None
        if not isinstance(file_format, int) or file_format > FORMAT:
            raise AssayError(f"the file is of format {file_format}, and this Assay reads up to {FORMAT}: update it.")
    elif sort == "card":
        try:
            card = from_spec(lines.CardLine.model_validate(row).card, cards())
        except (KeyError, TypeError, AttributeError):
            raise BadCard("the card lacks what a card has.") from None
        contents.cards[card.version] = card
    elif sort == "rule":
        contents.resolve = lines.GoldRuleLine.model_validate(row).gold_rule.resolve
    elif sort == "item":
        line_files.add_item(contents.items, row)
    elif sort == "judgment":
        contents.judgments.setdefault(path, []).append((number, lines.parse_judgment(row)))
    elif sort == "label":
        contents.labels.setdefault(path, []).append((number, lines.parse_label(row)))
    elif sort in ("score", "gold", "decided"):
        {"score": contents.scores, "gold": contents.gold, "decided": contents.decided}[sort].append(
            _exported_value(row)
        )
    elif not sort:
        keys = ", ".join(map(str, list(row)[:_MAX_SHOWN_KEYS]))
        raise AssayError(f"this kind of line is not known; its first keys are {keys}.")


def _exported_value(row: dict[str, Any]) -> ExportedValue:
    """The value of a cell that a row has. Raises AssayError."""
    unit, code, sample, params = str(row.get("unit")), row.get("code"), row.get("sample"), row.get("params") or {}
    if not is_unit(unit):
        raise AssayError(f"{unit[:40]!r} is no unit: use conversation, turn:3, section:2/a, pair or response.")
    for name in ("code", "confidence"):
        if not isinstance(row.get(name), (int, float, NoneType)):
            raise AssayError(f"{name}: {str(row[name])[:40]!r} is no number.")
    if not (isinstance(sample, (int, NoneType)) or (isinstance(sample, float) and sample.is_integer())):
        raise AssayError(f"sample: {str(sample)[:40]!r} is no whole number.")
    if isinstance(params, str):
        with contextlib.suppress(ValueError, RecursionError):
            params = json.loads(params)
    if not isinstance(params, dict):
        raise AssayError(f"params: {str(params)[:40]!r} is no object.")
    number = None if code is None or code != code else float(code)
    item, dimension = str(row["item"]), str(row["dimension"])
    return ExportedValue(item, unit, dimension, row.get("value"), number, params, row)
