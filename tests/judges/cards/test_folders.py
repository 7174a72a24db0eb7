"""A slip in one card's folder is a sentence with its file, in every command and in the app, and never a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import judges.cards
from judges import audits
from judges import cards as card_folders
from judges.card import Card, describe_origin
from judges.cards import cards
from judges.errors import BadCard
from judges.reading import reading
from judges.types import Dimension, Reading, Remark, Response, Scale, Score
from tests.fork_server import run_forked
from tests.judges.replies import dialogue, pair, practice_reply
from tests.judges.run_cases import CARD
from tests.server import ROOT

GOOD = """\
from pydantic import Field
from judges.card import Card, prompts_beside
from judges.types import Dimension, Reading, Scale, Score, Strict

DIMENSIONS = (Dimension("zzwarm", "response", Scale("ordinal", 1, 5), "Is it warm?"),)

class Reply(Strict):
    zzwarm: int = Field(ge=1, le=5)

def read(reply, item):
    return Reading((Score("response", "zzwarm", float(reply.zzwarm)),))

CARD = Card("NAME", "Warm", "response", DIMENSIONS, Reply, read, prompts=prompts_beside(__file__))
"""
ITEM = Response(id="t1", kind="response", task="t", output="o")
_NAMES = iter(range(1000))


@pytest.fixture
def load_cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that loads all cards with one more folder, whose card.py is GOOD with a text in place of another."""
    cards()  # what all tests share is read without the folder
    monkeypatch.setattr(judges.cards, "__path__", [*judges.cards.__path__, str(tmp_path)])
    homes = dict(card_folders.HOMES)
    monkeypatch.setattr("judges.card.HOMES", homes)
    monkeypatch.setattr(card_folders, "HOMES", homes)

    def load(old: str = "", new: str = "", code: str = GOOD, name: str = "") -> tuple[str, dict[str, Card]]:
        name = name or f"zz_warm{next(_NAMES)}"  # a module is imported once
        folder = tmp_path / name
        folder.mkdir()
        (folder / "__init__.py").touch()
        if code:
            (folder / "card.py").write_text(code.replace(old, new).replace("NAME", name), encoding="utf-8")
        return name, card_folders.cards.__wrapped__()

    return load


def test_a_good_folder_is_a_card(load_cards: Any) -> None:
    name, all_cards = load_cards()
    assert all_cards[name].title == "Warm" and len(all_cards) == len(cards()) + 1
    assert describe_origin(all_cards[name]) == f"judges/cards/{name}/card.py"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("def read(", "def read((", r"card\.py, line 10: .*Fix that, or move the folder away"),
        ("import Field", "import Feild", r"card\.py, line 1: cannot import name 'Feild'"),
        ('DIMENSIONS = (', 'DIMENSIONS = (nothing, ', r"card\.py, line 5: NameError: name 'nothing' is not defined"),
        ("CARD = ", "KARD = ", "has no CARD. End it with CARD"),
        ('Card("NAME"', 'Card("other"', "named 'other'. Its name is that of its folder"),
        ('Card("NAME"', 'Card("NAME_on_turns"', "applied per turn"),
        ('"Warm", "response"', '"Warm", "respons"', "kind is 'respons'. Allowed are dialogue, pair or response"),
        ('"zzwarm", "response"', '"zzwarm", "respons"', "each 'respons', which is none. Units of a response: response"),
        ('"zzwarm", "response"', '"zzwarm", "turn"', "each 'turn', which a response does not have"),
        ('Scale("ordinal", 1, 5)', 'Scale("bool")', "scale of zzwarm is 'bool'. Allowed are ordinal, ordered"),
        ('Scale("ordinal", 1, 5)', 'Scale("ordinal", 5, 1)', "goes from 5 to 1"),
        ('Scale("ordinal", 1, 5)', 'Scale("interval", 1, 5, step=-1)', "steps of -1. Give a number above 0"),
        ('Scale("ordinal", 1, 5)', 'Scale("ordered", categories=("Cold", "Warm"))', "in lower case"),
        ('Scale("ordinal", 1, 5)', 'Scale("ordered", categories=("cold"))', "a tuple of at least two"),
        ("warm?\"),)", "warm?\"))", "dimensions has to be a tuple"),
        ("prompts=prompts_beside(__file__)", 'audits=("same_scor")', "audits is 'same_scor': it has to be a tuple"),
        ("prompts=prompts_beside(__file__)", 'examples=("one",)', r"examples has to be a tuple of Example\("),
        ("prompts=prompts_beside(__file__)", 'prompts="Judge."', "prompts must map variants to texts"),
        ("Reply, read,", "Reply, None,", "read has to be a function"),
        ("Reply, read,", "dict, read,", "reply has to be a pydantic model"),
        ('"zzwarm", "response", Scale("ordinal", 1, 5)', '"factuality", "response", Scale("ordinal", 1, 7)',
         r"factuality of a response is 1 to 7 here, 1 to 5 in \w+ \(judges/cards/\w+/card.py\)"),
    ],
)  # fmt: skip
def test_a_slip_is_a_sentence_that_names_the_file(load_cards: Any, old: str, new: str, message: str) -> None:
    with pytest.raises(BadCard, match=rf"^judges/cards/\w+/card\.py.*{message}|^judges/cards/\w+/{message}"):
        load_cards(old, new)


def test_a_folder_that_is_none_is_named(load_cards: Any, tmp_path: Path) -> None:
    (tmp_path / "left" / "__pycache__").mkdir(parents=True)  # what git leaves behind is no card
    with pytest.raises(BadCard, match=r"judges/cards/bare has no card\.py\. Add it, or move the folder away\."):
        load_cards(code="", name="bare")
    (tmp_path / "bare" / "card.py").touch()
    (tmp_path / "bare" / "__init__.py").unlink()
    with pytest.raises(BadCard, match=r"judges/cards/bare has no __init__\.py"):
        card_folders.cards.__wrapped__()


def test_a_name_that_is_taken_is_refused(load_cards: Any) -> None:
    code = GOOD.replace('Card("NAME"', 'Card("mt_bench_pair"')
    with pytest.raises(
        BadCard, match=r"mt_bench_pair/card\.py: the name mt_bench_pair is that of a card in .*mt_bench/"
    ):
        load_cards(code=code, name="mt_bench_pair")


# -- in every command -------------------------------------------------------------------------------------------------

_START = "import judges.cards, sys, asyncio; judges.cards.__path__.append(sys.argv.pop(1)); "


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("from judges.cli import main; sys.exit(main(['list']))", 1),
        ("from judges.cli import main; sys.exit(main(['run', 'x', '--card', 'a', '--model', 'm']))", 1),
        ("from judges.cli import main; main(['run', '--help'])", 0),
        ("from data.cli import main; main(['run', '--help'])", 0),
        ("from data.cli import main; sys.exit(main(['import', sys.argv[1], '--dataset', 'd', '--as', 'lea']))", 1),
        ("import app; asyncio.run(app.life(None).__aenter__())", 1),
    ],
)  # fmt: skip
def test_no_command_shows_a_traceback(script: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "slip").mkdir()
    (tmp_path / "slip" / "__init__.py").touch()
    (tmp_path / "slip" / "card.py").write_text("def (", encoding="utf-8")
    lines = tmp_path / "lines.jsonl"
    lines.write_text(json.dumps({"item": "r1", "card": "slip", "model": "m", "reply": {}}), encoding="utf-8")
    done = run_forked(
        [sys.executable, "-c", _START + script, str(tmp_path), str(lines)],
        cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL,
        env={"PATH": "", "ASSAY_STORE": f"duckdb:///{tmp_path / 'a.duckdb'}"},
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == code, done.stderr
    assert (code == 0) or "judges/cards/slip/card.py, line 1: invalid syntax" in done.stderr, done.stderr


# -- what read() gives ------------------------------------------------------------------------------------------------

TWO = replace(
    CARD, dimensions=(*CARD.dimensions, Dimension("kind", "response", Scale("ordered", categories=("no", "yes")), "?"))
)
M, K = Score("response", "merit", 4.0), Score("response", "kind", 1.0)


def make_reading(*scores: Any, remarks: tuple[Remark, ...] = ()) -> Reading:
    card = replace(TWO, read=lambda reply, item: Reading(scores, remarks))
    return reading.read_reply(card, {"score": 4}, ITEM)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ((Score("turn:1", "omision", 99.0),), r"read\(\) gives turn:1 omision = 99, which the card does not ask"),
        ((M, Score("response", "kindness", 1.0)), r"kindness = 1, which .*\(of a response it asks merit, kind\)"),
        ((M._replace(value=6.0), K), r"merit = 6, which is not .* 1 to 5\. Bound .*: Field\(ge=1, le=5\)"),
        ((M._replace(value=None), K), r"merit = n/a, which is not on its scale: allowed are 1 to 5\.$"),
        ((M, K._replace(value=2.0)), r"kind = 2, which is not on its scale: allowed are 0 for no, 1 for yes\.$"),
        ((M, K._replace(value="yes")), "kind = 'yes', which is not on its scale"),
        ((M, K, M), "merit = 4, after another score"),
        ((M, ("response", "kind", 1.0)), "which is not a Score"),
    ],
)
def test_what_the_card_does_not_ask_is_never_stored(scores: tuple[Any, ...], message: str) -> None:
    with pytest.raises(BadCard, match=message):
        make_reading(*scores)


def test_a_cell_that_is_left_out_makes_it_incomplete_unless_a_rule_says_why() -> None:
    assert make_reading(M, K).unscored is None
    assert (make_reading(M).unscored, make_reading(M).why) == ("incomplete", "no score for response kind")
    assert make_reading(M, remarks=(Remark("response", "kind", "rule", "none was said"),)).unscored is None
    assert make_reading(M, remarks=(Remark("response", "kind", "note", "none was said"),)).unscored == "incomplete"
    assert make_reading().unscored == "incomplete"


def test_an_item_without_a_cell_that_is_asked_is_no_slip() -> None:
    section = (Dimension("depth", "section", Scale("ordinal", 1, 5), "Is it deep?"),)
    card = replace(CARD, kind="pair", dimensions=section, read=lambda reply, item: Reading())
    short = pair().model_copy(update={"sections": []})
    assert reading.read_reply(card, {"score": 4}, short).unscored is None
    assert reading.read_reply(card, {"score": 4}, pair()).unscored == "incomplete"


@pytest.mark.parametrize("back", [None, Reading(unscored="odd")])  # type: ignore[arg-type]
def test_what_is_no_reading_is_refused(back: Any) -> None:
    with pytest.raises(BadCard, match=r"read\(\) gives"):
        reading.read_reply(replace(CARD, read=lambda reply, item: back), {"score": 4}, ITEM)


def test_a_read_that_fails_is_named_with_its_item_and_line(load_cards: Any) -> None:
    name, all_cards = load_cards("float(reply.zzwarm)", "float(reply.warmht)")
    message = rf"judges/cards/{name}/card\.py, line 11: read\(\) failed on item t1: AttributeError: .*warmht"
    with pytest.raises(BadCard, match=message):
        reading.read_reply(all_cards[name], {"zzwarm": 4}, ITEM)


# -- audits, and what a card without `fields` shows -------------------------------------------------------------------


def test_an_audit_that_there_is_not_is_a_sentence() -> None:
    card = replace(cards()["rubric_open_ended"], audits=("same_scor",))
    with pytest.raises(
        BadCard, match=r"rubric_open_ended/card\.py: there is no audit 'same_scor'\. There are: .*same_score"
    ):
        audits.run_audits(audits.AuditEvidence(card, "m", {}, ()), {})


TURNS = textwrap.dedent("""\
    from pydantic import Field
    from judges.card import Card
    from judges.types import Dimension, Reading, Scale, Score, Strict

    class One(Strict):
        turn: int
        zzwarm: int = Field(ge=1, le=5)

    class Reply(Strict):
        turns: list[One]

    def read(reply, item):
        return Reading(tuple(Score(f"turn:{o.turn}", "zzwarm", float(o.zzwarm)) for o in reply.turns))

    D = (Dimension("zzwarm", "turn", Scale("ordinal", 1, 5), "Is it warm?"),)
    CARD = Card("NAME", "Warm", "dialogue", D, Reply, read, prompts={"": "Judge the turns."})
""")


def test_the_practice_endpoint_scores_the_turns_of_a_card_without_fields(load_cards: Any) -> None:
    name, all_cards = load_cards(code=TURNS)
    item = dialogue(3)
    assert set(all_cards[name].fields(item, "")) == {"scenario", "turns"}
    read = reading.read_reply(all_cards[name], practice_reply(all_cards[name], item), item)
    assert [score.unit for score in read.scores] == ["turn:1", "turn:2", "turn:3"]


def test_a_card_without_fields_shows_no_system() -> None:
    fields = replace(CARD, kind="pair").fields(pair(), "")
    assert set(fields) == {"input", "response_a", "response_b", "sections", "sections_absent"}
    assert fields["response_a"].startswith("# Costs") and fields["sections"] == ["Costs", "Future", "Risks"]
