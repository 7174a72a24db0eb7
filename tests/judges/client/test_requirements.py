"""What a card needs of a model: strength, another family, room for the longest item and for its reply."""

from __future__ import annotations

from judges.authoring.soundness import specimen
from judges.cards import card
from judges.client.estimate import run_requirements

PAIR, MODEL = card("long_form_pairwise"), "gpt-4o"
LONGEST = [("p-1", specimen("pair"))]


def lacking(model: str = MODEL, systems: tuple[str, ...] = ("vicuna-13b",), room: int = 0, **params: int) -> list[str]:
    run_params = PAIR.defaults.model_copy(update=params)
    return [need.text for need in run_requirements(PAIR, model, run_params, LONGEST, systems, room) if need.lacking]


def test_what_a_run_lacks_is_said_and_nothing_else() -> None:
    assert lacking() == lacking(room=128_000) == []
    assert "allow at least 500" in lacking(max_tokens=499)[0] and not lacking(max_tokens=500)
    (text,) = lacking(systems=("vicuna-13b", "gpt-3.5-turbo"))
    assert text.startswith("gpt-3.5-turbo and gpt-4o are of one family (gpt)")
    (text,) = lacking(room=1_000)
    assert "here it is 1,000" in text and "p-1" in text


def test_practice_is_called_practice_and_a_card_says_its_own_needs() -> None:
    texts = [
        need.text for need in run_requirements(PAIR, "practice-heuristic", PAIR.defaults, LONGEST, ("practice-x",))
    ]
    assert "not as evidence" in texts[0] and not any("family" in text for text in texts)
    assert texts[-2:] == list(PAIR.needs)
    assert PAIR.version == card("long_form_pairwise").version and "needs" not in PAIR.spec
