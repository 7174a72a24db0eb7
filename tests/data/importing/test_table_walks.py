"""Tables as other programs write them: in whatever names, ids, spellings and encodings, the same answers come in.

Each seed draws the answers of a judge and a person, and a way to write them. What is in the store afterwards is
compared with what was drawn, and kappa with scikit-learn's.
"""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from data.importing import start
from data.importing.files.source import from_bytes
from data.importing.importing import detect_formats, import_source
from data.importing.plan import ImportPlan
from judges.cli import main as judges_main
from tests.data.imports import workspace

Spelling = Callable[[Any], str]
VALUES: dict[str, tuple[Sequence[Any], list[Spelling]]] = {
    "1 to 5": (range(1, 6), [str, lambda v: f"{v}.0", lambda v: f" {v} "]),
    "1 to 10": (range(1, 11), [str]),
    "halves": ([1, 1.5, 2, 2.5, 3, 3.5, 4], [str]),
    "shares": ([0.0, 0.07, 0.14, 0.5, 0.77, 0.98], [str]),
    "flag": ([False, True], [str, lambda v: "yes" if v else "no", lambda v: "1" if v else "0",
                             lambda v: "WAHR" if v else "FALSCH", lambda v: "✓" if v else "✗"]),
    "words": (["poor", "fair", "good", "excellent"], [str, str.upper, str.title, lambda v: f"{v}."]),
    "of five": (range(1, 6), [lambda v: f"{v}/5", lambda v: f"{v} out of 5", lambda v: f"{v} von 5"]),
    "percent": (range(0, 101, 5), [lambda v: f"{v}%", lambda v: f"{v} %"]),
    "stars": (range(1, 6), [lambda v: "★" * v, lambda v: f"{v} stars", lambda v: f"{v}点"]),
}  # fmt: skip
"""What is answered, in its order, and how programs spell it."""
COLUMNS = [
    ("gpt4_score", "human_score"), ("judge", "human"), ("gpt-4o", "annotator"), ("llm_rating", "expert_rating"),
    ("pred", "gold"), ("GPT-4 Score", "Human Score"), ("judgeScore", "humanScore"), ("自動評価", "人手評価"),
]  # fmt: skip
MARKS = ["", "NaN", "N/A", "null", "None", "-", "#N/A"]
TEXTS = [("question", "answer"), ("prompt", "response"), ("質問", "回答"), ("input", "output")]
ODD_TEXTS = ["", ", with a comma", "; a semicolon", ' "quoted"', "\na new line", "\ta tab", "日本語です", " | a pipe"]
IDS: list[Callable[[int], Any]] = [
    lambda n: 10 + n, lambda n: f"q-{n}", lambda n: f"{n:05d}", lambda n: f" item {n} ",
    lambda n: unicodedata.normalize("NFD", f"über{n}"),
]  # fmt: skip
ENCODINGS = [  # separator, decimal mark, encoding
    (",", ".", "utf-8"), (",", ".", "utf-8-sig"), (";", ",", "utf-8"), (";", ",", "cp1252"), ("\t", ".", "utf-16"),
    (",", ".", "cp932"),
]  # fmt: skip


@dataclass(frozen=True)
class DrawnTable:
    """A file, its name, and what is in it: the values in their order, and the answers of both sides by id (or row)."""

    name: str
    content: bytes
    values: list[Any]
    has_ids: bool
    judge: dict[str, Any]
    person: dict[str, Any]


def draw_table(chance: Random) -> DrawnTable:
    """A table of 12 to 60 items; of some the judge's or the person's answer is missing."""
    values, spellings = VALUES[chance.choice(list(VALUES))]
    spelling, columns, mark = chance.choice(spellings), chance.choice(COLUMNS), chance.choice(MARKS)
    make_id, texts = chance.choice([*IDS, None]), chance.choice([*TEXTS, None])
    separator, decimal, encoding = chance.choice(ENCODINGS)
    kind = chance.choice(["csv", "csv", "csv", "json", "jsonl", "parquet"])
    judge: dict[str, Any] = {}
    person: dict[str, Any] = {}
    rows = []
    for n in range(chance.choice([12, 30, 60])):
        row: dict[str, Any] = {} if make_id is None else {"id": make_id(n)}
        key = str(row.get("id", n)).strip()
        if texts is not None:
            row |= {texts[0]: f"Q {n}{chance.choice(ODD_TEXTS)}?", texts[1]: f"A {n} {chance.choice(ODD_TEXTS)} so."}
        person[key] = None if chance.random() < 0.1 else chance.choice(values)
        is_same = person[key] is not None and chance.random() < 0.6
        judge[key] = person[key] if is_same else None if chance.random() < 0.05 else chance.choice(values)
        for column, value in zip(columns, (judge[key], person[key]), strict=True):
            cell = mark if value is None else spelling(value)
            row[column] = cell.replace(".", decimal) if kind == "csv" and isinstance(value, float) else cell
        rows.append(row)
    content = _write(rows, kind, chance, separator, encoding)
    return DrawnTable(f"table.{kind}", content, list(values), make_id is not None, judge, person)


def _write(rows: list[dict[str, Any]], kind: str, chance: Random, separator: str, encoding: str) -> bytes:
    if kind == "parquet":
        out = io.BytesIO()
        pd.DataFrame(rows).to_parquet(out)
        return out.getvalue()
    if kind == "json":  # in one line, as pandas does, or indented
        return json.dumps(rows, ensure_ascii=False, indent=chance.choice([None, 2])).encode()
    end = chance.choice(["\n", "\r\n"])
    if kind == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + end for row in rows).encode()
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), delimiter=separator, lineterminator=end)
    writer.writeheader()
    writer.writerows(rows)
    if encoding == "cp932" and "です" not in text.getvalue():  # it is told by its kana
        encoding = "utf-8"
    try:
        return text.getvalue().encode(encoding)
    except UnicodeEncodeError:
        return text.getvalue().encode("utf-8-sig")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [*range(30), 102])  # 102: a list in one line, without ids and texts
def test_the_answers_that_were_written_come_in(tmp_path: Path, seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    drawn, store = draw_table(Random(seed)), workspace(tmp_path)
    source = from_bytes([(drawn.name, drawn.content)])
    detected = detect_formats(source)
    plan = start.plan_import(store, start.interpret_source(store, source, detected), ImportPlan("d"))
    preview = import_source(store, "lea", source, plan, detected=detected).preview
    assert not preview.rejected
    answers = {
        "judge": store.rows("select i.name, s.value from score_now s join item i on i.id = s.item_id"),
        "person": store.rows("select i.name, l.value from label_now l join item i on i.id = l.item_id"),
    }
    assert store.rows("select count(*) from item") == [(len(drawn.judge),)]
    codes: dict[Any, set[float]] = {}
    for side, written in (("judge", drawn.judge), ("person", drawn.person)):
        valued = {key: value for key, value in written.items() if value is not None}
        assert len(answers[side]) == len(valued), side
        for name, code in answers[side] if drawn.has_ids else []:
            codes.setdefault(valued[name], set()).add(code)
    assert all(len(of_value) == 1 for of_value in codes.values()), "one value has one code, whoever says it"
    ordered = [codes[value] for value in drawn.values if value in codes]
    assert ordered == sorted(ordered, key=min) and len(set(map(min, ordered))) == len(ordered)
    again = import_source(store, "lea", source, plan, detected=detect_formats(source)).preview
    assert (again.new.items, again.new.judgments, again.new.labels) == (0, 0, 0)
    store.close()
    both = [(j, p) for j, p in zip(drawn.judge.values(), drawn.person.values(), strict=True) if None not in (j, p)]
    places = [[drawn.values.index(value) for value in side] for side in zip(*both, strict=True)]
    (tmp_path / drawn.name).write_bytes(drawn.content)
    assert judges_main(["agree", str(tmp_path / drawn.name), "--json"]) == 0
    [record] = json.loads(capsys.readouterr().out)
    assert record["ratings"] == len(both)
    if record["weights"] is None or all(isinstance(value, int) for value in drawn.values):
        labels = range(len(drawn.values))
        assert record["kappa"] == pytest.approx(cohen_kappa_score(*places, weights=record["weights"], labels=labels))
