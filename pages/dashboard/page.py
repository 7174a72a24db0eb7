"""Dashboard: what may be published of the systems under test, a tile for each approved dimension, and what may not."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from data.dashboard import dashboard
from data.dashboard.dashboard import Tile
from data.records.datasets import Dataset
from judges.triage import name_unit
from pages.dashboard import breakdown, surroundings, tiles
from pages.ui import choose, session, tables, text, url_state

UNNAMED = "(unnamed)"


def page() -> None:
    """The approved dimensions of one judge on one dataset, by system."""
    me, store = session.me(), session.store()
    st.title("Dashboard", anchor=False)
    bar, dataset = choose.dataset_bar(store, 205)
    if dataset is None:
        return
    judges, named = choose.judges(store, dataset, ", so there is nothing to publish.")
    if not judges:
        return
    approvals_by_judge = dashboard.approvals_by_judge(store, dataset.id)
    if not approvals_by_judge:
        surroundings.explain_nothing(store, dataset, judges[0])
        return
    names = {id_: name for id_, name in named.items() if id_ in approvals_by_judge}
    with bar:
        judge = choose.judge(names, width=290, known=named)
    with st.spinner("Summing up the judge's scores ..."):
        all_tiles = dashboard.tiles(store, dataset.id, judge, approvals_by_judge[judge])
    systems = {s.name or UNNAMED: s.name for tile in all_tiles for s in tile.systems}
    titles = {tile.key: tile.counted.dimension.title_with_sort for tile in all_tiles}
    with bar:
        shown = _filter_tiles(all_tiles, systems, titles)
    choose.note_ignored_filter("system", "system", systems)
    choose.note_ignored_filter("dimension", "dimension", titles)
    model, is_synthetic = next((j.model, j.synthetic) for j in judges if j.id == judge)
    with st.container(horizontal=True, vertical_alignment="center"):
        choose.draw_data_notes(dataset, model)
    badges = {"synthetic": dataset.description} if dataset.synthetic else {}
    if is_synthetic and not dataset.synthetic:
        badges["practice judge"] = "This judge is no model: it practises."
    surroundings.show_scope(shown, names[judge], dataset.name)
    if me.may("lead"):
        surroundings.list_doubted(store, dataset, judge)
    breakdown.warn_if_missing(all_tiles)
    runs = dashboard.run_names(dashboard.scoring_runs(store, dataset.id, judge))
    wishes = []
    for tile in shown:
        key = f"tile:{dataset.id}:{judge}:{tile.key}"
        wishes.append((tile, tiles.draw_tile(tile, runs, badges, key, breakdown.was_closed(tile.key))))
    _open_items(me.name, dataset, judge, all_tiles, wishes)
    if shown:
        surroundings.dashboard_downloads(store, dataset, judge, shown)
    surroundings.explain_tiles()
    surroundings.list_withheld(store, dataset, judge, model, approvals_by_judge[judge])


def _open_items(
    actor: str, dataset: Dataset, judge: str, all_tiles: list[Tile], wishes: list[tuple[Tile, tiles.TileRequest]]
) -> None:
    """The items behind a share that was clicked, or the panel behind a tile that the address names."""
    for tile, wish in wishes:
        if wish.items is not None:
            return _items(actor, dataset, judge, tile, *wish.items)
        if wish.details:
            st.query_params[breakdown.OPEN_PARAMETER] = tile.key
    for tile in all_tiles:
        if tile.key == st.query_params.get(breakdown.OPEN_PARAMETER):
            breakdown.open_breakdown(dataset, judge, tile)


def _filter_tiles(tiles: list[Tile], systems: Mapping[str, str], titles: Mapping[str, str]) -> list[Tile]:
    """The tiles that the filters leave, with the systems that they leave."""
    system = url_state.select("system", "System", {"": "all", **{key: key for key in sorted(systems)}}, width=150)
    dimension = url_state.select("dimension", "Dimension", {"": "all", **titles}, width=165)
    left = [tile for tile in tiles if dimension in ("", tile.key)]
    return [dashboard.filter_system(tile, systems[system]) for tile in left] if system else left


@text.dialog("The items behind this share", width="large")
def _items(actor: str, dataset: Dataset, judge: str, tile: Tile, system: str, answer: int | None) -> None:
    """The cells that the judge gave an answer; a click on one opens it on the desk."""
    ask = tile.counted
    answer_text = "n/a" if answer is None else ask.answers[answer]
    cells = dashboard.list_items(session.store(), dataset.id, judge, ask.dimension, system, answer, actor)
    text.quiet(
        "{dimension}, {system}: the judge says “{answer}”. {few}Click a row to open the item on the review desk. "
        "Items that you may still be asked to label blind are left out.",
        dimension=ask.dimension.title, system=system or "unnamed", answer=answer_text,
        few=f"The first {len(cells):,} are listed. " if len(cells) == dashboard.MAX_LISTED_ITEMS else "",
    )  # fmt: skip
    rows, items = [(f.name, f.systems, name_unit(f.unit)) for f in cells], [f.item for f in cells]
    tables.item_table(rows, ("item", "systems", "unit"), items, f"items:{tile.key}", dataset.name)
