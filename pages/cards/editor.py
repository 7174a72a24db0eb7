"""Writing a card: a form with names, definitions and scales in a table, which is checked live, and a preview."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from data.cards import cards
from data.records.access import Person
from judges.authoring.recipe import check_recipe
from judges.card import Card
from judges.errors import AssayError
from judges.reading.schema import schema_in_words
from judges.types import SORTS_OF, Kind
from pages.ui import session, text, url_state

_SCALES = {
    "ordinal": "whole numbers", "interval": "any number", "ordered": "words, worst to best",
    "unordered": "words, no order", "flag": "yes or no",
}  # fmt: skip
_COLUMNS = ("Name", "Unit", "Definition", "Scale", "From", "To", "Step", "Words", "n/a", "Anchors")
EXAMPLES: dict[str, dict[str, Any]] = {
    "example: tone of support": {
        "name": "support_tone", "title": "Tone of support", "kind": "dialogue",
        "instructions": "Judge how it is said, not whether it is correct.",
        "dimensions": [
            {
                "name": "politeness", "unit": "turn", "definition": "How polite the reply is to the customer.",
                "answers": {"kind": "ordinal", "lo": 1, "hi": 5, "na": False, "categories": []},
                "anchors": {"5": "courteous throughout", "3": "neutral", "1": "rude"},
            },
            {
                "name": "escalation", "unit": "conversation",
                "definition": "Whether the customer was passed on to a person when that was needed.",
                "answers": {"kind": "flag", "lo": 1, "hi": 5, "na": True, "categories": []}, "anchors": {},
            },
        ],
    },
    "example: clearer of two": {
        "name": "clearer_answer", "title": "Clearer of two", "kind": "pair", "instructions": "",
        "dimensions": [
            {
                "name": "clearer", "unit": "pair", "definition": "Which response is easier to understand.",
                "answers": {"kind": "ordered", "lo": 1, "hi": 5, "na": False, "categories": ["a", "tie", "b"]},
                "anchors": {},
            },
        ],
    },
    "example: faithful summary": {
        "name": "summary_faithfulness", "title": "Faithful summary", "kind": "response", "instructions": "",
        "dimensions": [
            {
                "name": "faithfulness", "unit": "response", "definition": "Whether all claims are in the task's text.",
                "answers": {"kind": "ordinal", "lo": 1, "hi": 3, "na": False, "categories": []},
                "anchors": {"3": "all", "2": "most", "1": "some claims are made up"},
            },
        ],
    },
}  # fmt: skip
_ANCHORS = "Anchors say what answers mean: 5 = flawless; 3 = some slips; 1 = unusable"


def edit_card(me: Person, start: Card | None) -> None:
    """The form, what is wrong with it in sentences, the preview, and the save.

    If somebody else saves a version newer than `start`, text that was edited stays; an unedited form begins anew.
    """
    store = session.store()
    state = session.scratch("cards")
    base_cards: dict[str, Card] = state.setdefault("begun", {})
    first = base_cards.setdefault(start.name, start) if start else None
    form = _form(first.version if first else f"new:{state.get('saved', 0)}", first)
    if not form["title"] and not form["dimensions"]:
        st.caption("Give it a title and a name, and at least one dimension with its definition.")
        return
    try:
        recipe = check_recipe(form)
        wrong = cards.recipe_faults(store, recipe)
    except AssayError as error:
        text.refuse(error)
        return
    for sentence in wrong:
        text.warn("{sentence}", sentence=sentence)
    if start is not None and first is not None and first.version != start.version:
        changed = recipe not in (cards.own_recipe(first), cards.own_recipe(start))
        if changed:
            newer = "Version {version} was saved while you were writing. Yours, once saved, has none of its changes."
            text.warn(newer, version=start.version)
        if not changed or st.button("Begin with the newer version", icon=":material/refresh:"):
            base_cards[start.name] = start
            st.rerun()
    draft = cards.draft_card(store, recipe)
    if start is not None and start.examples and not draft.examples:
        st.warning("Its examples do not fit this reply any more, and will be left out.", icon=":material/info:")
    _preview(draft)
    same = start is not None and draft.version == start.version
    label = "Save the card" if start is None else "Save as a new version"
    key = f"save:{start.version if start else ''}"  # of what stood there when it was pressed
    if st.button(text.escape(label), type="primary", disabled=bool(wrong) or same, key=key):
        with text.refusals():
            cards.save_card(store, me.name, recipe)
            saved = state.get("saved", 0) + 1
            base_cards.pop(draft.name, None)
            state.update(said=f"Saved: {draft.title}, version {draft.version}.", saved=saved, writing=False)
            url_state.set_choice("card", draft.name)
            st.rerun()


def _form(key: str, start: Card | None) -> dict[str, Any]:
    """The recipe as it is in the form; `start` is the card that it begins with, else an example is chosen."""
    recipe = (start.recipe or {}) if start is not None else _example(key)
    key = f"{key}:{recipe.get('name', '')}"
    left, middle, right = st.columns([2, 2, 2])
    title = left.text_input("Title", recipe.get("title", ""), key=f"{key}:title", placeholder="Tone of support")
    name = recipe["name"] if start is not None else middle.text_input(
        "Name in files", recipe.get("name", ""), key=f"{key}:name", placeholder="support_tone",
        help="Small letters, digits and _.",
    )  # fmt: skip
    kinds = list(text.KINDS)
    with middle if start is not None else right:
        kind: Kind = st.selectbox(
            "What it judges", kinds, kinds.index(recipe.get("kind", "dialogue")),
            format_func=lambda k: text.KINDS[k], key=f"{key}:kind", disabled=start is not None,
        )  # fmt: skip
    rows = _table(f"{key}:{kind}", kind, recipe.get("dimensions", []) if recipe.get("kind") == kind else [])
    st.caption(_ANCHORS)
    instructions = st.text_area(
        "Further instructions to the judge", recipe.get("instructions", ""), key=f"{key}:instructions", height=90,
        placeholder="Added to the prompt after the definitions; may be empty.",
    )  # fmt: skip
    return {
        "how": "own", "name": name.strip(), "title": title.strip(), "kind": kind,
        "dimensions": [_recipe_row(row) for row in rows], "instructions": instructions.strip(),
    }  # fmt: skip


def _example(key: str) -> dict[str, Any]:
    """The recipe of the example that a new card begins with; of none at first."""
    chosen: str | None = st.segmented_control(
        "Begin with", ["an empty card", *EXAMPLES], default="an empty card", required=True, key=f"{key}:example",
        format_func=text.escape,
    )  # fmt: skip
    return EXAMPLES.get(chosen or "", {})


def _table(key: str, kind: Kind, entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The dimensions as rows; the first state is kept, so that a rerun does not begin anew."""
    state = session.scratch(f"card:{key}")
    if "rows" not in state:
        empty = {"Unit": SORTS_OF[kind][0], "Scale": "ordinal", "From": 1, "To": 5, "n/a": False}
        rows = [_row(entry) for entry in entries] or [
            {"Name": "", "Definition": "", "Words": "", "Anchors": "", **empty}
        ]
        state["rows"] = pd.DataFrame(rows, columns=list(_COLUMNS)).astype(dict.fromkeys(("From", "To", "Step"), float))
    column = st.column_config
    config = {
        "Name": column.TextColumn(width=150, required=True),
        "Unit": column.SelectboxColumn(options=list(SORTS_OF[kind]), default=SORTS_OF[kind][0], width=110),
        "Definition": column.TextColumn(width=300),
        "Scale": column.SelectboxColumn(
            options=list(_SCALES), format_func=lambda scale: _SCALES[str(scale)], default="ordinal", width=140
        ),
        "From": column.NumberColumn(default=1, format="%g", width=60),
        "To": column.NumberColumn(default=5, format="%g", width=60),
        "Step": column.NumberColumn(
            min_value=0, format="%g", width=60, help="Of a scale of any number: 0.5 for half points; empty for none."
        ),
        "Words": column.TextColumn(width=150, help="The answers of a scale of words: rude, neutral, kind"),
        "n/a": column.CheckboxColumn(default=False, width=50),
        "Anchors": column.TextColumn(width=300, help=_ANCHORS),
    }
    edited = st.data_editor(
        state["rows"], num_rows="dynamic", hide_index=True, column_config=config, key=f"card:{key}:table"
    )
    return [dict(row) for row in edited.to_dict("records") if any(_cell_text(row[c]) for c in ("Name", "Definition"))]


def _row(entry: Mapping[str, Any]) -> dict[str, Any]:
    answers = entry["answers"]
    return {
        "Name": entry["name"], "Unit": entry["unit"], "Definition": entry["definition"], "Scale": answers["kind"],
        "From": answers["lo"], "To": answers["hi"], "Step": answers.get("step"), "n/a": answers["na"],
        "Words": ", ".join(answers["categories"]),
        "Anchors": "; ".join(f"{answer} = {words}" for answer, words in entry["anchors"].items()),
    }  # fmt: skip


def _recipe_row(row: Mapping[str, Any]) -> dict[str, Any]:
    scale = _cell_text(row["Scale"]) or "ordinal"
    answers: dict[str, Any] = {"kind": scale, "na": bool(row["n/a"]) if not pd.isna(row["n/a"]) else False}
    if scale in ("ordinal", "interval"):
        answers |= {"lo": _number(row["From"], 1), "hi": _number(row["To"], 5)}
        step = _number(row["Step"], 0) if scale == "interval" else 0
        answers |= {"step": step} if step else {}
    elif scale != "flag":
        answers["categories"] = [
            word.strip() for word in _cell_text(row["Words"]).replace("、", ",").split(",") if word.strip()
        ]
    pairs = [part.partition("=") for part in _cell_text(row["Anchors"]).replace("；", ";").split(";") if part.strip()]
    return {
        "name": _cell_text(row["Name"]), "unit": _cell_text(row["Unit"]), "definition": _cell_text(row["Definition"]),
        "answers": answers, "anchors": {answer.strip().lower(): words.strip() for answer, _, words in pairs},
    }  # fmt: skip


def _cell_text(value: Any) -> str:
    return "" if value is None or (not isinstance(value, str) and pd.isna(value)) else str(value).strip()


def _number(value: Any, other: int) -> int | float:
    """A cell's number, whole where it is one."""
    if value is None or pd.isna(value):
        return other
    return int(value) if float(value).is_integer() else float(value)


def _preview(card: Card) -> None:
    st.header("Preview", anchor=False)
    text.quiet(
        "Version {version}. Dimensions: {asked}.",
        version=card.version,
        asked=", ".join(f"{d.title} ({d.sort}, {d.scale.words})" for d in card.dimensions),
    )
    show_prompts(card, expanded=True)


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
