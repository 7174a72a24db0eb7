"""The labelling component: draws one item with its cells, takes the keys, keeps what was answered until it is saved.

`data` (Python to browser): person, place; `filters` of the queue, in any words: under others the browser's queue begins
anew; `sheets` to add to the browser's queue (one that it knows by item, version and mode is ignored, one with "again"
takes the place of its copy); `open` = the item a link asked for; `acked` [{key, at}]; `refused` [{key, item, why}];
`progress` {today, mine, seconds, left, done, total}; `empty` {title, text} or None; `notice`; `guide` {dataset, no,
text, by, on} (the guidelines that hold, as Markdown) or None.

A sheet: item, claim, dataset, name, title, systems, unnamed (these are hidden, as the item is blind), synthetic,
stream, mode (blind, assisted, revealed), why [{text, unit, dimension}] (the last two where it is about one rating),
judge {id, name}, judges [{model, card, version}] (whose scores are shown), version (key of the person's last answer on
it, or ""), kind, head [{label, text, fold, turns (of an input that is a conversation: [{role, text, label (a
tool's)}])}], comments [{sort, text}], choice (which of a model's answers it is, where that is not the first) and rows
[{unit, sort (turn, section, side, whole, response), no, title, texts [{role, label, text or parts, absent, fold,
marks}], columns, stacked, groups [{label, title, cells}], judge_issues, notes [{sort, text}], rules, notices,
judgments, can_issue, better (the text as the person would have written it, or None), can_better}]. A text of None is
not in the files; one that is "absent" is a section that this side does not have. Where a model marked its thinking
there are parts [{why, text}] instead of a text: "why" is "" for what is read, else why it is folded away. Marks are
sentences below a text, notices above a row's texts. judgments [{judge, prompt, main, t (its rating, "" for none), texts
[{t, text (None: the judge's note of the rating), why (it has no rating)}]}] is what every judge said of the unit, where
several are shown. Stacked groups stand one below the other: those after the first are of cards beside the main one. A
cell: unit, dimension, label, definition, anchors [[answer, meaning]], kind (ordinal, ordered, unordered, flag, turn,
interval), steps [{v, t}] (v None = n/a; a turn of 0 = none), range {lo, hi, step, by} (where a number is typed, as its
answers are too many to be listed; else None), optional (people may answer it and need not), reason (why it needs a
look, or ""), others [{by, v, t}] (what other judges, or other samples, said), judge {v, exact (its value in words where
that is no answer, v the nearest), between {v, near} (where two answers are equally near: nobody can accept it),
samples, note, level (high, medium, low), measure, source, rule} or None, by (the id of the judge it stands beside, or
None), mine {v} or None. Of a blind sheet no judge's value is drawn, even if one is given.

`outbox` (browser to Python): {answers, have, want {item, reveal} or None, nonce}. An answer: key, person, action
(save or skip), item, claim, judge, mode, version, values [{unit, dimension, v, saw, seen, unseen, judge}]
(unseen only where it was accepted without having been on screen, judge only where it is another), asked [sort/dimension
of all that was asked], notes [{unit, sort, text}] (all of them; unit "" = the whole item), repairs [{unit, text}] (all
better texts), reason, ms. It is sent again until its key comes back in `acked` or `refused`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from pages.server import assets

COMPONENT_FOLDER = Path(__file__).parent
ELEMENTS = COMPONENT_FOLDER.parent / "elements.js"
"""The script by which every component makes elements."""
TEXTS = (ELEMENTS, "kept.js", "state.js", "markdown.js", "draw.js")
SCRIPTS = (*TEXTS, "outbox.js", "about.js", "panels.js", "flow.js", "keys.js", "main.js")
"""One ES module in several files, put together in this order; with the first five any component draws texts."""
STYLES = ("sheet.css", "markdown.css")


def join_files(folder: Path, *names: str | Path) -> str:
    """Several files as one, by their names in a folder or by whole paths."""
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)


def bundle_scripts(*names: str | Path) -> str:
    """Scripts that draw texts as one ES module, which knows where the libraries are; names are of this folder."""
    return f"const BUNDLED = {json.dumps(assets.library_addresses())};\n" + join_files(COMPONENT_FOLDER, *names)


_component = st.components.v2.component(
    "assay_sheet",
    html='<div class="sheet" tabindex="-1" role="region" aria-label="Review desk"></div>',
    css=join_files(COMPONENT_FOLDER, *STYLES),
    js=bundle_scripts(*SCRIPTS),
    isolate_styles=True,
)


def draw_sheet(data: dict[str, Any], *, key: str, on_outbox: Callable[[], None]) -> Any:
    """Mount the desk; `on_outbox` runs when answers have arrived, and finds them in st.session_state[key].outbox."""
    empty_outbox: dict[str, Any] = {"answers": [], "have": [], "want": None, "nonce": 0}
    return _component(key=key, data=data, default={"outbox": empty_outbox}, on_outbox_change=on_outbox)


_unsent = st.components.v2.component("assay_unsent", js=join_files(COMPONENT_FOLDER, "kept.js", "unsent.js"))


def draw_unsent(data: dict[str, Any], *, key: str, on_outbox: Callable[[], None]) -> Any:
    """Mount what sends, as the desk and the adjudication do, what this browser keeps of a person.

    `data`: person; sorts of what is to be sent [answers, acts]; saved and refused [key of one]. `outbox`: {answers,
    acts, nonce}; it is sent again until one of the two has what is in it.
    """
    empty_outbox: dict[str, Any] = {"answers": [], "acts": [], "nonce": 0}
    return _unsent(key=key, data=data, default={"outbox": empty_outbox}, on_outbox_change=on_outbox)


_text = st.components.v2.component(
    "assay_text",
    html='<div class="sheet" style="padding:0"></div>',
    css=join_files(COMPONENT_FOLDER, *STYLES),
    js=bundle_scripts(*TEXTS, "text.js"),
    isolate_styles=True,
)


def markdown(text: str, key: str) -> None:
    """A Markdown text on a page as the desk draws it: nothing of it is fetched or followed."""
    _text(key=key, data={"text": text})
