"""MT-Bench: what models reach by which judge and protocol, how far two judges agree, and why two protocols differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

import streamlit as st

from data.mtbench import downloads, figures, mtbench
from data.records import datasets, judge_prompts, protocols
from data.records.datasets import Dataset
from data.records.protocols import known_protocols
from data.store import Store
from judges.cards.mt_bench.protocol_cards import judge_card, pair_card
from judges.mtbench.prompts import BUILT_IN_FAMILIES
from judges.mtbench.protocol import Protocol, describe_protocol, parse_protocol
from judges.mtbench.ratings import ReadingRules, rules_of
from judges.mtbench.records import Bench
from judges.plural import many
from judges.render.findings import mtbench_results, mtbench_votes
from pages.mtbench import judges, results, why
from pages.mtbench.selection import BenchSelection
from pages.ui import findings, picture, session, tables, text, url_state

_MAX_PROTOCOL_CHARACTERS = 60_000
_KEY = "judge prompts"
_PROMPTS = (
    ("family", "24%"), ("wording", "18%", "Fingerprint of the family's first prompt: names stay while texts change."),
    ("from", "58%"),
)  # fmt: skip


def _draw_protocols(_: BenchSelection | None = None) -> None:
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
        cards = judge_card(protocol), pair_card(protocol)
        rows.append((name, cards[0].defaults.wording, f"built in: {description}"))
        texts.append([
            (f"{card.name}\n{variant.replace('_', ' ')}".strip(), prompt)
            for card in cards for variant, prompt in card.prompts.items()
        ])  # fmt: skip
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


def _draw_votes(selection: BenchSelection) -> None:
    """The table of agreement of single votes; ties counted and dropped."""
    if not selection.bench.votes:
        st.info(
            "Nobody has voted on pairs of this dataset. Import a file of votes (question_id, turn, model_a, model_b, "
            "winner, judge), or label pairs on the desk.",
            icon=":material/how_to_vote:",
        )
        with st.container(horizontal=True):
            url_state.link("import", "Import votes")
            url_state.link("desk", "Label pairs", dataset=selection.dataset.name)
        return
    findings.draw([mtbench_votes.vote_counts(selection.bench)], "votes")
    with st.spinner("Comparing the votes ..."):
        agreements = figures.vote_agreement(session.store(), selection.dataset.id)
    if not agreements:
        text.quiet("No two of these votes, and no verdict of a judge, are about the same pair.")
        return
    shown = mtbench_votes.table(agreements, selection.names)
    findings.draw_table(shown, f"votes:{selection.dataset.id}", len(shown.rows), width="content")


PARTS: dict[str, tuple[str, Callable[[BenchSelection], None]]] = {
    "results": ("Results", results.panel),
    "judges": ("Judges compared", judges.panel),
    "why": ("Why they differ", why.panel),
    "votes": ("Votes", _draw_votes),
    "protocols": ("Protocols", _draw_protocols),
}
"""Value in the address -> title, and what draws it."""
SINGLE_DATASET_PARTS = ("results", "judges")
"""The parts whose figures are of one dataset's ratings, read by the rules of one protocol."""

FORMATS: dict[Literal["csv", "parquet"], str] = {"csv": "CSV", "parquet": "Parquet"}
DATASET_FREE_PARTS = ("why", "protocols")
"""The parts that are of no one dataset."""


def page() -> None:
    """A dataset, the rules by which its judgments are read, and one part of what follows from both."""
    session.me()
    store = session.store()
    head = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom")
    head.title("MT-Bench", anchor=False)
    ids = mtbench.bench_datasets(store)
    known = {d.name: d for d in datasets.all_datasets(store) if d.id in ids}
    if not known:
        _explain_no_bench()
        _draw_protocols()
        return
    part = url_state.tabs("part", "Part", {value: title for value, (title, _) in PARTS.items()})
    with st.container(horizontal=True, vertical_alignment="bottom"):
        named = {name: name for name in known}
        first = url_state.chosen_option("dataset", known) or next(iter(known))
        dataset = known[
            first if part in DATASET_FREE_PARTS else url_state.select("dataset", "Dataset", named, width=260)
        ]
        bench = mtbench.load_bench(store, dataset.id)
        rules = _rules(bench) if part in SINGLE_DATASET_PARTS else ReadingRules()
    text.synthetic(dataset)
    raters = mtbench_results.names_of_judges(bench, bench.ratings)
    names = mtbench_results.names_of_judges(bench, bench.games) | raters
    if part not in DATASET_FREE_PARTS:
        with head:
            _downloads(dataset, bench)
    PARTS[part][1](BenchSelection(dataset, bench, names, raters, rules))


def _rules(bench: Bench) -> ReadingRules:
    """The reading rules of the chosen protocol; at first of that which all judges name, if they name one."""
    known = known_protocols(session.store())
    ways = {name: protocol.shown_title for name, protocol in known.items()}
    return rules_of(known[url_state.select("rules", "Read by the rules of", ways, _usual_protocol(bench, known), 320)])


def _usual_protocol(bench: Bench, known: Mapping[str, Protocol]) -> str:
    """The name of the protocol that all judges name, else of the first there is."""
    names = {judge.protocol.partition("@")[0] for judge in bench.judges.values()}
    return next((name for name in known if names == {name}), next(iter(known)))


def _downloads(dataset: Dataset, bench: Bench) -> None:
    """All tables, and the dataset as FastChat's files, made when they are asked for."""
    store, me, name = session.store(), session.me(), picture.file_name("mtbench", dataset.name)
    known = known_protocols(store)
    protocol = known[url_state.chosen_option("rules", known) or _usual_protocol(bench, known)]
    files = [
        picture.Download(
            f"All tables ({title})", f"{name}-{format}.zip", "application/zip",
            partial(downloads.zipped_tables, store, dataset.id, protocol, format),
            "Means, categories, rules, ranks, win rates, judges compared and votes with all digits, a file each, read "
            "by the protocol that is chosen.",
        )
        for format, title in FORMATS.items()
    ]  # fmt: skip
    if me.may("researcher"):
        files.append(
            picture.Download(
                "FastChat's files (JSON lines)", f"{name}-fastchat.zip", "application/zip",
                partial(downloads.zipped_fastchat, store, me.name, dataset.id),
                "Questions, answers, references, judgments and votes as FastChat's tools read them. Anyone who "
                "downloads them can no longer label these items blind.",
            )
        )  # fmt: skip
    picture.download_popover(files, f"mtbench:{dataset.id}")


def _explain_no_bench() -> None:
    """There is no MT-Bench in the workspace: how it gets there."""
    st.info(
        "This workspace holds no MT-Bench yet. Import a directory of FastChat's files (question.jsonl, model_answer, "
        "model_judgment, reference_answer), or results of Swallow's evaluation. On the command line: "
        "`python -m data import DIRECTORY --dataset NAME`.",
        icon=":material/inbox:",
    )
    url_state.link("import", "Import files")
