"""The panel behind a tile of the dashboard: its mean over time and by slice, as a chart, a table and files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import streamlit as st

from data.dashboard import sentences
from data.dashboard.breakdown import SYSTEM, Breakdown, break_down, breakdown_fields
from data.dashboard.dashboard import Tile, reach_of_mean
from data.records.datasets import Dataset
from data.reports import dashboard as report
from judges.plural import many
from judges.render.findings.findings import COUNT
from pages.ui import charts, picture, session, tables, text, url_state
from pages.ui.picture import Download

OPEN_PARAMETER = "open"
_PANEL_PARAMETERS = ("by", "of", "answer")
"""The parameters of the address that describe an open panel, besides the one that names its tile."""


def open_breakdown(dataset: Dataset, judge: str, tile: Tile) -> None:
    """Open the panel of a tile over the page; Escape and the way back close it, and the address names it."""
    title = tile.counted.dimension.title_with_sort
    text.dialog(text.escape(title), width="large", on_dismiss=close_breakdown)(_panel)(dataset, judge, tile)


def warn_if_missing(tiles: Sequence[Tile]) -> None:
    """The address names a tile that is not here."""
    key = st.query_params.get(OPEN_PARAMETER, "")
    if key and key not in [tile.key for tile in tiles]:
        text.warn("No figure of {key} may be shown: it is not approved here, or not any more.", key=key)


def close_breakdown() -> None:
    """Close the panel, remove it from the address, and put the keyboard's focus on the tile again."""
    session.scratch("behind")["left"] = st.query_params.get(OPEN_PARAMETER, "")
    for name in (OPEN_PARAMETER, *_PANEL_PARAMETERS):
        st.query_params.pop(name, None)


def was_closed(key: str) -> bool:
    """Whether what was behind a tile was closed just now."""
    state = session.scratch("behind")
    return state.get("left") == key and bool(state.pop("left"))


def _panel(dataset: Dataset, judge: str, tile: Tile) -> None:
    store, ask = session.store(), tile.counted
    fields = breakdown_fields(store, dataset.id, judge, ask)
    if not fields:
        text.quiet(
            "There is nothing to break down by yet: one run on one day, one system, and items without fields that "
            "differ. A second run shows here over time; give items a category, a language or a date in their meta when "
            "you import them."
        )
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = url_state.select("by", "Mean by", {key: field.title for key, field in fields.items()}, width=230)
        system = _system(tile) if by != SYSTEM else ""
        outcome = _outcome(tile)
        with st.spinner("Summing up by slice ..."):
            breakdown = break_down(store, dataset.id, judge, tile, by, system, outcome)
        name = picture.file_name("dashboard", dataset.name, tile.key, breakdown.field.title, system)
        csv = Download(
            "These figures, as CSV", f"{name}.csv", "text/csv",
            lambda: report.breakdown_csv(tile, breakdown, system, outcome).encode(), "Every slice, with every digit.",
        )  # fmt: skip
        picture.download_popover([csv], f"behind:{tile.key}")
    if tile.policy_today.warning:
        text.quiet(":orange[:material/history:] {told}", told=tile.policy_today.warning)
    _draw_breakdown(dataset, tile, breakdown, system, outcome, f"{name}:{outcome}")


def _system(tile: Tile) -> str:
    """One system, or all of them together: of verdicts on pairs, where each win is another's loss, only one."""
    names = {s.name: s.name or "unnamed" for s in tile.systems}
    if len(names) < 2:
        return next(iter(names), "")
    every = {} if tile.counted.sided else {"": "all systems together"}
    return url_state.select("of", "System", every | names, width=230)


def _outcome(tile: Tile) -> int:
    if tile.counted.outcomes == 1:
        return tile.headline
    answers = {str(n): tile.counted.describe_mean(n) for n in range(tile.counted.outcomes)}
    return int(url_state.select("answer", "Share of", answers, str(tile.headline), 170))


def _draw_breakdown(dataset: Dataset, tile: Tile, breakdown: Breakdown, system: str, outcome: int, key: str) -> None:
    ask = tile.counted
    if breakdown.overall is not None:
        text.say("{told}", told=sentences.describe_rest(tile, breakdown.overall, system, outcome))
    shown = [s for s in breakdown.slices if s.mean is not None]
    if len(shown) < 2:
        slices = many(len(breakdown.slices), "slice")
        text.quiet("No chart: {few} here, of which {n} can be shown.", few=slices, n=str(len(shown)))
    else:
        figure = ask.dimension.title if ask.mean else f"{ask.dimension.title}: “{ask.describe_mean(outcome)}”"
        mark = tile.policy_today.mark if tile.policy_today.warning else ""
        title = " · ".join(part for part in (figure, dataset.name, system, f"by {breakdown.field.title}", mark) if part)
        say, reach = partial(sentences.tile_span, tile), reach_of_mean(ask)
        means = charts.SlicedMeans(shown, breakdown.overall, reach, not ask.mean, title, say)
        (charts.means_over_time if breakdown.field.time else charts.means_by_slice)(means, key)
    rows = [
        {
            breakdown.field.title: s.name,
            "corrected (95% interval)": sentences.tile_span(tile, None if s.mean is None else s.mean.interval),
            "judge, raw (95% interval)": sentences.tile_span(tile, s.judge), "items": s.judge.items,
            "labelled": s.mean.n if s.mean is not None else None, "remark": sentences.explain_missing_figure(s),
        }
        for s in breakdown.slices
    ]  # fmt: skip
    tables.table(rows, {"items": COUNT, "labelled": COUNT})
    text.quiet("{notes}", notes=" ".join(_notes(tile, breakdown, system)))


def _notes(tile: Tile, breakdown: Breakdown, system: str) -> Iterator[str]:
    yield (
        f"Each {'point' if breakdown.field.time else 'slice'} is corrected by the labels of its own items alone. The "
        "intervals are not adjusted for one another: of twenty, about one misses the true mean."
    )
    if breakdown.field.rescored:
        yield "Each item counts once, at the time of its newest score, so points differ in items as well as in time."
    if breakdown.step not in ("", "day"):
        yield f"Days are grouped by {breakdown.step}, so that each point has enough items."
    if not system and len(tile.systems) > 1 and breakdown.field.title != SYSTEM:
        yield "All systems are combined here, and their mix may differ: choose one system to exclude that effect."
    if breakdown.rest:
        yield f"The {breakdown.rest:,} values with the fewest ratings are combined as “all others”."
    if breakdown.without:
        yield f"{many(breakdown.without, 'item')} without a value are not shown."
