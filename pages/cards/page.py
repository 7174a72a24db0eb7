"""Cards: every rubric there is, in full; leads write new ones, researchers choose by which ones people label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from data.cards import cards, desk_cards, folder
from data.cards.desk_cards import CardUse
from data.gold import fewshot
from data.records.access import Person
from judges.authoring.card_lookup import POINTWISE
from judges.authoring.soundness import find_faults
from judges.card import Card
from judges.plural import many
from judges.render.findings.findings import COUNT, Column
from pages.cards import editor, fewshot_form
from pages.ui import choose, session, tables, text, url_state

ORIGINS = {"folder": "built-in", "over": "applied per turn", "own": "custom"}


def page() -> None:
    """For leads a new card first; then the cards in use, the others, one in full, and the desk's cards."""
    me, store, state = session.me(), session.store(), session.scratch("cards")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.title("Cards", anchor=False)
        st.space("stretch")
        closed = me.may("lead") and not state.get("writing")
        if closed and st.button("New card", icon=":material/add:", type="primary"):
            state["writing"] = True
            st.rerun()
    st.caption("A card is a judge's rubric: its dimensions and scales, the prompt, and the reply it asks for.")
    text.tell_outcome(state)
    if me.may("lead") and state.get("writing"):
        with st.container(border=True):
            _draw_new_card(me)
    known, using = cards.current_cards(store), desk_cards.card_uses(store)
    _draw_cards(known, using)
    name = url_state.select("card", "Show a card", {n: f"{c.title} ({n})" for n, c in known.items()}, width=420)
    _draw_card(me, known[name], using.get(name, ()))
    if me.may("researcher"):
        with st.expander("Cards for labelling, by dataset", icon=":material/rate_review:"):
            _desk(me)


def _draw_new_card(me: Person) -> None:
    state = session.scratch("cards")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.header("New card", anchor=False)
        st.space("stretch")
        if st.button("Cancel", icon=":material/close:", type="tertiary"):
            state["writing"] = False
            st.rerun()
    editor.edit_card(me, None)


def _draw_card(me: Person, card: Card, using: Sequence[CardUse]) -> None:
    store, origin = session.store(), _card_origin(card)
    is_own = origin == "own"
    st.header(text.escape(card.title), anchor=False)
    text.quiet("{name}, version {version}, {origin}.", name=card.name, version=card.version, origin=ORIGINS[origin])
    if card.name.startswith(POINTWISE):
        st.caption("A run of it may name other dimensions, on other scales, and leave out the confidence.")
    _show_card(card)
    _show_uses(using)
    if is_own:
        st.download_button(
            "Download as a folder", folder.export(store, card.name), f"{card.name}.zip", "application/zip",
            icon=":material/folder_zip:", help="Unzip it into judges/cards/ to use it as a built-in card.",
        )  # fmt: skip
    if card.examples:
        text.example_items(fewshot.items_in_examples(store, card))
    stored = cards.card_versions(store, card.name)
    with st.container():  # empty as well, so that what is open below stays open when another version comes
        for version in stored if len(stored) > 1 else ():
            text.quiet(
                "{version}, current: {actor}, {at}, {used}" if version.current else "{version}: {actor}, {at}, {used}",
                version=version.version, actor=version.actor, at=f"{version.made_at:%Y-%m-%d %H:%M} UTC",
                used=f"used by {many(version.judges, 'judge')}",
            )  # fmt: skip
    if is_own and me.may("lead"):
        with st.expander("New version", icon=":material/edit:"):
            editor.edit_card(me, card)
    if me.may("lead") and card.prompts and origin != "over":
        with st.expander("Few-shot examples", icon=":material/lightbulb:"):
            fewshot_form.edit_examples(me, card)


def _desk(me: Person) -> None:
    store = session.store()
    dataset = choose.dataset(store)
    if dataset is None:
        return
    known, now = cards.current_cards(store), desk_cards.chosen_desk_cards(store, dataset.id)
    names = st.multiselect(
        "People label by", list(known), [n for n in now if n in known], key=f"asked:{dataset.id}:{now}",
        format_func=lambda n: known[n].title, placeholder="the judge's card, and those applied to its turns",
    )  # fmt: skip
    st.caption("This holds for blind labels too. The first is the main one where no judge was chosen.")
    if names != now and st.button("Set", type="primary"):
        desk_cards.choose_desk_cards(store, me.name, dataset.id, names)
        session.scratch("cards")["said"] = f"From now on people label {dataset.name} by these cards."
        st.rerun()


def _card_origin(card: Card) -> str:
    """Return the origin of a card, a key of ORIGINS."""
    recipe = card.recipe or {}
    return "own" if recipe.get("how") == "own" else "over" if "over" in recipe else "folder"


def _draw_cards(known: Mapping[str, Card], uses: Mapping[str, Sequence[CardUse]]) -> None:
    """All cards, those in use first; a click on one opens it."""
    for title, used in (("In use", True), ("Not used yet", False)):
        names = [name for name in known if bool(uses.get(name)) == used]
        if names:
            st.header(text.escape(title), anchor=False)
            rows = [_line(known[name], uses.get(name, ()), used) for name in names]
            tables.clickable_table(rows, _COLUMNS, partial(_open, names), f"cards:{title}", max_rows=len(rows))


def _open(names: Sequence[str], row: int) -> None:
    url_state.set_choice("card", names[row])


def _line(card: Card, uses: Sequence[CardUse], used: bool) -> dict[str, str]:
    judges, sets = {use.judge for use in uses if use.judge}, {use.dataset for use in uses}
    return {
        "Card": card.title,
        "Judges": text.KINDS[card.kind].lower(),
        "Dimensions": ", ".join(dict.fromkeys(d.title for d in card.dimensions if d.asked)),
        "Origin": ORIGINS[_card_origin(card)],
        **({"Used by": f"{many(len(judges), 'judge')}, {many(len(sets), 'dataset')}"} if used else {}),
        "Version": card.version,
    }


_COLUMNS = {
    "Card": Column(width=190), "Judges": Column(width=130), "Dimensions": Column(width=250),
    "Origin": Column(width=115), "Used by": Column(width=140), "Version": Column(width=105),
}  # fmt: skip


def _show_uses(uses: Sequence[CardUse]) -> None:
    """Draw the uses of a card: judges with the datasets that they judged, and labelling."""
    if not uses:
        st.caption("Nothing uses it yet. Start a run with it on the page Runs.")
        return
    with st.expander(text.escape(f"Used by ({len(uses)})"), icon=":material/link:"):
        rows = [(use.model or "labelling, on the desk", use.dataset, use.items or None, use.judge) for use in uses]
        tables.table(rows, {"Judge": Column(), "Dataset": Column(), "Items judged": COUNT, "Judge id": Column()})


def _show_card(card: Card) -> None:
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
    least = [f"A model that writes at least {card.least_reply} tokens in a reply."] if card.least_reply else []
    for title, sentences in (("Checked when a reply is read", card.rules), ("What it needs", [*least, *card.needs])):
        if sentences:
            text.say("**{title}**", title=title)
            text.bullets(sentences)
    for fault in find_faults(card):
        text.warn("{lack}", lack=fault.text)
    editor.show_prompts(card)
