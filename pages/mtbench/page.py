"""MT-Bench: what models reach by which judge and protocol, how far two judges agree, and why two protocols differ."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from data.mtbench import figures, mtbench
from data.records import datasets
from judges.mtbench.ratings import Rules, rules_of
from judges.mtbench.records import Bench
from judges.render.findings import mtbench_results as said
from pages.mtbench import judges, results, votes, why
from pages.mtbench.place import Place
from pages.ui import session, text, url_state

PARTS: dict[str, tuple[str, Callable[[Place], None]]] = {
    "results": ("Results", results.panel),
    "judges": ("Judges compared", judges.panel),
    "why": ("Why they differ", why.panel),
    "votes": ("Votes", votes.panel),
}
"""Value in the address -> title, and what draws it."""
READ = ("results", "judges")
"""The parts whose figures are of one dataset's ratings, read by the rules of one protocol."""

FREE = ("why",)
"""The parts that are of no one dataset."""


def page() -> None:
    """A dataset, the rules by which its judgments are read, and one part of what follows from both."""
    session.me()
    store = session.store()
    st.title("MT-Bench", anchor=False)
    sizes = mtbench.bench_sizes(store)
    known = {one.name: one for one in datasets.all_datasets(store) if one.id in sizes}
    if not known:
        _nothing()
        return
    part = url_state.tabs("part", "Part", {value: title for value, (title, _) in PARTS.items()})
    with st.container(horizontal=True, vertical_alignment="bottom"):
        named = {name: name for name in known}
        first = url_state.chosen("dataset", known) or next(iter(known))
        dataset = known[first if part in FREE else url_state.select("dataset", "Dataset", named, width=260)]
        bench = mtbench.load_bench(store, dataset.id)
        rules = _rules(bench) if part in READ else Rules()
    if dataset.synthetic:
        text.synthetic(dataset.description)
    raters = said.rater_names(bench)
    names = said.umpire_names(bench) | raters
    PARTS[part][1](Place(dataset, bench, names, raters, rules))


def _rules(bench: Bench) -> Rules:
    """The reading rules of the chosen protocol; at first of that which all judges name, if they name one."""
    known = figures.protocols_here(session.store())
    told = {one.protocol.partition("@")[0] for one in bench.judges.values()}
    ways = {name: one.title or name for name, one in known.items()}
    own = next(iter(told)) if len(told) == 1 else ""
    return rules_of(known[url_state.select("rules", "Read by the rules of", ways, own, 320)])


def _nothing() -> None:
    """There is no MT-Bench in the workspace: how it gets there."""
    st.info(
        "This workspace holds no MT-Bench yet. Import a directory of FastChat's files (question.jsonl, model_answer, "
        "model_judgment, reference_answer), or results of Swallow's evaluation. On the command line: "
        "`python -m data import DIRECTORY --dataset NAME`.",
        icon=":material/inbox:",
    )
    url_state.link("import", "Import files")
