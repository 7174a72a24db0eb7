"""Scores without a reply and cards as lines: what comes in with an import, by which card, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data.cards import cards
from data.importing.files.source import from_bytes
from data.importing.importing import import_source, preview_import
from data.importing.plan import ImportPlan
from data.importing.report import ImportRefused
from data.store import Store
from judges.authoring.custom import from_recipe
from judges.authoring.recipe import check_recipe
from judges.cards import card as folder_card
from judges.reading import bare_scores
from tests.data.imports import bring, pair, source, verdict, workspace
from tests.seeds import dialogue, judgment


def card_line(name: str = "zz_card", **answers: Any) -> dict[str, Any]:
    """A card line whose card asks for the tone of a response."""
    dimension = {"name": "zz_tonality", "unit": "response", "definition": "Is it polite?"}
    dimension["answers"] = {"kind": "interval", "lo": 0, "hi": 1, **answers}  # type: ignore[assignment]
    card = from_recipe(check_recipe({"name": name, "title": "Tone", "kind": "response", "dimensions": [dimension]}))
    return {"card": card.spec}


def item(name: str) -> dict[str, Any]:
    return {"id": name, "kind": "response", "task": "t", "output": name, "reference": "", "system": "s", "meta": {}}


def score_line(
    name: str, value: Any, card: str = "zz_card", dimension: str = "zz_tonality", **more: Any
) -> dict[str, Any]:
    scores = [{"unit": "response", "dimension": dimension, "value": value, **more}]
    return {"item": name, "card": card, "model": "m", "scores": scores}


def human(name: str, value: Any) -> dict[str, Any]:
    about = {"item": name, "unit": "response", "dimension": "zz_tonality", "value": value}
    return {**about, "annotator": "ann", "mode": "blind", "made_at": "2026-01-01T00:00:00Z"}


@pytest.fixture
def store(tmp_path: Path) -> Any:
    store = workspace(tmp_path)
    yield store
    store.close()


def test_a_file_brings_its_card_its_scores_and_labels_of_them(store: Store) -> None:
    # In any order: what comes before its card or its item waits for it.
    rows = [
        score_line("r1", 0.333333333333, note="dry"), item("r1"), card_line(), item("r2"), score_line("r2", "n/a"),
        human("r1", 0.75),
    ]  # fmt: skip
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
    done = bring(store, [item("r1"), score_line("r1", 8.0 / 2, "rubric_open_ended", "factuality"), item("r2"),
                         score_line("r2", "7", "rubric_open_ended", "factuality")])  # fmt: skip
    assert done.preview.new.judgments == 2 and done.preview.unscored == {"out_of_range": 1}
    assert store.rows("select dimension, value from score") == [("factuality", 4.0)]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (score_line("r1", 1, "rubric_open_ended", "charm"), "has no 'charm' of response"),
        ({**score_line("r1", 1), "raw": "x"}, "one of reply, raw and scores, not several"),
        ({"card": {"name": "nothing"}}, "cannot be made"),
        ({"card": {**card_line()["card"], "recipe": {"how": "magic"}}}, "cannot be made"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(store: Store, line: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ImportRefused) as refused:
        bring(store, [card_line(), item("r1"), line])
    assert sentence in str(refused.value)
    assert not store.rows("select 1 from item")


def test_a_name_that_means_another_scale_here_is_refused(store: Store) -> None:
    bring(store, [card_line()])
    with pytest.raises(ImportRefused, match="zz_tonality of a response means 0 to 1 here, and 0 to 1 in steps"):
        bring(store, [card_line("zz_other", step=0.5)])


def test_a_judgment_goes_by_the_version_that_it_names(store: Store) -> None:
    old = {"card": {**card_line()["card"], "title": "Older"}}
    older = cards.from_spec(old["card"], {}).version
    bring(store, [old, card_line(), item("r1"), {**score_line("r1", 1), "card_version": older}])
    assert store.rows("select card_version from judge") == [(older,)]
    # A version of another card is none of this one: what came last under its name counts.
    other = cards.from_spec(card_line("zz_next")["card"], {}).version
    bring(store, [card_line("zz_next"), item("r2"), {**score_line("r2", 1), "card_version": other}])
    rows = store.rows("select j.card, j.card_version from judgment m join judge j on j.id = m.judge_id "
                      "join item i on i.id = m.item_id where i.name = 'r2'")  # fmt: skip
    assert rows == [("zz_card", cards.from_spec(card_line()["card"], {}).version)]


def test_of_several_versions_the_last_line_is_the_one_that_is_offered(store: Store) -> None:
    old = {"card": {**card_line()["card"], "title": "Older"}}
    for name, rows in (
        ("zz_card", [old, card_line()]),
        ("zz_next", [card_line("zz_next"), {"card": {**card_line("zz_next")["card"], "title": "X"}}]),
    ):
        bring(store, rows)
        offered = cards.current_cards(store)[name]
        assert offered.version == cards.from_spec(rows[-1]["card"], {}).version
        assert [version.current for version in cards.card_versions(store, name)].count(True) == 1
    for title in ("Older", "Newer"):
        bring(store, [{"card": {**card_line()["card"], "title": title}}])
        assert cards.current_cards(store)["zz_card"].title == "Tone", "what is here already is offered on"


def test_a_dataset_takes_the_cards_along_that_its_labels_answer(store: Store) -> None:
    done = bring(store, [card_line(), item("r1"), human("r1", 0.5)])
    assert cards.portable_cards(store, done.dataset_id) == [card_line()["card"]]
    empty = import_source(store, "lea", source([item("r1")]), ImportPlan("empty"))
    assert cards.portable_cards(store, empty.dataset_id) == []


def test_a_plan_brings_cards(store: Store) -> None:
    plan = ImportPlan("d", cards=(card_line()["card"],))
    import_source(store, "lea", source([item("r1"), score_line("r1", 0.5)]), plan)
    assert store.rows("select value from score") == [(0.5,)]
    assert folder_card("rubric_open_ended").version  # a folder's card stays what it is


TALK = dialogue(1, turns=2)
RATED = {"item": "d-0001", "card": "mt_bench", "model": "m"}
JUDGMENT = {"item": "p1", "card": "plain_pairwise", "model": "m"}
CALLED = [
    (RATED | {"reply": {"turn": 1, "judgment": "Rating: [[8]]"}}, "turn:1", "turn:1 rating 8"),
    (RATED | {"raw": "Rating: [[7]]", "part": "turn:2"}, "turn:2", "turn:2 rating 7"),
    (RATED | {"scores": [{"unit": "turn:1", "dimension": "rating", "value": 9}]}, "", "turn:1 rating 9"),
    (RATED | {"scores": [{"unit": "turn:1", "dimension": "rating", "value": 9}], "part": "turn:1"}, "turn:1",
     "turn:1 rating 9"),
    (RATED | {"raw": '{"scores":[{"dimension":"rating","unit":"turn:2","value":3}]}'}, "", "turn:2 rating 3"),
    (judgment(TALK), "", "turn:1 context_use 4, turn:1 helpfulness 4, turn:1 safety 5, turn:2 context_use 4, "
     "turn:2 helpfulness 4, turn:2 safety 5, conversation coherence 4, conversation task_completion 4, "
     "conversation repair_handling n/a, conversation verdict 3, conversation weakest_turn 1"),
    (JUDGMENT | {"raw": "", "unscored": "cut_off", "why": "too long"}, "", "unscored (cut_off): too long"),
    (JUDGMENT | {"raw": "x", "unscored": "refused", "why": "no"}, "", "unscored (refused): no"),
    (JUDGMENT | {"raw": "x", "unscored": "api_error", "why": "down"}, "", "unscored (api_error): down"),
    (JUDGMENT | {"raw": '{"verdict": "tie"}', "unscored": "unreadable", "why": "old"}, "", "pair verdict 1"),
    (JUDGMENT | {"raw": "?"}, "", "unscored (unreadable): the reply holds no JSON object"),
    (JUDGMENT | {"raw": '{"verdict": "b"}', "params": {"a": "\\u0000"}}, "", "pair verdict 2"),
    (verdict("p1", "a", params={"x": "y" * 19_992}), "", "pair verdict 0"),
]  # fmt: skip


def test_a_preview_says_what_each_judgment_comes_to(store: Store) -> None:
    bring(store, [TALK, pair()])
    for start in range(0, len(CALLED), 5):
        batch = [({**line, "model": f"m{n}"}, *rest) for n, (line, *rest) in enumerate(CALLED[start : start + 5])]
        rows = [line | ({"sample": n} if n else {}) for n, (line, *_) in enumerate(batch)]
        assert preview_import(store, source(rows), ImportPlan("d")).rows["judgments"] == [
            {**{key: line[key] for key in ("item", "card", "model")}, "part": part, "sample": n, "scores": scores}
            for n, (line, part, scores) in enumerate(batch)
        ]
    many = [verdict("p1", "a", sample=n) for n in range(7)]
    preview = preview_import(store, source(many), ImportPlan("d"))
    assert [row["sample"] for row in preview.rows["judgments"]] == [0, 1, 2, 3, 4] and preview.new.judgments == 7


NUL = ("", "The line holds the character NUL (\\u0000).")
REFUSED = [
    (RATED | {"raw": "Rating: [[7]]"}, "part",
     "The card mt_bench judges one turn at a time: part must say which, as in turn:1."),
    (RATED | {"reply": {"turn": "1", "judgment": "Rating: [[8]]"}}, "part",
     "The card mt_bench judges one turn at a time: part must say which, as in turn:1."),
    (RATED | {"raw": "Rating: [[7]]", "part": "turn"}, "part",
     "'turn' is not a unit: part is empty, or one such as turn:1."),
    (RATED | {"raw": "Rating: [[7]]", "part": "turn:9"}, "part",
     "'d-0001' has no 'turn:9'. It has: turn:1, turn:2, conversation."),
    (judgment(TALK) | {"part": "turn:1"}, "part",
     "The card multi_turn_dialogue judges an item as a whole: part must be empty, and is 'turn:1'."),
    (JUDGMENT | {"card": "mt_bench", "raw": "x"}, "card", "The card mt_bench judges a dialogue, but 'p1' is a pair."),
    (verdict("p1", "a", params={"x": "y" * 19_993}), "params",
     "params is 20001 characters long: at most 20000 are allowed."),
    (JUDGMENT | {"scores": [{"unit": "pair", "dimension": "verdict", "value": "a"}], "part": "pair", "order": "ab"},
     "order", "A judgment of one part of a pair has no order: leave out order, or part."),
    (judgment(TALK) | {"order": "ab"}, "order", "'d-0001' is a dialogue: only a judgment of a pair has an order."),
    (JUDGMENT | {"raw": "a\0b"}, *NUL), (JUDGMENT | {"raw": "a", "unscored": "refused", "why": "\0"}, *NUL),
    (JUDGMENT | {"raw": "a", "model": "m\0"}, *NUL), (JUDGMENT | {"raw": "a", "params": {"a": "\0"}}, *NUL),
    (JUDGMENT | {"reply": {"verdict": "a\0"}}, *NUL),
]  # fmt: skip


def test_a_judgment_that_cannot_be_is_refused_in_a_whole_sentence(store: Store) -> None:
    bring(store, [TALK, pair()])
    rows = [line for line, *_ in REFUSED] + [JUDGMENT | {"card": "none", "raw": "x"}]
    preview = preview_import(store, source(rows), ImportPlan("d"))
    assert preview.new.total == 0
    *problems, (field, last) = [(problem.field, problem.sentence) for problem in preview.problems]
    assert problems == [(name, sentence) for _, name, sentence in REFUSED]
    assert field == "card" and last.startswith("There is no card 'none'. There are: long_form_pairwise, mt_bench, ")


def test_a_judge_is_named_with_its_prompt_where_its_parameters_say_it(store: Store) -> None:
    prompts: list[dict[str, str]] = [{}, {"prompt": "p"}, {"wording": "w"}, {"prompt": "p", "wording": "w"}]
    preview = preview_import(store, source([pair(), *(verdict("p1", "a", params=params) for params in prompts)]),
                             ImportPlan("d"))
    assert preview.judges == [f"plain_pairwise: m{suffix}" for suffix in ("", " (p)", " (p@w)", " (w)")]


def test_scores_that_differ_from_those_that_are_there_are_said_to_count_beside_them(store: Store) -> None:
    """A table of corrected scores made a second sample of the judge, and kappa that of both, without a word."""
    first = [card_line(), item("r1"), item("r2"), item("r3"), *(score_line(name, 0.2) for name in ("r1", "r2"))]
    assert bring(store, [*first, score_line("r2", 0.3)]).preview.warnings == [], "samples of one file are meant to be"
    [warning] = bring(store, [score_line("r1", 0.9), score_line("r2", 0.8), score_line("r3", 0.1)]).preview.warnings
    assert warning.startswith("2 judgments are further answers of a judge to an item that it has judged here before")
    assert bring(store, [score_line("r1", 0.9), score_line("r3", 0.1) | {"sample": 1}]).preview.warnings == []


def test_a_version_of_a_card_that_came_in_alone_is_known_by_the_next_import(store: Store) -> None:
    """Judgments that named it were those of the version that is offered, and the card was new each time it came."""
    bring(store, [card_line(), item("r1"), score_line("r1", 0.2)])
    newer = cards.from_spec({**card_line()["card"], "title": "Newer"}, {})
    assert [bring(store, [{"card": newer.spec}]).preview.new.cards for _ in range(2)] == [1, 0]
    assert bring(store, [{**score_line("r1", 0.2), "card_version": newer.version}]).preview.new.judgments == 1
    assert {row[0] for row in store.rows("select card_version from judge")} == {
        newer.version, cards.from_spec(card_line()["card"], {}).version
    }  # fmt: skip
    assert cards.current_cards(store)["zz_card"].version != newer.version


def test_scores_off_the_scale_are_said_where_the_judgment_has_others(store: Store) -> None:
    """Half points and values beyond the scale came in as nothing, and no import said so."""
    scores = [{"unit": "response/a", "dimension": "aggregate", "value": value} for value in (3, 5.5)]
    scores[1]["unit"] = "response/b"
    line = {"item": "p1", "card": "long_form_pairwise", "model": "m", "scores": scores}
    first = preview_import(store, source([pair(), line]), ImportPlan("d"))
    assert first.warnings == [
        "1 score is off the scale and counts as missing, such as aggregate of 'p1': 5.5 is not on the scale: allowed "
        "are 1 to 5."
    ]
    assert not first.unscored and first.new.judgments == 1
    [sentence] = bring(store, [pair(), line, pair("p2"), {**line, "item": "p2"}]).preview.warnings
    assert sentence.startswith("2 scores are off the scale and count as missing, such as aggregate of 'p1': ")


def test_what_was_asked_again_under_a_sample_that_is_taken_comes_in_once(tmp_path: Path) -> None:
    """Its number is the next free one, and a file that says the old number is known the second time."""
    store = workspace(tmp_path)
    bring(store, [pair("p1"), verdict("p1", "a", sample=0)])
    for judgments in (1, 0):
        assert bring(store, [verdict("p1", "b", sample=0)]).preview.new.judgments == judgments
    assert bring(store, [verdict("p1", "a", sample=0), verdict("p1", "b", sample=1)]).preview.new.judgments == 0
    assert bring(store, [verdict("p1", "a", sample=2)]).preview.new.judgments == 1, "said once more"
    assert [row[0] for row in store.rows("select sample from judgment order by sample")] == [0, 1, 2]
    store.close()


def test_a_judge_that_is_new_only_as_its_card_has_changed_is_said(store: Store) -> None:
    """Scores of a judge came in a second time as those of another judge, without a word."""
    version = cards.from_spec(card_line()["card"], {}).version
    bring(store, [card_line(), item("r1"), item("r2"), score_line("r1", 0.2)])
    newer = cards.save_card(store, "lea", cards.from_spec({**card_line()["card"], "title": "Newer"}, {}))
    assert bring(store, [{**score_line("r2", 0.2), "card_version": version}]).preview.warnings == []
    assert store.rows("select card_version from judge") == [(version,)], "the version that is named, as it is here"
    [warning] = preview_import(store, source([score_line("r1", 0.2)]), ImportPlan("d")).warnings
    assert warning.startswith("zz_card: m: this is a new judge, because the judge of that name that judged")
    assert preview_import(store, source([item("r1"), score_line("r1", 0.2)]), ImportPlan("elsewhere")).warnings == []
    bring(store, [{**score_line("r1", 0.2), "card_version": newer.version}])
    assert bring(store, [score_line("r2", 0.2)]).preview.warnings == [], "there are both"
    line = json.dumps({**score_line("r2", 0.4), "model": "n", "card_version": version}).encode()
    import_source(store, "lea", from_bytes([("more.jsonl", line)]), ImportPlan("d"))
    assert store.rows("select card_version from judge where model = 'n'") == [(version,)], "in an upload, too"
