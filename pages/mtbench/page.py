"""MT-Bench: what models reach by which judge and protocol, how far two judges agree, and why two protocols differ."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from data.mtbench import mtbench
from data.records import datasets
from judges.mtbench.protocol import protocols
from judges.mtbench.ratings import rules_of
from judges.render.findings import mtbench_results as said
from pages.mtbench import judges, results
from pages.mtbench.place import Place
from pages.ui import session, text, url_state

PARTS: dict[str, tuple[str, Callable[[Place], None]]] = {
    "results": ("Results", results.panel),
    "judges": ("Judges compared", judges.panel),
}
"""Value in the address -> title, and what draws it."""


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
    with st.container(horizontal=True, vertical_alignment="bottom"):
        dataset = known[url_state.select("dataset", "Dataset", {name: name for name in known}, width=260)]
        bench = mtbench.load_bench(store, dataset.id)
        ways = {name: one.title or name for name, one in protocols().items()}
        told = {one.protocol.partition("@")[0] for one in bench.judges.values()}
        own = next(iter(told)) if len(told) == 1 else ""
        rules = rules_of(protocols()[url_state.select("rules", "Read by the rules of", ways, own, 320)])
    if dataset.synthetic:
        text.synthetic(dataset.description)
    names = said.judge_names(bench.judges.values())
    raters = {one: names[one] for one in dict.fromkeys(rating.judge for rating in bench.ratings)}
    part = url_state.tabs("part", "Part", {value: title for value, (title, _) in PARTS.items()})
    PARTS[part][1](Place(dataset, bench, names, raters, rules))


def _nothing() -> None:
    """There is no MT-Bench in the workspace: how it gets there."""
    st.info(
        "This workspace holds no MT-Bench yet. Import a directory of FastChat's files (question.jsonl, model_answer, "
        "model_judgment, reference_answer), or results of Swallow's evaluation. On the command line: "
        "`python -m data import DIRECTORY --dataset NAME`.",
        icon=":material/inbox:",
    )
    url_state.link("import", "Import files")
