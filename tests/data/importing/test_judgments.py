"""Scores without a reply and cards as lines: what comes in with an import, by which card, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from data.cards import cards
from data.importing import ImportPlan, ImportRefused, import_source
from data.store import Store
from judges.authoring.custom import from_recipe
from judges.authoring.recipe import check_recipe
from judges.cards import card as folder_card
from judges.reading import bare_scores
from tests.data.imports import bring, source, workspace


def own(name: str = "zz_card", **answers: Any) -> dict[str, Any]:
    """A card line whose card asks for the tone of a response."""
    asked = {"name": "zz_tonality", "unit": "response", "definition": "Is it polite?"}
    asked["answers"] = {"kind": "interval", "lo": 0, "hi": 1, **answers}  # type: ignore[assignment]
    made = from_recipe(check_recipe({"name": name, "title": "Tone", "kind": "response", "dimensions": [asked]}))
    return {"card": made.spec}


def item(name: str) -> dict[str, Any]:
    return {"id": name, "kind": "response", "task": "t", "output": name, "reference": "", "system": "s", "meta": {}}


def said(name: str, value: Any, card: str = "zz_card", dimension: str = "zz_tonality", **more: Any) -> dict[str, Any]:
    told = [{"unit": "response", "dimension": dimension, "value": value, **more}]
    return {"item": name, "card": card, "model": "m", "scores": told}


def human(name: str, value: Any) -> dict[str, Any]:
    about = {"item": name, "unit": "response", "dimension": "zz_tonality", "value": value}
    return {**about, "annotator": "ann", "mode": "blind", "made_at": "2026-01-01T00:00:00Z"}


@pytest.fixture
def store(tmp_path: Path) -> Any:
    made = workspace(tmp_path)
    yield made
    made.close()


def test_a_file_brings_its_card_its_scores_and_labels_of_them(store: Store) -> None:
    # In any order: what comes before its card or its item waits for it.
    rows = [said("r1", 0.333333333333, note="dry"), item("r1"), own(), item("r2"), said("r2", "n/a"), human("r1", 0.75)]
    done = bring(store, rows)
    assert (done.preview.new.items, done.preview.new.judgments, done.preview.new.labels, done.preview.new.cards) == (
        2, 2, 1, 1,
    )  # fmt: skip
    assert store.rows("select value, unit from score") == [(0.333333333333, "response")]
    assert store.rows("select sort, text from remark where sort = 'note'") == [("note", "dry")]
    assert store.rows("select unscored from judgment where item_id <> (select item_id from score)") == [
        ("out_of_range",)
    ]
    assert cards.current_cards(store)["zz_card"].dimensions[0].scale.kind == "interval"
    again = bring(store, rows)
    assert again.preview.new.total == 0
    # The stored text comes back in as what it was.
    (raw,) = store.rows("select raw from judgment where unscored = ''")[0]
    assert bare_scores.to_raw(bare_scores.from_raw(raw) or []) == raw
    assert bring(store, [{"item": "r1", "card": "zz_card", "model": "m", "raw": raw}]).preview.new.total == 0


def test_any_question_of_any_card_can_have_a_value_alone(store: Store) -> None:
    done = bring(store, [item("r1"), said("r1", 8.0 / 2, "rubric_open_ended", "factuality"), item("r2"),
                         said("r2", "7", "rubric_open_ended", "factuality")])  # fmt: skip
    assert done.preview.new.judgments == 2 and done.preview.unscored == {"out_of_range": 1}
    assert store.rows("select dimension, value from score") == [("factuality", 4.0)]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (said("r1", 1, "rubric_open_ended", "charm"), "has no 'charm' of response"),
        ({**said("r1", 1), "raw": "x"}, "one of reply, raw and scores, not several"),
        ({"card": {"name": "nothing"}}, "cannot be made"),
        ({"card": {**own()["card"], "recipe": {"how": "magic"}}}, "cannot be made"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(store: Store, line: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ImportRefused) as refused:
        bring(store, [own(), item("r1"), line])
    assert sentence in str(refused.value)
    assert not store.rows("select 1 from item")


def test_a_name_that_means_another_scale_here_is_refused(store: Store) -> None:
    bring(store, [own()])
    with pytest.raises(ImportRefused, match="zz_tonality of a response means 0 to 1 here, and 0 to 1 in steps"):
        bring(store, [own("zz_other", step=0.5)])


def test_a_judgment_goes_by_the_version_that_it_names(store: Store) -> None:
    old = {"card": {**own()["card"], "title": "Older"}}
    older = cards.from_spec(old["card"], {}).version
    bring(store, [old, own(), item("r1"), {**said("r1", 1), "card_version": older}])
    assert store.rows("select card_version from judge") == [(older,)]


def test_a_plan_brings_cards(store: Store) -> None:
    plan = ImportPlan("d", cards=(own()["card"],))
    import_source(store, "lea", source([item("r1"), said("r1", 0.5)]), plan)
    assert store.rows("select value from score") == [(0.5,)]
    assert folder_card("rubric_open_ended").version  # a folder's card stays what it is
