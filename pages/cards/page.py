"""Cards: every rubric there is, in full; leads write new ones, researchers choose by which ones people label."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from data.cards import cards, desk_cards, folder
from data.cards.desk_cards import CardUse
from data.gold import fewshot
from data.records.access import Person
from judges.authoring.card_lookup import POINTWISE
from judges.card import Card
from judges.plural import many
from pages.cards import card_view, editor, fewshot_form
from pages.ui import choose, session, text, url_state


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
    card_view.draw_cards(known, using)
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
    store, origin = session.store(), card_view.card_origin(card)
    is_own = origin == "own"
    st.header(text.escape(card.title), anchor=False)
    text.quiet(
        "{name}, version {version}, {origin}.", name=card.name, version=card.version, origin=card_view.ORIGINS[origin]
    )
    if card.name.startswith(POINTWISE):
        st.caption("A run of it may name other dimensions, on other scales, and leave out the confidence.")
    card_view.show_card(card)
    card_view.show_uses(using)
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
