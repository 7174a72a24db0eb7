"""Dashboard: what may be published of the systems under test, a tile for each approved dimension, and what may not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from data.approvals import suspension
from data.approvals.actions import APPROVAL_STATES
from data.approvals.record import Approval
from data.dashboard import dashboard
from data.dashboard.dashboard import Tile
from data.records.datasets import Dataset, DatasetJudge
from data.reports import dashboard as report
from data.store import Store
from data.store.ids import now
from judges.plural import many
from judges.stats.check_states import COLOURS, STATES, Colour
from judges.triage import name_unit
from pages.dashboard import breakdown, tiles
from pages.ui import choose, picture, session, tables, text, url_state

UNNAMED = "(unnamed)"


def page() -> None:
    """The approved dimensions of one judge on one dataset, by system."""
    me, store = session.me(), session.store()
    st.title("Dashboard", anchor=False)
    place = choose.judged_dataset(store, ", so there is nothing to publish.", 205)
    if place is None:
        return
    bar, dataset, judges, named = place
    approvals_by_judge = dashboard.approvals_by_judge(store, dataset.id)
    if not approvals_by_judge:
        _explain_nothing(store, dataset, judges[0])
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
    _show_scope(shown, names[judge], dataset.name)
    if me.may("lead"):
        _list_doubted(store, dataset, judge)
    breakdown.warn_if_missing(all_tiles)
    runs = dashboard.run_names(dashboard.scoring_runs(store, dataset.id, judge))
    wishes = []
    for tile in shown:
        key = f"tile:{dataset.id}:{judge}:{tile.key}"
        wishes.append((tile, tiles.draw_tile(tile, runs, badges, key, breakdown.was_closed(tile.key))))
    _open_items(me.name, dataset, judge, all_tiles, wishes)
    if shown:
        _dashboard_downloads(store, dataset, judge, shown)
    _explain_tiles()
    _list_withheld(store, dataset, judge, model, approvals_by_judge[judge])


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


def _show_scope(shown: Sequence[Tile], judge: str, dataset: str) -> None:
    """Of how many systems and items, and from whom; the way to more labels where some have too few."""
    items = max((sum(s.items for s in tile.systems) for tile in shown), default=0)
    systems = len({s.name for tile in shown for s in tile.systems})
    text.quiet(
        "{dimensions} · {systems} · up to {items} scored by {judge}. Only what a lead approved is shown here.",
        dimensions=many(len(shown), "approved dimension"), systems=many(systems, "system"),
        items=many(items, "item"), judge=judge,
    )  # fmt: skip
    if any(mean.missing for tile in shown for s in tile.systems for mean in s.means[tile.headline : tile.headline + 1]):
        url_state.link("queue", "Label more, to correct every system", dataset=dataset, stream="audit")


def _list_doubted(store: Store, dataset: Dataset, judge: str) -> None:
    """For leads: which of the tiles are to be reviewed, as labels since their approval speak against them."""
    for approval, review in suspension.find_doubted(store, dataset.id):
        if approval.judge != judge:
            continue
        with st.container(horizontal=True, vertical_alignment="center"):
            text.quiet(
                ":orange[:material/visibility:] **{name}** · {sort} is to be reviewed: {why}",
                name=approval.dimension.replace("_", " "), sort=approval.sort, why=review.why,
            )  # fmt: skip
            icon, case = ":material/arrow_forward:", approval.address
            url_state.link("approvals", "Review", icon=icon, dataset=dataset.name, case=case)


_COLOURS: dict[str, Colour] = {
    **{state: COLOURS[check_state.role] for state, check_state in STATES.items()},
    **{approval_state.word: approval_state.colour for approval_state in reversed(APPROVAL_STATES.values())},
    dashboard.UNDECIDED: APPROVAL_STATES["open"].colour,
}


def _explain_tiles() -> None:
    with st.expander("How to read this", icon=":material/help:"):
        st.markdown(
            "- **✓ approved** means that in this dimension the judge was compared with people's blind labels of "
            "randomly drawn items, agreed well enough for the workspace's policy, and was approved by a lead. If new "
            "labels contradict that, the dimension is removed from this page.\n"
            "- **The solid dot** is the corrected figure: what people would say on average over all the items. The "
            "judge scored them all, people labelled some, and the items with both show how far the judge is off. "
            "**The line** is its 95% interval: of 20 such lines about 19 hold the true value. Short lines are precise, "
            "long ones need more labels.\n"
            "- **The dashed diamond** is the judge's own mean. Where it lies off the line, the judge is biased: it "
            "scores higher or lower than people. A system with fewer than 30 labelled items has only this figure, "
            "and is listed after the others: do not compare it with a corrected figure.\n"
            "- **The bar** shows how often the judge gave each answer; click a part of it to see the items.\n"
            "- **n/a** are ratings where the judge says that the question does not apply; **unscored** are items "
            "whose reply could not be used. Neither is in any mean.\n"
            "- **Significant** is a difference at 5% for all pairs of systems together (Holm): one whose "
            "interval only just misses 0 may not be. A mean of a scale takes its steps as equally "
            "wide."
        )


def _list_withheld(store: Store, dataset: Dataset, judge: str, name: str, approvals: Sequence[Approval] = ()) -> None:
    st.header("Withheld", anchor=False)
    with st.spinner("Looking at what is not approved ..."):
        dimensions = dashboard.withheld_dimensions(store, dataset.id, judge, approvals)
    if not dimensions:
        text.quiet("Nothing: every dimension of this judge is approved.")
        return
    text.quiet("{n} of {name} may not be shown.", n=many(len(dimensions), "dimension"), name=name)
    with st.container(gap="xsmall"):
        for withheld in dimensions:
            dimension, state, reason = st.columns([22, 24, 54], gap="small", vertical_alignment="top")
            with dimension:
                text.say("**{dimension}** · {unit}", dimension=withheld.dimension.title, unit=withheld.dimension.sort)
            state.badge(text.escape(withheld.state), color=_COLOURS.get(withheld.state, "gray"))
            with reason, st.container(gap=None):
                text.say("{outside}", outside=withheld.public_reason)
                more = withheld.why.removeprefix(withheld.public_reason.partition(": ")[0] + ": ")
                if withheld.why != withheld.public_reason:
                    text.quiet("{more}", more=more)
    with st.container(horizontal=True):
        url_state.link("approvals", dataset=dataset.name, judge=judge)
        url_state.link("calibration", dataset=dataset.name, judge=judge)


def _explain_nothing(store: Store, dataset: Dataset, judge: DatasetJudge) -> None:
    """Nothing is approved: what has to happen first, with the ways there, and how far one judge is."""
    st.info(
        "Nothing is approved on this dataset yet, so no figure may be shown. A dimension comes here in three steps: "
        "people label a random sample without seeing the judge, the judge agrees with them well enough, and a lead "
        "approves it.",
        icon=":material/verified:",
    )
    with st.container(horizontal=True):
        url_state.link("queue", "Draw and label a sample", dataset=dataset.name, stream="audit")
        url_state.link("calibration", "See how the judge agrees", dataset=dataset.name)
        url_state.link("approvals", "Approve a dimension", dataset=dataset.name)
    _list_withheld(store, dataset, judge.id, judge.model)


def _dashboard_downloads(store: Store, dataset: Dataset, judge: str, shown: Sequence[Tile]) -> None:
    """The dashboard as files, for people without an account."""
    name = picture.file_name("dashboard", dataset.name)

    def page() -> bytes:
        published = dashboard.load_judge(store, dataset, judge)
        return report.dashboard_html(published, now(), dashboard.run_names(published.runs)).encode()

    with st.popover("Download", icon=":material/download:"), st.container(width=360):
        st.download_button(
            "Everything, as one HTML file", page, file_name=f"{name}.html", mime="text/html", on_click="ignore",
            icon=":material/description:", width="stretch",
        )  # fmt: skip
        text.quiet("To read without an account, offline, on screen or paper. It has no figures of what is withheld.")
        st.download_button(
            "The figures, as CSV", lambda: report.tiles_csv(shown).encode(), file_name=f"{name}.csv", mime="text/csv",
            on_click="ignore", icon=":material/table:", width="stretch",
        )  # fmt: skip
        titles = {tile.key: tile.counted.dimension.title_with_sort for tile in shown}
        chosen = st.selectbox("One tile, as a picture", list(titles), format_func=lambda key: text.escape(titles[key]))
        tile = next(tile for tile in shown if tile.key == chosen)
        svg = report.tile_picture(tile, dataset.name)
        with st.container(horizontal=True):
            st.download_button(
                "Save as SVG", svg, file_name=f"{picture.file_name(name, tile.key)}.svg", mime="image/svg+xml",
                on_click="ignore",
            )  # fmt: skip
            picture.save_button(svg, picture.file_name(name, tile.key), f"picture:{tile.key}")
