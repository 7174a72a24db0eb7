"""Tables of MT-Bench on a terminal, as Markdown, JSON, CSV and Parquet."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from judges.errors import BadInput
from judges.mtbench.tables import ResultTable, Row, Value
from judges.plural import many
from judges.render.csv_cells import csv_text
from judges.whole_file import write_whole

FORMATS = ("text", "md", "json", "csv", "parquet")
_WIDEST, _LONGEST = 44, 40


def print_tables(tables: Sequence[ResultTable], format: str, out: Path | None) -> None:
    """Print tables, or write them into one file. Raises BadInput for a format that has a file for each table."""
    if format == "parquet" or (format == "csv" and len(tables) > 1):
        named = ", ".join(table.name for table in tables)
        option = "--out FOLDER" if format == "parquet" else "--out FOLDER, or one of them with --table"
        raise BadInput(f"As {format} each table is a file of its own: give {option}. The tables: {named}.")
    text = format_tables(tables, format)
    if out is None:
        print(text)
    else:
        write_text(out, text + "\n")


def write_tables(tables: Sequence[ResultTable], format: str, folder: Path) -> list[str]:
    """Write a file for each table (JSON: one file for all); gives a line for each file. Raises BadInput."""
    if folder.is_file():
        raise BadInput(f"{folder} is a file: give a folder to write into.")
    lines = []
    if format == "json":
        write_text(folder / "tables.json", format_tables(tables, "json") + "\n")
        lines.append(f"{folder / 'tables.json'}: {many(len(tables), 'table')}")
    else:
        for table in tables:
            path = folder / f"{table.name}.{format}"
            if format == "parquet":
                _parquet(table, path)
            else:
                write_text(path, format_tables([table], format) + ("\n" if format == "md" else ""))
            lines.append(f"{path}: {many(len(table.rows), 'row')}")
    return lines


def write_text(path: Path, text: str) -> None:
    """Write a text into a file; missing folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.encode())


def _parquet(table: ResultTable, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    columns = {}
    for name in _columns(table):
        values = [row.get(name) for row in table.rows]
        # A column that contains a text is a text column: "(all)" occurs among turns.
        text = any(isinstance(value, str) for value in values)
        columns[name] = [None if value is None else str(value) for value in values] if text else values
    content = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), content)
    write_whole(path, content.getvalue().to_pybytes())


def _columns(table: ResultTable) -> list[str]:
    return list(dict.fromkeys(name for row in table.rows for name in row))


def format_tables(tables: Sequence[ResultTable], format: str) -> str:
    """Tables in one text: `text` for a terminal, `md`, `json`, or `csv` of a single one."""
    if format == "json":
        by_name = {
            table.name: {"title": table.title, "said": list(table.notes), "rows": list(table.rows)} for table in tables
        }
        return json.dumps(by_name, ensure_ascii=False, indent=1, allow_nan=False)
    if format == "csv":
        names = _columns(tables[0])
        return csv_text(names, ([row.get(name) for name in names] for row in tables[0].rows))
    return "\n\n".join(_format_table(table, format) for table in tables)


def _format_table(table: ResultTable, format: str) -> str:
    every = _columns(table)
    ends = {f"{name}{end}" for name in every for end in ("_low", "_high")}
    names = [name for name in every if name not in _TEXTS and name not in ends]
    rows = [[_cell(row, name) for name in names] for row in table.rows]
    if format == "md":
        lines = [f"## {table.title}", "", f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
        lines += [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
        return "\n".join([*lines, *(f"\n{sentence}" for sentence in table.notes)])
    rows = [[*(c if len(c) <= _WIDEST else f"{c[: _WIDEST - 3]}..." for c in row[:-1]), *row[-1:]] for row in rows]
    left = len(rows) - _LONGEST if len(rows) > 2 * _LONGEST else 0
    shown = rows[: len(rows) - left]
    wide = [max(map(len, column)) for column in zip(names, *shown, strict=True)]
    texts = [any(isinstance(row.get(name), str) for row in table.rows) for name in names]
    lines = [table.title]
    for row in [names, *shown]:
        cells = [c.ljust(w) if text else c.rjust(w) for c, w, text in zip(row, wide, texts, strict=True)]
        lines.append("  ".join(cells).rstrip())
    if left:
        lines.append(f"... and {many(left, 'row')} more: --format md, json or csv gives all of them.")
    return "\n".join([*lines, *table.notes])


_TEXTS = ("text", "other_text")
"""Columns of whole judgments, which a table to read leaves out."""
_HALF_POINTS = ("rank", "other_rank", "change", "rating", "other_rating", "stated", "read")
"""Columns of ranks and of single ratings, which have half points at most."""


def _cell(row: Row, name: str) -> str:
    """A figure and its two ends in one cell for people."""
    figures = [row.get(key) for key in (name, f"{name}_low", f"{name}_high")]
    small = all(abs(value) <= 1 for value in figures if isinstance(value, float))
    point, low, high = (
        _format_value(value, ".1f" if name in _HALF_POINTS else ".4f" if small else ".3f") for value in figures
    )
    return f"{point} ({low} to {high})" if row.get(f"{name}_low") is not None else point


def _format_value(value: Value, shape: str) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:z{shape}}"
    # Names and texts are untrusted: remove terminal control characters and line breaks.
    return "".join(sign if sign.isprintable() else " " for sign in str(value))
