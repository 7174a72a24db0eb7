"""How a card is shown, and the form in which one is written: names, definitions and scales in a table, checked live."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from data.cards.uses import Use
from judges.authoring.soundness import faults
from judges.card import Card
from judges.plural import many
from judges.reading.schema import in_words
from judges.types import SORTS_OF, Dimension, Kind
from pages.ui import session, text, url_state
from pages.ui.tables import clickable_table

KINDS: dict[Kind, str] = {"dialogue": "Dialogues", "pair": "Pairs of responses", "response": "Single responses"}
SCALES = {
    "ordinal": "whole numbers", "interval": "any number", "ordered": "words, worst to best",
    "unordered": "words, no order", "flag": "yes or no",
}  # fmt: skip
ORIGINS = {"folder": "built-in", "over": "applied per turn", "own": "custom"}
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


def origin(card: Card) -> str:
    """Where a card comes from: a key of ORIGINS."""
    recipe = card.recipe or {}
    return "own" if recipe.get("how") == "own" else "over" if "over" in recipe else "folder"


def listed(cards: Mapping[str, Card], uses: Mapping[str, Sequence[Use]]) -> None:
    """All cards, those in use first; a click on one opens it."""
    for title, used in (("In use", True), ("Not used yet", False)):
        names = [name for name in cards if bool(uses.get(name)) == used]
        if names:
            st.subheader(text.plain(title), anchor=False)
            rows = [_line(cards[name], uses.get(name, ())) for name in names]
            clickable_table(
                pd.DataFrame(rows).drop(columns=[] if used else ["Used by"]),
                partial(_open, names), f"cards:{title}", column_config=_LISTED, height="content",
            )  # fmt: skip


def _open(names: Sequence[str], row: int) -> None:
    url_state.set_choice("card", names[row])


def _line(card: Card, uses: Sequence[Use]) -> dict[str, str]:
    """A card as the table has it."""
    judges, sets = {use.judge for use in uses if use.judge}, {use.dataset for use in uses}
    return {
        "Card": card.title,
        "Judges": KINDS[card.kind].lower(),
        "Dimensions": ", ".join(dict.fromkeys(d.title for d in card.dimensions if d.asked)),
        "Origin": ORIGINS[origin(card)],
        "Used by": f"{many(len(judges), 'judge')}, {many(len(sets), 'dataset')}",
        "Version": card.version,
    }


_LISTED = {
    "Card": st.column_config.TextColumn(width=190),
    "Judges": st.column_config.TextColumn(width=130),
    "Dimensions": st.column_config.TextColumn(width=250),
    "Origin": st.column_config.TextColumn(width=115),
    "Used by": st.column_config.TextColumn(width=140),
    "Version": st.column_config.TextColumn(width=105),
}


def used(uses: Sequence[Use]) -> None:
    """What uses a card: judges with the datasets that they judged, and labelling."""
    if not uses:
        st.caption("Nothing uses it yet. Start a run with it on the page Runs.")
        return
    with st.expander(text.plain(f"Used by ({len(uses)})"), icon=":material/link:"):
        rows = [(use.model or "labelling, on the desk", use.dataset, use.items or None, use.judge) for use in uses]
        st.dataframe(pd.DataFrame(rows, columns=["Judge", "Dataset", "Items judged", "Judge id"]), hide_index=True)


def whole(card: Card) -> None:
    """One card in full: what it asks, the rules that are checked, its prompt, and the shape of the reply."""
    rows = [
        {
            "Unit": d.sort, "Dimension": d.title, "Scale": d.scale.words, "Definition": d.definition,
            "Rated by": "people and judge" if d.asked else "judge only",
        }
        for d in card.dimensions
    ]
    config = {
        "Scale": st.column_config.TextColumn(width=190),
        "Definition": st.column_config.TextColumn(width=330),
        "Rated by": st.column_config.TextColumn(width=110),
    }
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=config, height="content")
    for title, sentences in (("Checked when a reply is read", card.rules), ("What it needs", _needs(card))):
        if sentences:
            text.say("**{title}**", title=title)
            with st.container(gap=None):
                for sentence in sentences:
                    text.say("- {sentence}", sentence=sentence)
    for fault in faults(card):
        text.warn("{lack}", lack=fault.text)
    asking(card)


def _needs(card: Card) -> tuple[str, ...]:
    """What a card needs of a model, whichever items it judges."""
    least = (f"A model that writes at least {card.least_reply} tokens in a reply.",) if card.least_reply else ()
    return *least, *card.needs


def asking(card: Card, expanded: bool = False) -> None:
    """The prompt and the reply of a card; `expanded`: its usual prompt is open."""
    for name, prompt in card.prompts.items():
        usual = expanded and not name
        with st.expander(text.plain(f"Prompt: {name}" if name else "Prompt"), usual, icon=":material/chat:"):
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
            "Examples in the prompt, so left out of every figure that compares the judge with people: {names}.",
            names=", ".join(items.values()),
        )


def example(key: str) -> dict[str, Any]:
    """The recipe of the example that a new card begins with; of none at first."""
    chosen: str | None = st.segmented_control(
        "Begin with", ["an empty card", *EXAMPLES], default="an empty card", required=True, key=f"{key}:example",
        format_func=text.plain,
    )  # fmt: skip
    return EXAMPLES.get(chosen or "", {})


def form(key: str, start: Card | None) -> dict[str, Any]:
    """The recipe as it is in the form; `start` is the card that it begins with, else an example is chosen."""
    recipe = (start.recipe or {}) if start is not None else example(key)
    key = f"{key}:{recipe.get('name', '')}"
    left, middle, right = st.columns([2, 2, 2])
    title = left.text_input("Title", recipe.get("title", ""), key=f"{key}:title", placeholder="Tone of support")
    name = recipe["name"] if start is not None else middle.text_input(
        "Name in files", recipe.get("name", ""), key=f"{key}:name", placeholder="support_tone",
        help="Small letters, digits and _.",
    )  # fmt: skip
    kinds = list(KINDS)
    with middle if start is not None else right:
        kind: Kind = st.selectbox(
            "What it judges", kinds, kinds.index(recipe.get("kind", "dialogue")), format_func=lambda k: KINDS[k],
            key=f"{key}:kind", disabled=start is not None,
        )  # fmt: skip
    rows = _table(f"{key}:{kind}", kind, recipe.get("dimensions", []) if recipe.get("kind") == kind else [])
    st.caption(_ANCHORS)
    instructions = st.text_area(
        "Further instructions to the judge", recipe.get("instructions", ""), key=f"{key}:instructions", height=90,
        placeholder="Added to the prompt after the definitions; may be empty.",
    )  # fmt: skip
    return {
        "how": "own", "name": name.strip(), "title": title.strip(), "kind": kind,
        "dimensions": [_asked(row) for row in rows], "instructions": instructions.strip(),
    }  # fmt: skip


def _table(key: str, kind: Kind, asked: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The dimensions as rows; the first state is kept, so that a rerun does not begin anew."""
    kept = session.scratch(f"card:{key}")
    if "rows" not in kept:
        empty = {"Unit": SORTS_OF[kind][0], "Scale": "ordinal", "From": 1, "To": 5, "n/a": False}
        rows = [_row(one) for one in asked] or [{"Name": "", "Definition": "", "Words": "", "Anchors": "", **empty}]
        kept["rows"] = pd.DataFrame(rows, columns=list(_COLUMNS)).astype(dict.fromkeys(("From", "To", "Step"), float))
    column = st.column_config
    config = {
        "Name": column.TextColumn(width=150, required=True),
        "Unit": column.SelectboxColumn(options=list(SORTS_OF[kind]), default=SORTS_OF[kind][0], width=110),
        "Definition": column.TextColumn(width=300),
        "Scale": column.SelectboxColumn(
            options=list(SCALES), format_func=lambda scale: SCALES[str(scale)], default="ordinal", width=140
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
        kept["rows"], num_rows="dynamic", hide_index=True, column_config=config, key=f"card:{key}:table"
    )
    return [dict(row) for row in edited.to_dict("records") if any(_said(row[c]) for c in ("Name", "Definition"))]


def _row(asked: Mapping[str, Any]) -> dict[str, Any]:
    answers = asked["answers"]
    return {
        "Name": asked["name"], "Unit": asked["unit"], "Definition": asked["definition"], "Scale": answers["kind"],
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
        "name": _said(row["Name"]), "unit": _said(row["Unit"]), "definition": _said(row["Definition"]),
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
    """What would be saved: its version, its dimensions, its prompt and its reply."""
    st.subheader("Preview", anchor=False)
    text.quiet(
        "Version {version}. Dimensions: {asked}.",
        version=card.version,
        asked=", ".join(f"{d.title} ({d.sort}, {d.scale.words})" for d in dimensions),
    )
    asking(card, expanded=True)
