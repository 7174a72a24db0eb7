"""How a card is shown, and the form in which one is written: names, definitions and scales in a table, checked live."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judges.card import Card
from judges.making.recipe import SORTS
from judges.schema import in_words
from judges.soundness import faults
from judges.types import Dimension, Kind
from pages.parts import session, text

KINDS: dict[Kind, str] = {"dialogue": "Dialogues", "pair": "Pairs of responses", "response": "Single responses"}
SCALES = {
    "ordinal": "whole numbers", "interval": "any number", "ordered": "words, worst to best",
    "unordered": "words, no order", "flag": "yes or no",
}  # fmt: skip
LAID = "laid over dialogues"
_COLUMNS = ("Name", "Asked of", "Definition", "Scale", "From", "To", "Step", "Words", "n/a", "Anchors")
_ANCHORS = "Anchors say what answers mean: 5 = flawless; 3 = some slips; 1 = unusable"


def origin(card: Card) -> str:
    """Where a card comes from, in a word or two."""
    recipe = card.recipe or {}
    return "made here" if recipe.get("how") == "own" else LAID if "over" in recipe else "folder"


def listed(cards: Mapping[str, Card], judges: Mapping[str, int]) -> None:
    """All cards in a table."""
    rows = [
        {
            "Card": card.title,
            "Judges": KINDS[card.kind].lower(),
            "Asks": ", ".join(dict.fromkeys(d.title for d in card.dimensions if d.asked)),
            "From": origin(card),
            "Used by": judges.get(name, 0),
            "Version": card.version,
        }
        for name, card in cards.items()
    ]
    config = {
        "Card": st.column_config.TextColumn(width=190),
        "Judges": st.column_config.TextColumn(width=130),
        "Asks": st.column_config.TextColumn(width=250),
        "From": st.column_config.TextColumn(width=120),
        "Used by": st.column_config.NumberColumn("Used by", help="Judges that use the card, in any version.", width=70),
        "Version": st.column_config.TextColumn(width=110),
    }
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=config, height="content")


def whole(card: Card) -> None:
    """One card in full: what it asks, the rules that are checked, its prompt, and the shape of the reply."""
    rows = [
        {"Of": d.sort, "Dimension": d.title, "Answers": d.scale.words, "Definition": d.definition, "Asked": d.asked}
        for d in card.dimensions
    ]
    config = {
        "Answers": st.column_config.TextColumn(width=190),
        "Definition": st.column_config.TextColumn(width=400),
        "Asked": st.column_config.CheckboxColumn(
            "Asked", help="People are asked too; others only the judge states.", width=60
        ),
    }
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=config, height="content")
    for rule in card.rules:
        st.text(rule)
    for fault in faults(card):
        text.warn("{lack}", lack=fault.text)
    asking(card)


def asking(card: Card) -> None:
    """The prompt and the reply of a card."""
    for name, prompt in card.prompts.items():
        with st.expander(text.plain(f"Prompt: {name}" if name else "Prompt"), icon=":material/chat:"):
            st.code(prompt, language=None, wrap_lines=True)
    if not card.prompts:
        st.caption("The card has no prompt: replies can be imported, but it cannot be run.")
    if card.text is None:
        with st.expander("Reply", icon=":material/data_object:"):
            st.code(in_words(card), language=None, wrap_lines=True)
    for number, example in enumerate(card.examples, 1):
        with st.expander(text.plain(f"Example {number}: {example.shows}"), icon=":material/lightbulb:"):
            st.json({"fields": example.fields, "reply": example.reply}, expanded=2)


def shown(items: Mapping[str, str]) -> None:
    """Which items of this workspace stand as examples."""
    if items:
        text.quiet(
            "Examples in the prompt, so left out of every figure that holds the judge against people: {names}.",
            names=", ".join(items.values()),
        )


def form(key: str, start: Card | None) -> dict[str, Any]:
    """The recipe as it stands in the form; `start` is the card that it begins with."""
    recipe = (start.recipe if start is not None else None) or {}
    left, middle, right = st.columns([2, 2, 2])
    title = left.text_input("Title", recipe.get("title", ""), key=f"{key}:title", placeholder="Tone of support")
    name = recipe.get("name") or middle.text_input(
        "Name in files", key=f"{key}:name", placeholder="support_tone", help="Small letters, digits and _."
    )
    kinds = list(KINDS)
    with middle if start is not None else right:
        kind: Kind = st.selectbox(
            "Judges", kinds, kinds.index(recipe.get("kind", "dialogue")), format_func=lambda k: KINDS[k],
            key=f"{key}:kind", disabled=start is not None,
        )  # fmt: skip
    rows = _table(f"{key}:{kind}", kind, recipe.get("dimensions", []) if recipe.get("kind") == kind else [])
    st.caption(_ANCHORS)
    instructions = st.text_area(
        "What else the judge is told", recipe.get("instructions", ""), key=f"{key}:instructions", height=90,
        placeholder="Stands in the prompt after the definitions; may be empty.",
    )  # fmt: skip
    return {
        "how": "own", "name": name.strip(), "title": title.strip(), "kind": kind,
        "dimensions": [_asked(row) for row in rows], "instructions": instructions.strip(),
    }  # fmt: skip


def _table(key: str, kind: Kind, asked: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The dimensions as rows; the first state is kept, so that a rerun does not begin anew."""
    kept = session.scratch(f"card:{key}")
    if "rows" not in kept:
        empty = {"Asked of": SORTS[kind][0], "Scale": "ordinal", "From": 1, "To": 5, "n/a": False}
        rows = [_row(one) for one in asked] or [{"Name": "", "Definition": "", "Words": "", "Anchors": "", **empty}]
        kept["rows"] = pd.DataFrame(rows, columns=list(_COLUMNS)).astype(dict.fromkeys(("From", "To", "Step"), float))
    column = st.column_config
    config = {
        "Name": column.TextColumn(width=150, required=True),
        "Asked of": column.SelectboxColumn(options=list(SORTS[kind]), default=SORTS[kind][0], width=110),
        "Definition": column.TextColumn(width=300),
        "Scale": column.SelectboxColumn(options=list(SCALES), format_func=SCALES.get, default="ordinal", width=140),
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
        kept["rows"], num_rows="dynamic", hide_index=True, column_config=config, key=f"card:{key}:table"
    )
    return [dict(row) for row in edited.to_dict("records") if any(_said(row[c]) for c in ("Name", "Definition"))]


def _row(asked: Mapping[str, Any]) -> dict[str, Any]:
    answers = asked["answers"]
    return {
        "Name": asked["name"], "Asked of": asked["unit"], "Definition": asked["definition"], "Scale": answers["kind"],
        "From": answers["lo"], "To": answers["hi"], "Step": answers.get("step"), "n/a": answers["na"],
        "Words": ", ".join(answers["categories"]),
        "Anchors": "; ".join(f"{answer} = {words}" for answer, words in asked["anchors"].items()),
    }  # fmt: skip


def _asked(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as the recipe has it."""
    scale = _said(row["Scale"]) or "ordinal"
    answers: dict[str, Any] = {"kind": scale, "na": bool(row["n/a"]) if not pd.isna(row["n/a"]) else False}
    if scale in ("ordinal", "interval"):
        answers |= {"lo": _number(row["From"], 1), "hi": _number(row["To"], 5)}
        step = _number(row["Step"], 0) if scale == "interval" else 0
        answers |= {"step": step} if step else {}
    elif scale != "flag":
        answers["categories"] = [
            word.strip() for word in _said(row["Words"]).replace("、", ",").split(",") if word.strip()
        ]
    pairs = [part.partition("=") for part in _said(row["Anchors"]).replace("；", ";").split(";") if part.strip()]
    return {
        "name": _said(row["Name"]), "unit": _said(row["Asked of"]), "definition": _said(row["Definition"]),
        "answers": answers, "anchors": {answer.strip().lower(): words.strip() for answer, _, words in pairs},
    }  # fmt: skip


def _said(value: Any) -> str:
    return "" if value is None or (not isinstance(value, str) and pd.isna(value)) else str(value).strip()


def _number(value: Any, other: int) -> int | float:
    """A cell's number, whole where it is one."""
    if value is None or pd.isna(value):
        return other
    return int(value) if float(value).is_integer() else float(value)


def preview(card: Card, dimensions: Sequence[Dimension]) -> None:
    """What would be saved: its version, what it asks, its prompt and its reply."""
    text.quiet(
        "Version {version}. It asks: {asked}.",
        version=card.version,
        asked=", ".join(f"{d.title} ({d.sort}, {d.scale.words})" for d in dimensions),
    )
    asking(card)
