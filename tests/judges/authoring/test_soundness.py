"""What any card must have, held to every card there is, users' own too; and each lack is a sentence with its file."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

import judges.cards
from judges import cards as card_folders
from judges import cards as card_module
from judges.authoring.soundness import find_faults, require_sound, specimen
from judges.card import Card
from judges.cards import cards
from judges.cli import main
from judges.errors import BadCard
from judges.reading.reading import read_reply
from judges.types import Kind, Remark
from tests.server import ROOT


@pytest.mark.parametrize("card", cards().values(), ids=lambda c: c.name)
def test_every_card_lacks_nothing(card: Card) -> None:
    assert not find_faults(card), "\n".join(fault.text for fault in find_faults(card))


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of cards of one's own before those that are there; what is learned of them is forgotten afterwards."""
    own = tmp_path / "own"
    own.mkdir()
    cards()
    monkeypatch.setattr(judges.cards, "__path__", [str(own), *judges.cards.__path__])
    homes = dict(card_folders.HOMES)
    monkeypatch.setattr("judges.card.HOMES", homes)
    monkeypatch.setattr(card_folders, "HOMES", homes)
    before = set(sys.modules)
    caches = {name: getattr(card_module, name) for name in ("cards", "scales")}
    for name in caches:
        getattr(card_module, name).cache_clear()
    yield own
    monkeypatch.undo()
    for name in caches:
        getattr(card_module, name).cache_clear()
    for name in set(sys.modules) - before:
        if name.startswith("judges.cards.zz"):
            del sys.modules[name]


def create_card(house: Path, name: str, kind: Kind = "response") -> Path:
    """The folder of a new card."""
    assert main(["new", name, "--kind", kind]) == 0
    return house / name


def replace_text(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def fresh() -> None:
    """Forget what was loaded: as a new command would."""
    card_module.cards.cache_clear()
    card_module.scales.cache_clear()
    importlib.invalidate_caches()


@pytest.mark.parametrize("kind", get_args(Kind))
@pytest.mark.parametrize("name", ["zz_begun", "reason", "turns", "schema"])
def test_a_new_card_works_as_it_stands(
    house: Path, kind: Kind, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = create_card(house, name, kind)
    try:
        fresh()
        assert main(["show", name]) == 0, capsys.readouterr().err
        assert f"({name}), version " in capsys.readouterr().out
        assert {path.name for path in folder.iterdir() if path.is_file()} == {"__init__.py", "card.py", "prompt.md"}
        assert not [path for path in house.iterdir() if path.name != name], "nothing is left half made"
        code = main(["new", name, "--kind", kind])
        assert code == 1 and "already" in capsys.readouterr().err
    finally:
        sys.modules.pop(f"judges.cards.{name}.card", None)
        sys.modules.pop(f"judges.cards.{name}", None)


def test_new_cards_are_in_our_style_and_typed(house: Path) -> None:
    for kind in get_args(Kind):
        create_card(house, f"zz_{kind}", kind)
    args = ["-m", "ruff", "check", "--no-cache", "--config", str(ROOT / "pyproject.toml")]
    ruff = subprocess.run(
        [sys.executable, *args, "--config", "lint.per-file-ignores={}", str(house)], capture_output=True, text=True
    )
    assert ruff.returncode == 0, ruff.stdout


@pytest.mark.parametrize("name", ["ab", "Zz", "9zz", "../zz", "zz-zz", "zz_on_turns", "class", "x" * 41, "冗長さ"])
def test_a_name_that_no_card_can_have_is_refused(house: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", name]) == 1
    assert "cannot name a card" in capsys.readouterr().err and not list(house.iterdir())


def test_the_name_of_a_card_that_is_there_is_refused(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("mt_bench_pair", "rubric_open_ended"):
        assert main(["new", name]) == 1
        assert f"There is a card {name} already" in capsys.readouterr().err


PROMPT, CODE = "prompt.md", "card.py"
LACKS = [
    # kind, file, old, new, said (with the file that it is about), whether it stops a run
    ("response", PROMPT, "`reference`", "`x`", r"/prompt\.md: it does not name .* shown: reference", False),
    ("response", CODE, "reason", "zz_why", r"/prompt\.md: it does not name what .* has: zz_why", False),
    ("response", CODE, '"same_score"', '"same_scor"', r"/card\.py: there is no audit 'same_scor'", False),
    ("response", CODE, "(Strict)", "(Strict, extra='allow')", r"/card\.py: Reply accepts keys", False),
    ("response", CODE, '"note"', '"hint"', r"/card\.py: read\(\) gives Remark.*its sort is note", True),
    ("response", CODE, "float(reply.", "9 + float(reply.", r"/card\.py: read\(\) gives response zz\w+ = 1\d", True),
    ("response", CODE, "prompts_beside(__file__)", "{}", r"/prompt\.md is missing: .* has no prompt", True),
    ("response", CODE, "reason: str", "reason: dict[str, int]", r"/card\.py: .* may hold anything", True),
    ("dialogue", CODE, "in given.items()]", "in given.items() if turn > 5]", r"/card\.py: read\(\) scores no", True),
    ("dialogue", CODE, "audits=", "variant=lambda *_: 'x', audits=", r"/prompt_x\.md: there", True),
    ("pair", CODE, "audits=", "fields=lambda i, p: i.nothing, audits=", r"/card\.py: parts\(\), variant\(\) or", True),
    ("pair", CODE, ".index(reply.", ".idx(reply.", r"/card\.py, line \d+: read\(\) failed on item spec", True),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "file", "old", "new", "message", "stops"), LACKS)
def test_what_a_card_lacks_is_said_with_its_file(
    house: Path,
    kind: Kind,
    file: str,
    old: str,
    new: str,
    message: str,
    stops: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    name = f"zz_lack_{LACKS.index((kind, file, old, new, message, stops))}"
    replace_text(create_card(house, name, kind) / file, old, new)
    fresh()
    capsys.readouterr()
    assert main(["show", name]) == 1
    output = capsys.readouterr()
    assert "Traceback" not in output.err
    card = cards()[name]
    pattern = re.compile(f"judges/cards/{name}{message}")
    assert pattern.search(output.out) and pattern.search(output.err), output.err
    [fault] = find_faults(card)
    assert fault.stops is stops
    if stops:
        with pytest.raises(BadCard, match=pattern):
            require_sound(card)
    else:
        require_sound(card)


def test_several_slips_of_a_folder_are_told_at_once(house: Path) -> None:
    folder = create_card(house, "zz_several")
    replace_text(folder / CODE, 'Scale("ordinal", 1, 5)', 'Scale("ordinal", 5, 1)')
    replace_text(folder / CODE, '"Zz several"', '""')
    fresh()
    with pytest.raises(BadCard) as refused:
        cards()
    assert "no title" in str(refused.value) and "from 5 to 1" in str(refused.value)


def test_a_run_is_refused_before_it_asks_and_an_import_says_what_is_lacking(
    house: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = tmp_path / "items.jsonl"
    items.write_text('{"id": "r", "kind": "response", "task": "t", "output": "o"}', encoding="utf-8")
    replace_text(create_card(house, "zz_stopped") / CODE, '"note"', '"hint"')
    replace_text(create_card(house, "zz_noted") / CODE, '"same_score"', '"same_scor"')
    fresh()
    for name, code in (("zz_stopped", 1), ("zz_noted", 0)):
        assert main(["run", str(items), "--card", name, "--model", "m", "--dry-run"]) == code
        assert f"judges/cards/{name}/card.py: " in capsys.readouterr().err


def test_a_number_between_two_steps_is_out_of_range_and_ends_no_run(house: Path) -> None:
    code = create_card(house, "zz_steps") / CODE
    replace_text(code, 'Scale("ordinal", 1, 5)', 'Scale("interval", 0, 5, step=0.5)')
    replace_text(code, "zz_steps: int", "zz_steps: float")
    fresh()
    card, item = cards()["zz_steps"], specimen("response")
    assert read_reply(card, '{"zz_steps": 3.5}', item).scores[0].value == 3.5
    reading = read_reply(card, '{"zz_steps": 3.3}', item)
    assert (reading.unscored, reading.scores) == ("out_of_range", ()) and "0 to 5 in steps of 0.5" in reading.why
    assert not find_faults(card)


def test_a_remark_holds_texts(house: Path) -> None:
    from dataclasses import replace

    card = cards()["rubric_open_ended"]

    def odd(reply: Any, item: Any) -> Any:
        return replace(card.read(reply, item), remarks=(Remark("response", "", "note", 4),))  # type: ignore[arg-type]

    with pytest.raises(BadCard, match="A remark is Remark"):
        require_sound(replace(card, read=odd))
