"""A dataset with every sort of card, judgment and label goes out and in again: the same rows and the same figures."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from data.adjudication import adjudication
from data.approvals import check_results
from data.cards import cards
from data.exporting import exporting
from data.gold import disputes, fewshot
from data.gold.gold import BASES, WEIGHTED
from data.importing.files.source import Source, from_bytes, from_path
from data.importing.importing import import_source, preview_import
from data.importing.plan import ImportPlan
from data.importing.report import ImportRefused
from data.records import datasets, people
from data.records.settings import GoldRule, gold_rule, set_gold_rule
from data.records.tables import DrawRow, LabelRow
from data.store import Store, open_store
from data.store.ids import new_id, now
from judges.authoring.custom import from_recipe
from judges.authoring.overlay import apply_per_turn
from judges.authoring.recipe import check_recipe
from judges.card import Card, Example
from judges.cards import card
from judges.cards.pointwise_quality.card import card_with_dimensions
from judges.cli import main
from judges.examples import with_examples
from judges.importing.lines import parse_item
from judges.params import Params
from judges.protocols import call_plan
from judges.types import ITEM, Dimension, Scale, sort_of, units
from tests.data.imports import source
from tests.judges.run_cases import collect_events, events_of
from tests.practice_server import practice
from tests.seeds import lines

Json = dict[str, Any]
NAME, HEURISTIC = "everything", "practice-heuristic"
RULE = GoldRule("majority", 1)
MODES = ("blind", "blind", "assisted", "revealed")


def items() -> list[Json]:
    """Dialogues of two and of twelve turns, long pairs (one after a conversation), responses in several scripts."""
    words = "Die Lieferung kam spät, 配達が遅れました。"
    both = ("user", "assistant")
    turns = (
        [{"turn": t, "role": role, "text": f"{role} {t}: {words}"} for t in range(1, most + 1) for role in both]
        for most in (2, 12, 2, 12, 2, 12, 2, 12)
    )
    dialogues = [
        {"id": f"d{n}", "kind": "dialogue", "scenario": "Refund", "system": f"m{n % 2}", "turns": t, "meta": {"x": 1}}
        for n, t in enumerate(turns)
    ]
    long = [[f"# Part {p}\n\n{words} {n} " + "It is so. " * 150 for p in range(1, 5)] for n in range(6)]
    pairs = [
        {"id": f"p{n}", "kind": "pair", "input": "Why?\n\n" + "\n\n".join(long[n]) if n else dialogues[0]["turns"],
         "response_a": {"system": "x", "text": "\n\n".join(long[n])},
         "response_b": {"system": "y", "text": "\n\n".join(reversed(long[n]))}}
        for n in range(6)
    ]  # fmt: skip
    responses = [
        {"id": f"r{n}", "kind": "response", "task": f"Frage {n}?", "output": words + "ja " * n, "system": f"m{n % 3}"}
        for n in range(14)
    ]
    return dialogues + pairs + responses


def tone_card(definition: str) -> Card:
    """A card with interval scales, with and without steps, and ordered words."""
    dimensions = [
        {"name": "tonality", "unit": "response", "definition": definition,
         "answers": {"kind": "interval", "lo": 0, "hi": 1}},
        {"name": "worth", "unit": "response", "definition": "Worth.",
         "answers": {"kind": "interval", "lo": 1, "hi": 5, "step": 0.5, "na": True}},
        {"name": "manner", "unit": "response", "definition": "Manner.",
         "answers": {"kind": "ordered", "categories": ["rude", "plain", "kind"]}},
    ]  # fmt: skip
    return from_recipe(
        check_recipe({"name": "own_tone", "title": "Tone", "kind": "response", "dimensions": dimensions})
    )


def judge_items(known: Card, params: Params, model: str, item_rows: list[Json], url: Any) -> list[Json]:
    """Lines of what a practice model said of items."""
    keyed_items = [(row["id"], parse_item(row)) for row in item_rows if row["kind"] == known.kind]
    coroutine = collect_events(
        url, params=params, card=known, model=model, tasks=call_plan.tasks(known, params, keyed_items)
    )
    with ThreadPoolExecutor(1) as executor:  # a test in a browser before this one leaves its loop in this thread
        judgments: list[call_plan.FinishedJudgment] = events_of(
            executor.submit(asyncio.run, coroutine).result(), call_plan.FinishedJudgment
        )
    identity = params.identity(known.kind)
    return [
        {"item": judgment.task.key, "card": known.name, "card_version": known.version, "model": model,
         "params": identity, "part": judgment.task.part, "sample": judgment.task.sample, "raw": judgment.raw}
        for judgment in judgments
    ]  # fmt: skip


def random_answer(rng: random.Random, scale: Scale) -> Any:
    """Any answer on a scale."""
    if scale.na and rng.random() < 0.2:
        return "n/a"
    if scale.kind == "interval" and not scale.step:
        return rng.uniform(scale.lo, scale.hi)
    if scale.kind == "turn":
        return rng.choice((1, 2, "none"))
    return float(rng.choice(scale.answers)) if scale.kind == "interval" else rng.choice(scale.answers)


def add_labels(store: Store, rng: random.Random, dimensions: list[tuple[str, Dimension]]) -> None:
    """Draws in two strata of each mode, all of them answered, and labels of one to four people in every mode."""
    dataset = datasets.dataset_named(store, NAME).id
    rows = store.rows("select id, content from item where dataset_id = $1 order by name", [dataset])
    draws, labels = [], []
    for id_, content in rows:
        item = ITEM.validate_json(content)
        stratum, probability = ("near", 0.3) if rng.random() < 0.5 else ("far", 0.7)
        mode, draw = rng.choice(MODES), ""
        if mode != "revealed" and rng.random() < 0.8:
            draw = new_id()
            draws.append(DrawRow(draw, dataset, id_, "audit", mode, "", f"{stratum} {mode}", probability, 0.0, "[]"))
        for kind, d in dimensions:
            if kind != item.kind:
                continue
            matching = [unit for unit in units(item) if unit.split(":")[0].split("/")[0] == d.sort or (
                d.sort == "side" and unit.startswith("response/"))]  # fmt: skip
            for unit in matching:
                for person in rng.sample(["ann", "ben", "林さん", "zoë"], rng.randint(1, 4)):
                    value = d.scale.code(d.scale.parse_text(random_answer(rng, d.scale)), frozenset((1, 2)))
                    about = (new_id(), "", id_, unit, d.name, value, person, mode, draw)
                    labels.append(LabelRow(*about, "", False, None, None, None, False, now()))

    def work(tx: Any) -> None:
        tx.append(draws)
        tx.append(labels)

    store.tx("lea", "answer", work)
    for person in ("ann", "ben", "林さん", "zoë"):
        people.join_workspace(store, person)


def open_workspace(folder: Path, name: str) -> Store:
    store = open_store(f"duckdb:///{folder}/{name}.duckdb")
    people.join_workspace(store, "lea")
    return store


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = open_workspace(tmp_path_factory.mktemp("home"), "home")
    item_rows, rng = items(), random.Random(5)
    old, new = tone_card("Is it polite?"), tone_card("Is it polite to the end?")
    cards.save_card(store, "lea", old.recipe or {})
    quality = card_with_dimensions([("brevity", "Is it short?"), ("warmth", "Is it warm?")])
    plain = card("rubric_open_ended")
    per_turn = apply_per_turn(plain)
    lines: list[Json] = []
    with practice() as server:
        runs = [
            (card("multi_turn_dialogue"), Params(window=4, window_over=6), HEURISTIC),
            (card("multi_turn_dialogue"), Params(samples=3, temperature=1, combine="median"), HEURISTIC),
            (per_turn, Params(), HEURISTIC),
            (card("long_form_pairwise"), Params(context=1500), HEURISTIC),
            (card("long_form_pairwise"), Params(orders="both"), HEURISTIC),
            (card("plain_pairwise"), Params(orders="both", samples=3, temperature=1, combine="vote"), HEURISTIC),
            (plain, Params(samples=4, temperature=1, combine="mean"), HEURISTIC),
            (quality, Params(), HEURISTIC),
            (old, Params(), HEURISTIC),
            (new, Params(samples=2, temperature=1, combine="mean"), HEURISTIC),
        ]  # fmt: skip
        for known, params, model in runs:
            lines += judge_items(known, params, model, item_rows, server)
    examples = []
    for line in lines:
        if line["card"] == "rubric_open_ended" and line["sample"] == 0 and len(examples) < 2:
            row = next(item for item in item_rows if item["id"] == line["item"])
            fields = plain.fields(parse_item(row), "")
            examples.append(Example(f"example {len(examples)}", fields, json.loads(line["raw"])))
    taught = with_examples(plain, examples)
    cards.attach_examples(store, "lea", plain.name, examples)
    lines += [
        {**line, "card_version": taught.version, "params": {"temperature": 0}, "model": "taught"}
        for line in lines
        if line["card"] == plain.name and line["sample"] == 0
    ]
    lines += [
        {"item": "r1", "card": "own_tone", "model": "scored", "params": {}, "card_version": new.version, "scores": [
            {"unit": "response", "dimension": "tonality", "value": 1 / 3, "confidence": 0.1 + 0.2, "note": "dry"}]},
        {"item": "r2", "card": plain.name, "model": "broken", "params": {}, "raw": "no JSON at all"},
        {"item": "r3", "card": plain.name, "model": "broken", "params": {}, "raw": "{", "unscored": "cut_off"},
    ]  # fmt: skip
    imported_cards = [old, new, quality, plain, per_turn, taught]
    import_source(
        store, "lea", source([*({"card": c.spec} for c in imported_cards), *item_rows, *lines]), ImportPlan(NAME)
    )
    cards.save_card(store, "lea", new.recipe or {})
    every = (*imported_cards, *(card(name) for name in ("multi_turn_dialogue", "long_form_pairwise", "plain_pairwise")))
    asking = {(c.kind, d.sort, d.name): (c.kind, d) for c in every for d in c.dimensions if d.asked}
    add_labels(store, rng, list(asking.values()))
    dataset = datasets.dataset_named(store, NAME).id
    set_gold_rule(store, "lea", dataset, RULE)
    for n, cell in enumerate(disputes.cells_to_adjudicate(store, dataset)):
        if n % 7 == 0:
            kind = {"d": "dialogue", "p": "pair", "r": "response"}[cell.name[0]]
            scale = asking[kind, sort_of(cell.unit), cell.dimension][1].scale
            value = scale.parse_text(random_answer(rng, scale))
            value = float(value) if isinstance(value, bool) else value
            decision = (cell.item, cell.unit, cell.dimension, value, "why", cell.token)
            adjudication.adjudicate(store, "lea", new_id(), *decision)
    yield store
    store.close()


def rows(store: Store, kind: str, **options: Any) -> list[Json]:
    export = exporting.export_kind(kind)
    values = {o.name: options.get(o.name, o.default) for o in export.options}
    return list(export.rows(store, datasets.dataset_named(store, NAME), values))


def without(records: list[Json], *names: str) -> list[Json]:
    return [{k: v for k, v in row.items() if k not in names} for row in records]


def export_file(store: Store, folder: Path, kind: str = "dataset", format: Any = "jsonl", **options: Any) -> Path:
    file = folder / f"{kind}.{format}"
    exporting.write_export(
        store, "lea", datasets.dataset_named(store, NAME), exporting.export_kind(kind), options, format, file
    )
    return file


@pytest.mark.slow
def test_a_whole_dataset_is_the_same_elsewhere_to_the_last_digit(home: Store, tmp_path: Path) -> None:
    file = export_file(home, tmp_path)
    assert json.loads(file.read_text().splitlines()[0])["assay"]["format"] == 2
    copy = open_workspace(tmp_path, "there")
    done = import_source(copy, "lea", from_path(file), ImportPlan(NAME, sampling="random"))
    assert not done.preview.rejected and len(file.read_text().splitlines()) == done.lines + 1
    assert rows(home, "items") == rows(copy, "items")
    for kind in ("judgments", "scores", "samples"):
        exported, imported = (without(rows(s, kind), "run") for s in (home, copy))
        assert exported == imported and exported, kind
    came = ("imported_from", "imported_by", "imported_at", "stream", "judge", "saw", "seen")
    assert without(rows(home, "labels"), *came) == without(rows(copy, "labels"), *came)
    assert (
        without(rows(home, "adjudications"), "adjudicator") == without(rows(copy, "adjudications"), "adjudicator") != []
    )
    one, two = (datasets.dataset_named(s, NAME).id for s in (home, copy))
    assert gold_rule(copy, two) == RULE
    bases = [basis for basis in BASES if basis != "gate"]
    resolved = dict.fromkeys(bases, 0)
    for n, name in enumerate(sorted({row["dimension"] for row in rows(home, "labels")})):
        basis = bases[n % len(bases)]
        exported, imported = (rows(s, "gold", basis=basis, dimension=name) for s in (home, copy))
        assert exported == imported, (basis, name)
        resolved[basis] += len(exported)
    assert all(resolved.values())
    for n, (judge, *_) in enumerate(datasets.dataset_judges(home, one)):
        known = cards.card_of_judge(home, judge)
        # Items of its examples were drawn and do not count: a sample that is not answered in full.
        there_are = [basis for basis in bases if not (known.examples and basis in WEIGHTED)]
        for k, d in enumerate(d for d in known.dimensions if d.asked):
            basis = there_are[(n + k) % len(there_are)]
            marks = [check_results.fingerprint_cells(s, i, judge, d, basis) for s, i in ((home, one), (copy, two))]
            assert marks[0] == marks[1], (judge, d.name, basis)
    for judge, card_name, model, *_ in datasets.dataset_judges(home, one):
        if card_name in ("own_tone", "plain_pairwise"):
            exported, imported = (
                check_results.summaries(s, d, judge, "imported") for s, d in ((home, one), (copy, two))
            )
            assert [repr(s) for s in exported] == [repr(s) for s in imported] and exported, model
    assert cards.current_cards(home)["own_tone"].version == cards.current_cards(copy)["own_tone"].version
    copy.close()


@pytest.mark.slow
def test_a_folder_of_files_is_the_whole_dataset_too(home: Store, tmp_path: Path) -> None:
    of, kind = datasets.dataset_named(home, NAME), exporting.export_kind("dataset")
    out = exporting.write_export(home, "lea", of, kind, {}, "parquet", tmp_path / "out", rows_per_file=97)
    copy = open_workspace(tmp_path, "parts")
    done = import_source(copy, "lea", from_path(tmp_path / "out"), ImportPlan(NAME, sampling="random"))
    assert not done.preview.rejected and out.lines == done.lines + 1
    came = ("run", "imported_from", "imported_by", "imported_at", "stream", "judge", "saw", "seen", "adjudicator")
    for name in ("items", "judgments", "labels", "adjudications"):
        exported, imported = (without(rows(s, name), *came) for s in (home, copy))
        assert exported == imported != [], name
    assert gold_rule(copy, datasets.dataset_named(copy, NAME).id) == RULE
    copy.close()


def test_an_export_of_a_newer_assay_is_refused_in_a_sentence_and_its_sound_lines_can_be_taken(tmp_path: Path) -> None:
    store = open_workspace(tmp_path, "newer")
    item = {"id": "r1", "kind": "response", "task": "t", "output": "o"}
    newer = [{"assay": {"format": 3, "dataset": "x"}}, item, {"thought": {"of": "r1"}}]
    with pytest.raises(ImportRefused, match=r"newer Assay \(format 3; this one reads up to 2\)"):
        import_source(store, "lea", source(newer), ImportPlan("d"))
    assert import_source(store, "lea", source(newer), ImportPlan("d"), "good rows").preview.new.items == 1
    for head in ({"assay": {}}, {"assay": 2}, {"assay": {"format": "2"}}):
        assert "no format number" in preview_import(store, source([head, item]), ImportPlan("d")).problems[0].sentence
    store.close()


FORMATS = ("jsonl", "csv", "parquet")


def run_agree(capsys: pytest.CaptureFixture[str], *args: object) -> list[Json]:
    assert main(["agree", *map(str, args), "--json"]) == 0
    return list(json.loads(capsys.readouterr().out))


def kappas(agreements: list[Json]) -> dict[str, float | None]:
    return {f"{row['unit']} {row['dimension']}": row["kappa"] for row in agreements if row["ratings"]}


@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
def test_agree_reads_every_export(
    home: Store, tmp_path: Path, format: str, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    def out(kind: str, **options: Any) -> Path:
        return export_file(home, tmp_path, kind, format, **options)

    whole = export_file(home, tmp_path)
    labels, items_, scores, samples = out("labels"), export_file(home, tmp_path, "items"), out("scores"), out("samples")
    gold = out("gold", basis="blind").rename(tmp_path / f"blind.{format}")
    for card_name, model in (("plain_pairwise", HEURISTIC), ("own_tone", "scored"), ("pointwise_quality", HEURISTIC)):
        judge = ("--card", card_name, "--model", model)
        alone = kappas(run_agree(capsys, whole, *judge))
        assert alone
        assert kappas(run_agree(capsys, samples, labels, *judge)) == alone
        if card_name == "plain_pairwise":  # whose card has a folder, so that replies alone can be read
            assert kappas(run_agree(capsys, out("judgments"), labels, "--items", items_, *judge)) == alone
        else:
            assert kappas(run_agree(capsys, scores, labels, *judge)) == alone
        assert kappas(run_agree(capsys, scores, gold, *judge)).keys() == alone.keys()
    judge_id = next(
        id_
        for id_, _, model, *_ in datasets.dataset_judges(home, datasets.dataset_named(home, NAME).id)
        if model == "scored"
    )
    judged_gold = out("gold", basis="blind", judge=judge_id)
    assert kappas(run_agree(capsys, judged_gold)) == kappas(run_agree(capsys, scores, judged_gold, "--model", "scored"))


@pytest.mark.slow
def test_agree_leaves_out_what_the_judge_was_shown_as_examples(
    home: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    judges = {model: id_ for id_, _, model, *_ in datasets.dataset_judges(home, datasets.dataset_named(home, NAME).id)}
    assert len(fewshot.items_in_prompt(home, judges["taught"])) == 2
    labels = [
        {"item": row["id"], "unit": "response", "dimension": "factuality", "value": 3, "annotator": "ann",
         "mode": "blind", "made_at": "2026-01-31T12:00:00Z"}
        for row in rows(home, "items") if row["kind"] == "response"
    ]  # fmt: skip
    whole = [row for row in rows(home, "dataset") if row.keys() & {"card", "task"}]
    file = lines(tmp_path / "taught.jsonl", [*whole, *labels])
    assert [row["ratings"] for row in run_agree(capsys, file, "--model", "taught")] == [12]


@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
def test_each_export_of_lines_comes_in_again_from_every_format(home: Store, tmp_path: Path, format: str) -> None:
    copy = open_workspace(tmp_path, "each")
    specs = [json.dumps(row) for row in rows(home, "dataset") if "card" in row and isinstance(row["card"], dict)]

    def both(file: Path) -> Source:
        """The cards, as their lines stand in a whole dataset, beside one of the other exports."""
        return from_bytes([("cards.jsonl", "\n".join(specs).encode()), (file.name, file.read_bytes())])

    for kind in ("items", "judgments", "labels", "adjudications"):
        done = import_source(
            copy, "lea", both(export_file(home, tmp_path, kind, format)), ImportPlan(NAME, sampling="random")
        )
        new = done.preview.new
        assert done.preview.ok and new.total - new.cards == len(rows(home, kind)), kind
    assert rows(home, "items") == rows(copy, "items")
    assert without(rows(home, "judgments"), "run") == without(rows(copy, "judgments"), "run")
    assert without(rows(home, "samples"), "run") == without(rows(copy, "samples"), "run")
    columns = ("item", "unit", "dimension", "code", "annotator", "mode", "made_at", "probability")
    exported, imported = ([[row[k] for k in columns] for row in rows(s, "labels")] for s in (home, copy))
    assert exported == imported
    copy.close()
    elsewhere = open_workspace(tmp_path, "scores")
    exports = export_file(home, tmp_path, "items"), export_file(home, tmp_path, "samples", format)
    for file in exports:
        import_source(elsewhere, "lea", both(file), ImportPlan(NAME))
    exported, imported = (
        [[row[k] for k in ("item", "unit", "dimension", "judge", "sample", "code")] for row in rows(s, "samples")]
        for s in (home, elsewhere)
    )
    assert exported == imported
    elsewhere.close()
