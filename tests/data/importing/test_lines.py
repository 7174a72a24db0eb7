"""What lines leave in the tables and in which words they are refused, up to their bounds: archived beside this file."""

from __future__ import annotations

import io
import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from data.adjudication import adjudication
from data.gold import disputes
from data.importing import start
from data.importing.checks.import_context import check_text
from data.importing.conversations import traces, utterances
from data.importing.detection.detection import DetectedFile
from data.importing.detection.plan_proposal import previous_mapping
from data.importing.files.source import Source, from_bytes, from_path, from_paths
from data.importing.importing import detect_formats, import_source, preview_import, record_preview
from data.importing.mapping_texts import parse_mapping, parse_values
from data.importing.plan import ImportPlan, Question
from data.importing.report import ImportPreview, ImportRefused, ProblemCollector, TooManyErrors
from data.records import people
from data.records.guidelines import MAX_GUIDELINES_LENGTH
from data.store import Store
from data.store.errors import BadInput
from data.store.ids import new_id, now
from judges.authoring.custom import from_recipe, from_spec
from judges.authoring.recipe import Recipe, RecipeScale, check_recipe
from judges.card import Card
from judges.errors import AssayError
from judges.importing.columns import cell_text
from judges.importing.entries import Line
from judges.importing.mapping import ColumnMapping, interpret_cell
from judges.strict_json import canonical
from tests.archives import compare_archive
from tests.data import import_files
from tests.data.importing import tool_files as tools
from tests.data.imports import TABLES, adjudication_line, label, pair, source, text, verdict, workspace
from tests.data.planted_workspace import frozen_clock
from tests.facts import refusal

Json = dict[str, Any]
WRITTEN_TABLES = (*TABLES, "guideline", "combine_rule", "exposure")
UNSAID = {"seq", "id", "made_at", "judgment_id", "answer_id", "dataset_id", "version", "card_version", "spec"}
"""Columns that are other each time, with each version of a card, or say again what others say."""
IDENTIFIED = ("item", "label", "adjudication")
"""The tables whose ids are made of what is in their rows."""
MAX_SHOWN = 4
DAY = datetime(2026, 7, 1, 9)
AGAIN = (
    "Table of scores",
    "otel",
    "langfuse",
    "mlflow",
    "label_studio",
    "argilla",
    "votes",
    "damaged lines",
    "wide table",
)
"""What is imported another time, without the names that were given to it."""
ITEM: Json = {
    "id": "r",
    "kind": "response",
    "task": "Frage?",
    "output": "ja",
    "reference": "",
    "system": "s",
    "meta": {},
}
TALK: Json = {
    "id": "d", "kind": "dialogue", "scenario": "", "system": "s", "meta": {},
    "turns": [{"turn": turn, "role": role, "text": f"{role} {turn}"} for turn in (1, 2) for role in ("user",
    "assistant")],
}  # fmt: skip
LABEL: Json = {
    "item": "r", "unit": "response", "dimension": "factuality", "value": 3, "annotator": "ann", "mode": "blind",
    "made_at": "2026-01-31T12:00:00Z",
}  # fmt: skip
JUDGED: Json = {"item": "r", "card": "rubric_open_ended", "model": "m", "params": {}}
SCORE: Json = {"unit": "response", "dimension": "factuality", "value": 3}
REPLY: Json = {
    "scores": {"factuality": 4, "instruction_following": 5, "coherence": 5, "completeness": 3}, "verdict": "good",
    "decision_basis": "Right.", "issues": [],
}  # fmt: skip
RECIPE: Json = {
    "name": "tone_card", "title": "Tone", "kind": "response",
    "dimensions": [{"name": "tone", "unit": "response", "definition": "How kind it is.",
                    "answers": {"kind": "ordinal", "lo": 1, "hi": 5}}],
}  # fmt: skip
STORES: Json = {}
CARDS: dict[str, Card] = {}


@pytest.mark.slow
@pytest.mark.usefixtures("shipped_cards")
def test_lines_leave_these_rows_and_are_refused_in_these_words(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO, "assay")
    monkeypatch.setattr("secrets.randbelow", lambda most: 7)
    for name in ("cards.cards", "importing.snapshot", "importing.importing", "importing.checks.items"):
        monkeypatch.setattr(f"data.{name}.from_spec", _remember(from_spec))
    for name in ("judges.importing.mapping", "data.importing.detection.plan_proposal"):
        monkeypatch.setattr(f"{name}.from_recipe", _remember(from_recipe))
    with frozen_clock() as clock:
        clock.moment = DAY
        output = _mask_times("\n".join(_archive_text(tmp_path, monkeypatch)))
    for record in (record for record in caplog.get_records("call") if record.getMessage().startswith("import")):
        facts = [f"{k} {v}" for k, v in getattr(record, "facts", {}).items() if v and not isinstance(v, float)]
        output += f"\nlog {record.getMessage()}: {', '.join(facts)}"
    archive = output.replace(str(tmp_path), "(folder)").encode("utf-8", "backslashreplace").decode()
    archive = re.sub(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", lambda match: ascii(match[0])[1:-1], archive)
    compare_archive(archive + "\n", Path(__file__).with_name("lines.txt"), tmp_path)


def _archive_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    STORES.clear()
    store = workspace(tmp_path)
    for name in ("rex", "cy"):
        people.join_workspace(store, name)
    people.set_person(store, "lea", "rex", "researcher")
    for part in (_faults_of_lines, _files, _decisions, _columns, _rejected_rows, _tools):
        yield from part(store)
    for section in (_imports, _small_memory):
        yield from section(store, monkeypatch)
    yield from _mapping_faults()
    yield from _utterances()
    yield from _folders(store, tmp_path / "in")
    store.close()


def _remember(make: Callable[..., Card]) -> Callable[..., Card]:
    """The same, making each card once: here they would be made anew with each import."""

    def make_once(spec: Any, *args: Any) -> Card:
        key = f"{make.__name__} {canonical(spec) if isinstance(spec, dict) else spec.model_dump_json()}"
        if key not in CARDS:
            CARDS[key] = make(spec, *args)
        return CARDS[key]

    return make_once


# -- how it is said ---------------------------------------------------------------------------------------------------


def _shorten(value: Any) -> str:
    """A cell as a short text: of a long one its begin and a checksum; times of today are none that is kept."""
    if isinstance(value, datetime):
        return _mask_times(value.isoformat())
    if isinstance(value, float):
        return f"{value:.10g}"
    string = json.dumps(value, ensure_ascii=False, sort_keys=True) if isinstance(value, (dict, list)) else str(value)
    string = _mask_times(string.replace("\n", "\\n").replace("\r", "\\r"))
    return string if len(string) <= 40 else f"{string[:28]}…{crc32(string.encode('utf-8', 'surrogatepass')):08x}"


def _import(
    store: Store, title: str, source: Source, plan: ImportPlan, person: str = "lea", good: bool = True,
    detected: list[DetectedFile] | None = None,
) -> Iterator[str]:  # fmt: skip
    """What an import says, the rows that it leaves, and the lines that it hands back."""
    before, rejects = store.newest(), io.BytesIO()
    yield f"== {title}"
    try:
        on_error = "good rows" if good else "refuse"
        done = import_source(store, person, source, plan, on_error, rejects=rejects, detected=detected)
    except ImportRefused as error:
        yield f"  refused: {error}"
        yield from _report(error.preview)
    except AssayError as error:
        yield f"  {type(error).__name__}: {error}"
    else:
        preview, new = done.preview, done.preview.new
        counts = new.items, new.judgments, new.labels, preview.known.total, preview.rejected, done.lines
        yield f"  {counts} new {done.preview.new}; known {done.preview.known}"
        yield from _report(done.preview)
    if back := _mask_times(rejects.getvalue().decode()).encode():
        yield f"  back {back.count(10)} lines, {crc32(back):08x}: {back[:200]!r}"
    yield from _rows(store, before)


def _preview(
    store: Store, title: str, source: Source, plan: ImportPlan, detected: list[DetectedFile] | None = None
) -> Iterator[str]:
    """What an import would say."""
    yield f"== {title}"
    try:
        preview = preview_import(store, source, plan, detected=detected)
    except AssayError as error:
        yield f"  {type(error).__name__}: {error}"
    else:
        yield f"  would be new {preview.new}; known {preview.known}"
        yield from _report(preview, 5)


def _report(preview: ImportPreview, most: int = 2) -> Iterator[str]:
    """All that is reported but the counts, with so many of the first rows."""
    fields = ("dataset", "formats", "rejected", "by_file", "stopped", "unscored", "people", "judges")
    yield "  " + ", ".join(f"{name} {getattr(preview, name)}" for name in fields if getattr(preview, name))[:600]
    yield from (f"  {sentence[:400]}" for sentence in [*preview.summary, *preview.warnings])
    yield from (
        f"  problem {problem.field}: {problem} [{problem.begins[:40]}]"[:300]
        for problem in preview.problems[:MAX_SHOWN]
    )
    yield from (f"  group {group}"[:200] for group in preview.groups if group.lines > 1)
    for sort, rows in preview.rows.items():
        cells = [[_shorten(cell) for cell in row.values()] for row in rows[:most]]
        yield f"  first {sort}: {len(rows)}, {cells}"[:1200]


def _mask_times(string: str) -> str:
    return re.sub(rf"{DAY:%Y-%m-%d}[ T]\d\d:\d\d(:\d\d(\.\d+)?)?(\+00:00)?", "(now)", string)


def _rows(store: Store, before: int) -> Iterator[str]:
    """The rows that every table has since a change, in an order that no id decides, and what all of them come to."""
    counted = " union all ".join(f"select '{name}', count(*) from {name} where seq > $1" for name in WRITTEN_TABLES)
    tables = {str(name) for name, count in store.rows(counted, [before]) if count}
    if not tables:
        return
    names = {str(key): str(name) for key, name in store.rows("select id, name from item")}
    judges = "select id, card || ' ' || model || ' ' || params from judge"
    names |= {str(key): f"<{_shorten(name)}>" for key, name in store.rows(judges)}
    names |= {str(key): f"<{name} {mode}>" for key, name, mode in store.rows("select id, annotator, mode from label")}
    for table in (name for name in WRITTEN_TABLES if name in tables):
        if table not in STORES:
            query = "select column_name from information_schema.columns where table_name = $1 order by ordinal_position"
            STORES[table] = [
                str(name) for (name,) in store.rows(query, [table])
                if name not in UNSAID or (table, name) == ("label", "made_at")
            ]  # fmt: skip
            yield f"  ({table}: {' '.join(STORES[table])})"
        columns = STORES[table]
        key = ["id"] if table in IDENTIFIED else []
        rows = store.rows(f"select {', '.join(key + columns)} from {table} where seq > $1", [before])
        lines = sorted(
            "; ".join([*(str(cell)[:8] for cell in row[: len(key)]), *(_cell(names, cell) for cell in row[len(key) :])])
            for row in rows
        )
        if len(lines) == 1:
            yield f"  {table}: {lines[0][:300]}"
            continue
        whole = crc32("\n".join(lines).encode("utf-8", "surrogatepass"))
        yield f"  {table}: {len(lines)} rows, {whole:08x}"
        yield from (f"    {line[:300]}" for line in lines[:MAX_SHOWN])


def _cell(names: dict[str, str], value: Any) -> str:
    string = names.get(value, _shorten(value)) if isinstance(value, str) else _shorten(value)
    return re.sub(r'"[0-9a-f]{12}"', "(version)", string)


def _variants(base: Json, **values: Sequence[Any]) -> Iterator[tuple[str, Json]]:
    """The line with another value of one field at a time, each with what it is called."""
    for name, options in values.items():
        for option in options:
            if name == "without":
                yield f"without {option}", {key: content for key, content in base.items() if key != option}
            elif name == "more":
                yield f"with {_shorten(option)}", {**base, **option}
            else:
                yield (
                    f"{name} {_shorten(option)} ({len(option) if hasattr(option, '__len__') else 'one'})",
                    {**base, name: option},
                )


def _fault_lines(
    store: Store, title: str, first: list[Any], cases: Iterator[tuple[str, Any]], **options: Any
) -> Iterator[str]:
    """What is wrong with each of these lines, where they come after the first ones in one import."""
    named = list(cases)
    preview = preview_import(store, source([*first, *(row for _, row in named)]), ImportPlan("faults", **options))
    wrong: dict[int, list[str]] = {}
    for problem in preview.problems:
        wrong.setdefault(problem.line, []).append(f"{problem.field}: {problem.sentence}"[:300])
    yield f"== faults of {title}: {preview.new}, known {preview.known}, {preview.rejected} rejected"
    for number, (name, _) in enumerate(named, len(first) + 1):
        yield f"  {name}: {' | '.join(wrong.get(number, ['fine']))}".replace("\n", "\\n").replace("\r", "\\r")
    yield from (f"  {warning}"[:300] for warning in preview.warnings)
    yield from _report(preview)


# -- what is wrong with lines -----------------------------------------------------------------------------------------


def _faults_of_lines(store: Store) -> Iterator[str]:
    """Every field of every sort of line, as it may be and beyond that."""
    names = ["", " ", "x" * 300, "y" * 301, 7, None, "a\nb", " r ", "nul\0", "\ud800", "京都", ["r"], True]
    yield from _fault_lines(store, "responses", [ITEM], _variants(
        ITEM, id=names, kind=["", "poem", None, 1, "Response"], task=["", None, 5, "x\0"], output=["", None, 1.5],
        system=["", None], meta=[None, [], {"a": {"b": [1]}}, {"a": "\ud800"}, {"a": "\\u0000"}],
        without=[*ITEM], more=[{"colour": 1}, {"id": "r2", "output": "ja "}, {f"k{n}": n for n in range(12)}],
    ))  # fmt: skip
    entry, turns = TALK["turns"][0], TALK["turns"]
    yield from _fault_lines(store, "dialogues", [TALK], _variants(
        {**TALK, "id": "d1"}, turns=[
            [], None, "x", [entry], turns[1:2], [turns[2], turns[3], turns[0], turns[1]], [*turns, turns[3]],
            *([{**turns[1], "turn": n}] for n in (0, 1, 10_000, 10_001, "1", 1.0, True)),
            *([{**turns[1], "role": role}] for role in ("bot", "", None, "tool", "system")),
            [{**turns[1], "text": None}], [{**turns[1], "more": 1}], [{"role": "assistant", "text": "x"}],
            *([{"turn": 1, "role": "tool", "text": "x", "name": "n" * size}, turns[1]] for size in (0, 200, 201)), [7],
        ], scenario=[None, "S"], without=["scenario", "turns"],
    ))  # fmt: skip
    side = {"system": "x", "text": "A"}
    yield from _fault_lines(store, "pairs", [pair("p")], _variants(
        pair("p1"), input=["", None, [], [entry], turns, [entry, entry], 5],
        response_a=[{}, None, side, {**side, "text": None}, {"text": "A"}, {**side, "more": 1}, "A"],
        sections=[None, [], [{"label": "one", "a": [0, 1], "b": [0, 1]}], [{"label": "one", "a": [0, 99]}],
                  [{"label": "one", "a": [2, 1]}], [{"a": [0, 1]}]],
        without=["input", "response_b"],
    ))  # fmt: skip
    times = ["", "2026", "2026-13-01", "2026-01-31", "1989-12-31T23:59:59Z", "1990-01-01", "2199-12-31", "2200-01-01",
             " 2026-01-01T00:00 ", "20260101T000000Z", "0001-01-01T00:00:00+14:00", "1990-01-01T00:00:00+09:00",
             5]  # fmt: skip
    annotators = ["", "  ", "x" * 60, "y" * 61, "a  b", "a<b", "a>b", "a`b", "a|b", "a/b", "a\\b", "a\tb", "a\x7fb",
                  "lea", "cy",
                  "LEA", "lea (file)", f"{'z' * 60} (file)", f"{'z' * 60} (file 2)", "judge:x", "\ud800", None,
                  "Łea"]  # fmt: skip
    values = [1, 5, 0, 6, 3.5, "3", " 4 ", "three", "n/a", "N/A", None, True, [], {}, "", 1e300, -1]
    yield from _fault_lines(store, "labels", [ITEM, TALK, pair("p")], _variants(
        LABEL, item=["lost", "", 7, " r ", "d", "p"], value=values, annotator=annotators, made_at=times,
        unit=["", "whole", "turn:1", "turn:0", "pair", "conversation", "section:1/a", 5], dimension=["", "beauty",
        "verdict"],
        mode=["", "seen", "assisted", "revealed", None], team=["", "t" * 60, "t" * 61, "a\0", None],
        probability=[0, 1e-10, 1e-9, 0.5, 1, 1.0001, None, "0.5", -1], without=[*LABEL],
        more=[{"colour": 1}, {"stream": "x", "saw": True, "seen": "x", "code": 9}],
    ), sampling="random")  # fmt: skip
    talked = {**LABEL, "item": "d", "unit": "turn:2", "dimension": "helpfulness"}
    yield from _fault_lines(store, "labels of turns", [TALK, pair("p")], _variants(
        talked, value=values, unit=["turn:1", "turn:3", "turn:02", "turn:99999", "turn:100000", "conversation"],
        more=[{"unit": "conversation", "dimension": "weakest_turn", "value": value} for value in (1, 2, 3, "turn:2",
        "none")]
        + [{"item": "p", "unit": "pair", "dimension": "verdict", "value": value}
           for value in ("a", "B", "tie", "both", 0)],
    ))  # fmt: skip
    yield from _fault_lines(store, "judgments", [ITEM, TALK, pair("p")], _faults_of_judgments())
    yield from _fault_lines(store, "scores of judges", [ITEM, pair("p")], _variants(
        {**JUDGED, "scores": [SCORE]}, scores=[
            [], None, {}, [7], [SCORE, SCORE], [SCORE, {**SCORE, "dimension": "coherence", "value": 9}], [{**SCORE,
            "more": 1}],
            *([{**SCORE, "value": value}] for value in values), *([{**SCORE, "unit": value}] for value in ("", "pair",
            "turn:1")),
            *([{**SCORE, "confidence": value}] for value in (-0.01, 0, 1, 1.01, None, "1")), [{**SCORE,
            "dimension": "verdict"}],
            *([{**SCORE, "note": "n" * size}] for size in (0, 1, 100_000, 100_001)),
        ], more=[{"raw": "x"}, {"reply": REPLY}, {"sample": 3}, {"part": "response"}, {"card": "plain_pairwise"}],
    ))  # fmt: skip
    vote = {"annotator": "ann", "value": "a", "mode": "blind"}
    yield from _fault_lines(store, "decisions", [pair("p"), ITEM], _variants(
        adjudication_line("p", "a"), item=["lost", "r"], value=["c", None, "tie", "n/a", 1], adjudicator=annotators[:6],
        made_at=times,
        reason=["", " ", "x" * 2_000, "x" * 2_001, "a\0", None, "  It is.  "], saw_judge=[True, "no", None],
        labels=[[], None, [vote] * 1_000, [vote] * 1_001, [{**vote, "value": "c"}], [{**vote, "value": None}],
                [{**vote, "annotator": "<"}], [{**vote, "mode": "assisted"}], [{**vote, "mode": "revealed"}], [{}]],
        unit=["response", "turn:1"], dimension=["beauty"], without=[*adjudication_line("p", "a")],
    ))  # fmt: skip
    yield from _faults_of_settings(store)


def _faults_of_judgments() -> Iterator[tuple[str, Json]]:
    raw, half = {**JUDGED, "raw": json.dumps(REPLY)}, verdict("p", "a", order="ab")
    long = [{"a": "x" * (20_000 + beyond - len('{"a":""}'))} for beyond in (0, 1)]
    yield from _variants(
        raw, item=["lost", "d", "p", " r "], card=["", "x", "x" * 100, "x" * 101, 7, "plain_pairwise", "mt_bench"],
        model=["", "x" * 300, "x" * 301, None, "a\0", "practice"], params=[{"t": 0.5}, None, [], "x", *long,
        {"a": "\0"}],
        sample=[-1, 0, 1, 100_000, 100_001, 1.5, True, "1", None], part=["response", "turn:1", "x", None,
        "section:1/a"],
        raw=["", "{}", None, "no", 7, "nul \0", '{"scores":[{"dimension":"factuality","unit":"response","value":2}]}'],
        unscored=["cut_off", "refused", "api_error", "unreadable", "bad", None], why=["x" * 2_000, "x" * 2_001, None],
        order=["ab", "xy", ""], card_version=["0", "", None, 7], without=[*raw],
        more=[{"reply": REPLY}, {"reply": {}}, {"reply": {}, "raw": None}, {"colour": 1}, {"judge": "x", "run": "y"},
              {"reply": {"a": "\ud800"}, "raw": None}, {"unscored": "refused", "why": "Nein.", "model": "n"}],
    )  # fmt: skip
    rated = {"turn": 1, "judgment": "Gut.", "score": 7}
    yield from _variants({**JUDGED, "item": "d", "card": "mt_bench", "reply": rated}, part=[
        "", "turn:1", "turn:2", "turn:3", "conversation", "2"], reply=[
        {"turn": 2, "judgment": "Gut. [[8]]", "score": 8}, {"turn": "2", "judgment": "x", "score": 1}, {"score": 8},
        {"turn": 1, "judgment": "x", "score": 11}, {"turn": 9, "judgment": "x", "score": 1}])  # fmt: skip
    yield from _variants(
        half, order=["ba", "xy", None], part=["pair", "section:1/a"], item=["r", "d"], reply=[{}, {"verdict": "c"}],
        more=[{"reply": None, "raw": "[[A]]"}, {"reply": None, "raw": '{"calls":[]}'}, {"params": {"orders": "both"}},
              {"unscored": "refused", "why": "Nein."}, {"card": "long_form_pairwise", "part": "response/a"},
              {"reply": None, "raw": canonical({"pieces": [{"piece": "order:ab", "raw": "x"}]})},
              {"unscored": "cut_off", "why": "a\0"}, {"reply": None,
              "scores": [
                  {"unit": "pair", "dimension": "verdict", "value": "a"}]}, {"reply": None, "part": "pair", "scores": [
                  {"unit": "pair", "dimension": "verdict", "value": "a"}]}, {"reply": None, "scores": [
                  {"unit": "pair", "dimension": "nothing", "value": "a"}]}],
    )  # fmt: skip


def _faults_of_settings(store: Store) -> Iterator[str]:
    """Gold rules, guidelines and cards, each alone in an import."""
    rule: Json = {"resolve": "majority", "apart": 1}
    rules: list[Any] = [
        rule, {**rule, "apart": -1}, {**rule, "apart": 0}, {**rule, "apart": 100}, {**rule, "apart": 101},
        {**rule, "apart": None}, {**rule, "apart": 1.5}, {**rule, "resolve": "best"}, {"resolve": "mean"},
        {**rule, "waiting": "out"}, {**rule, "waiting": "x"}, {**rule, "more": 1}, None, [], {}
    ]  # fmt: skip
    rows: list[tuple[str, Any]] = [
        (f"rule {_shorten(gold_rule)}", {"gold_rule": gold_rule}) for gold_rule in rules
    ]  # fmt: skip
    rows += [(f"guidelines {_shorten(guidelines)}", {"guidelines": guidelines})
             for guidelines in ("", "x", "x" * MAX_GUIDELINES_LENGTH, "x" * (MAX_GUIDELINES_LENGTH + 1), None, 7, "a\0",
                                "\ud800", " ")]  # fmt: skip
    rows += [(f"head {_shorten(head)}", {"assay": head}) for head in (
        {"format": 0}, {"format": 1}, {"format": 2}, {"format": 3}, {"format": 99}, {"format": "2"}, {},
        7)]  # fmt: skip
    spec = from_recipe(check_recipe(RECIPE)).spec
    scale = {**RECIPE, "dimensions": [{**RECIPE["dimensions"][0], "answers": {"kind": "flag"}}]}
    dialogue = {**RECIPE, "kind": "dialogue", "dimensions": [{**RECIPE["dimensions"][0], "unit": "turn"}]}
    cards: list[tuple[str, Any]] = [
        ("as it is", spec), ("empty", {}), ("a text", "x"), ("nameless", {k: v for k,
        v in spec.items() if k != "name"}),
        ("of a folder", {**spec, "name": "plain_pairwise"}), ("kind", {**spec, "kind": "pair"}),
        *((f"without {name}", {k: v for k, v in spec.items() if k != name}) for name in sorted(spec)),
    ]  # fmt: skip
    cards_of = [(f"card {name}", {"card": card}) for name, card in cards]
    yield from _fault_lines(store, "settings", [ITEM], iter(rows))
    for name, row in [*rows[:1], *rows[2:4], rows[5], rows[9], rows[17], *cards_of]:
        preview = preview_import(store, source([row]), ImportPlan("settings"))
        wrong = " | ".join(f"{problem.field}: {problem.sentence}"[:300] for problem in preview.problems) or "fine"
        yield f"  {name}: {wrong}; {preview.new.total} new, {preview.known.total} known {_of_rows(preview)}"
    card_lines = [{"card": spec}, {"card": spec}, {"card": from_recipe(check_recipe(scale)).spec}, {
        "card": from_recipe(check_recipe(dialogue)).spec}, ITEM, {**LABEL, "dimension": "tone"},
        {**JUDGED, "card": "tone_card", "scores": [{**SCORE, "dimension": "tone"}]}]  # fmt: skip
    early = [
        {**JUDGED, "card": "tone_card", "scores": [{**SCORE, "dimension": "tone", "value": 2}]},
        *card_lines[4:],
        card_lines[0],
    ]
    yield from _import(store, "cards that come with lines", source(card_lines), ImportPlan("cards"))
    yield from _import(store, "cards that come late", source(early), ImportPlan("late cards"))
    named = from_recipe(Recipe.model_validate({**RECIPE, "name": "rubric_open_ended"}))
    yield from _preview(store, "a card with the name of ours", source([{"card": named.spec}]), ImportPlan("cards"))
    renamed = {**RECIPE, "name": "other_tone", "dimensions": scale["dimensions"]}
    late = [{"card": from_recipe(check_recipe(recipe)).spec} for recipe in (scale, renamed, {**RECIPE, "title": "Ton"})]
    yield from _import(store, "other cards", source([ITEM, *late]), ImportPlan("cards"))
    for name, more in (
        ("cards", (spec,)),
        ("a new one", (from_recipe(check_recipe({**RECIPE, "name": "own_card"})).spec,)),
    ):
        plan = ImportPlan("brought", cards=more)
        yield from _import(store, f"{name} of the plan", source([{**ITEM, "id": name}]), plan)


def _of_rows(preview: ImportPreview) -> str:
    return " ".join(f"{sort} {_shorten([list(row.values()) for row in rows])}" for sort, rows in preview.rows.items())


# -- what comes in ----------------------------------------------------------------------------------------------------


def _imports(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Lines that come in one after the other, by whom, under which plan, and what of them is there already."""
    soon = {f"in {hours} hours": (now() + timedelta(hours=hours)).isoformat() for hours in (-1, 23, 25)}
    for name, at in soon.items():
        preview = preview_import(store, source([ITEM, {**LABEL, "made_at": at}]), ImportPlan("soon"))
        made_up = preview_import(store, source([ITEM, {**LABEL, "made_at": at}]), ImportPlan("soon", synthetic=True))
        yield f"a label {name}: {preview.new.labels}, made up {made_up.new.labels}"
    both = [pair("p1"), pair("p2", "AA", "BB"), pair("p3", "C", "DD"), pair("p4", "E", "F")]
    orders = [verdict("p1", "a", order="ab"), verdict("p1", "b", order="ba"), verdict("p2", "b", order="ab"),
              verdict("p2", "a", order="ba", sample=2), verdict("p3", "tie", order="ba"), verdict("p1", "a",
              order="ab")]  # fmt: skip
    late = [verdict("p2", "a", order="ba"), verdict("p3", "a", order="ab"), verdict("p3", "a", order="ab", part="x"),
            verdict("p4", "a", order="ab", unscored="refused", why="Nein.", params={"protocol": "x"}),
            verdict("p4", "a", order="ba", params={"protocol": "x"}), verdict("p4", "tie", order="ba",
            model="n")]  # fmt: skip
    samples = [
        verdict("p1", value, sample=n) for value, n in (("a", 0), ("b", 0), ("a", 1), ("a", 3), ("b", 3), ("tie", None))
    ]
    votes = [label("p1", "a"), label("p1", "b", annotator="ben", team="north"), label("p2", "a", mode="assisted"),
             label("p2", "b", mode="revealed"), label("p2", "n/a", annotator="cy",
             made_at="2026-01-31T21:00:00+09:00")]  # fmt: skip
    newer = [label("p1", "b", made_at="2026-02-01"), label("p1", "tie", made_at="2026-01-01"), label("p2", "tie"),
             label("p1", "b", made_at="2026-02-01"), label("p3", "a", probability=0.25), label("p4", "a",
             probability=None)]  # fmt: skip
    rule, wide = {"gold_rule": {"resolve": "majority", "apart": 1}}, {"gold_rule": {"resolve": "mean", "apart": None}}
    out = {"gold_rule": {"resolve": "median", "apart": 2, "waiting": "out"}}
    cases: list[tuple[str, str, list[Any], Json]] = [
        ("pairs", "lea", [*orders[:2], *both, *orders[2:]], {"sampling": "all"}), ("pairs", "lea", late, {}),
        ("pairs", "lea", [*orders, *late], {}), ("pairs", "lea", samples, {}), ("pairs", "lea", samples, {}),
        ("pairs", "rex", votes, {"sampling": "random", "population": 30}), ("pairs", "rex", newer,
        {"sampling": "random"}),
        ("pairs", "lea", [*votes, *newer], {}), ("pairs", "lea", votes[:2], {"sampling": "random", "population": 1}),
        ("of all", "lea", [*both, *votes, *newer], {"sampling": "all"}), ("picked", "lea", [*both, *newer],
        {"sampling": "picked"}),
        ("drawn", "lea", [*both, *newer], {"sampling": "random", "population": 3}),
        ("too few", "lea", [*both, *newer], {"sampling": "random", "population": 2}),
        ("drawn by line", "lea", [*both, *newer], {"sampling": "random"}),
        ("one sort", "lea", [*both, *votes, *samples], {"sorts": ("item", "label")}),
        ("other names", "lea", [both[0], samples[0]], {"description": "Names."}),
        ("other names", "lea", [samples[0], verdict("p1", "a", model="practice-judge")], {}),
        ("made up", "lea", [both[0], samples[0], votes[0]], {"synthetic": True}),
        ("rules", "lea", [both[0], wide, wide, {"guidelines": "Look twice.\n"}, {"guidelines": "Look twice.\n"}], {}),
        ("rules", "lea", [wide, rule, {"guidelines": "Other."}, {"guidelines": "Look twice.\n"}], {}),
        ("two rules", "lea", [both[0], out, rule, out, {"guidelines": "One."}, {"guidelines": "Two."}], {}),
        ("rules of rex", "rex", [both[0], out, {"guidelines": "One."}], {}), ("rules of rex", "rex", [rule], {}),
        ("the usual rule", "lea", [both[0], {"gold_rule": {"resolve": "majority", "apart": 0}}], {}),
        ("nothing", "lea", [label("lost", "a")], {}), ("of cy", "cy", both, {}), ("of nobody", "nobody", both, {}),
    ]  # fmt: skip
    for name, person, rows, options in cases:
        yield from _import(
            store,
            f"{len(rows)} lines into {name} by {person}, {options}",
            source(rows),
            ImportPlan(name, **options),
            person,
        )
    yield from _import(store, "judgments of all sorts", source(_judgments()), ImportPlan("sorts"))
    yield from _preview(store, "judgments of all sorts, again", source(_judgments()), ImportPlan("sorts"))
    for rows in ([*both, b"{", {"id": ""}], [b"{"] * 3, [*both]):
        yield from _import(store, f"whole, {len(rows)} lines", source(rows), ImportPlan("whole"), good=False)
    more = (
        [verdict("p1", "a", model=f"m{n}") for n in range(4)],
        [label("p1", "a", annotator=f"n{n}") for n in range(3)],
    )
    with monkeypatch.context() as patch:
        patch.setattr("data.importing.checks.line_checks._PEOPLE", 2)
        patch.setattr("data.importing.checks.line_checks._JUDGES", 3)
        for batch in (more[0][:-1], more[0], more[1][:-1], more[1]):
            wrong = refusal(partial(preview_import, store, source([*both, *batch]), ImportPlan("many")))
            yield f"{len(batch)} in one import: {wrong or 'fine'}"
    yield from _bounds()


def _judgments() -> list[Json]:
    """Judgments with a reply, a text, scores, parts, samples and reasons why there is no score, and their items."""
    rated = {**JUDGED, "item": "d", "card": "mt_bench"}
    raw = '{"verdict":"a"}'
    pieces = {"pieces": [{"piece": "order:ab", "raw": raw}, {"piece": "order:ba", "raw": raw}]}
    stored = canonical({"scores": [{**SCORE, "value": 2}]})
    return [
        ITEM, TALK, pair("p"), {**JUDGED, "reply": REPLY}, {**JUDGED, "raw": json.dumps(REPLY), "sample": 3},
        {**JUDGED, "raw": stored, "model": "b"}, {**JUDGED, "raw": stored, "model": "b", "unscored": "refused",
        "sample": 4},
        {**JUDGED, "raw": "x", "model": "c", "unscored": "api_error", "why": "Weg."},
        {**JUDGED, "raw": "x", "model": "c", "unscored": "unreadable", "why": "Unklar.", "sample": 2},
        {**JUDGED, "scores": [SCORE, {**SCORE, "dimension": "coherence", "value": 9, "note": " Hm. "}], "model": "d"},
        {**JUDGED, "scores": [{**SCORE, "value": None, "confidence": 0.5}], "model": "e"},
        {**rated, "reply": {"turn": 1, "judgment": "Gut.", "score": 7}}, {**rated, "raw": "Gut. [[8]]",
        "part": "turn:2"},
        {**rated, "raw": "Gut. Rating: [[8]]", "part": "conversation"}, {**rated, "raw": "[[3]]", "part": "turn:2"},
        {**rated, "reply": {"turn": 2, "judgment": "Gut.", "score": 5}, "part": "turn:1", "model": "f"},
        {**rated, "scores": [{"unit": "turn:1", "dimension": "rating", "value": 4}], "model": "g"},
        verdict("p", "a", raw=canonical(pieces), reply=None, params={"orders": "both"}),
        verdict("p", "a", raw=canonical(pieces), reply=None, model="h"), verdict("p", "b", order="ab",
        model="practice-p"),
        verdict("p", "b", params={"prompt": "x", "wording": 7}), verdict("p", "b", params={"wording": "w"}),
    ]  # fmt: skip


def _bounds() -> Iterator[str]:
    """Where the report ends, and texts that cannot be stored."""
    preview = ImportPreview("d")
    collector = ProblemCollector(preview, rejects := io.BytesIO())
    for n in range(102):
        collector.warn(f"{n}")
    for sentence in ("1", "w" * 1_001, "w" * 1_000):
        collector.warn(sentence)
    collector.reject("f", 1, [("n" * 201, "s" * 1_001), ("x", "y")], "b " * 90)
    collector.reject("f", 1, [("x", "y")], {1, 2})
    collector.reject("f", 2, [("x", "\ud800")], "\ud800")
    collector.reject("g", 2, [("x", "y")], "x" * (20 * 2**20))
    for n in range(3, 10_100):
        try:
            collector.reject("f", n, [("x", f"number {n}")], "r" if n < 5 else None)
        except TooManyErrors:
            break
    collector.close()
    yield f"== many problems: {preview.rejected}, {preview.by_file}, {len(preview.problems)} kept; {preview.stopped}"
    yield from (
        f"  {len(problem.field)} {len(problem.sentence)} {problem.begins} {problem}"[:300]
        for problem in preview.problems[:6]
    )
    yield (
        f"  {len(preview.warnings)} warnings, of letters {dict(Counter(map(len, preview.warnings)))}, "
        f"{preview.warnings[:3]}"
    )
    yield from (f"  back {len(line)} {line[:150]}" for line in rejects.getvalue().decode().splitlines()[:6])
    yield f"  refused: {str(ImportRefused(preview))[:300]}"
    preview.stopped, preview.rejected = "", 1
    yield f"  refused: {str(ImportRefused(preview))[-120:]}"
    for string, value in (
        ("a", None),
        ("a\0", None),
        ("\ud800", None),
        ("\\u0000", None),
        ("\\u0000", {"a": "\0"}),
        ("\\u0000", {"a": "x"}),
    ):
        yield f"  text {string!r} of {value}: {refusal(partial(check_text, string, value)) or 'fine'}"


def _files(store: Store) -> Iterator[str]:
    """Files under plans that somebody changed, where they lead, and tables as they are proposed to be imported."""
    for title, upload in import_files.sources():
        if title not in ("Table of scores", "Pairs", "Dialogues", "votes"):
            continue
        draft = ImportPlan(f"of {title}", sampling="all")
        plan = start.plan_import(store, start.interpret_source(store, upload, detect_formats(upload)), draft)
        yield from _import(store, title, upload, plan)
        yield from _preview(store, f"{title}, again", upload, draft)
        for known, mapping in zip(detect_formats(upload), plan.mappings, strict=False):
            others = mapping, mapping.model_copy(update={"meta": ["id"]})
            yield f"  had another mapping: {[previous_mapping(store, known, other) is not None for other in others]}"
        key = str(store.rows("select id from dataset where name = $1", [plan.dataset])[0][0])
        step = start.next_step(store, "lea", key, draw=title != "Dialogues")
        yield f"  leads to {step and (step.page, sorted(step.query), step.path[:14], step.sentence)}"
    for name in ("of Pairs", "new"):
        yield f"first import into {name}: {start.is_first_import(store, name)}"
    yield f"no dataset: {refusal(lambda: start.next_step(store, 'lea', 'none'))}"
    bench = from_bytes(list(import_files.bench().items()))
    yield from _import(store, "bench", bench, ImportPlan("bench"))
    yield from _import(store, "only ratings", from_bytes([
        (name, content) for name, content in import_files.bench().items() if "single" in name]),
        ImportPlan("bench"))  # fmt: skip
    prompts = [{"name": "single-v1", "type": "single", "prompt_template": "{question}", "system_prompt": ""}]
    for times in ("", ", again"):
        upload = from_bytes([*import_files.bench().items(), ("judge_prompts.jsonl", text(prompts))])
        yield from _import(store, f"bench with its prompts{times}", upload, ImportPlan("prompts"))
    question = Question(
        "person", "response", "response", "rating", "rubric_open_ended", "factuality", RecipeScale(lo=1, hi=5), "zoe"
    )
    yield from _import(store, "another question", from_bytes([("r.jsonl", tools.text(*tools.argilla()))]),
                       ImportPlan("asked", questions=(question,)))  # fmt: skip
    for columns, rows in import_files.tables():
        upload = from_bytes([("t.jsonl", text(rows))])
        detected = detect_formats(upload)
        outline = start.interpret_source(store, upload, detected)
        try:
            plan = start.plan_import(store, outline, ImportPlan("tables", sampling="all"))
        except BadInput as error:
            yield f"== table of {columns}: {error}"
            continue
        mappings = [
            previous_mapping(store, file, plan.mappings[0])
            for file in detected
            if file.format == "table" and plan.mappings
        ]
        yield f"-- had a mapping before: {[previous is not None for previous in mappings]}"
        yield from _preview(store, f"table of {', '.join(columns)}", upload, plan)


def _decisions(store: Store) -> Iterator[str]:
    """Decisions that come in, that were made here, that were taken back, and labels of the desk."""
    two = [
        row for name in ("q1", "q2", "q3") for row in (pair(name), label(name, "a"), label(name, "b", annotator="ben"))
    ]
    yield from _import(
        store,
        "what waits",
        source([*two, adjudication_line("q3", "tie"), {"gold_rule": {"resolve": "median", "apart": 0}}]),
        ImportPlan("decided"),
    )
    dataset = str(store.rows("select id from dataset where name = 'decided'")[0][0])
    for cell in sorted(disputes.cells_to_adjudicate(store, dataset), key=lambda cell: cell.name):
        done = adjudication.adjudicate(
            store, "lea", new_id(), cell.item, cell.unit, cell.dimension, 1, "Why.", cell.token
        )
        if cell.name == "q2":
            adjudication.withdraw_adjudication(store, "lea", new_id(), done.id)
    item, made_at = store.rows(
        "select item_id, made_at from label_now l join item i on i.id = l.item_id where i.name = 'q3'"
    )[0]
    columns = (
        "id, answer_id, item_id, unit, dimension, value, annotator, mode, draw_id, judge_id, saw, withdrawn, made_at"
    )
    desk = ("desk", "answer", item, "pair", "verdict", 1.0, "bob", "blind", "", "", False, False, made_at)
    store.tx("bob", "labels", lambda tx: tx.add("label", columns, [desk]))
    again = [adjudication_line("q1", "a"), adjudication_line("q2", "a"), adjudication_line("q3", "tie"),
             adjudication_line("q3", "a"), adjudication_line("q3", "b", made_at="2026-03-01"),
             adjudication_line("q3", "a", made_at="2026-04-01"),
             adjudication_line("q2", "b", made_at="2026-05-01", adjudicator="lea"), label("q3", "a", annotator="bob"),
             label("q3", "a", annotator="bob", made_at="2026-06-01", mode="revealed"),
             label("q3", "a", annotator="cy", made_at="2026-06-01", mode="revealed"), label("q3", "a",
             annotator="cy")]  # fmt: skip
    for times in ("", ", again"):
        yield from _import(store, f"decisions beside those made here{times}", source(again), ImportPlan("decided"))
    preview = preview_import(store, source([*again, verdict("q1", "a"), verdict("lost", "a")]), ImportPlan("decided"))
    before = store.newest()
    record_preview(store, "cy", "decided", preview)
    yield from _rows(store, before)
    before = store.newest()
    record_preview(store, "cy", "decided", preview)
    yield f"  once more: {store.newest() - before} changes"


# -- tables -----------------------------------------------------------------------------------------------------------


def _columns(store: Store) -> Iterator[str]:
    """Tables by mappings of several shapes, with what rows of them are refused."""
    csv = (
        "id;q;a;b;sa;sb;j;why;sure;nr;o;p;who;when;mode;team;chance;lang\n"
        "1;Wo?;Hier.;Da.;x;y;a;klar;0.9;0;ab;b;ann;2026-01-02;blind;north;0.5;de\n"
        "1;Wo?;Hier.;Da.;x;y;b;;;1;ba;a;ben;;;;;\n"
        '2;Was?;"So;\nund so";;x;y;tie;;2;x;AB;n/a;cy;gestern;seen;;2;en\n'
        "3;;;;;;;;;;;;;;;;;\n"
        "4;Wie?;A\n"
        "5;Wie?;A;B;x;y;c;x;viel;2;;tie;<;2026-01-03;blind;;wenig;fr\n"
    )
    source = from_bytes([("t.csv", csv.encode())])

    def of(name: str, constant: str = "") -> Json:
        return {"constant": constant} if constant else {"columns": [name]}

    fields = {
        "input": of("q"),
        "response_a": of("a"),
        "response_b": of("b"),
        "system_a": of("sa"),
        "system_b": of("sb"),
    }
    judged: Json = {"card": "plain_pairwise", "model": of("", "gpt"), "value": of("j")}
    label: Json = {"value": of("p"), "unit": of("", "pair"), "dimension": of("", "verdict"), "annotator": of("who")}
    base: Json = {
        "kind": "pair",
        "id": of("id"),
        "fields": fields,
        "meta": ["lang"],
        "judgments": [judged],
        "labels": [label],
    }
    full = {**label, "made_at": of("when"), "mode": of("mode"), "team": of("team"), "probability": of("chance")}
    names = {"a": "b", "b": "a", "tie": "tie"}
    shapes: dict[str, Json] = {
        "as it is": {}, "turned": {"judgments": [{**judged, "values": names}], "labels": [{**label, "values": names}]},
        "named": {"id": {"columns": ["id", "q"]}, "labels": [full]}, "unnamed": {"id": {}},
        "in orders": {"judgments": [{**judged, "order": of("o"), "reason": of("why")}]},
        "in samples": {"judgments": [{**judged, "sample": of("nr"), "params": {"t": 1}}]},
        "replies": {"judgments": [{"card": "plain_pairwise", "model": of("who"), "raw": of("why")}]},
        "some": {"judgments": [{**judged, "only": {"lang": ["de", ""]}}], "labels": [{**label,
        "only": {"who": ["ann"]}}]},
        "no items": {"items": False, "fields": {}}, "only names": {"fields": {}},
        "scores": {"judgments": [{**judged, "dimension": of("", "verdict"), "confidence": of("sure"),
        "sample": of("nr"),
                                  "reason": of("why")}]},
        "scores by unit": {"judgments": [{**judged, "dimension": of("", "verdict"), "unit": of("", "pair")}]},
        "joined": {"fields": {**fields, "input": {"columns": ["q", "lang"]}}},
        "a scale": {"labels": [{**label, "answers": {"kind": "unordered", "categories": ["a", "b"]}}]},
        "no column": {"fields": {**fields, "input": of("none")}}, "another kind": {"kind": "response"},
    }  # fmt: skip
    for title, more in shapes.items():
        plan = ImportPlan(
            f"columns {title}", sampling="all", mappings=(ColumnMapping.model_validate({**base, **more}),)
        )
        yield from (_import if title in ("as it is", "scores") else _preview)(store, f"columns, {title}", source, plan)
    other = ColumnMapping.model_validate({"kind": "response", "fields": {"output": of("a")}})
    yield from _preview(store, "a mapping that fits better", source, ImportPlan(
        "better", mappings=(other, ColumnMapping.model_validate(base))))  # fmt: skip
    yield from _preview(store, "the mapping from before", source, ImportPlan("before"))
    for name, content in (("latin", "id;a\n1;Größe\n2;ja\n".encode("latin-1")), ("wide",
    "id,a\n1,Größe\n".encode("utf-16")),
                          ("bare wide", "id,a\n1,ja\n".encode("utf-16-le")), ("broken",
                          b"id,a\n1,\xff\xfeja\n2,x\n" + b"\xe4\xb8\n"),
                          ("nul", b"id,a\n1,x\0\n2,y\n"), ("twice", b"id,id\n1,2\n"), ("open", b'id,a\n1,"x\n2,y\n'),
                          ("late", b'id,a\n1,"x" y\n2,y\n'), ("header", b'\n,\n id , a \n\n1,y\n'), ("bad header",
                          b'id,"a\n1,2\n'),
                          ("japanese", "id,a\n1,京都はどこですか\n2,東京です\n".encode("cp932"))):  # fmt: skip
        mapping = ColumnMapping.model_validate({"kind": "response", "id": of("id"), "fields": {"output": of("a")}})
        yield from _preview(
            store, f"table in {name}", from_bytes([("t.csv", content)]), ImportPlan(f"in {name}", mappings=(mapping,))
        )


def _rejected_rows(store: Store) -> Iterator[str]:
    """Rows that become no items, so that what is said of them cannot come in either."""
    talks = b"id,t,v\n1,x,3\n2,y,4\n3,z,4\n"
    label = {"value": {"columns": ["v"]}, "unit": {"constant": "turn:1"}, "dimension": {"constant": "helpfulness"},
             "annotator": {"constant": "ann"}}  # fmt: skip
    mapping = {
        "kind": "dialogue",
        "id": {"columns": ["id"]},
        "fields": {"turns": {"columns": ["t"]}},
        "labels": [label],
    }
    plan = ImportPlan("twice", mappings=(ColumnMapping.model_validate(mapping),))
    yield from _import(store, "rows that become no items", from_bytes([("t.csv", talks)]), plan)


def _mapping_faults() -> Iterator[str]:
    """What mappings lack, how they are read, and what cells mean."""
    columns = ["id", "a", "b", "t"]

    def of(name: str) -> Json:
        return {"columns": [name]}

    base: Json = {"kind": "response", "fields": {"output": of("a")}}
    rated: Json = {"card": "rubric_open_ended", "model": {"constant": "m"}, "value": of("b")}
    label: Json = {
        "value": of("b"),
        "unit": {"constant": "response"},
        "dimension": {"constant": "factuality"},
        "annotator": of("t"),
    }
    empty: Json = {}
    more: Json
    for more in (
        {}, {"fields": {"output": of("x"), "text": of("a")}}, {"fields": {}}, {"fields": {"task": of("a")}},
        {"items": False}, {"items": False, "id": of("id")}, {"items": False, "id": of("id"), "labels": [label]},
        {"kind": "pair", "fields": {"response_a": of("a")}}, {"kind": "pair", "fields": {"input": of("a")}},
        {"kind": "dialogue", "fields": {"system": of("a")}}, {"kind": "dialogue", "fields": {"text": of("a")}},
        {"kind": "dialogue", "fields": {"assistant": of("a")}}, {"kind": "dialogue", "fields": {"user": of("a"),
        "assistant": of("b")}},
        {"judgments": [rated]}, {"judgments": [{**rated, "dimension": {"constant": "factuality"}}]},
        {"judgments": [{**rated, "dimension": {"constant": "beauty"}}]}, {"judgments": [{**rated,
        "dimension": of("t")}]},
        {"judgments": [{**rated, "card": "x"}]}, {"judgments": [{**rated, "card": "plain_pairwise"}]},
        {"judgments": [{**rated, "model": empty}]}, {"judgments": [{**rated, "value": empty}]},
        {"judgments": [{**rated, "raw": of("a")}]}, {"judgments": [{**rated, "raw": of("a"), "value": empty}]},
        {"kind": "dialogue", "fields": {"turns": of("a")}, "judgments": [{**rated, "card": "mt_bench"}]},
        {"kind": "dialogue", "fields": {"turns": of("a")}, "judgments": [{**rated, "card": "mt_bench",
        "turn": of("t")}]},
        {"kind": "dialogue", "id": of("id"), "fields": {"text": of("a")}, "judgments": [{**rated, "card": "mt_bench"}]},
        {"kind": "dialogue", "id": of("id"), "fields": {"assistant": of("a")}, "judgments": [{**rated,
        "card": "mt_bench"}]},
        {"labels": [label]}, {"labels": [{**label, "value": empty, "unit": empty}]}, {"labels": [{**label,
        "dimension": empty, "annotator": empty}]},
        {"meta": ["m"]}, {"labels": [{**label, "only": {"o": ["1"]}}]}, {"recipes": [RECIPE], "judgments": [{**rated,
        "card": "tone_card"}]},
    ):  # fmt: skip
        mapping = ColumnMapping.model_validate({**base, **more})
        full = [j.model_dump(exclude_defaults=True) for j in mapping.complete(mapping.cards()).judgments]
        yield (
            f"mapping {json.dumps(more)}: {mapping.faults(columns)} {mapping.textless} {sorted(mapping.columns())} "
            f"{full}"
        )
    for raw in ("", "{", "{}", "[]", '{"kind": "poem"}', '{"kind": "pair", "x": 1}', '{"kind": "pair", "meta": "a"}',
                '{"kind": "pair", "fields": {"input": {"columns": "q"}}}', '{"kind": "pair", "labels": [{}]}',
                json.dumps({"kind": "pair", **{f"k{n}": 1 for n in range(9)}}), '{"kind": "pair"}'):  # fmt: skip
        yield f"mapping read {raw[:60]}: {refusal(partial(parse_mapping, raw)) or 'fine'}"
    for assignments in ("", "0 = tie", "0 = tie, 1 = a,, 2=b", "0", "=a", "a = ", "a = b = c", "0 = tie, x"):
        values: Any = refusal(partial(parse_values, assignments)) or parse_values(assignments)
        yield f"values {assignments!r}: {values}"
    cells = [None, "", 2.0, 2.5, True, "TRUE", "-3", "3.", ".5", "1" * 12, "1" * 13, "1e3", "-.5", 999_999_999.0, 1e9,
    1_000_000_000.5,
             "999999999", "1000000000", " Yes ", "１", [1], "n/a", -0.0, "0." + "1" * 18, "0." + "1" * 19]  # fmt: skip
    scale = RecipeScale(kind="ordinal", lo=1, hi=5)
    for cell in cells:
        means = [
            interpret_cell(cell, {}),
            interpret_cell(cell, {"2": "0.5", "yes": "true", "-3": "A"}),
            interpret_cell(cell, {}, scale),
        ]
        yield f"cell {cell!r}: {cell_text(cell)!r} {means}"
    fields = Line("f", 1, "item", {}), Question("judge", "pair", "pair", "n", "c", "d")
    yield f"defaults {fields}"


# -- files ------------------------------------------------------------------------------------------------------------


def _folders(store: Store, folder: Path) -> Iterator[str]:
    """Files and folders as they lie, by name, together, and what is none."""
    files = {"a.jsonl": text([pair("f1")]), "b.JSON": json.dumps([pair("f2", "x")]).encode(), "notes.md": b"# No",
             ".hidden.jsonl": b"{}", "sub/a.jsonl": text([label("f1", "a")]), "sub/.x/c.jsonl": text([pair("f3", "z")]),
             "empty/x.txt": b"x", "void/e.jsonl": b" \n", "pack.zip": b"PK\x03\x04",
             "run.eval": b"PK\x03\x04"}  # fmt: skip
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    (folder / "link.jsonl").symlink_to(folder / "a.jsonl")
    for where in (folder, folder / "sub", folder / "a.jsonl", folder / "none", folder / "empty", folder / "void",
                  folder / "*.jsonl", f"file://{folder}", "a\0b", folder / "pack.zip", folder / "run.eval",
                  folder / "notes.md"):  # fmt: skip
        try:
            source = from_path(where)
        except AssayError as error:
            yield f"path {where}: {type(error).__name__}: {error}"
            continue
        names = [file.name for file in source.files]
        yield f"path {where}: {source.name} of {source.size}, {names}, aside {source.left_aside}"
        yield from _preview(store, f"path {where}", source, ImportPlan(f"path {source.name}"))
        yield f"  read {source.at} of {source.size}, open {source.open!r}"
    yield from _lists(folder / "list")
    moved = from_path(folder / "a.jsonl")
    (folder / "a.jsonl").rename(folder / "gone.jsonl")
    yield f"gone: {refusal(lambda: detect_formats(moved))}"
    (folder / "gone.jsonl").rename(folder / "a.jsonl")
    for odd in ("x" * 5_000, "/dev/null"):
        yield f"path {odd[:20]}: {refusal(partial(from_path, odd))[-80:]}"
    for paths in ([folder / "a.jsonl"], [folder / "a.jsonl", folder / "sub"], [folder / "sub",
    folder / "sub/a.jsonl"],
                  [folder / "sub/a.jsonl", folder / "a.jsonl", folder / "a.jsonl"]):  # fmt: skip
        combined = from_paths(paths)
        names = [file.name for file in combined.files]
        yield f"paths {[str(path) for path in paths]}: {combined.name}, {names}, {combined.left_aside}"
    uploads = [("a/b\\c.jsonl", b"{}"), ("c.jsonl", b"{}"), ("", b"{}"), ("x" * 300, b"{}"), ("c.jsonl", b"")]
    yield f"uploads {[(file.name[-30:], len(file.name), file.size) for file in from_bytes(uploads).files]}"
    yield f"no uploads: {refusal(lambda: from_bytes([]))}"
    for extra_name in ("notes.csv", "x.jsonl"):
        contents = {
            "question.jsonl": import_files.bench()["question.jsonl"],
            "notes.csv": b"x,y\n1,2\n",
            "x.jsonl": b"",
        }
        bench = from_bytes([(name, contents[name]) for name in ("question.jsonl", extra_name)])
        yield from _preview(store, f"questions and {extra_name}", bench, ImportPlan("questions"))


def _lists(folder: Path) -> Iterator[str]:
    """A folder that has a list of its files, as it is and with a list that says something else."""
    folder.mkdir()
    for name in ("b.jsonl", "a.jsonl", "more.jsonl"):
        (folder / name).write_bytes(name.encode())
    entries = [{"name": n, "bytes": 7, "sha256": sha256(n.encode()).hexdigest()} for n in ("b.jsonl", "a.jsonl")]
    lists: list[Any] = [
        {"files": entries}, {"files": [entries[0], {**entries[1], "bytes": 8}]}, {"files": [entries[0], {**entries[1],
        "sha256": "0"}]},
        {"files": [{**entries[0], "name": "c.jsonl"}]}, {"files": [{**entries[0], "name": "../list/b.jsonl"}]},
        {"files": [{}]}, {},
        {"files": []}, {"files": [*entries * 5_000, entries[0]]}, [], 7,
    ]  # fmt: skip
    for manifest in lists:
        (folder / "_manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        try:
            source = from_path(folder)
            names = [file.name for file in source.files[:3]]
            yield (
                f"list {_shorten(manifest)}: {source.name} {len(source.files)} {names} {source.left_aside} "
                f"{source.size}"
            )
        except AssayError as error:
            yield f"list {_shorten(manifest)}: {error}"


def _tools(store: Store) -> Iterator[str]:
    """Files of other tools with the other names that they have for things, as they are proposed to be imported."""
    chats = [
        {"messages": [tools.message("user", "a"), {"role": "assistant", "content": [
            {"type": "text", "text": "So."}, {"type": "tool_use", "id": "t1", "name": "find", "input": {"q": 1}},
            {"type": "tool_use", "id": "t2", "name": "see"}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t2", "content": [{"type": "text",
            "text": "2"}]},
                                         {"type": "tool_result", "tool_use_id": "t1", "content": {"k": 1}}]},
            tools.message("assistant", "Da.")]},
        {"id": 7, "messages": [tools.message("system", "S"), tools.message("user", "a"),
                               tools.message("assistant", "b")], "scenario": "T"},
        {"id": "f", "messages": [tools.message("user", "a"), {"role": "assistant", "content": None,
        "function_call": {"name": " f "}},
                                 {"role": "function", "name": "f", "content": None}, {"role": "assistant",
                                 "content": None, "refusal": "Nein."}]},
        {"id": "m", "messages": [tools.message("user", "a"), tools.message("assistant", "b")], "meta": {"k": 1},
        "metadata": {"l": 2}, "tools": []},
        *({"id": f"x{n}", "messages": messages} for n, messages in enumerate((
            [], [7], [{"role": "user", "content": 5}], [{"role": "user", "content": [{"type": "image"}]}],
            [{"role": 5, "content": "a"}],
            [{"role": "user", "content": [5]}], [{"role": "assistant", "content": "b", "tool_calls": 5}],
            [{"content": "a"}],
            [{"role": "assistant", "content": "b", "tool_calls": [5]}]))),
        {"id": "bad", "messages": [tools.message("user", "a"), tools.message("assistant", "b")], "meta": [1]},
        {"id": "h", "history": [{"user": "a", "bot": "b"}, 7, {"user": "c"}], "task": "x"},
    ]  # fmt: skip
    ratings = [
        {**JUDGED, "item": "r", "unit": "response", "dimension": "factuality", "value": 3, "code": 3.0, "judge": "j",
        **more}
        for more in (
            {"sample": None}, {"sample": None, "dimension": "coherence"}, {"sample": 1.0}, {"sample": 1.5},
            {"samples": 3, "sample": None}, {"samples": 1, "sample": 2}, {"code": 3.5, "sample": 4},
            {"confidence": 0.5, "sample": 5}, {"confidence": "x", "sample": 1}, {"params": '{"t": 1}', "sample": 1},
            {"params": "{", "sample": 1}, {"params": 7, "sample": 6}, {"sample": "x"}, {"samples": "many",
            "sample": None},
            {"value": 2, "sample": None}, {"params": None, "sample": 9}, {"card_version": "x", "sample": 10},
        )
    ]  # fmt: skip
    run = tools.deepeval()
    cases = run.get("testRunData", run)
    talks = {"conversationalTestCases": [
        {"name": "t", "scenario": "S", "expectedOutcome": "E", "turns": [
            {"role": "user", "content": "a"}, {"role": "assistant", "content": "b", "toolsCalled": [
                {"name": "f", "inputParameters": {"q": 1}, "output": "2"}, {"name": ""}]}],
         "metricsData": [{"name": "Kind", "score": 0.5, "reason": "r", "evaluationModel": "g"}, {"name": "Cut",
         "error": "e"},
                         {"score": 1}, {"name": "Done", "success": True}]},
        {"name": "u", "turns": [{"input": "a", "actualOutput": "b"}], "metricsData": []},
        {"name": "v", "input": "", "actualOutput": "b", "metricsData": [], "context": ["c"],
        "additionalMetadata": {"k": 1}},
        {"name": "w", "input": "x", "metricsData": []}, {"name": "none"}]}  # fmt: skip
    files: dict[str, Any] = {
        "chats": chats, "ratings": [ITEM, *ratings], "talks": [{**talks, **{k: v for k,
        v in cases.items() if k == "none"}}],
        **{f"other {name}": rows for name, rows in tools.varied_rows().items()},
        "table": [{"columns": ["request", "response", "score/value"], "data": [["a", "b", 1], ["c"]]}],
        "scores alone": [{"trace_id": "t", "name": "tone", "value": 1, "source": "API", "id": "1",
        "dataType": "NUMERIC"}],
        "nan": [b'{"id": "n", "kind": "response", "task": "t", "output": "o", "meta": {"x": NaN}}'],
        "list": [], "gold": [{"how": "agreed", "people": 2, "value": "4", "item": "n1"}], "an object": [b'{"a": 1,',
        b'"b": 2}'],
    }  # fmt: skip
    for title, rows in files.items():
        source = from_bytes([(f"{title}.jsonl", text(rows))])
        draft = ImportPlan(f"tool {title}", sampling="all")
        detected: list[DetectedFile] | None = None
        try:
            detected = detect_formats(source)
            plan = start.plan_import(store, start.interpret_source(store, source, detected), draft)
        except BadInput as error:
            yield f"-- no plan of {title}: {error}"
            plan = draft
        yield from _preview(store, title, source, plan, detected)


def _utterances() -> Iterator[str]:
    """What messages in the words of many tools say, and when."""
    call = {"type": "tool_use", "id": "c1", "name": "find", "input": {"q": 1}}
    back = {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "2"}, {"text": "3"}]}
    later = {"role": "tool", "tool_call_id": "c2", "content": "B"}
    calls = [{"id": f"c{n}", "function": {"name": f"f{n}", "arguments": '{"a": 1}'}} for n in (1, 2)]
    question = tools.message("user", "Q")
    messages: list[Any] = [
        [], "x", [7], [{}], [question], [question, {"role": "nobody", "content": "x"}],
        [{"role": "user", "content": ["a", {"text": "b"}]}],
        [question, {"role": "assistant", "content": [{"type": "text", "text": "T"}, call]}, {"role": "user",
        "content": [back]}],
        [question, {"role": "assistant", "content": None, "tool_calls": calls}, later, {**later, "tool_call_id": "c1",
        "content": "A"}],
        [question, {"role": "assistant", "tool_calls": calls}, {**later, "tool_call_id": "c9"}, later],
        [{"type": "human", "content": "Q"}, {"type": "ai", "content": "A", "additional_kwargs": {"tool_calls": calls}}],
        [{"role": "user", "parts": [{"type": "text", "content": "Q"}]}, {"role": "model", "parts": [{"functionCall": {
            "name": "g", "args": {"a": 1}}}]}, {"role": "tool", "parts": [{"functionResponse": {"name": "g",
            "response": {"r": 1}}}]}],
        [{"role": "user", "content": [{"type": "image_url"}, {"type": "blob", "modality": "audio"}, {"type": "file"},
        {}, {"k": 1}]}],
        [{"role": "user", "content": [{"message_content": {"type": "text", "text": "in"}}]}, {"role": "assistant",
        "content": " "}],
        [{"role": "assistant", "function_call": {"name": "f", "arguments": None}}, {"role": "function", "name": "f",
        "content": ""}],
        [{"type": "function_call", "name": "f", "call_id": "z", "arguments": "{}"},
         {"type": "function_call_output", "call_id": "z", "output": {"o": 1}}],
        [{"role": "assistant", "tool_calls": [7, {"tool_call": {"name": "t", "parameters": 0}}, {"tool": "u",
        "args": [1]}]}],
        [{"role": "tool", "content": None, "output": "O", "tool_name": "n"}, {"message": {"role": "user",
        "content": "M"}}],
        [json.dumps(question), {"role": "assistant", "content": {"text": "dict"}}],
    ]  # fmt: skip
    for exchange in messages:
        parsed = utterances.read_messages(exchange)
        yield f"messages {_shorten(exchange)}: {parsed and [tuple(entry) for entry in parsed]}"
    for value in (
        "", "Q", '{"question": "Q"}', {"input": "Q"}, {"messages": [question], "system": "S"},
        {"chat_history": [question], "input": "R"},
        {"input": {"messages": [question]}, "other": 1}, {"a": {"b": 1}}, [1, 2], 7, None,
        {"choices": [{"message": tools.message("assistant", "A")}]},
        {"generations": [[{"text": "A"}]]}, {"output": "A"}, {"response": {"content": "A"}}, {"history": [question],
        "query": "Z"},
        {"kwargs": {"content": "K"}}, {"candidates": [{"content": {"role": "model", "parts": [{"text": "P"}]}}]},
        "[1, 2",
    ):  # fmt: skip
        sides = [
            [tuple(entry) for entry in read(value)]
            for read in (utterances.input_utterances, utterances.output_utterances)
        ]
        yield f"said {_shorten(value)}: {sides} {utterances.single_text(value)!r}"
    for at in (0, 1, -1, None, "x", "", True, 1e11, 1e11 + 1, 1e14, 1e14 + 1, 1e17, 1.1e17, "1700000000",
    "1700000000123", 1.5,
               "2026-01-01", "2026-01-01T00:00:00.123456+02:00", " 2026-01-01 ", "9999-12-31T23:59:59Z", 1e30,
               float("inf"), [1]):  # fmt: skip
        yield f"time {at!r}: {traces.nanoseconds(at)} {traces.iso_time(at)!r}"


def _small_memory(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The same with so little room that everything has to be fetched again, and rows go to their files at once."""
    monkeypatch.setattr("data.importing.checks.known_rows._CACHE_BYTES", 1)
    monkeypatch.setattr("data.importing.checks.known_rows._IDS_PER_QUERY", 2)
    monkeypatch.setattr("data.importing.checks.order_pairs._CHUNK", 2)
    monkeypatch.setattr("data.importing.checks.line_checks._CHUNK", 2)
    monkeypatch.setattr("data.importing.staging._ROWS", 2)
    names = [f"s{n}" for n in range(5)]
    first = [*(verdict(name, "a", order="ab") for name in names), *(label(name, "a") for name in names)]
    rows = [*first, *(pair(name, a=name) for name in names), *(adjudication_line(name, "a") for name in names)]
    plan = ImportPlan("small", sampling="random", population=10)
    yield from _import(store, "little room", source(rows), plan)
    more = [*(verdict(name, "a", order="ba") for name in reversed(names)), *(verdict(name, "b",
    model="n") for name in names),
            *(label(name, "b", made_at="2026-02-02") for name in names), label("s1", "tie",
            made_at="2026-02-03")]  # fmt: skip
    yield from _import(store, "little room, more", source(more), plan)
    yield from _import(store, "little room, again", source([*rows, *more]), plan)
