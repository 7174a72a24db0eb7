"""A little Streamlit script around the component: made-up sheets, answers appended to a JSONL file, late or refused.

Address: ?case=plain&run=NAME&refuse=ITEM&ahead=4&only=ITEM. NAME.jsonl lies in HARNESS_DIR,
and nothing is saved while NAME.held is there.
"""

import json
import os
import sys
import threading
import time
from datetime import datetime
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).resolve().parents[4]
for place in (str(ROOT), str(Path(__file__).parent)):
    if place not in sys.path:
        sys.path.insert(0, place)

import fakes  # noqa: E402

from pages.ui.sheet import draw_sheet  # noqa: E402

st.set_page_config(page_title="desk harness", layout="wide")
ask = st.query_params
case, run, refuse, ahead = (
    ask.get("case", "plain"),
    ask.get("run", "free"),
    ask.get("refuse", ""),
    int(ask.get("ahead", 4)),
)
file = Path(os.environ.get("HARNESS_DIR", "/tmp/sheet")) / f"{run}.jsonl"


@st.cache_resource
def lock():
    return threading.Lock()


@st.cache_data
def sheets(name):
    return fakes.CASES[name]()


def load_answers():
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def save():
    outbox = st.session_state["sheet"].outbox or {}
    while file.with_suffix(".held").exists():
        time.sleep(0.02)
    state = st.session_state
    with lock():
        with file.with_suffix(".sizes").open("a", encoding="utf-8") as sizes:
            sizes.write(f"{len(outbox.get('answers', []))}\n")
        known = load_answers()
        keys, latest = {a["key"] for a in known}, {a["item"]: a["key"] for a in known}
        acked, refused = [], []
        for answer in outbox.get("answers", []):
            if answer["key"] not in keys:
                if answer["item"] == refuse:
                    refused.append(
                        {
                            "key": answer["key"],
                            "item": answer["item"],
                            "why": "Your claim on it has run out and someone else has answered it.",
                        }
                    )
                    continue
                if latest.get(answer["item"], "") != answer["version"]:
                    refused.append(
                        {
                            "key": answer["key"],
                            "item": answer["item"],
                            "why": "You have answered it in another tab since.",
                        }
                    )
                    continue
                with file.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(answer) + "\n")
                keys.add(answer["key"])
                latest[answer["item"]] = answer["key"]
            acked.append({"key": answer["key"], "at": datetime.now().strftime("%H:%M:%S")})
    state["acked"], state["refused"] = acked, state.get("refused", []) + refused


def reveal(sheet, answers):
    """An item as its person has answered it, with the judge's scores."""
    last = next((a for a in reversed(answers) if a["item"] == sheet["item"]), None)
    if last is None:
        return sheet
    full = (
        fakes.dialogue(sheet["name"], title=sheet["title"], stream="audit", why=["audit sample"])
        if sheet["mode"] == "blind"
        else json.loads(json.dumps(sheet))
    )
    values = {(v["unit"], v["dimension"]): v["v"] for v in last["values"]}
    for row in full["rows"]:
        for group in row["groups"]:
            for cell in group["cells"]:
                if (cell["unit"], cell["dimension"]) in values:
                    cell["mine"] = {"v": values[cell["unit"], cell["dimension"]]}
    return {
        **full,
        "mode": "revealed" if sheet["mode"] == "blind" else sheet["mode"],
        "version": last["key"],
        "again": True,
    }


outbox = getattr(st.session_state.get("sheet"), "outbox", None) or {}
answers = load_answers()
done, everything = {a["item"] for a in answers}, sheets(case)
have = set(outbox.get("have", []))
open_ones = [s for s in everything if s["item"] not in done]
give = [s for s in open_ones if s["item"] not in have][: max(0, ahead - len(have & {s["item"] for s in open_ones}))]
want = outbox.get("want")
if want:
    give += [reveal(s, answers) for s in everything if s["item"] == want["item"]]
linked = ask.get("item")
if linked and not st.session_state.get("linked"):
    give = [s for s in everything if s["item"] == linked and linked not in done] + [
        s for s in give if s["item"] != linked
    ]
    st.session_state["open"] = linked
st.session_state["linked"] = True
if ask.get("widget"):
    st.text_input("elsewhere")
    st.selectbox("choice", ["one", "two"])
with st.sidebar:
    st.write("Assay")
draw_sheet(
    {
        "person": run,
        "place": f"{case}/review",
        "sheets": give,
        "open": st.session_state.get("open"),
        "acked": st.session_state.get("acked", []),
        "refused": st.session_state.get("refused", []),
        "progress": {
            "today": len(answers),
            "mine": 204,
            "seconds": 8.2,
            "left": len(open_ones),
            "done": 120,
            "total": 140,
        },
        "empty": None
        if open_ones
        else {
            "title": "The review queue is empty",
            "text": "No item that the judge was unsure of is waiting for you.",
        },
        "notice": None,
        "guide": fakes.GUIDE if "guide" in ask else None,
    },
    key="sheet",
    on_outbox=save,
)
