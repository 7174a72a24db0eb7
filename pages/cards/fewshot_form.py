"""Few-shot examples of a card as people see them: those it has, and a new one from a labelled item or pasted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from data.cards import cards
from data.gold import fewshot
from data.gold.fewshot import ExampleDraft
from data.records import datasets, items
from data.records.access import Person
from data.records.datasets import Dataset
from data.store import Store
from judges.card import Card, Example
from judges.examples import EXAMPLE_COUNTS, check_example, parse_example
from judges.reading.schema import schema_in_words
from pages.ui import session, text

_PASTED = "pasted"
_ABOUT = (
    "Two or three examples come before the item in the prompt, as turns of their own. Show the ends and the middle of "
    "the scale: a 1, a 3 and a 5. Calibration shows whether they help. Items shown here are left out of "
    "every figure that compares these judges with people."
)


def _form_state(card: Card) -> dict[str, Any]:
    return session.scratch(f"examples:{card.name}:{card.version}")


def _list_examples(now: list[Example], card: Card) -> None:
    for number, example in enumerate(now):
        with st.container(horizontal=True, vertical_alignment="top"):
            with st.expander(text.escape(f"{number + 1}. {example.shows}"), icon=":material/lightbulb:"):
                st.caption("What the judge sees")
                st.json(example.fields, expanded=False)
                st.caption("The reply in the example")
                _reply(example.reply)
            if st.button(
                "Remove", icon=":material/remove:", key=f"off:{card.version}:{number}:{len(now)}", type="tertiary"
            ):
                now.pop(number)
                st.rerun()


def _reply(reply: dict[str, Any] | str) -> None:
    if isinstance(reply, str):
        st.code(reply, language=None, wrap_lines=True)
    else:
        st.json(reply, expanded=True)


def _choose_source(store: Store, card: Card) -> Dataset | None:
    """The dataset that an example comes from; None: it is pasted."""
    known = {d.id: d for d in datasets.all_datasets(store) if card.kind in datasets.item_kinds(store, d.id)}
    chosen = st.selectbox(
        "Add an example from", [*known, _PASTED], key=f"from:{card.version}", width=420,
        format_func=lambda key: "pasted JSON" if key == _PASTED else f"labelled items of {known[key].name}",
    )  # fmt: skip
    return known.get(chosen)


def _choose_item(store: Store, item_names: Mapping[str, str], card: Card) -> tuple[str, str] | None:
    """An item and the part of it that the judge sees, if any item is labelled."""
    if not item_names:
        st.info("Nobody has labelled an item of this dataset on this card's dimensions.", icon=":material/inbox:")
        return None
    left, right = st.columns([3, 1])
    chosen = left.selectbox("Item", list(item_names), format_func=item_names.__getitem__, key=f"item:{card.version}")
    parts = card.parts(items.load_item(store, chosen).content)
    if not parts:
        st.info("This card has nothing to judge in that item.", icon=":material/inbox:")
        return None
    part = right.selectbox("Part", parts, key=f"part:{card.version}:{chosen}") if len(parts) > 1 else parts[0]
    return str(chosen), str(part)


def _edit_labelled(card: Card, draft: ExampleDraft, at: tuple[str, str]) -> Example | None:
    """An example of an item, as the person has edited it; None while it is not to be added."""
    key = f"{card.version}:{at[0]}:{at[1]}"
    reply = draft.reply
    if draft.judge:
        text.quiet("The reply starts from that of {judge}.", judge=draft.judge)
        if draft.corrected:
            text.quiet(
                "People's labels replace its scores in: {cells}. Check the notes, which were written for its scores.",
                cells=", ".join(draft.corrected),
            )
        if draft.left:
            text.warn("People disagree in {left}: correct that by hand.", left=", ".join(draft.left))
    else:
        st.caption("There is no judge's reply to this item to start from: write one in the shape below.")
        st.code(schema_in_words(card) or "A text that ends in its rating.", language=None, wrap_lines=True)
    with st.expander("What the judge sees", icon=":material/visibility:"):
        st.json(draft.fields, expanded=2)
    shows = st.text_input("What the example shows", key=f"shows:{key}", placeholder="a 1: the user was ignored")
    first = (
        reply if isinstance(reply, str) else "" if reply is None else json.dumps(reply, ensure_ascii=False, indent=2)
    )
    reply_text = st.text_area("The reply in the example", first, key=f"reply:{key}", height=300)
    if not st.button("Add this example", icon=":material/add:", key=f"add:{key}"):
        return None
    return _example(card, {"shows": shows.strip(), "fields": draft.fields, "reply": _parse_reply(card, reply_text)})


def _edit_pasted(card: Card) -> Example | None:
    """An example as JSON; None while it is not to be added."""
    json_text = st.text_area(
        "The example as JSON", key=f"paste:{card.version}", height=240,
        placeholder='{"shows": "a 1: the user was ignored", "fields": {...}, "reply": {...}}',
    )  # fmt: skip
    if not st.button("Add this example", icon=":material/add:", key=f"add:{card.version}"):
        return None
    try:
        row = json.loads(json_text)
    except (ValueError, RecursionError) as error:
        text.warn("This is not JSON: {error}.", error=error)
        return None
    return _example(card, row)


def _parse_reply(card: Card, reply: str) -> Any:
    """A reply as it is checked: an object where it can be one."""
    try:
        return reply if card.text is not None else json.loads(reply)
    except (ValueError, RecursionError):
        return reply


def _example(card: Card, row: Any) -> Example | None:
    """The example, or the sentence that says what is wrong with it."""
    if card.text is None and isinstance(row, dict) and isinstance(row.get("reply"), str):
        st.warning("The reply is not a JSON object: check its brackets, commas and quotes.", icon=":material/info:")
        return None
    with text.refusals():
        example = parse_example(row, "The example")
        check_example(card, len(_form_state(card)["now"]) + 1, example)
        return example
    return None


def _confirm(card: Card, now: Sequence[Example]) -> bool:
    """Whether the person attaches what is in the form; says how many are missing, and what will change."""
    if tuple(now) == card.examples:
        return False
    if 0 < len(now) < EXAMPLE_COUNTS[0]:
        st.caption("One more is needed: a card has two or three examples, or none.")
        return False
    st.caption("This changes the card's version: the judges that used it before stay as they are.")
    return st.button("Attach these examples" if now else "Remove all examples", type="primary")


def edit_examples(me: Person, card: Card) -> None:
    """The examples of a card: some added, some removed; another set of them is another version."""
    store = session.store()
    st.caption(_ABOUT)
    now: list[Example] = _form_state(card).setdefault("now", list(card.examples))  # as they stand in the form
    _list_examples(now, card)
    if len(now) < EXAMPLE_COUNTS[1]:
        dataset = _choose_source(store, card)
        if dataset is not None:
            items = fewshot.offered_items(store, me.name, dataset.id, card)
            at = _choose_item(store, items, card)
            example = _edit_labelled(card, fewshot.open_draft(store, me.name, card, *at), at) if at else None
        else:
            example = _edit_pasted(card)
        if example is not None:
            now.append(example)
            st.rerun()
    if not _confirm(card, now):
        return
    with text.refusals():
        new_card = cards.attach_examples(store, me.name, card.name, now)
        _form_state(card).clear()
        done = f"{card.title} is now version {new_card.version}: judges that use it are new judges."
        session.scratch("cards")["said"] = done
        st.rerun()
