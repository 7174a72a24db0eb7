"""Cards of a workspace: made, versioned, found again for each judge, laid over dialogues, exported as a folder."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data.cards import cards, desk_cards, folder
from data.desk import desk, labels
from data.exporting import exporting
from data.importing.files.source import from_bytes
from data.importing.importing import import_source
from data.importing.plan import ImportPlan
from data.queue import queue
from data.records import datasets, people
from data.store import Store, open_store
from data.store.errors import BadInput, NotAllowed, NotFound
from judges.authoring.card_lookup import card_from_file
from judges.authoring.custom import from_folder
from judges.card import Example
from judges.cards import cards as folders
from judges.cards.pointwise_quality.card import card_with_dimensions
from judges.errors import BadCard, BadScale, UnknownCard
from tests import seeds
from tests.fork_server import run_forked

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(f"duckdb:///{tmp_path}/cards.duckdb")
    for name in ("lea", "ann"):
        people.join_workspace(store, name)
    yield store
    store.close()


def recipe(definition: str = "丁寧さ。", hi: int = 5, **more: Any) -> dict[str, Any]:
    dimension = {"name": "zz敬語", "unit": "turn", "definition": definition, "answers": {"hi": hi}}
    return {"name": "zz_manners", "title": "Manners", "kind": "dialogue", "dimensions": [dimension]} | more


def bring(store: Store, lines: list[dict[str, Any]], name: str = "d") -> str:
    import json

    text = "\n".join(json.dumps(line) for line in lines)
    import_source(store, "lea", from_bytes([("in.jsonl", text.encode())]), ImportPlan(dataset=name, sampling="all"))
    return datasets.dataset_named(store, name).id


def make_judgment(item: dict[str, Any], value: int = 3) -> dict[str, Any]:
    turns = sorted({t["turn"] for t in item["turns"]})
    reply = {"per_turn": [{"turn": t, "scores": {"zz敬語": value}, "note": "because"} for t in turns]}
    return {"item": item["id"], "card": "zz_manners", "model": "m", "params": {}, "reply": reply}


def turn_judgment(item: dict[str, Any], turn: int, value: int = 2) -> dict[str, Any]:
    four = dict.fromkeys(("factuality", "instruction_following", "coherence", "completeness"), value)
    reply = {"scores": four, "verdict": "poor", "decision_basis": "invented", "issues": ["a false date"]}
    card = "rubric_open_ended_on_turns"
    return {"item": item["id"], "card": card, "model": "m2", "part": f"turn:{turn}", "params": {}, "reply": reply}


def test_a_lead_saves_a_card_and_a_change_is_a_new_version(store: Store) -> None:
    first = cards.save_card(store, "lea", recipe())
    assert cards.current_cards(store)["zz_manners"].version == first.version
    before = store.newest()
    cards.save_card(store, "lea", recipe())
    assert store.newest() == before, "nothing changed"
    second = cards.save_card(store, "lea", recipe("別の定義。"))
    assert [(v.version, v.current) for v in cards.card_versions(store, "zz_manners")] == [
        (second.version, True), (first.version, False),
    ]  # fmt: skip
    cards.save_card(store, "lea", recipe())
    assert cards.current_cards(store)["zz_manners"].version == first.version, "back to the first"
    with pytest.raises(NotAllowed):
        cards.save_card(store, "ann", recipe("x"))


def test_names_and_scales_that_are_taken_are_refused_in_sentences(store: Store) -> None:
    with pytest.raises(BadInput, match="built-in card"):
        cards.save_card(store, "lea", recipe(name="mt_bench"))
    dimension = {"name": "helpfulness", "unit": "turn", "definition": "x", "answers": {"hi": 3}}
    with pytest.raises(BadInput, match="means 1 to 5"):
        cards.save_card(store, "lea", recipe(dimensions=[dimension]))
    cards.save_card(store, "lea", recipe())
    cards.save_card(store, "lea", recipe(hi=3))  # nobody has used it yet
    item = seeds.dialogue(1)
    bring(store, [item, make_judgment(item)])
    with pytest.raises(BadInput, match="means 1 to 3"):
        cards.save_card(store, "lea", recipe(hi=5))
    with pytest.raises(BadInput, match="judges a dialogue"):
        cards.save_card(
            store, "lea", recipe(kind="response", dimensions=[dimension | {"unit": "response", "name": "zz_wit"}])
        )


def test_the_version_that_is_current_is_so_elsewhere_too_though_a_later_one_was_judged_by(
    store: Store, tmp_path: Path
) -> None:
    first = cards.save_card(store, "lea", recipe())
    item = seeds.dialogue(1)
    dataset_id = bring(store, [item, make_judgment(item)])
    second = cards.save_card(store, "lea", recipe("別の定義。"))
    bring(store, [make_judgment(item, 2)])
    cards.save_card(store, "lea", recipe())
    dataset = datasets.find_dataset(store, dataset_id)
    exporting.write_export(
        store, "lea", dataset, exporting.export_kind("dataset"), {}, "jsonl", tmp_path / "dataset.jsonl"
    )
    elsewhere = open_store(f"duckdb:///{tmp_path}/elsewhere.duckdb")
    people.join_workspace(elsewhere, "lea")
    bring(elsewhere, [json.loads(line) for line in (tmp_path / "dataset.jsonl").read_text("utf-8").splitlines()])
    versions = cards.card_versions(elsewhere, "zz_manners")
    assert {v.version: v.current for v in versions} == {first.version: True, second.version: False}
    elsewhere.close()


def test_what_people_labelled_keeps_its_scale_while_the_card_asks_it_and_no_judge_used_it(store: Store) -> None:
    cards.save_card(store, "lea", recipe())
    item = seeds.dialogue(1)
    label = {"item": item["id"], "dimension": "zz敬語", "mode": "blind", "made_at": "2026-01-31T12:00:00Z"}
    bring(store, [item, label | {"unit": "turn:1", "value": 5, "annotator": "bo"}])
    with pytest.raises(BadInput, match="means 1 to 5"):
        cards.save_card(store, "lea", recipe(hi=3))


def test_a_card_of_responses_is_not_kept_by_its_own_questions_on_turns_until_people_answered_them(store: Store) -> None:
    wit = {"name": "zz_wit", "unit": "response", "definition": "x", "answers": {"hi": 3}}
    response = {"name": "zz_manners", "title": "Manners", "kind": "response"}
    cards.save_card(store, "lea", response | {"dimensions": [wit]})
    five = response | {"dimensions": [wit | {"answers": {"hi": 5}}]}
    cards.save_card(store, "lea", five)
    item = seeds.dialogue(1)
    label = {"item": item["id"], "dimension": "zz_wit", "mode": "blind", "made_at": "2026-01-31T12:00:00Z"}
    bring(store, [item, label | {"unit": "turn:1", "value": 5, "annotator": "bo"}])
    cards.save_card(store, "lea", response | {"dimensions": [wit | {"name": "zz_charm"}]})
    assert cards.answerable_dimensions(store)["dialogue", "turn", "zz_wit"].scale.hi == 5
    with pytest.raises(BadInput, match="means 1 to 5"):
        cards.save_card(store, "lea", recipe(dimensions=[wit | {"unit": "turn"}], name="zz_other"))


def test_what_people_labelled_keeps_its_scale_when_the_card_asks_it_no_more(store: Store, tmp_path: Path) -> None:
    """Without a judge; labels of 5 were on a scale from 1 to 3, and between the two versions there was no gold."""

    def export_rows(of: Store, kind: str) -> list[dict[str, Any]]:
        file = tmp_path / f"{kind}.jsonl"
        dataset = datasets.dataset_named(of, "d")
        exporting.write_export(of, "lea", dataset, exporting.export_kind(kind), {}, "jsonl", file)
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]

    def gold(of: Store) -> list[tuple[str, float]]:
        return [(row["value"], row["code"]) for row in export_rows(of, "gold")]

    cards.save_card(store, "lea", recipe())
    cards.save_card(store, "lea", recipe(hi=3))
    cards.save_card(store, "lea", recipe())  # back to the first, by which people label
    item = seeds.dialogue(1, turns=2)
    label = {"item": item["id"], "dimension": "zz敬語", "mode": "blind", "made_at": "2026-01-31T12:00:00Z"}
    lines = [label | {"unit": f"turn:{turn}", "value": 5, "annotator": "bo"} for turn in (1, 2)]
    bring(store, [item, *lines])
    other = {"name": "zz_wit", "unit": "turn", "definition": "x", "answers": {"hi": 5}}
    cards.save_card(store, "lea", recipe(dimensions=[other]))
    assert gold(store) == [("5", 5.0)] * 2
    for name in ("zz_manners", "zz_others"):
        with pytest.raises(BadInput, match="means 1 to 5"):
            cards.save_card(store, "lea", recipe(hi=3, name=name))
    cards.save_card(store, "lea", recipe(dimensions=[other | {"answers": {"hi": 3}}]))  # which nobody has labelled
    elsewhere = open_store(f"duckdb:///{tmp_path}/elsewhere.duckdb")
    people.join_workspace(elsewhere, "lea")
    bring(elsewhere, export_rows(store, "dataset"))
    assert gold(elsewhere) == [("5", 5.0)] * 2
    elsewhere.close()


def test_a_question_that_no_card_asks_any_more_is_as_the_last_version_asked_it(store: Store) -> None:
    """Who adjudicated its labels was shown the definition of the first version."""
    item = seeds.dialogue(1)
    bring(store, [item])
    for definition in ("first", "last"):
        cards.save_card(store, "lea", recipe(definition))
        bring(store, [make_judgment(item)])
    cards.save_card(store, "lea", recipe(dimensions=[recipe()["dimensions"][0] | {"name": "zz_wit"}]))
    assert cards.answerable_dimensions(store)["dialogue", "turn", "zz敬語"].definition == "last"


def test_a_card_made_here_is_imported_labelled_and_calibrated_like_any_other(store: Store) -> None:
    from data.calibration import calibration
    from data.queue import queue

    first = cards.save_card(store, "lea", recipe())
    item = seeds.dialogue(1, turns=2)
    label = {"item": item["id"], "unit": "turn:1", "dimension": "zz敬語", "value": 4, "annotator": "bo"}
    dataset = bring(store, [item, make_judgment(item), label | {"mode": "blind", "made_at": "2026-01-31T12:00:00Z"}])
    [(judge, name, *_)] = datasets.dataset_judges(store, dataset)
    assert name == "zz_manners"
    cards.save_card(store, "lea", recipe("別の定義。"))
    assert cards.card_of_judge(store, judge).version == first.version, "the version that it judged with"
    assert "zz敬語" in queue.filter_options(store, dataset).dimension
    [dimension] = calibration.compared_dimensions(store, judge)
    met = calibration.load_paired_ratings(store, dataset, judge, dimension, "blind")
    assert (met.human.tolist(), met.judge.tolist()) == ([4.0], [3.0])
    view = desk.open_item(store, "ann", store.rows("select id from item")[0][0])
    assert view.card.version == first.version
    assert view.scores["turn:2", "zz敬語"].value == 3.0
    assert ("turn:1", "zz敬語", "note", "because") in view.remarks
    with pytest.raises(BadScale, match="1 to 5"):
        labels.check_answer_value(store, view.item.content, "turn:1", "zz敬語", 6.0)


def test_judges_with_named_dimensions_and_examples_have_their_own_card_again(store: Store) -> None:
    from judges.strict_json import canonical

    witty, calm = card_with_dimensions([("zz_wit", "Is it witty?")]), card_with_dimensions([("zz_calm", "")])

    def put(tx: Any) -> None:
        for card in (witty, calm):
            tx.add("card", "version, name, spec", [(card.version, card.name, canonical(card.spec))])
            row = (card.version, card.name, card.version, "m", "{}", False)
            tx.add("judge", "id, card, card_version, model, params, synthetic", [row])

    store.tx("lea", "test", put)
    assert cards.card_of_judge(store, witty.version).version == witty.version
    assert [d.name for d in cards.card_of_judge(store, calm.version).dimensions][:1] == ["zz_calm"]
    assert ("response", "response", "zz_wit") in cards.scales(store)
    assert cards.find_dimension(store, "response", "response", "zz_calm") is not None
    assert cards.current_cards(store)["pointwise_quality"].version == folders()["pointwise_quality"].version
    with pytest.raises(NotFound):
        cards.card_of_judge(store, "nobody")
    with pytest.raises(UnknownCard, match="There are: "):
        cards.card_named(store, "nonsense")


def test_the_desk_shows_both_cards_and_each_label_names_the_judge_that_was_seen(store: Store) -> None:
    item = seeds.dialogue(1, turns=2)
    dataset = bring(store, [item, seeds.judgment(item), turn_judgment(item, 1), turn_judgment(item, 2)])
    by_card = {name: judge for judge, name, *_ in datasets.dataset_judges(store, dataset)}
    queue.fill_review(store, "lea", dataset, by_card["multi_turn_dialogue"], 5)
    [claimed] = queue.claim_items(store, "ann", dataset, "review", queue.QueueFilters(), [], 3)
    [view] = desk.desk_views(store, "ann", [claimed])
    assert view.card.name == "multi_turn_dialogue"
    assert [layer.card.name for layer in view.over] == ["rubric_open_ended_on_turns"]
    assert view.scores["turn:1", "factuality"].value == 2.0
    assert view.scores["turn:1", "helpfulness"].value == 4.0
    assert view.scores["conversation", "coherence"].value == 4.0 and view.scores["turn:1", "coherence"].value == 2.0
    assert ("turn:1", "", "issue", "a false date") in view.remarks
    values = [
        {"unit": "turn:1", "dimension": "factuality", "v": 3.0, "saw": True, "seen": 2.0,
         "judge": by_card["rubric_open_ended_on_turns"]},
        {"unit": "turn:1", "dimension": "helpfulness", "v": 4.0, "saw": True, "seen": 4.0,
         "judge": by_card["multi_turn_dialogue"]},
    ]  # fmt: skip
    answer = {
        "key": "key-0001", "person": "ann", "action": "save", "item": view.item.id, "claim": view.draw,
        "judge": view.judge_id, "values": values, "notes": [],
    }  # fmt: skip
    saved, refused = labels.save_answers(store, "ann", [answer])
    assert saved and not refused
    rows = store.rows("select dimension, value, judge_id, seen from label order by dimension")
    assert rows == [
        ("factuality", 3.0, by_card["rubric_open_ended_on_turns"], 2.0),
        ("helpfulness", 4.0, by_card["multi_turn_dialogue"], 4.0),
    ]
    # An answer from a desk that did not ask for factuality takes nothing back of it.
    dimensions = ["turn/helpfulness"]
    later = answer | {"key": "key-0002", "version": "key-0001", "values": values[1:], "asked": dimensions}
    assert labels.save_answers(store, "ann", [later])[1] == []
    assert store.rows("select count(*) from label_now") == [(2,)]
    later = later | {"key": "key-0003", "version": "key-0002", "asked": [*dimensions, "turn/factuality"]}
    assert labels.save_answers(store, "ann", [later])[1] == []
    assert store.rows("select dimension from label_now") == [("helpfulness",)]


def test_blind_means_blind_for_every_card_and_the_same_is_asked(store: Store) -> None:
    item = seeds.dialogue(1, turns=2)
    dataset = bring(store, [item, seeds.judgment(item), turn_judgment(item, 1), turn_judgment(item, 2)])
    judge = next(judge for judge, name, *_ in datasets.dataset_judges(store, dataset) if name == "multi_turn_dialogue")
    row = ("draw-1", dataset, store.rows("select id from item")[0][0], "audit", "blind", judge, "", 1.0, 0.0, "[]")
    columns = "id, dataset_id, item_id, stream, mode, judge_id, stratum, probability, priority, reasons"
    store.tx("lea", "draw", lambda tx: tx.add("draw", columns, [row]))
    view = desk.open_item(store, "ann", row[2])
    assert view.mode == "blind"
    assert ("turn:1", "factuality") in view.cells and ("turn:1", "helpfulness") in view.cells
    assert not view.scores and not view.remarks and not any(layer.judge_id or layer.judge_name for layer in view.layers)


def test_a_dataset_says_which_cards_are_on_its_desk(store: Store) -> None:
    cards.save_card(store, "lea", recipe())
    item = seeds.dialogue(1, turns=2)
    dataset = bring(store, [item, seeds.judgment(item), turn_judgment(item, 1)])
    with pytest.raises(BadInput):
        desk_cards.choose_desk_cards(store, "lea", dataset, ["nonsense"])
    desk_cards.choose_desk_cards(store, "lea", dataset, ["multi_turn_dialogue", "zz_manners"])
    view = desk.open_item(store, "ann", store.rows("select id from item")[0][0])
    assert [layer.card.name for layer in view.layers] == ["multi_turn_dialogue", "zz_manners"]
    assert view.over[0].judge_id == "" and ("turn:1", "zz敬語") in view.cells
    assert desk_cards.card_uses(store)["zz_manners"] == [desk_cards.CardUse("d", "", "", 0)]
    desk_cards.choose_desk_cards(store, "lea", dataset, ["zz_manners", "multi_turn_dialogue"])
    judges = datasets.dataset_judges(store, dataset)
    for judge, first in [("", "zz_manners"), *((judge.id, judge.card) for judge in judges)]:
        layers = desk_cards.card_layers(store, dataset, view.item.content, judge, judges)
        assert layers[0].card.name == first, "the wanted judge's, else the first that was chosen"
    desk_cards.choose_desk_cards(store, "lea", dataset, [])
    view = desk.open_item(store, "ann", view.item.id)
    assert [layer.card.name for layer in view.layers] == ["multi_turn_dialogue", "rubric_open_ended_on_turns"]


def test_every_response_card_is_offered_over_dialogues_unless_a_name_is_taken(store: Store) -> None:
    current = cards.current_cards(store)
    assert {"rubric_open_ended_on_turns", "pointwise_quality_on_turns"} <= set(current)
    dimension = {"name": "context_use", "unit": "response", "definition": "x", "answers": {"hi": 3}}  # of a turn 1 to 5
    cards.save_card(store, "lea", recipe(name="zz_used", kind="response", dimensions=[dimension]))
    cards.save_card(store, "lea", recipe(name="zz_witty", kind="response", dimensions=[dimension | {"name": "zz_wit"}]))
    assert "zz_used_on_turns" not in cards.current_cards(store) and "zz_witty_on_turns" in cards.current_cards(store)


def test_an_exported_folder_is_the_same_card_where_it_is_unzipped(store: Store, tmp_path: Path) -> None:
    card = cards.save_card(store, "lea", recipe(instructions="いつも丁寧に。"))
    packed = folder.export(store, "zz_manners")
    assert packed == folder.export(store, "zz_manners")
    inside = zipfile.ZipFile(io.BytesIO(packed))
    assert {info.external_attr >> 16 for info in inside.infolist()} == {0o644}, "whoever unpacks it can read it"
    assert set(inside.namelist()) == {f"zz_manners/{f}" for f in ("__init__.py", "card.py", "recipe.json", "prompt.md")}
    inside.extractall(tmp_path / "out")
    script = (
        "import judges.cards, sys; judges.cards.__path__.append(sys.argv[1]); "
        "from judges.cards import cards; c = cards()['zz_manners']; print(c.version, c.dimensions[0].name)"
    )
    done = run_forked(
        [sys.executable, "-c", script, str(tmp_path / "out")], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [card.version, "zz敬語"]
    with pytest.raises(BadInput, match="is not a custom card"):
        folder.export(store, "rubric_open_ended")


def test_examples_are_a_version_of_the_card_and_come_off_again(store: Store, tmp_path: Path) -> None:
    item = seeds.dialogue(1, turns=1)
    card = cards.save_card(store, "lea", recipe())
    fields = {"scenario_description": "One line\u2028and another\x85one.", "dialogue": item["turns"]}
    examples = [Example(f"a {v}", fields, make_judgment(item, v)["reply"]) for v in (1, 3)]
    varied = cards.attach_examples(store, "lea", "zz_manners", examples)
    assert cards.current_cards(store)["zz_manners"].version == varied.version != card.version
    assert len(cards.current_cards(store)["zz_manners"].examples) == 2
    zipfile.ZipFile(io.BytesIO(folder.export(store, "zz_manners"))).extractall(tmp_path)
    assert {load(tmp_path / "zz_manners").version for load in (from_folder, card_from_file)} == {varied.version}
    with pytest.raises(BadCard):
        cards.attach_examples(store, "lea", "zz_manners", examples[:1])
    with pytest.raises(BadInput, match="applies per turn"):
        cards.attach_examples(store, "lea", "rubric_open_ended_on_turns", examples)
    with pytest.raises(NotAllowed):
        cards.attach_examples(store, "ann", "zz_manners", examples)
    assert cards.attach_examples(store, "lea", "zz_manners", []).version == card.version


# -- python -m data card ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_cards_are_added_listed_and_shown_from_a_command_line(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from data.cli import main

    def run_card(*args: str, code: int = 0) -> str:
        assert main(["card", *args]) == code, capsys.readouterr()
        output = capsys.readouterr()
        return output.out if not code else output.err or output.out

    packed = tmp_path / "zz_manners.zip"
    cards.save_card(store, "lea", recipe())
    packed.write_bytes(folder.export(store, "zz_manners"))
    version = cards.card_named(store, "zz_manners").version
    store.close()
    monkeypatch.setenv("ASSAY_STORE", f"duckdb:///{tmp_path}/other.duckdb")
    options = ["--dimension", "zz_wit (dull|witty): How witty?", "--dimension", "zz_half (0-2 step 0.5): Half points."]
    assert "would save zz_made" in run_card("add", "zz_made", *options, "--dry-run", "--as", "lea").lower()
    assert "zz_made" not in run_card("list")
    assert "Saved zz_made" in run_card("add", "zz_made", *options, "--as", "lea")
    assert "There already: zz_made" in run_card("add", "zz_made", *options)
    assert "There already: zz_made" in run_card("add", "zz_made"), "by its name alone"
    assert f"Saved zz_manners, version {version}, for a dialogue" in run_card("add", str(packed))
    lines = {line.split()[0]: line.split() for line in run_card("list").splitlines()}
    assert lines["zz_made"][2:8] == ["response", "custom", "0", "judges", "1", "version"]
    assert lines["zz_made_on_turns"][2:6] == ["dialogue", "applied", "per", "turn"]
    assert "Saved zz_made" in run_card("add", "zz_made", *options[:2], "--as", "lea")
    output = run_card("show", "zz_made")
    assert "zz_wit of each response: dull, witty" in output and "zz_half" not in output
    assert output.count("lea, 2") == 2 and ", current: lea" in output
    old = output.split("Version ")[-1][:12]
    assert "zz_half of each response: 0 to 2 in steps of 0.5" in run_card("show", "zz_made", "--version", old)
    assert "no stored version" in run_card("show", "zz_made", "--version", "nope", code=1)
    assert "not saved separately" in run_card("add", "mt_bench", code=1)
    clash = ["--dimension", "factuality (1-7): True?"]
    assert "factuality is taken" in run_card("add", "zz_clash", *clash, code=1)
    assert "factuality is taken" in run_card("add", "zz_clash", *clash, "--dry-run", code=1)
    assert main(["card", "add", "zz_more", *options, "--as", "nobody"]) == 1
    assert "zz_more" not in run_card("list")


def test_a_run_and_an_import_take_the_card_of_a_file(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from data.cli import main

    url = f"duckdb:///{tmp_path}/other.duckdb"
    monkeypatch.setenv("ASSAY_STORE", url)
    dimension = {"name": "zz_wit", "unit": "response", "definition": "Witty?", "answers": {"kind": "flag"}}
    plain = recipe(kind="response", name="zz_filed", dimensions=[dimension])
    (tmp_path / "c.json").write_text(json.dumps(plain), encoding="utf-8")
    rows = [{"id": f"r{n}", "kind": "response", "task": "t", "output": "o"} for n in range(3)]
    judgment = {"card": "zz_filed", "model": "m", "reply": {"response": {"zz_wit": {"score": True, "note": ""}}}}
    (tmp_path / "in.jsonl").write_text(
        "\n".join(map(json.dumps, [*rows, {"item": "r1", **judgment}])), encoding="utf-8"
    )
    options = ["--card", str(tmp_path / "c.json"), "--as", "lea"]
    bring = ["import", str(tmp_path / "in.jsonl"), "--dataset", "d"]
    assert main([*bring, "--as", "lea"]) == 1 and "no card" in capsys.readouterr().err
    assert main([*bring, *options]) == 0
    assert main(["run", "--dataset", "d", "--model", "practice-heuristic", *options]) == 0
    assert "3 scored" in capsys.readouterr().out
    opened = open_store(url)
    version = cards.card_named(opened, "zz_filed").version
    judges = {(card, model, v) for card, model, v in opened.rows("select card, model, card_version from judge")}
    opened.close()
    assert judges == {("zz_filed", "m", version), ("zz_filed", "practice-heuristic", version)}
