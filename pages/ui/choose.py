"""Choosing where to work: dataset, stream and filters, kept in the address so that a link leads to the same place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.queue import queue
from data.records import combinations, datasets, settings
from data.records.datasets import Dataset, DatasetJudge
from data.records.judge_lookup import judge_differences
from data.store import Store
from pages.ui import text, url_state

STREAMS: dict[queue.Stream, str] = {"review": "Review queue", "audit": "Audit sample"}
_FILTERS = {"system": "System", "judge": "Judge", "dimension": "Dimension", "reason": "Reason"}


def dataset(store: Store, labelled: bool = False, width: int | Literal["stretch"] = "stretch") -> Dataset | None:
    """A dataset, from the address or the chooser; None (and a way on) where there is none.

    `labelled`: with its label above, where it is beside choosers that have one; `width` is in pixels.
    """
    known = {d.name: d for d in datasets.all_datasets(store)}
    if not known:
        st.info("There is no dataset yet.", icon=":material/inbox:")
        url_state.link("overview", "Begin on the overview")
        return None
    named = st.query_params.get("dataset", "")
    with _note_if_missing("dataset", "" if named in known else named, width):
        return known[url_state.select("dataset", "Dataset", {name: name for name in known}, "", width, labelled)]


@contextmanager
def _note_if_missing(noun: str, missing_name: str, width: int | Literal["stretch"]) -> Iterator[None]:
    """Say above a chooser if a link names something that does not exist."""
    with st.container(width=width) if missing_name else nullcontext():
        if missing_name:
            words = "There is no {what} **{named}** here; another one is shown."
            text.warn(words, what=noun, named=text.shorten(missing_name, 60))
        yield


def note_ignored_filter(name: str, noun: str, options: Iterable[str]) -> None:
    """Say if the address filters by something that is no choice here."""
    named = st.query_params.get(name, "")
    if named and named not in options:
        words = "The address names the {what} **{named}**, which is no choice here. Nothing is filtered by it."
        text.warn(words, what=noun, named=text.shorten(named, 60))


def dataset_bar(store: Store, width: int = 230) -> tuple[DeltaGenerator, Dataset | None]:
    """A bar of choosers that begins with the dataset's, `width` pixels wide: the bar for more, and the dataset.

    None (and a way on) where there is no dataset.
    """
    bar = st.container(horizontal=True, vertical_alignment="bottom")
    with bar:
        return bar, dataset(store, labelled=True, width=width)


def judged_dataset(
    store: Store, hope: str, width: int = 230
) -> tuple[DeltaGenerator, Dataset, list[DatasetJudge], dict[str, str]] | None:
    """The bar and the dataset of `dataset_bar`, the judges that have scored it, and by id what they are called.

    None where there is no dataset, or no judge of it: the page says so and goes on with `hope` (what follows once there
    is a judge), with the ways there.
    """
    bar, chosen = dataset_bar(store, width)
    known = datasets.dataset_judges(store, chosen.id) if chosen else []
    if chosen and not known:
        st.info(text.escape(f"No judge has scored this dataset yet{hope}"), icon=":material/gavel:")
        with st.container(horizontal=True):
            url_state.link("runs", "Run a judge", icon=":material/play_arrow:", dataset=chosen.name)
            url_state.link("import", "Import judgments")
    return (bar, chosen, known, judge_names(store, known)) if chosen and known else None


def judge(names: Mapping[str, str], title: str = "Judge", width: int = 460, known: Mapping[str, str] = {}) -> str:
    """The judge that is chosen of these, by id.

    If a link names another one, the page says so, by its name where it is `known`.
    """
    named = url_state.lost_option("judge", names)
    with _note_if_missing("judge", known.get(named, named), width):
        return url_state.select("judge", title, names, width=width)


def draw_data_notes(dataset: Dataset, model: str) -> None:
    """The marks of synthetic data and of a practice judge, where either is one."""
    text.synthetic(dataset)
    text.practice(model)


def queue_view(store: Store) -> tuple[Dataset, queue.Stream, queue.QueueFilters] | None:
    """Dataset, stream and filters in one quiet line."""
    left, middle, right = st.columns([3, 3, 2], vertical_alignment="center")
    with left:
        selected = dataset(store)
    if selected is None:
        return None
    with middle:
        stream = url_state.tabs("stream", "Queue", STREAMS)
    options = queue.filter_options(store, selected.id)
    if stream == "audit" and settings.hides_systems(store, selected.id):  # or the filter would name what is hidden
        options = replace(options, system={})
    with right:
        chosen = _queue_filters(options)
    for name, title in _FILTERS.items():
        note_ignored_filter(name, title.lower(), getattr(options, name))
    return selected, stream, chosen


def _queue_filters(options: queue.FilterOptions) -> queue.QueueFilters:
    """Filters of a queue, from the address and the choosers; the button says how many are set."""
    active = len([name for name in _FILTERS if url_state.chosen_option(name, getattr(options, name))])
    label = f"Filters ({active})" if active else "Filters"
    with st.popover(text.escape(label), icon=":material/filter_list:", width="stretch", key="filters"):
        return queue.QueueFilters(
            **{
                name: url_state.optional(name, title, known) or ""
                for name, title in _FILTERS.items()
                if (known := getattr(options, name))
            }
        )


def judge_names(store: Store, judges: Sequence[DatasetJudge]) -> dict[str, str]:
    """The names of judges by id: model · card, how samples are combined; where names are alike, what differs."""
    samples = combinations.describe_combinations(store)
    named = {
        judge.id: f"{text.isolate(judge.model)} · {judge.card}"
        + (f" · {samples[judge.id]}" if judge.id in samples else "")
        + (" (synthetic)" if judge.synthetic else "")
        for judge in judges
    }
    namesakes = [id_ for id_, name in named.items() if list(named.values()).count(name) > 1]
    differences = judge_differences(store, namesakes)
    return named | {id_: f"{named[id_]} · {differences[id_]}" for id_ in namesakes}
