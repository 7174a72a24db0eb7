"""Cards: every rubric there is, in full; leads write new ones, researchers choose what people are asked about."""

from __future__ import annotations

import streamlit as st

from data import cards, layers
from data.people import Person
from judges.card import Card
from judges.errors import AssayError
from judges.made import checked, from_recipe
from pages.parts import carding, choose, picked, session, text


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
            _write(who, None)
    if who.may("researcher"):
        with st.expander("On the desk", icon=":material/rate_review:"):
            _desk(who)


def _one(who: Person, card: Card) -> None:
    """One card in full, its versions and its folder."""
    store, made = session.store(), carding.origin(card) == "made here"
    st.subheader(text.plain(card.title))
    text.quiet(
        "{name}, version {version}, {origin}.", name=card.name, version=card.version, origin=carding.origin(card)
    )
    carding.whole(card)
    if made:
        st.download_button(
            "Download as a folder", cards.export(store, card.name), f"{card.name}.zip", "application/zip",
            icon=":material/folder_zip:", help="Unzipped into judges/cards/ it is this very card.",
        )  # fmt: skip
    stored = cards.versions(store, card.name)
    if len(stored) > 1:
        for one in stored:
            text.quiet(
                "{version}{now}: {actor}, {at}, used by {judges} judges",
                version=one.version, now=" (current)" if one.current else "", actor=one.actor,
                at=f"{one.made_at:%Y-%m-%d %H:%M} UTC", judges=one.judges,
            )  # fmt: skip
    if made and who.may("lead"):
        with st.expander("New version", icon=":material/edit:"):
            _write(who, card)


def _write(who: Person, start: Card | None) -> None:
    """The form, what is wrong with it in sentences, the preview, and the save."""
    store = session.store()
    kept = session.scratch("cards")
    given = carding.form(start.version if start else f"new:{kept.get('saved', 0)}", start)
    if not given["title"] and not given["dimensions"]:
        st.caption("Give it a title and a name, and at least one dimension with its definition.")
        return
    try:
        recipe = checked(given)
        wrong = cards.faults(store, recipe)
    except AssayError as error:
        text.refuse(error)
        return
    for sentence in wrong:
        text.warn("{sentence}", sentence=sentence)
    made = from_recipe(recipe)
    carding.preview(made, made.dimensions)
    same = start is not None and made.version == start.version
    label = "Save the card" if start is None else "Save as a new version"
    if st.button(text.plain(label), type="primary", disabled=bool(wrong) or same, key=f"save:{start is None}"):
        try:
            cards.save(store, who.name, recipe)
        except AssayError as error:
            text.refuse(error)
            return
        kept.update(done=f"Saved: {made.title}, version {made.version}.", saved=kept.get("saved", 0) + 1)
        picked.put("card", made.name)
        st.rerun()


def _desk(who: Person) -> None:
    """Which cards people are asked about in a dataset."""
    store = session.store()
    dataset = choose.dataset(store)
    if dataset is None:
        return
    known, now = cards.known(store), layers.chosen(store, dataset.id)
    names = st.multiselect(
        "People are asked about", list(known), [n for n in now if n in known], key=f"asked:{dataset.id}",
        format_func=lambda n: known[n].title, placeholder="the judge's card, and those laid over it",
    )  # fmt: skip
    st.caption("In blind labels too. The first is the main one where no judge was chosen.")
    if names != now and st.button("Set", type="primary"):
        layers.choose(store, who.name, dataset.id, names)
        session.scratch("cards")["done"] = f"From now on people are asked this in {dataset.name}."
        st.rerun()
