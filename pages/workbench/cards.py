"""Cards: every rubric there is, in full; leads write new ones, researchers choose what people are asked about."""

from __future__ import annotations

import streamlit as st

from data import card_folder, cards, fewshot
from data.people import Person
from judges.card import Card
from judges.counted import many
from judges.making.choice import POINTWISE
from pages.parts import carding, picked, session, text
from pages.workbench import writing


def page() -> None:
    """The list, one card in full, and for those who may: a new card, a new version, the desk's cards."""
    who, store = session.me(), session.store()
    st.title("Cards")
    st.caption("A card is a judge's rubric: what it asks, on which scales, in which words, and the reply it gives.")
    known = cards.known(store)
    carding.listed(known, cards.judges(store))
    done = session.scratch("cards").pop("done", "")
    if done:
        st.success(text.plain(done), icon=":material/check:")
    with st.container(width=420):
        name = picked.one("card", "One card", {n: f"{c.title} ({n})" for n, c in known.items()})
    card = known[name]
    _one(who, card)
    if who.may("lead"):
        with st.expander("New card", icon=":material/add:"):
            writing.write(who, None)
    if who.may("researcher"):
        with st.expander("On the desk", icon=":material/rate_review:"):
            writing.desk(who)


def _one(who: Person, card: Card) -> None:
    """One card in full, its versions and its folder."""
    store, made = session.store(), carding.origin(card) == "made here"
    st.subheader(text.plain(card.title))
    text.quiet(
        "{name}, version {version}, {origin}.", name=card.name, version=card.version, origin=carding.origin(card)
    )
    if card.name.startswith(POINTWISE):
        st.caption("Whoever runs it may name other dimensions, on other scales, and leave out the confidence.")
    carding.whole(card)
    if made:
        st.download_button(
            "Download as a folder", card_folder.export(store, card.name), f"{card.name}.zip", "application/zip",
            icon=":material/folder_zip:", help="Unzipped into judges/cards/ it is this very card.",
        )  # fmt: skip
    if card.examples:
        carding.shown(fewshot.shown(store, card))
    stored = cards.versions(store, card.name)
    if len(stored) > 1:
        for one in stored:
            text.quiet(
                "{version}, current: {actor}, {at}, {used}" if one.current else "{version}: {actor}, {at}, {used}",
                version=one.version, actor=one.actor, at=f"{one.made_at:%Y-%m-%d %H:%M} UTC",
                used=f"used by {many(one.judges, 'judge')}",
            )  # fmt: skip
    if made and who.may("lead"):
        with st.expander("New version", icon=":material/edit:"):
            writing.write(who, card)
    if who.may("lead") and card.prompts and carding.origin(card) != carding.LAID:
        with st.expander("Few-shot examples", icon=":material/lightbulb:"):
            writing.examples(who, card)
