"""Cards as a command line names them: by name, file or questions; named dimensions on scales, without confidence."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from judges.authoring.card_lookup import card_from_file, find_card, parse_question, parse_scale, spell_scale
from judges.authoring.custom import from_recipe, from_spec
from judges.authoring.recipe import RecipeScale, check_recipe
from judges.authoring.scale_inference import survey
from judges.authoring.soundness import find_faults, specimen
from judges.card import Card
from judges.cards import card, cards
from judges.cards.pointwise_quality.card import card_with_dimensions
from judges.cli import main
from judges.errors import BadCard, UnknownCard
from judges.reading.reading import read_reply
from judges.reading.schema import strict_schema
from judges.types import Scale
from tests.judges.replies import practice_reply

THREE = Scale("ordinal", 1, 3)
VERSIONS = {
    "long_form_pairwise": "98623e6538a3", "mt_bench": "17bb03f27b65", "mt_bench_pair": "7dd1dbf3d313",
    "multi_turn_dialogue": "91710b573b96", "plain_pairwise": "6bb7b170f3c1", "pointwise_quality": "ab24d323b6c4",
    "rubric_open_ended": "f6b9111dcc3c",
}  # fmt: skip


def test_no_card_that_was_there_has_become_another() -> None:
    """A version is the identity of every judge that used it: a new one needs a reason, and this line."""
    assert {name: card(name).version for name in VERSIONS} == VERSIONS
    assert card_with_dimensions([("wit", "Is it witty?"), ("calm", "")]).version == "150cbebb4386"
    assert (
        card_with_dimensions([("wit", "Is it witty?", Scale("ordinal", 1, 5)), ("calm", "")]).version == "150cbebb4386"
    )


# -- questions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1-3", {"kind": "ordinal", "lo": 1, "hi": 3}),
        ("0 to 10", {"kind": "ordinal", "lo": 0, "hi": 10}),
        ("1–5 or n/a", {"kind": "ordinal", "lo": 1, "hi": 5, "na": True}),
        ("0-1", {"kind": "interval", "lo": 0, "hi": 1}),
        ("0.0-5.0", {"kind": "interval", "lo": 0.0, "hi": 5.0}),
        ("0-10 step 0.5", {"kind": "interval", "lo": 0, "hi": 10, "step": 0.5}),
        ("0-100", {"kind": "interval", "lo": 0, "hi": 100}),
        ("-1..1", {"kind": "interval", "lo": -1, "hi": 1}),
        ("yes/no", {"kind": "flag"}),
        ("Yes / No or N/A", {"kind": "flag", "na": True}),
        ("poor|fair|good", {"kind": "ordered", "categories": ["poor", "fair", "good"]}),
        ("赤, 緑", {"kind": "unordered", "categories": ["赤", "緑"]}),
    ],
)
def test_a_scale_is_written_in_brackets(text: str, expected: dict[str, Any]) -> None:
    assert parse_scale(text) == expected
    dimension = {"name": "zz", "unit": "response", "definition": "x", "answers": expected}
    card = from_recipe(check_recipe({"name": "zz_card", "title": "Z", "kind": "response", "dimensions": [dimension]}))
    assert card.dimensions[0].scale.na is expected.get("na", False)


@pytest.mark.parametrize(
    "cells",
    [[0.5, 2_000_000], [3, 1234567.5], [0, 123456.4], [-1e9, 1e-5], [1, 4], ["no", "yes"], ["good", "bad"]],
)
def test_a_scale_is_spelled_as_it_is_written(cells: list[Any]) -> None:
    scale = survey(cells).answers
    assert scale is not None and RecipeScale.model_validate(parse_scale(spell_scale(scale))) == scale
    assert spell_scale(scale.model_copy(update={"na": True})) == f"{spell_scale(scale)} or n/a"


@pytest.mark.parametrize("text", ["", "five", "1-", "poor/good", "|", "a||b"])
def test_what_is_no_scale_is_a_sentence(text: str) -> None:
    with pytest.raises(BadCard, match=r"is not a scale\. Write"):
        parse_scale(text)


def test_questions_make_a_card_of_the_name_that_is_given() -> None:
    questions = ["turn.zz_tone (rude|kind): How: it sounds.", "zz_whole: All of it.", "zz敬語 (1-3)：丁寧さ。"]
    card = find_card("zz_card", questions, "dialogue")
    assert [(d.name, d.sort, d.scale.words, d.definition) for d in card.dimensions] == [
        ("zz_tone", "turn", "rude, kind", "How: it sounds."), ("zz_whole", "conversation", "1 to 5", "All of it."),
        ("zz敬語", "conversation", "1 to 3", "丁寧さ。"),
    ]  # fmt: skip
    assert (card.name, card.version) == ("zz_card", find_card("zz_card", questions, "dialogue").version)
    assert not find_faults(card)
    assert find_card("", questions[1:], "dialogue").name == "own_dialogue"


@pytest.mark.parametrize(
    ("name", "questions", "kind", "confidence", "error", "message"),
    [
        ("zz_card", ["turn.zz: x"], "response", True, BadCard, "a response has no turn"),
        ("zz_card", ["zz"], "response", True, BadCard, "definition"),
        ("zz_card", ["zz (1-): x"], "response", True, BadCard, "is not a scale"),
        ("Zz card", ["zz: x"], "response", True, BadCard, "cannot name a card"),
        ("mt_bench", ["zz: x"], "response", True, BadCard, "has dimensions of its own"),
        ("./x.json", ["zz: x"], "response", True, BadCard, "has dimensions of its own"),
        ("mt_bench", [], "response", False, BadCard, "confidence"),
        ("pointwise_quality", ["zz (yes/no): x"], "response", True, BadCard, "whole numbers"),
        ("pointwise_quality", ["clarity (1-3): x"], "response", True, BadCard, "another scale"),
        ("zz_gone", [], "response", True, UnknownCard, "There are: .*mt_bench"),
        ("mt_bench_on_turns", [], "response", True, BadCard, "cannot be applied"),
    ],
)
def test_what_cannot_be_chosen_is_a_sentence(
    name: str, questions: list[str], kind: Any, confidence: bool, error: Any, message: str
) -> None:
    with pytest.raises(error, match=message):
        find_card(name, questions, kind, confidence)


def test_a_card_laid_over_dialogues_is_chosen_by_its_name() -> None:
    laid = find_card("rubric_open_ended_on_turns", [])
    assert (laid.name, laid.kind) == ("rubric_open_ended_on_turns", "dialogue")
    own = find_card("pointwise_quality_on_turns", ["zz (1-3): x"], confidence=False)
    assert [(d.name, d.sort, d.scale) for d in own.dimensions] == [("zz", "turn", THREE)]
    assert from_spec(json.loads(json.dumps(own.spec)), cards()).version == own.version


# -- files ------------------------------------------------------------------------------------------------------------

RECIPE = {
    "name": "zz_card",
    "title": "Zz",
    "kind": "response",
    "dimensions": [parse_question("zz (0-1): How.", "response")],
}


def export_card(folder: Path, prompt: str = "") -> Card:
    """A card's folder as the page Cards exports it."""
    card = from_recipe(check_recipe(RECIPE))
    folder.mkdir()
    (folder / "recipe.json").write_text(json.dumps(card.recipe), encoding="utf-8")
    (folder / "prompt.md").write_text((prompt or card.prompts[""]) + "\n", encoding="utf-8")
    return card


def test_a_card_comes_from_any_of_its_files(tmp_path: Path) -> None:
    card = export_card(tmp_path / "zz_card")
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        for name in ("recipe.json", "prompt.md"):
            archive.write(tmp_path / "zz_card" / name, f"zz_card/{name}")
    texts = {
        "recipe.json": json.dumps(RECIPE), "spec.json": json.dumps(card.spec), "b.json": "\ufeff" + json.dumps(RECIPE),
        "line.jsonl": json.dumps({"card": card.spec}) + '\n{"item": "r"}',
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for name in ("zz_card", "c.zip", *texts):
        assert card_from_file(tmp_path / name).version == card.version, name
    assert find_card(str(tmp_path / "c.zip"), []).version == card.version
    other = tmp_path / "other"
    export_card(other, "Other words about task_description.")
    assert card_from_file(other).prompts == {"": "Other words about task_description."}
    assert (
        from_spec(json.loads(json.dumps(card_from_file(other).spec)), cards()).version == card_from_file(other).version
    )


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.json", b"[1]", "holds no JSON object"),
        ("a.json", b"{", "is not JSON"),
        ("a.json", b"\xff\xfe", "no text in UTF-8"),
        ("a.json", b'{"name": "zz_card"}', "Title"),
        ("a.json", b'{"name": "zz_card", "reply": {}, "recipe": {"how": "own"}}', r"a\.json"),
        ("a.json", b'{"name": "gone", "reply": {}, "recipe": null}', "its folder is gone|lacks what"),
        ("a.json", b"[" * 100_000, "nested too deeply|not JSON"),
        ("a.zip", b"PK\x05\x06" + b"\0" * 18, "holds no recipe"),
        ("a.zip", b"PK nonsense", "UTF-8|not JSON"),
        ("a.jsonl", b'{"item": "r"}\n{"item": "s"}', "not JSON: give a recipe"),
    ],
)
def test_a_file_that_holds_no_card_is_a_sentence(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises((BadCard, UnknownCard), match=message):
        card_from_file(path)


def test_a_damaged_zip_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "c.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zz_card/recipe.json", json.dumps(RECIPE))
    whole = path.read_bytes()
    refusals = []
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            card_from_file(path)
        except BadCard as error:
            refusals.append(str(error))
    assert any("invalid" in refusal and "cannot be unzipped" in refusal for refusal in refusals), "damaged content"


def test_a_folder_of_code_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "zz").mkdir()
    (tmp_path / "zz" / "card.py").write_text("raise SystemExit", encoding="utf-8")
    with pytest.raises(BadCard, match="copy it to judges/cards/"):
        card_from_file(tmp_path / "zz")


# -- named dimensions on scales, and without confidence ---------------------------------------------------------------


def reply(*scores: tuple[str, int], confidence: str = "high", **more: Any) -> dict[str, Any]:
    sure = {"confidence": confidence} if confidence else {}
    return {
        "dimensions": [{"name": n, "score": s, "justification": "Why.", **sure} for n, s in scores],
        "decision_basis": "Because.", **more,
    }  # fmt: skip


def test_named_dimensions_of_1_to_3_have_their_own_mean() -> None:
    card = card_with_dimensions([("zz_a", "A.", THREE), ("zz_b", "B.", THREE)])
    assert [d.name for d in card.dimensions] == ["zz_a", "zz_b", "overall_score_1_to_3", "trustworthy_aggregate"]
    raw = reply(("zz_a", 3), ("zz_b", 2), overall_score=2.5, trustworthy_aggregate=True)
    reading = read_reply(card, json.dumps(raw), specimen("response"))
    assert {s.dimension: s.value for s in reading.scores} == {
        "zz_a": 3, "zz_b": 2, "overall_score_1_to_3": 2.5, "trustworthy_aggregate": 1,
    }  # fmt: skip
    assert not [r for r in reading.remarks if r.sort == "rule"]
    off = read_reply(card, json.dumps(reply(("zz_a", 4), ("zz_b", 2))), specimen("response"))
    assert off.unscored == "out_of_range"
    assert "1-3" in card.prompts[""] and "from 1 to 5" not in card.prompts[""]
    assert card.fields(specimen("response"), "")["scoring_dimensions"][0]["scale"] == "1 to 3"


def test_of_several_scales_no_mean_is_made_and_each_keeps_to_its_own() -> None:
    card = card_with_dimensions([("zz_a", "A.", THREE), ("zz_b", "B.")])
    assert [d.name for d in card.dimensions] == ["zz_a", "zz_b", "trustworthy_aggregate"]
    item = specimen("response")
    assert read_reply(card, reply(("zz_a", 3), ("zz_b", 5), trustworthy_aggregate=True), item).unscored is None
    reading = read_reply(card, reply(("zz_a", 4), ("zz_b", 5)), item)
    assert (reading.unscored, reading.why) == ("out_of_range", "zz_a: 4 is not on its scale, 1 to 3")


@pytest.mark.parametrize("scale", [(), (THREE,)])
def test_without_confidence_it_is_score_and_justification(scale: tuple[Scale, ...]) -> None:
    card = card_with_dimensions([("zz_a", "A.", *scale), ("zz_b", "B.", *scale)], confidence=False)  # type: ignore[list-item]
    assert [d.name for d in card.dimensions] == ["zz_a", "zz_b"]
    reading = read_reply(card, reply(("zz_a", 3), ("zz_b", 2), confidence=""), specimen("response"))
    assert [(s.dimension, s.value, s.confidence) for s in reading.scores] == [("zz_a", 3, None), ("zz_b", 2, None)]
    assert not [r for r in reading.remarks if r.sort == "rule"]
    assert set(strict_schema(card.reply)["properties"]) == {"dimensions", "decision_basis"}
    assert "confidence" not in card.prompts[""].replace("a confident tone", "") and "overall" not in card.prompts[""]
    assert not {"always_sure", "confidence_meaningless", "does_not_apply", "refuses_low"} & set(card.audits)
    assert card_with_dimensions([("zz_a", "A.", *scale), ("zz_b", "B.", *scale)]).version != card.version  # type: ignore[list-item]


@pytest.mark.parametrize("confidence", [True, False])
@pytest.mark.parametrize("scales", [(THREE, THREE), (THREE, Scale("ordinal", 0, 10)), (Scale("ordinal", 1, 5), THREE)])
def test_a_named_card_is_had_again_and_lacks_nothing(scales: tuple[Scale, Scale], confidence: bool) -> None:
    card = card_with_dimensions([("zz_a", "A.", scales[0]), ("zz_b", "", scales[1])], confidence)
    assert from_spec(json.loads(json.dumps(card.spec)), cards()).version == card.version
    assert not find_faults(card)
    if len(set(scales)) == 1:
        assert read_reply(card, practice_reply(card, specimen("response")), specimen("response")).unscored is None


@pytest.mark.parametrize("scale", [Scale("flag"), Scale("interval", 0, 1), Scale("ordinal", 1, 3, na=True)])
def test_named_dimensions_are_whole_numbers(scale: Scale) -> None:
    with pytest.raises(BadCard, match="whole numbers within 0 to 10"):
        card_with_dimensions([("zz_a", "", scale)])


# -- on the command line ----------------------------------------------------------------------------------------------


def test_agree_audit_run_and_show_take_a_file_and_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    about = {"unit": "response", "dimension": "zz", "mode": "blind", "made_at": "2026-01-01T00:00:00Z"}
    by = {"card": "zz_card", "model": "m"}
    rows = {
        "items": [{"id": f"r{n}", "kind": "response", "task": "t", "output": "o"} for n in range(12)],
        "judged": [
            {"item": f"r{n}", **by, "reply": {"response": {"zz": {"score": n / 12, "note": ""}}}} for n in range(12)
        ],
        "labels": [
            {"item": f"r{n}", **about, "value": n / 12, "annotator": "a"} for n in range(12)
        ],
    }  # fmt: skip
    for name, lines in rows.items():
        (tmp_path / name).write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    (tmp_path / "c.json").write_text(json.dumps(RECIPE), encoding="utf-8")
    items, judged, labels = (str(tmp_path / name) for name in rows)
    for args in (["--card", str(tmp_path / "c.json")], ["--card", "zz_card", "--dimension", "zz (0-1): How."]):
        for command in (
            ["show"], ["run", items, "--model", "m", "--dry-run"], ["audit", items, judged, "--model", "m"],
        ):  # fmt: skip
            code = main([*command, *args])
            output = capsys.readouterr()
            assert code in ((0, 1) if command[0] == "audit" else (0,)) and not output.err, output.err
            assert "zz" in output.out
        code = main(["agree", judged, labels, *args])
        assert code in (0, 1) and "There is no card" not in capsys.readouterr().err
    assert main(["show"]) == 1 and "Say which card" in capsys.readouterr().err
