"""The part Protocols: two of them factor by factor, one's own written here, and by whose words judges can be asked."""

from __future__ import annotations

import streamlit as st

from data.records import judge_prompts, protocols
from data.store import Store
from judges.cards.mt_bench.protocol_cards import judge_card, pair_card
from judges.mtbench.prompts import BUILT_IN_FAMILIES
from judges.mtbench.protocol import Protocol, describe_protocol, parse_protocol
from judges.plural import many
from pages.mtbench.selection import BenchSelection
from pages.ui import session, tables, text, url_state

_MAX_PROTOCOL_CHARACTERS = 60_000
_KEY = "judge prompts"
_PROMPTS = (
    ("family", "24%"), ("wording", "18%", "Fingerprint of the family's first prompt: names stay while texts change."),
    ("from", "58%"),
)  # fmt: skip


def panel(_: BenchSelection | None = None) -> None:
    """The protocols that there are, side by side; researchers add their own."""
    store = session.store()
    known = protocols.known_protocols(store)
    named = {name: protocol.shown_title for name, protocol in known.items()}
    text.quiet(
        "A protocol says how answers are made, judged, read and averaged. Its mark, a fingerprint of all that changes "
        "judgments, is part of every judge that judges by it."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        protocol = known[url_state.select("protocol", "Protocol", named, next(iter(known)), 320)]
        others = {name: title for name, title in named.items() if name != protocol.name}
        other = known[url_state.select("beside", "Beside", others, next(iter(others)), 320)]
    other_values = dict(describe_protocol(other))
    rows = [("mark", protocol.mark, other.mark, "")]
    rows += [
        (factor, value, other_values[factor], "\N{NOT EQUAL TO}" * (value != other_values[factor]))
        for factor, value in describe_protocol(protocol)
    ]
    columns = ("factor", "21%"), (protocol.name, "36%"), (other.name, "36%"), ("differs", "7%")
    tables.wrapped_table(columns, rows, f"protocols:{protocol.mark}:{other.mark}", "Two protocols, factor by factor")
    if session.me().may("researcher"):
        _draw_protocol_form(store, protocol)
    st.header("Prompts of judges", anchor=False)
    _prompts(store)


def _draw_protocol_form(store: Store, protocol: Protocol) -> None:
    """A form for a protocol of one's own, which begins as the one that is shown."""
    with st.expander("Add or change a protocol", icon=":material/edit:"):
        text.quiet(
            "The form starts with {name}. A new name adds a protocol. The name of a custom protocol changes it, and "
            "its earlier version stays on record. Built-in protocols cannot be changed.",
            name=protocol.shown_title,
        )
        json_text = st.text_area(
            "The protocol as JSON", protocol.model_dump_json(indent=2), height=380, max_chars=_MAX_PROTOCOL_CHARACTERS,
            key=f"protocol:{protocol.mark}:{protocol.title}",
        )  # fmt: skip
        if st.button("Save", type="primary"):
            with text.refusals():
                edited = parse_protocol(json_text)
                new = protocols.add_protocol(store, session.me().name, edited)
                notice = (
                    f"{edited.name} is kept as {edited.mark}." if new else f"{edited.name} is kept like this already."
                )
                url_state.set_choice("protocol", edited.name)
                text.finish(notice)


def _prompts(store: Store) -> None:
    """The families by which judges can be asked; an opened one shows its texts."""
    rows, texts = [], []
    for name, description in BUILT_IN_FAMILIES.items():
        protocol = Protocol(name="ours", prompts=name)
        rows.append((name, judge_card(protocol).defaults.wording, f"built in: {description}"))
        texts.append(_built_in_prompts(protocol))
    for prompt_set in judge_prompts.all_prompts(store):
        for name, family in prompt_set.families.items():
            rows.append((name, family.wording, f"{prompt_set.file}, {many(len(family.prompts), 'prompt')}"))
            texts.append(
                [(prompt.name, f"{prompt.system}\n\n{prompt.template}".strip()) for prompt in family.prompts.values()]
            )
    ids = ["\n".join(row) for row in rows]
    opened = tables.open_row(_KEY, ids)
    detail = [] if opened is None else [("", ("prompt", "system prompt and template"), texts[opened])]
    tables.wrapped_table(_PROMPTS, rows, _KEY, "Prompts of judges", ids, detail)
    if len(rows) == len(BUILT_IN_FAMILIES):
        text.quiet("Import your own judge_prompts.jsonl to have judges asked by the published wording.")
        url_state.link("import", "Import files")


def _built_in_prompts(protocol: Protocol) -> list[tuple[str, str]]:
    """The prompts of a family that is built in, by name."""
    return [
        (f"{card.name}\n{variant.replace('_', ' ')}".strip(), prompt)
        for card in (judge_card(protocol), pair_card(protocol)) for variant, prompt in card.prompts.items()
    ]  # fmt: skip
