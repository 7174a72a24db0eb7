"""The views of cards: the list of them, the uses of one, and one in full with its prompt and its reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from data.cards.desk_cards import CardUse
from judges.authoring.soundness import find_faults
from judges.card import Card
from judges.plural import many
from judges.reading.schema import schema_in_words
from judges.render.findings.findings import COUNT, Column
from pages.ui import tables, text, url_state

ORIGINS = {"folder": "built-in", "over": "applied per turn", "own": "custom"}


def card_origin(card: Card) -> str:
    """Return the origin of a card, a key of ORIGINS."""
    recipe = card.recipe or {}
    return "own" if recipe.get("how") == "own" else "over" if "over" in recipe else "folder"


def draw_cards(cards: Mapping[str, Card], uses: Mapping[str, Sequence[CardUse]]) -> None:
    """All cards, those in use first; a click on one opens it."""
    for title, used in (("In use", True), ("Not used yet", False)):
        names = [name for name in cards if bool(uses.get(name)) == used]
        if names:
            st.header(text.escape(title), anchor=False)
            rows = [_line(cards[name], uses.get(name, ()), used) for name in names]
            tables.clickable_table(rows, _COLUMNS, partial(_open, names), f"cards:{title}", max_rows=len(rows))


def _open(names: Sequence[str], row: int) -> None:
    url_state.set_choice("card", names[row])


def _line(card: Card, uses: Sequence[CardUse], used: bool) -> dict[str, str]:
    judges, sets = {use.judge for use in uses if use.judge}, {use.dataset for use in uses}
    return {
        "Card": card.title,
        "Judges": text.KINDS[card.kind].lower(),
        "Dimensions": ", ".join(dict.fromkeys(d.title for d in card.dimensions if d.asked)),
        "Origin": ORIGINS[card_origin(card)],
        **({"Used by": f"{many(len(judges), 'judge')}, {many(len(sets), 'dataset')}"} if used else {}),
        "Version": card.version,
    }


_COLUMNS = {
    "Card": Column(width=190), "Judges": Column(width=130), "Dimensions": Column(width=250),
    "Origin": Column(width=115), "Used by": Column(width=140), "Version": Column(width=105),
}  # fmt: skip


def show_uses(uses: Sequence[CardUse]) -> None:
    """Draw the uses of a card: judges with the datasets that they judged, and labelling."""
    if not uses:
        st.caption("Nothing uses it yet. Start a run with it on the page Runs.")
        return
    with st.expander(text.escape(f"Used by ({len(uses)})"), icon=":material/link:"):
        rows = [(use.model or "labelling, on the desk", use.dataset, use.items or None, use.judge) for use in uses]
        tables.table(rows, {"Judge": Column(), "Dataset": Column(), "Items judged": COUNT, "Judge id": Column()})


def show_card(card: Card) -> None:
    """One card in full: what it asks, the rules that are checked, its prompt, and the shape of the reply."""
    rows = [
        {
            "Unit": d.sort, "Dimension": d.title, "Scale": d.scale.words, "Definition": d.definition,
            "Rated by": "people and judge" if d.asked else "judge only",
        }
        for d in card.dimensions
    ]
    columns = {"Scale": Column(width=190), "Definition": Column(width=330), "Rated by": Column(width=110)}
    tables.table(rows, columns, max_rows=len(rows))
    for title, sentences in (("Checked when a reply is read", card.rules), ("What it needs", _needs(card))):
        if sentences:
            text.say("**{title}**", title=title)
            text.bullets(sentences)
    for fault in find_faults(card):
        text.warn("{lack}", lack=fault.text)
    show_prompts(card)


def _needs(card: Card) -> tuple[str, ...]:
    least = (f"A model that writes at least {card.least_reply} tokens in a reply.",) if card.least_reply else ()
    return *least, *card.needs


def show_prompts(card: Card, expanded: bool = False) -> None:
    """The prompt and the reply of a card; `expanded`: its usual prompt is open."""
    for name, prompt in card.prompts.items():
        usual = expanded and not name
        with st.expander(text.escape(f"Prompt: {name}" if name else "Prompt"), usual, icon=":material/chat:"):
            st.code(prompt, language=None, wrap_lines=True)
    if not card.prompts:
        st.caption("The card has no prompt: replies can be imported, but it cannot be run.")
    if card.text is None:
        with st.expander("Reply", icon=":material/data_object:"):
            st.code(schema_in_words(card), language=None, wrap_lines=True)
    for number, example in enumerate(card.examples, 1):
        with st.expander(text.escape(f"Example {number}: {example.shows}"), icon=":material/lightbulb:"):
            st.json({"fields": example.fields, "reply": example.reply}, expanded=2)
