"""MT-Bench: what models reach by which judge and protocol, how far two judges agree, and why two protocols differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

import streamlit as st

from data.mtbench import downloads, figures, mtbench
from data.records import datasets
from data.records.datasets import Dataset
from data.records.protocols import known_protocols
from judges.mtbench.protocol import Protocol
from judges.mtbench.ratings import ReadingRules, rules_of
from judges.mtbench.records import Bench
from judges.render.findings import mtbench_results, mtbench_votes
from pages.mtbench import judges, protocols, results, why
from pages.mtbench.selection import BenchSelection
from pages.ui import findings, picture, session, text, url_state


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
    "protocols": ("Protocols", protocols.panel),
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
        protocols.panel()
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
    raters = mtbench_results.rater_names(bench)
    names = mtbench_results.pairwise_judge_names(bench) | raters
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
