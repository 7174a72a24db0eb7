"""Writing a card: the form with its preview, few-shot examples, and which cards people are asked about."""

from __future__ import annotations

import streamlit as st

from data.cards import cards, desk_cards
from data.gold import fewshot
from data.records.people import Person
from judges.authoring.custom import checked
from judges.card import Card
from judges.errors import AssayError
from pages.cards import card_view, fewshot_form
from pages.ui import choose, session, text, url_state


def write(who: Person, start: Card | None) -> None:
    """The form, what is wrong with it in sentences, the preview, and the save."""
    store = session.store()
    kept = session.scratch("cards")
    given = card_view.form(start.version if start else f"new:{kept.get('saved', 0)}", start)
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
    made = cards.drafted(store, recipe)
    if start is not None and start.examples and not made.examples:
        st.warning("Its examples do not fit this reply any more, and will be left out.", icon=":material/info:")
    card_view.preview(made, made.dimensions)
    same = start is not None and made.version == start.version
    label = "Save the card" if start is None else "Save as a new version"
    if st.button(text.plain(label), type="primary", disabled=bool(wrong) or same, key=f"save:{start is None}"):
        try:
            cards.save(store, who.name, recipe)
        except AssayError as error:
            text.refuse(error)
            return
        saved = kept.get("saved", 0) + 1
        kept.update(done=f"Saved: {made.title}, version {made.version}.", saved=saved, writing=False)
        url_state.set_choice("card", made.name)
        st.rerun()


def examples(who: Person, card: Card) -> None:
    """The examples of a card: some added, some removed; another set of them is another version."""
    store = session.store()
    now = fewshot_form.held(card)
    fewshot_form.listed(now, card)
    if len(now) < fewshot_form.MOST:
        dataset = fewshot_form.where(store, card)
        if dataset is not None:
            items = fewshot.offered(store, who.name, dataset.id, card)
            at = fewshot_form.item(store, items, card)
            found = fewshot_form.written(card, fewshot.looked(store, who.name, card, *at) if at else None, at)
        else:
            found = fewshot_form.pasted(card)
        if found is not None:
            fewshot_form.add(card, found)
    if not fewshot_form.ready(card, now):
        return
    try:
        made = cards.attach(store, who.name, card.name, now)
    except AssayError as error:
        text.refuse(error)
        return
    fewshot_form.forget(card)
    session.scratch("cards")["done"] = f"{card.title} is now version {made.version}: judges that use it are new judges."
    st.rerun()


def desk(who: Person) -> None:
    """Which cards people are asked about in a dataset."""
    store = session.store()
    dataset = choose.dataset(store)
    if dataset is None:
        return
    known, now = cards.known(store), desk_cards.chosen(store, dataset.id)
    names = st.multiselect(
        "People label by", list(known), [n for n in now if n in known], key=f"asked:{dataset.id}",
        format_func=lambda n: known[n].title, placeholder="the judge's card, and those applied to its turns",
    )  # fmt: skip
    st.caption("This holds for blind labels too. The first is the main one where no judge was chosen.")
    if names != now and st.button("Set", type="primary"):
        desk_cards.choose(store, who.name, dataset.id, names)
        session.scratch("cards")["done"] = f"From now on people label {dataset.name} by these cards."
        st.rerun()
