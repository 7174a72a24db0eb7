"""Importing as a whole: all or nothing, never twice, and what the rows then say."""

from __future__ import annotations

import gc
import io
import json
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from data.gold.gold import gold_sql
from data.importing.checks.known_rows import KnownItems
from data.importing.checks.labels import NO_PROBABILITY
from data.importing.checks.line_checks import LineChecks
from data.importing.files.source import from_bytes, from_path
from data.importing.format_file import FileStart, FormatFile
from data.importing.formats import canonical
from data.importing.importing import import_source, preview_import
from data.importing.plan import ImportPlan
from data.importing.report import ImportRefused
from data.importing.staging import Spool
from data.records import people
from data.records.access import Person
from data.records.datasets import dataset_named
from data.records.settings import GoldRule
from data.store.errors import BadInput, NotAllowed
from data.store.ids import now
from data.workspace.verify import verify
from judges.cards import cards
from judges.importing.entries import Line, RejectedRow, RepeatCounter
from judges.importing.mapping import ColumnMapping, ValueSource
from judges.jsonl import Record
from judges.render.csv_cells import write_csv_table
from judges.tokens import tokens
from judges.types import ITEM, Pair
from tests.data.imports import bring, counts, label, pair, source, text, verdict, workspace, wrong
from tests.seeds import dialogue, judgment

SECOND = "2026-02-01T09:00:00+09:00"
MIXED: list[Any] = [
    verdict("p1", "b"),
    label("p1", "tie"),
    dialogue(1),
    pair(),
    judgment(dialogue(1)),
    label("d-0001", 4, unit="turn:2", dimension="helpfulness"),
    label("d-0001", "n/a", unit="conversation", dimension="repair_handling"),
    label("d-0001", "none", unit="conversation", dimension="weakest_turn"),
]


def test_items_judgments_and_labels_may_stand_in_any_order(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    done = bring(store, MIXED, sampling="random", population=4)
    preview, new = done.preview, done.preview.new
    assert (new.items, new.judgments, new.labels, preview.known.total, preview.rejected) == (2, 2, 4, 0, 0)
    codes = store.rows("select unit, dimension, value, probability, saw, answer_id from label order by unit, dimension")
    assert codes == [
        ("conversation", "repair_handling", None, 0.5, False, ""),
        ("conversation", "weakest_turn", 0.0, 0.5, False, ""),
        ("pair", "verdict", 1.0, 0.5, False, ""),
        ("turn:2", "helpfulness", 4.0, 0.5, False, ""),
    ]
    assert store.rows("select person, role, active from person_now where person = 'ann'") == [
        ("ann", "annotator", False)
    ]
    assert store.rows("select format, sampling, items, judgments, labels from intake") == [
        ("Assay's JSON lines", "random", 2, 2, 4)
    ]
    assert verify(store) == []
    store.close()


def test_importing_again_adds_nothing_not_even_a_change(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    bring(store, MIXED)
    before = counts(store)
    done = bring(store, list(reversed(MIXED)))
    preview = done.preview
    assert (preview.new.items, preview.new.judgments, preview.new.labels, preview.known.total) == (0, 0, 0, 8)
    assert counts(store) == before
    store.close()


def test_an_import_that_has_ended_holds_no_memory_until_garbage_is_looked_for(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    gc.collect()
    gc.disable()
    try:
        bring(store, MIXED)
        left = [type(one).__name__ for one in gc.get_objects() if isinstance(one, (LineChecks, KnownItems, Spool))]
    finally:
        gc.enable()
    assert left == [], "with --by-file the names and texts of each file would stay beside those of the next"
    store.close()


def test_the_first_error_of_an_import_is_told_and_not_those_of_its_end() -> None:
    full = SimpleNamespace(close=lambda: (_ for _ in ()).throw(OSError("no room")))
    with pytest.raises(BadInput, match="the first"), Spool() as spool:
        spool._opened.append(full)  # type: ignore[arg-type]
        raise BadInput("It is the first.")
    with pytest.raises(OSError, match="no room"), Spool() as spool:
        spool._opened.append(full)  # type: ignore[arg-type]


def test_settings_that_stand_there_are_known(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    rows = [pair(), {"guidelines": "Read the whole text."}]
    assert bring(store, rows).preview.new.guidelines == 1
    preview = preview_import(store, source([*rows, rows[1]]), ImportPlan("d"))
    assert (preview.new.total, preview.known.items, preview.known.guidelines) == (0, 1, 2)
    store.close()


def test_more_items_than_are_kept_at_hand_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is judged stands far from its items, both where they come in with it and where they are there."""
    monkeypatch.setattr("data.importing.checks.known_rows._CACHE_BYTES", 200)
    store = workspace(tmp_path)
    names = [f"p{n}" for n in range(6)]
    items, first, second = ([make(n) for n in names] for make in (pair, lambda n: verdict(n, "b"), _by_another))
    assert bring(store, [*items, *first]).preview.new.judgments == 6
    done = bring(store, [*second, *reversed(first)])
    assert (done.preview.new.judgments, done.preview.known.total) == (6, 6)
    store.close()


def _by_another(item: str) -> Any:
    return verdict(item, "a", model="another")


def test_one_bad_line_stops_all_or_the_good_rows_are_taken_and_the_rest_comes_back(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    before = counts(store)
    rows = [*MIXED, b"{", label("p1", "c"), {"id": "x", "kind": "response", "task": "t"}]
    with pytest.raises(ImportRefused, match=r"3 lines cannot be imported\. The first: rows\.jsonl, line 9") as no:
        bring(store, rows)
    assert [p.line for p in no.value.preview.problems] == [9, 10, 11]
    assert counts(store) == before
    rejects = io.BytesIO()
    done = import_source(store, "lea", source(rows), ImportPlan("d"), "good rows", rejects=rejects)
    preview = done.preview
    assert (preview.new.items, preview.new.judgments, preview.new.labels, preview.rejected) == (2, 2, 4, 3)
    back = [json.loads(line) for line in rejects.getvalue().splitlines()]
    assert [(record["line"], record["row"]) for record in back] == [(9, "{"), (10, rows[9]), (11, rows[10])]
    assert "is not on the scale" in back[1]["error"]
    store.close()


def test_what_was_handed_back_comes_in_once_it_is_mended(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    rows = [pair(), label("p1", "a"), label("p1", "all", annotator="ben"), "{"]
    content = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows).encode()
    back, again = io.BytesIO(), io.BytesIO()
    import_source(store, "lea", from_bytes([("a.jsonl", content)]), ImportPlan("d"), "good rows", rejects=back)
    source = from_bytes([("back.jsonl", back.getvalue().replace(b'"all"', b'"b"'))])
    done = import_source(store, "lea", source, ImportPlan("d"), "good rows", rejects=again)
    assert (done.preview.new.labels, done.preview.rejected) == (1, 1)
    assert [json.loads(line)["row"] for line in again.getvalue().splitlines()] == ["{"]
    assert store.rows("select annotator, value from label order by 1") == [("ann", 0.0), ("ben", 2.0)]
    store.close()


def test_a_preview_writes_nothing_and_shows_what_would_be_stored(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    before = counts(store)
    preview = preview_import(store, source(MIXED), ImportPlan("d"))
    assert preview.ok and (preview.new.items, preview.new.judgments, preview.new.labels) == (2, 2, 4)
    assert preview.people == ["ann"] and preview.judges == ["multi_turn_dialogue: judge-one", "plain_pairwise: m"]
    assert [row["id"] for row in preview.rows["items"]] == ["d-0001", "p1"]
    assert counts(store) == before
    store.close()


def test_a_name_stands_for_one_content(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    bring(store, [pair()])
    says = "'p1' is there already, in the dataset, with other content. Give it another id."
    assert wrong(store, [pair(), pair(a="Changed.")]) == [(2, "id", says)]
    assert wrong(store, [pair(meta={"now": "with meta"})]) == [(1, "id", says)]
    assert wrong(store, [pair("p2"), pair("p2", a="Changed.")])[0][2].startswith(
        "'p2' is there already, earlier in this"
    )
    other = import_source(store, "lea", source([pair(a="Changed.")]), ImportPlan("another dataset"))
    assert other.preview.new.items == 1
    store.close()


def test_a_line_that_names_an_item_and_must_not_is_refused_in_a_sentence(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    bring(store, [pair("p1")])
    rows = [{**pair("p2"), "item": "p1"}, {"gold_rule": {"resolve": "majority", "apart": 1}, "item": "p1"}]
    problems = preview_import(store, source(rows), ImportPlan("d")).problems
    assert [p.sentence for p in problems] == ["'item' is an unknown key. Remove it, or put it into meta."] * 2


def test_only_researchers_and_leads_import_and_nothing_is_written_otherwise(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    people.join_workspace(store, "ann")
    before = counts(store)
    for name in ("ann", "nobody"):
        with pytest.raises(NotAllowed):
            import_source(store, name, source([pair()]), ImportPlan("d"))
    assert counts(store) == before
    store.close()


def test_of_a_line_with_many_errors_eight_are_told_and_the_others_counted(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    preview = preview_import(store, source([pair(**{f"extra_{n}": n for n in range(11)})]), ImportPlan("d"))
    sentences = [problem.sentence for problem in preview.problems]
    assert sentences[0] == "'extra_0' is an unknown key. Remove it, or put it into meta."
    assert len(sentences) == 9 and sentences[-1] == "It has 3 more errors."
    store.close()


@pytest.mark.parametrize("name", ["", " d", "a\nb", "x" * 121])
def test_a_dataset_needs_a_name_that_can_be_read(tmp_path: Path, name: str) -> None:
    store = workspace(tmp_path)
    with pytest.raises(BadInput, match="cannot name a dataset"):
        preview_import(store, source([pair()]), ImportPlan(name))
    store.close()


@pytest.mark.parametrize(("change", "says"), [
    ({"dataset": ""}, "'' cannot name a dataset: 1 to 120 characters, no space at its ends."),
    ({"dataset": " \t"}, "' \\t' cannot name a dataset: 1 to 120 characters, no space at its ends."),
    ({"dataset": "d "}, "'d ' cannot name a dataset: 1 to 120 characters, no space at its ends."),
    ({"dataset": "a\u200bb"}, "'a\\u200bb' cannot name a dataset: 1 to 120 characters, no space at its ends."),
    ({"dataset": "x" * 121}, f"'{'x' * 60}' cannot name a dataset: 1 to 120 characters, no space at its ends."),
    ({"dataset": "x" * 120}, ""),
    ({"format": "xml"}, "'xml' is not a format. There are: auto, canonical, "),
    ({"format": "mlflow"}, ""),
    ({"sampling": "most"}, "'most' is not a sampling. There are: all, random, picked, unknown."),
    *(({"sampling": sampling, "population": 5},
       "The number of items that a sample was drawn from belongs to items drawn at random.")
      for sampling in ("all", "picked", "unknown")),
    ({"sampling": "random", "population": 0},
     "A sample is drawn from 1 to 1,000,000,000 items, not from 0."),
    ({"sampling": "random", "population": 10**9 + 1},
     "A sample is drawn from 1 to 1,000,000,000 items, not from 1,000,000,001."),
    ({"sampling": "random", "population": 1}, ""), ({"sampling": "random", "population": 10**9}, ""),
    ({"sampling": "random"}, ""),
])  # fmt: skip
def test_a_plan_that_cannot_be_is_refused(change: dict[str, Any], says: str) -> None:
    plan = ImportPlan(**{"dataset": "d", **change})
    if not says:
        assert plan.check() is plan
        return
    with pytest.raises(BadInput) as refused:
        plan.check()
    assert str(refused.value).startswith(says) and (change.keys() == {"format"} or str(refused.value) == says)


def test_judges_prompts_are_shown_and_guidelines_of_others_left_aside(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    people.join_workspace(store, "res")
    people.set_person(store, "lea", "res", "researcher")
    prompts = [{"name": "single-v1", "type": "single", "system_prompt": "S", "prompt_template": "{question}{answer}",
                "output_format": "[[rating]]", "category": "general", "description": ""}]  # fmt: skip
    files = from_bytes([(f"{name}.jsonl", text(prompts)) for name in ("one", "two")])
    preview = preview_import(store, files, ImportPlan("d"))
    assert (preview.new.prompts, preview.repeated.prompts) == (1, 1)
    assert preview.rows["prompts"] == [{"file": "one.jsonl", "families": "single-v1"}]
    guidelines, other = {"guidelines": "Read it."}, {"guidelines": "Skim it."}
    preview = preview_import(store, source([guidelines]), ImportPlan("d"), actor="res")
    assert (preview.new.total, preview.warnings) == (
        0, ["Ignored: the guidelines of the file, because only a lead can bring them in."],
    )  # fmt: skip
    assert wrong(store, [guidelines, guidelines, other]) == [
        (3, "guidelines", "There are other guidelines earlier in this import: a dataset has one text.")
    ]
    assert wrong(store, [{"guidelines": "a\0"}]) == [(1, "", "The line holds the character NUL (\\u0000).")]
    preview = preview_import(store, source([guidelines]), ImportPlan("d"))
    assert (preview.new.guidelines, preview.rows["guidelines"]) == (1, [guidelines])
    bring(store, [guidelines])
    preview = preview_import(store, source([guidelines, other]), ImportPlan("d"))
    assert (preview.new.total, preview.known.guidelines) == (0, 1)
    assert preview.warnings == ["Ignored: the guidelines of the file, because the dataset keeps its own."]
    store.close()


# -- judgments --------------------------------------------------------------------------------------------------------


def test_what_repeats_in_the_files_is_not_there_already_before_they_came_in(tmp_path: Path) -> None:
    store, both = workspace(tmp_path), ("ab", "ba")
    rule = {"gold_rule": {"resolve": "majority", "apart": 1}}
    rows = [pair(), rule, verdict("p1", "a"), label("p1", "a"), {"guidelines": "Read it."}]
    rows += [{**verdict("p1", "a"), "model": "n", "order": order} for order in both]
    preview = preview_import(store, source([*rows, *rows]), ImportPlan("d"))
    assert preview.known.total == 0 and preview.new.total == 6 and preview.repeated.total == 7
    assert preview.describe_known() == "0 were there already, and 7 repeat others of the import"
    done = bring(store, [*rows, rows[0]]).preview
    assert done.describe_known() == "0 were there already, and 1 repeats another of the import"
    again = bring(store, [*rows, *rows]).preview
    assert again.new.total == 0 and again.known.total + again.repeated.total == 13
    assert bring(store, rows).preview.describe_known("is", "are") == "6 are there already"
    store.close()


def test_the_same_judge_asked_again_gave_another_sample(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    done = bring(store, [pair(), verdict("p1", "a"), verdict("p1", "b"), verdict("p1", "a")])
    assert (done.preview.new.judgments, done.preview.repeated.total) == (2, 1)
    assert bring(store, [verdict("p1", "tie"), verdict("p1", "b")]).preview.new.judgments == 1
    assert store.rows("select sample, value from score order by sample") == [(0, 0.0), (1, 2.0), (2, 1.0)]
    store.close()


@pytest.mark.parametrize("params", [{"temperature": 0.5}, '{"temperature": 0.5}', None, ""])
def test_scores_in_rows_of_their_own_are_of_the_judge_with_those_parameters(tmp_path: Path, params: Any) -> None:
    store = workspace(tmp_path)
    row = {"item": "p1", "card": "plain_pairwise", "model": "m", "params": params}
    rest = {"unit": "pair", "dimension": "verdict", "judge": "j", "sample": 0, "code": 0}
    bring(store, [pair(), {**row, **rest, "value": "a"}])
    assert store.rows("select params from judge") == [('{"temperature":0.5}' if params else "{}",)]
    store.close()


def test_samples_that_are_numbered_are_kept_even_where_they_say_the_same(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    five = [verdict("p1", "ab"[n == 3], sample=n) for n in range(5)]
    assert bring(store, [pair(), *five]).preview.new.judgments == 5
    assert bring(store, five).preview.known.total == 5
    assert store.rows("select sample, value from score order by sample") == [(n, 2.0 * (n == 3)) for n in range(5)]
    store.close()


def test_what_cannot_be_read_is_kept_with_its_reason_and_has_no_score(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    rows = [
        pair(),
        {"item": "p1", "card": "plain_pairwise", "model": "m", "raw": "I like both."},
        {"item": "p1", "card": "plain_pairwise", "model": "m", "raw": '{"verdict": "neither"}'},
        {"item": "p1", "card": "plain_pairwise", "model": "m", "raw": '```json\n{"verdict": "b"}\n```'},
    ]
    done = bring(store, rows)
    assert done.preview.unscored == {"unreadable": 1, "out_of_range": 1}
    assert store.rows("select raw, unscored from judgment order by sample") == [
        ("I like both.", "unreadable"),
        ('{"verdict": "neither"}', "out_of_range"),
        ('```json\n{"verdict": "b"}\n```', ""),
    ]
    assert store.rows("select value from score") == [(2.0,)]
    store.close()


def test_a_judge_of_made_up_replies_is_not_the_real_one(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    bring(store, [pair(), verdict("p1", "a")], synthetic=True)
    import_source(store, "lea", source([pair(), verdict("p1", "a")]), ImportPlan("real"))
    assert sorted(store.rows("select model, synthetic from judge")) == [("m", False), ("m", True)]
    store.close()


SCORE = {
    "item": "p1", "card": "plain_pairwise", "model": "m", "unit": "pair", "dimension": "verdict", "judge": "j",
    "value": "a", "code": 0.0, "sample": 0, "samples": 1,
}  # fmt: skip


def test_a_row_that_is_none_of_an_export_of_scores_is_told(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    bad: list[dict[str, Any]] = [
        {"sample": "x"}, {"sample": [1]}, {"sample": None, "samples": "x"}, {"confidence": "x"}, {"params": "{"},
        {"item": [1]}, {"item": None}, {"card": None}, {"model": {}}, {"unit": [1]}, {"dimension": {}},
    ]  # fmt: skip
    preview = preview_import(store, source([pair(), *(SCORE | change for change in bad), SCORE]), ImportPlan("d"))
    says = (
        "This is no row of an export of scores: in one, item, card, model, unit and dimension are texts, sample, "
        "samples and confidence are numbers, and params is an object."
    )
    problems = [(problem.line, problem.field, problem.sentence) for problem in preview.problems]
    assert problems == [(line, "", says) for line, _ in enumerate(bad, 2)]
    assert (preview.new.items, preview.new.judgments) == (1, 1)
    store.close()


def test_rows_of_scores_become_a_judgment_for_each_sample(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    changes: list[dict[str, Any]] = [
        {}, {"sample": "1", "value": "b", "confidence": "0.5"}, {"sample": 2.0, "value": "tie"},
        {"sample": None, "samples": 3}, {"sample": None, "samples": None, "model": "n"},
    ]  # fmt: skip
    rows = [SCORE | change for change in changes]
    done = bring(store, [pair(), *rows])
    values = store.rows(
        "select j.model, s.sample, s.value, s.confidence from score s join judge j on j.id = s.judge_id"
    )
    assert sorted(values) == [("m", 0, 0.0, None), ("m", 1, 2.0, 0.5), ("m", 2, 1.0, None), ("n", 0, 0.0, None)]
    assert done.preview.warnings == [
        "Scores that several samples came to are left out: they may lie between the answers of a scale. Export the "
        "samples, or the dataset, and import that."
    ]
    says = "sample: must be a valid integer (it is 1.5)."
    assert wrong(store, [SCORE | {"sample": 1.5}]) == [(1, "sample", says)]
    store.close()


UNKNOWN = (
    ". An item has id and kind; a judgment item and card; a label item and dimension; an adjudication item, dimension "
    "and adjudicator; a card has card, a rule gold_rule, guidelines have guidelines."
)
NO_FORMAT = "The first line has no format number. Give a whole number, as in {\"assay\": {\"format\": 2}}."
ONE_OF = "A judgment has one of reply, raw and scores"
LINES: list[tuple[dict[str, Any], str]] = [
    ({"card": {}}, "card"), ({"card": "c", "raw": "", "reply": None}, "judgment"),
    ({"card": "c", "scores": []}, "judgment"), ({"card": "c", "adjudicator": "b", "raw": "x"}, "judgment"),
    ({"card": "c"}, f"{ONE_OF}."), ({"card": "c", "raw": "x", "reply": {}}, f"{ONE_OF}, not several."),
    ({"card": "c", "annotator": "a"}, f"Unknown kind of line, with the keys card, annotator{UNKNOWN}"),
    ({"adjudicator": "b"}, "adjudication"), ({"adjudicator": "b", "annotator": "a", "dimension": "d"}, "label"),
    ({"gold_rule": 1, "item": "i"}, "rule"), ({"guidelines": "x"}, "guidelines"), ({"dimension": "x"}, "label"),
    ({"guidelines": "x", "y": 1}, f"Unknown kind of line, with the keys guidelines, y{UNKNOWN}"),
    ({"kind": "pair"}, "item"), ({"turns": []}, "item"), ({}, f"Unknown kind of line, with the keys none{UNKNOWN}"),
    (dict.fromkeys("abcdefghi", 1), f"Unknown kind of line, with the keys a, b, c, d, e, f, g, h{UNKNOWN}"),
    ({"x" * 300: 1}, f"Unknown kind of line, with the keys {'x' * 200}{UNKNOWN}"),
    ({"how": "one", "people": 1, "value": 3},
     "This is exported gold, which is made of labels: import the export of labels, or the whole dataset."),
    ({"assay": {"format": 1}}, ""), ({"assay": {"format": 2}}, ""), ({"assay": {"format": 0}}, NO_FORMAT),
    ({"assay": {"format": "2"}}, NO_FORMAT), ({"assay": {}}, NO_FORMAT), ({"assay": 7}, NO_FORMAT),
    ({"assay": {"format": 3}}, "The file is an export of a newer Assay (format 3; this one reads up to 2): update this "
     "Assay, or take the good rows, which leaves out what it does not know."),
]  # fmt: skip


def test_what_each_line_is() -> None:
    for row, says in LINES:
        entries = list(canonical.read([FormatFile("f", iter([Record(3, row)]))]))
        outcomes = [
            entry.sort if isinstance(entry, Line) else entry.problems[0][1]  # type: ignore[union-attr]
            for entry in entries
        ]
        assert outcomes == [says] * bool(says), row
        assert all(
            (entry.file, entry.line, entry.row) == ("f", 3, row)  # type: ignore[union-attr]
            for entry in entries
        )
    [broken] = canonical.read([FormatFile("f", iter([Record(4, {}, "{cut", "is not JSON")]))])
    assert broken == RejectedRow("f", 4, [("", "The line is not JSON.")], "{cut")


@pytest.mark.parametrize(("container", "keys", "fits"), [
    *(("lines", keys, True) for keys in (
        "id kind=pair", "item card model", "item card reply more", "item dimension unit", "item dimension annotator",
        "gold_rule", "guidelines", "card", "assay", "id kind=response more", "id kind turns",
    )),
    *(("lines", keys, False) for keys in (
        "id", "kind", "item", "card item2", "guidelines more", "gold_rule more", "messages id kind=pair", "dimension",
        "id kind=qa response human_score", "item card human_score", "item dimension rater score",
    )),
    *((container, keys, True) for container in ("csv", "parquet") for keys in (
        "id kind response_a task turns meta", "item card model params part sample raw",
        "item unit dimension value code annotator mode made_at",
        "item unit dimension value code adjudicator saw_judge labels",
        "item unit dimension judge card sample code", "item unit dimension how basis code",
    )),
    *((container, keys, False) for container in ("csv", "parquet") for keys in (
        "id kind", "item card", "item unit dimension value code annotator mode",
        "item unit dimension judge card sample",
    )),
    *(("csv", " ".join(key for key in keys.split() if key != lacking), False) for keys in (
        "id kind response_a task turns meta", "item card model params part sample raw",
        "item unit dimension value code annotator mode made_at",
        "item unit dimension value code adjudicator saw_judge labels",
    ) for lacking in keys.split()),
])  # fmt: skip
def test_own_lines_are_known_by_their_keys(container: Any, keys: str, fits: bool) -> None:
    row = {key: value or 1 for key, _, value in (word.partition("=") for word in keys.split())}
    assert canonical.fits(FileStart("f", container, [{"x": 1}, row])) is fits


# -- labels -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turned", [False, True])
def test_of_two_labels_of_one_person_the_later_holds_wherever_it_stands(tmp_path: Path, turned: bool) -> None:
    store = workspace(tmp_path)
    two = [label("p1", "a"), label("p1", "b", made_at=SECOND)]
    bring(store, [pair(), *(reversed(two) if turned else two)])
    assert store.rows("select value, made_at::text from label_now") == [(2.0, "2026-02-01 00:00:00")]
    assert store.rows("select count(*), count(replaces) from label") == [(2, 1)]
    assert bring(store, two).preview.known.total == 2
    assert bring(store, [label("p1", "tie", made_at="2026-03-01T00:00:00Z")]).preview.new.labels == 1
    assert store.rows("select value from label_now") == [(1.0,)]
    says = "The dataset holds a later answer of ann to verdict of pair of 'p1' (2026-03-01 00:00)."
    assert wrong(store, [label("p1", "b", made_at="2026-01-01")]) == [(1, "made_at", says)]
    same = says.replace("a later answer", "another answer of the same moment")  # the first that came in stays
    assert wrong(store, [label("p1", "b", made_at="2026-03-01T00:00:00Z")]) == [(1, "made_at", same)]
    assert verify(store) == []
    store.close()


def test_what_was_answered_on_the_desk_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    bring(store, [pair(), label("p1", "a")])
    row = store.rows("select item_id, made_at from label")[0]
    columns = (
        "id, answer_id, item_id, unit, dimension, value, annotator, mode, draw_id, judge_id, saw, withdrawn, made_at"
    )
    desk = ("desk", "answer", row[0], "pair", "verdict", 1.0, "bob", "blind", "", "", False, False, row[1])
    store.tx("bob", "labels", lambda tx: tx.add("label", columns, [desk]))
    problems = wrong(store, [label("p1", "b", annotator="bob", made_at="2026-05-01")])
    assert problems == [
        (1, "annotator", "bob already answered verdict of pair of 'p1' on the desk (2026-01-31 12:00).")
    ]
    store.close()


def test_only_where_items_stand_for_the_dataset_have_labels_a_probability(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    for n, sampling in enumerate(("all", "random", "picked", "unknown")):
        bring(store, [pair(f"p{n}"), label(f"p{n}", "a")], sampling=sampling)
    rows = store.rows("select i.name, l.probability from label l join item i on i.id = l.item_id order by i.name")
    assert rows == [("p0", 1.0), ("p1", None), ("p2", None), ("p3", None)]
    store.close()


def test_random_is_taken_at_its_word_with_a_population_or_a_probability_only(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    rows = [pair(f"p{n}") for n in range(4)]
    rows += [label(f"p{n}", "a", annotator=person) for n in range(3) for person in ("ann", "bob")]
    rows += [label("p3", "a", probability=0.25)]
    for population, warned in ((None, [f"{NO_PROBABILITY} (6 times)"]), (30, [])):
        plan = ImportPlan("d", sampling="random", population=population)
        assert preview_import(store, source(rows), plan).warnings == warned
    with pytest.raises(BadInput, match=r"4 items have labels, and are said to be drawn from 2: give the number"):
        bring(store, rows, sampling="random", population=2)
    with pytest.raises(BadInput, match="belongs to items drawn at random"):
        bring(store, rows, sampling="all", population=30)
    with pytest.raises(BadInput, match=r"A sample is drawn from 1 to"):
        bring(store, rows, sampling="random", population=0)
    bring(store, rows, sampling="random")
    query = "select distinct i.name, l.probability from label l join item i on i.id = l.item_id order by i.name, 2"
    assert store.rows(query) == [("p0", None), ("p1", None), ("p2", None), ("p3", 0.25)]
    more = [pair(f"q{n}") for n in range(5)] + [label(f"q{n}", "a") for n in range(5)]
    bring(store, more, sampling="random", population=40)
    more = [pair("r"), label("r", "a"), pair("s"), label("s", "a", probability=None)]
    bring(store, more, sampling="random", population=40)
    assert store.rows(query)[4:] == [*((f"q{n}", 0.125) for n in range(5)), ("r", 0.025), ("s", None)]
    assert store.rows("select population from intake") == [(None,), (40,), (40,)]
    # What came in two goes is one sample of 40: each of its six items stands for as many.
    dimension = next(d for d in cards()["long_form_pairwise"].dimensions if d.name == "verdict")
    cells = gold_sql("pair", dimension.scale, "imported", GoldRule())
    query = f"select i.name, g.weight from ({cells}) g join item i on i.id = g.item_id order by i.name"
    weights = store.rows(query, [dataset_named(store, "d").id, "verdict"])
    assert weights == [("p3", 4.0), *((f"q{n}", 40 / 6) for n in range(5)), ("r", 40 / 6)]
    assert verify(store) == []
    store.close()


def test_a_time_is_allowed_to_be_a_day_ahead_of_our_clock(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    soon, late = ((now() + timedelta(hours=hours)).isoformat() for hours in (23, 25))
    [(line, field, says)] = wrong(store, [pair(), label("p1", "a", made_at=soon), label("p1", "b", made_at=late)])
    assert (line, field) == (3,
            "made_at") and says.startswith("made_at is in the future: 20") and says.endswith("(UTC).")
    assert wrong(store, [pair(), label("p1", "b", made_at=late)], synthetic=True) == []
    store.close()


def test_the_same_label_twice_is_one_also_where_its_giver_works_here_since(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    row = label("p1", "a", team="red")
    done = bring(store, [pair(), row, row])
    assert (done.preview.new.labels, done.preview.repeated.total) == (1, 1)
    assert store.rows("select person, role, active, team from person_now where person = 'ann'") == [
        ("ann", "annotator", False, "red")
    ]
    with pytest.raises(BadInput, match="ann is known here from imported labels only, and is not active"):
        people.set_person(store, "lea", "ann", "annotator")
    # As stores of earlier versions have it, which let somebody enter under a name of a file.
    store.tx("lea", "person", lambda tx: people.append_people(tx, [Person("ann", "annotator", True)]))
    done = bring(store, [row])
    assert (done.preview.new.labels, done.preview.known.total, done.preview.people) == (0, 1, [])
    assert bring(store, [label("p1", "b")]).preview.people == ["ann (file)"]
    store.close()


def test_only_the_sorts_of_lines_that_are_asked_for_are_taken(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    problems = wrong(store, [pair(), label("p1", "a")], sorts=("item", "judgment"))
    assert problems == [(2, "", "It is a line of sort label; only item, judgment lines are taken here.")]
    assert wrong(store, [pair(), verdict("p1", "a")], sorts=("item", "judgment")) == []
    store.close()


def test_votes_of_one_person_without_a_time_are_numbered_from_0() -> None:
    counter = RepeatCounter()
    assert [counter.count(*key) for key in ("ab", "ab", "ac", "ab")] == [0, 1, 0, 2]


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_an_item_of_which_no_store_takes_the_texts_is_refused(tmp_path: Path, text: str) -> None:
    store = workspace(tmp_path)
    says = "The line holds " + ("the character NUL (\\u0000)." if text[0] == "a" else "half of a surrogate pair")
    for row in (pair(a=text), pair(meta={"k": [text]}), pair(text)):
        [(line, _, sentence)] = wrong(store, [row])
        assert line == 1 and sentence.startswith(says)
    assert wrong(store, [pair(a="\\u0000 \\ud800")]) == [], "these are letters"
    store.close()


def test_what_a_preview_shows_of_items_and_cards(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    rows: list[dict[str, Any]] = [
        {"id": "r", "kind": "response", "task": "T", "output": "O" * 501, "system": "s"}, pair("p"),
        {**dialogue(1), "id": "d"}, {"id": "e", "kind": "response", "task": "", "output": ""},
    ]  # fmt: skip
    preview = preview_import(store, source([*rows, rows[0]]), ImportPlan("d"))
    assert preview.rows["items"] == [
        {"id": "r", "kind": "response", "system": "s", "units": 1, "begins": "O" * 500},
        {"id": "p", "kind": "pair", "system": "x / y", "units": 3, "begins": "Why?"},
        {"id": "d", "kind": "dialogue", "system": "model-y", "units": 4, "begins": rows[2]["turns"][0]["text"]},
        {"id": "e", "kind": "response", "system": "", "units": 1, "begins": ""},
    ]
    assert (preview.new.items, preview.repeated.items) == (4, 1)
    store.close()


def test_guidelines_that_are_there_stop_no_other_import(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    bring(store, [{"guidelines": "Read it."}, {"gold_rule": {"resolve": "majority", "apart": 1}}])
    assert bring(store, [pair()]).preview.new.items == 1
    store.close()


def test_each_table_goes_by_the_mapping_that_uses_most_of_its_columns(tmp_path: Path) -> None:
    store = workspace(tmp_path)

    def make_mapping(*columns: str) -> ColumnMapping:
        fields = dict(zip(("output", "task", "reference"), columns, strict=False))
        return ColumnMapping(kind="response", fields={k: ValueSource(columns=[v]) for k, v in fields.items()})

    files = from_bytes([("1.csv", b"a,b\n1,2\n"), ("2.csv", b"a,b,c\n3,4,5\n"), ("3.csv", b"a\n6\n")])
    mappings = (make_mapping("a"), make_mapping("a", "b", "c"), make_mapping("a", "b"))
    bring_all = import_source(store, "lea", files, ImportPlan("d", mappings=mappings))
    items = [ITEM.validate_json(content) for (content,) in store.rows("select content from item")]
    assert bring_all.preview.new.items == 3
    assert sorted((item.output, item.task, item.reference) for item in items) == [  # type: ignore[union-attr]
        ("1", "2", ""), ("3", "4", "5"), ("6", "", ""),
    ]  # fmt: skip
    with pytest.raises(BadInput, match=r"^The mapping does not fit x\.csv\. There is no column 'a'\.$"):
        preview_import(store, from_bytes([("x.csv", b"z\n1\n")]), ImportPlan("d", mappings=mappings))
    store.close()


# -- sections ---------------------------------------------------------------------------------------------------------

HEADED = "# One\n" + "word " * 400 + "\n# Two\n" + "word " * 100


@pytest.mark.parametrize(
    ("a", "b", "labels"),
    [
        ("short", "short too", []),
        ("x" * 1_400, "y" * 1_400, []),
        (HEADED, "short", ["Whole response", "One", "Two"]),
        ("語" * 400, "語" * 450, []),
        ("語" * 600, "語" * 20, ["First half", "Second half"]),
        ("word " * 500, "", ["First half", "Second half"]),
        (HEADED, None, []),
    ],
)
def test_long_pairs_are_cut_into_sections_and_short_ones_are_not(
    tmp_path: Path, a: str, b: str | None, labels: list[str]
) -> None:
    store = workspace(tmp_path)
    bring(store, [pair(a=a, b=b)])  # type: ignore[arg-type]
    content, cells = store.rows("select content, cells from item")[0]
    item = ITEM.validate_json(content)
    assert isinstance(item, Pair) and item.sections is not None
    assert [section.label for section in item.sections][: len(labels)] == labels and bool(item.sections) == bool(labels)
    assert all(span is None or span[0] < span[1] for s in item.sections for span in (s.a, s.b))
    assert cells == 3 + sum((s.a is not None) + (s.b is not None) for s in item.sections)
    assert bring(store, [json.loads(content)]).preview.known.total == 1
    store.close()


def test_tokens_are_counted_by_script() -> None:
    assert (tokens("word " * 300), tokens("語" * 500), tokens("語" * 500 + "word " * 300)) == (500, 500, 1_000)


# -- two at once ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", [pair("p2"), verdict("p1", "a"), label("p1", "a", annotator="cy")])
def test_what_was_added_while_the_file_was_read_is_not_added_twice(tmp_path: Path, row: dict[str, Any]) -> None:
    store = workspace(tmp_path)
    bring(store, [pair(), label("p1", "a"), label("p1", "b", annotator="ben")])
    raced: list[dict[str, int]] = []

    def meanwhile(done: int, size: int, lines: int) -> None:
        if not raced:
            import_source(store, "lea", source([row]), ImportPlan("d"))
            raced.append(counts(store))

    with pytest.raises(BadInput, match="somebody else added the same things"):
        import_source(store, "lea", source([row]), ImportPlan("d"), progress=meanwhile)
    assert raced == [counts(store)]
    assert bring(store, [row]).preview.known.total == 1
    store.close()


@pytest.mark.parametrize(
    ("row", "other"), [(pair("p2"), pair("p3")), (label("p1", "a"), label("p1", "a", annotator="cy"))]
)
def test_what_another_file_added_of_its_own_while_this_one_was_read_stands_beside_it(
    tmp_path: Path, row: dict[str, Any], other: dict[str, Any]
) -> None:
    store = workspace(tmp_path)
    bring(store, [pair(), label("p1", "b", annotator="ben")])
    between: list[dict[str, int]] = []

    def meanwhile(done: int, size: int, lines: int) -> None:
        if not between:
            import_source(store, "lea", source([other]), ImportPlan("d"))
            between.append(counts(store))

    import_source(store, "lea", source([row]), ImportPlan("d"), progress=meanwhile)
    assert sum(counts(store).values()) > sum(between[0].values())
    assert bring(store, [row, other]).preview.known.total == 2
    store.close()


def test_a_large_import_comes_in_whole(tmp_path: Path) -> None:
    store = workspace(tmp_path)
    rows = [line for n in range(1, 1_201) for line in (judgment(dialogue(n)), dialogue(n))]
    reports: list[tuple[int, int, int]] = []
    done = import_source(store, "lea", source(rows), ImportPlan("d"), progress=lambda *report: reports.append(report))
    assert (done.preview.new.items, done.preview.new.judgments, done.lines) == (1_200, 1_200, 2_400)
    assert reports == sorted(reports) and reports[-1][0] == reports[-1][1]
    assert verify(store) == []
    assert bring(store, rows).preview.known.total == 2_400
    store.close()


def test_files_of_a_folder_that_are_no_data_are_told(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_bytes(text([pair("new")]))
    for number in range(22):
        (tmp_path / "in" / f"n{number:02}.txt").write_text("x")
    preview = preview_import(workspace(tmp_path), from_path(tmp_path / "in"), ImportPlan("d"))
    assert preview.new.items == 1
    assert preview.warnings == [f"n{number:02}.txt was ignored: it is not a data file." for number in range(20)]


def test_texts_of_an_export_in_csv_come_back_letter_by_letter(tmp_path: Path) -> None:
    """Quoted words before a dash, the sign that Japanese messages begin with, and lines that begin with a sign."""
    texts = ["'Hello' - she went", "\uff20\u7530\u4e2d\u3055\u3093", "a;=b", "two\n=1\n- one", "\t=1", "plain"]
    header = ["id", "kind", "turns", "response_a", "meta", "task", "output"]
    rows = [[f"r{n}", "response", None, None, {"language": text}, text, text] for n, text in enumerate(texts)]
    out = io.StringIO()
    write_csv_table(out, header, rows)
    store = workspace(tmp_path)
    import_source(store, "lea", from_bytes([("items.csv", out.getvalue().encode())]), ImportPlan("d"))
    items = [json.loads(row[0]) for row in store.rows("select content from item order by name")]
    assert [(item["task"], item["output"], item["meta"]["language"]) for item in items] == [
        (text,) * 3 for text in texts
    ]
