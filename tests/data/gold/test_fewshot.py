"""Few-shot examples from labelled items: what is drafted, what changes, and that their gold counts for nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from data.audits.evidence import gather_audit_evidence
from data.calibration import baselines, calibration
from data.cards import cards
from data.gold import fewshot
from data.queue import queue
from data.records import datasets, exposure, people
from data.store import Store, open_store
from judges.card import Example
from tests import seeds
from tests.data.cards.test_cards import bring, make_judgment, recipe

COUNT = 4


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(f"duckdb:///{tmp_path}/few.duckdb")
    for name in ("lea", "ann"):
        people.join_workspace(store, name)
    cards.save_card(store, "lea", recipe())
    items = [seeds.dialogue(n, turns=2) for n in range(1, COUNT + 1)]
    labels = [
        {"item": item["id"], "unit": "turn:1", "dimension": "zz敬語", "value": 5, "annotator": "bo", "mode": "blind"}
        | {"made_at": "2026-01-31T12:00:00Z"}
        for item in items
    ]
    bring(store, [*items, *map(make_judgment, items), *labels])
    yield store
    store.close()


def dataset(store: Store) -> str:
    return datasets.dataset_named(store, "d").id


def attach_examples(store: Store) -> list[str]:
    """Two labelled items attached as examples; their ids."""
    card = cards.card_named(store, "zz_manners")
    ids = list(fewshot.items_with_labels(store, dataset(store), card))[:2]
    drafts = [fewshot.draft_example(store, card, id_) for id_ in ids]
    cards.attach_examples(store, "lea", "zz_manners", [Example("a 5", d.fields, d.reply) for d in drafts])  # type: ignore[arg-type]
    return ids


def judge_again(store: Store) -> str:
    """The dialogues judged by the card as it is now; the judge."""
    items = [seeds.dialogue(n, turns=2) for n in range(1, COUNT + 1)]
    before = {j[0] for j in datasets.dataset_judges(store, dataset(store))}
    bring(store, [make_judgment(item) for item in items])
    [new] = {j[0] for j in datasets.dataset_judges(store, dataset(store))} - before
    return new


def test_items_that_wait_for_a_blind_answer_keep_no_other_from_being_offered(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = cards.card_named(store, "zz_manners")
    labelled = list(fewshot.items_with_labels(store, dataset(store), card))
    queue.draw_audit(store, "lea", dataset(store), COUNT - 1, "", 4)
    hidden = exposure.blind_pending(store, "lea")
    assert labelled[0] in hidden and len(hidden) == COUNT - 1
    monkeypatch.setattr(fewshot, "_MAX_ITEMS", 1)
    assert set(fewshot.offered_items(store, "lea", dataset(store), card)) == set(labelled) - hidden


def test_a_draft_is_the_judges_reply_with_peoples_labels_in_it(store: Store) -> None:
    card = cards.card_named(store, "zz_manners")
    item_ids = fewshot.items_with_labels(store, dataset(store), card)
    assert len(item_ids) == COUNT
    draft = fewshot.draft_example(store, card, next(iter(item_ids)))
    assert isinstance(draft.reply, dict)
    assert [t["scores"]["zz敬語"] for t in draft.reply["per_turn"]] == [5, 3]
    assert draft.corrected == ("zz敬語",)
    assert draft.left == ()
    assert list(draft.reply["per_turn"][0]) == ["turn", "scores", "note"], "in the order in which it is asked for"
    assert draft.judge == "m"
    assert draft.fields["dialogue"][0]["role"] == "user"


def test_items_that_stand_as_examples_count_in_no_figure_of_that_judge(store: Store) -> None:
    [old] = [j[0] for j in datasets.dataset_judges(store, dataset(store))]
    example_ids = attach_examples(store)
    new = judge_again(store)
    assert cards.card_of_judge(store, new).version != cards.card_of_judge(store, old).version
    assert fewshot.items_in_prompt(store, old) == {}
    assert set(fewshot.items_in_prompt(store, new)) == set(example_ids)
    [dimension] = calibration.compared_dimensions(store, new)
    for judge, cells in ((old, COUNT), (new, COUNT - 2)):
        for basis in ("blind", "all"):
            assert len(calibration.load_paired_ratings(store, dataset(store), judge, dimension, basis).human) == cells
            sums = calibration.load_rating_sums(store, dataset(store), judge, [dimension], basis)[0]
            assert sums.cells.sum() == cells
            assert len(calibration.list_cells(store, "lea", dataset(store), judge, dimension, basis, 5.0, 3.0)) == cells
        assert (
            baselines.measure_baselines(store, dataset(store), judge, [dimension], "blind")["turn", "zz敬語"].items
            == cells
        )
        assert len(gather_audit_evidence(store, dataset(store), judge).evidence.gold) == cells


def test_examples_are_known_by_content_in_items_that_come_later_too(store: Store) -> None:
    example_ids = attach_examples(store)
    new = judge_again(store)
    copies = [seeds.dialogue(n, turns=2) for n in range(1, COUNT + 1)]
    bring(store, copies, name="copy")
    assert len(fewshot.items_in_prompt(store, new)) == 2 * len(example_ids)


def test_an_example_is_known_by_its_turns_alone(store: Store) -> None:
    bare = {**seeds.dialogue(9, turns=2), "scenario": ""}
    dataset_id = bring(store, [bare], name="bare")
    [id_] = [str(r[0]) for r in store.rows("select id from item where dataset_id = $1", [dataset_id])]
    card = cards.card_named(store, "zz_manners")
    fields = fewshot.draft_example(store, card, id_).fields
    assert [name for name, value in fields.items() if value] == ["dialogue"]
    assert list(fewshot.items_in_examples(store, replace(card, examples=(Example("", fields, {}),)))) == [id_]


def test_an_example_is_known_by_its_longest_texts_in_any_script(store: Store) -> None:
    """However many texts it has: the longest are looked for, as they stand in the JSON of an item."""
    item = seeds.dialogue(9, turns=1, text='「敬語」と"quotes"') | {"scenario": ""}
    dataset_id = bring(store, [item], name="bare")
    [id_] = [str(r[0]) for r in store.rows("select id from item where dataset_id = $1", [dataset_id])]
    card = cards.card_named(store, "zz_manners")
    fields = fewshot.draft_example(store, card, id_).fields
    assert fewshot.items_in_examples(store, replace(card, examples=(Example("", fields, {}),))) == {id_: "d-0009"}
    assert fewshot._words((("turn:1", "a_b"), ("turn:2", "a_b"), ("turn:1", "c"))) == ("a b (2 ratings)", "c")


def test_examples_stay_with_a_new_wording_and_go_where_the_reply_is_another(store: Store) -> None:
    attach_examples(store)
    assert len(cards.save_card(store, "lea", recipe("別の定義。")).examples) == 2
    more = recipe()["dimensions"] + [{"name": "zz_wit", "unit": "conversation", "definition": "Witty."}]
    assert cards.save_card(store, "lea", recipe(dimensions=more)).examples == ()


def test_a_draft_of_a_folders_card_obeys_its_own_reading(store: Store) -> None:
    item = seeds.dialogue(9, turns=2)
    label = {"item": item["id"], "annotator": "bo", "mode": "blind", "made_at": "2026-01-31T12:00:00Z"}
    labels = [
        label | {"unit": "turn:2", "dimension": "helpfulness", "value": 1},
        label | {"unit": "conversation", "dimension": "repair_handling", "value": "n/a"},
        label | {"unit": "conversation", "dimension": "verdict", "value": "poor"},
        label | {"unit": "conversation", "dimension": "weakest_turn", "value": "none"},
    ]
    dataset_id = bring(store, [item, seeds.judgment(item), *labels], name="e")
    card = cards.card_named(store, "multi_turn_dialogue")
    [id_] = fewshot.items_with_labels(store, dataset_id, card)
    draft = fewshot.draft_example(store, card, id_)
    assert isinstance(draft.reply, dict), json.dumps(draft.reply)
    assert draft.reply["per_turn"][1]["scores"]["helpfulness"] == 1
    assert draft.reply["verdict"] == "poor"
    assert draft.reply["weakest_turn"] is None
    assert draft.left == ()
