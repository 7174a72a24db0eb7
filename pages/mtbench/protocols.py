"""The part Protocols: how MT-Bench is run and read here, one's own protocols, and the prompts of judges there are."""

from __future__ import annotations

from typing import Any

import streamlit as st

from data.records import judge_prompts, protocols
from judges.errors import AssayError
from judges.mtbench import protocol as built_in
from judges.mtbench.prompts import OURS
from judges.mtbench.protocol import Protocol, describe, parse_protocol
from judges.plural import many
from pages.ui import session, tables, text, url_state

_LONGEST = 100_000
"""Bytes of a protocol's file that are read: its longest fields have 20,000 letters."""

_FAMILIES = (
    ("family", "22%"), ("what it is", "38%"), ("wording", "18%", "Fingerprint of its base text."), ("from", "22%"),
)  # fmt: skip


def panel() -> None:
    """Two protocols side by side, a form for another one, and the wordings by which judges can be asked."""
    store = session.store()
    if told := session.scratch("protocols").pop("told", ""):
        st.success(text.plain(told), icon=":material/check:")
    known = protocols.known_protocols(store)
    added = {name: "" if name in built_in.protocols() else " (added)" for name in known}
    titles = {name: (one.title or name) + added[name] for name, one in known.items()}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        one = known[url_state.select("protocol", "Protocol", titles, width=360)]
        other = known[url_state.select("beside", "Beside", titles, list(known)[1], 360)]
    _both(one, other)
    with st.expander("As JSON, to be changed and added", icon=":material/data_object:"):
        st.code(one.model_dump_json(indent=2), language="json")
    if session.me().may("researcher"):
        _form(one)
    _prompts()


def _both(one: Protocol, other: Protocol) -> None:
    rows = []
    for (factor, value), (_, theirs) in zip(describe(one), describe(other), strict=True):
        rows.append((factor + ("\n\N{NOT EQUAL TO} differs" if value != theirs else ""), value, theirs))
    columns: list[tuple[str, ...]] = [("factor", "22%")]
    columns += [(held.title or held.name, "39%", f"Its judges bear the mark {held.mark}.") for held in (one, other)]
    tables.wrapped_table(columns, rows, "protocols", "Two protocols, factor by factor")


def _form(one: Protocol) -> None:
    """A text or a file of JSON becomes a protocol of the workspace."""
    with st.expander("Add a protocol", icon=":material/add:"):
        st.caption(
            "JSON with the fields above. Fields that are left out have their usual value. A name that is there "
            "already is changed: judges keep the mark of the protocol that they judged by."
        )
        with st.form("protocol", border=False):
            start = one.model_copy(update={"name": f"{one.name[:50]}-own", "title": ""})
            typed = st.text_area("JSON", start.model_dump_json(indent=2), height=320, key=f"protocol:{one.mark}")
            upload = st.file_uploader("Or a file of JSON", ["json"], key="protocol file")
            sent = st.form_submit_button("Add", type="primary", icon=":material/add:")
        if sent:
            with text.refusals():
                _add(typed if upload is None else _read(upload))


def _read(upload: Any) -> str:
    """The text of an uploaded file. Raises AssayError."""
    try:
        given: bytes = upload.getvalue()
        if len(given) > _LONGEST:
            raise AssayError(f"{upload.name} has {len(given):,} bytes: a protocol has at most {_LONGEST:,}.")
        return given.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise AssayError(f"{upload.name} is not UTF-8, so it is no protocol.") from None


def _add(given: str) -> None:
    found = parse_protocol(given)
    new = protocols.add_protocol(session.store(), session.me().name, found)
    session.scratch("protocols")["told"] = (
        f"{'Added' if new else 'There already as it is'}: {found.title or found.name}, mark {found.mark}."
    )
    url_state.set_choice("protocol", found.name)
    st.rerun()


def _prompts() -> None:
    """The families of prompts, and the texts of one of them."""
    st.subheader("Prompts of judges", anchor=False)
    held = {
        f"{name}@{one.wording}": (held.file, one)
        for held in judge_prompts.all_prompts(session.store()) for name, one in held.families.items()
    }  # fmt: skip
    rows = [(name, told, "", "Assay") for name, told in OURS.items()]
    rows += [
        (one.name, f"{'rates answers' if one.sort == 'single' else 'compares two answers'}, "
         f"{many(len(one.prompts), 'prompt')}", one.wording, file)
        for file, one in held.values()
    ]  # fmt: skip
    tables.wrapped_table(_FAMILIES, rows, "families", "Families of prompts")
    if not held:
        text.quiet("FastChat's wordings are not part of Assay: import your judge_prompts.jsonl to use and name them.")
        return
    st.caption("Names stay while texts change: the fingerprint says which text a judge was given.")
    with st.expander("Texts", icon=":material/subject:"):
        chosen = held[url_state.select("family", "Family", {name: name for name in held}, width=420)][1]
        for prompt in chosen.prompts.values():
            text.say("**{name}**", name=prompt.name)
            st.code(f"{prompt.system}\n\n{prompt.template}".strip(), language=None, wrap_lines=True)
