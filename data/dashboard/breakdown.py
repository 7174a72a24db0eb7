"""The figures behind a tile: its mean over time and by slice, the judge's own and corrected one, each with its items.

A judge's score of an item counts once, under the run and the day of the score in force. So points in time also differ
in their items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas
from numpy.typing import NDArray

from data.approvals import policy
from data.calibration import item_fields, slices
from data.calibration.aggregates import IMPORTED, RUN_KEY, scoring_change_sql
from data.calibration.calibration import float_columns
from data.dashboard import dashboard
from data.dashboard.dashboard import Tile
from data.gold.fewshot import not_in_prompt_sql
from data.gold.gold import Basis, gold_sql
from data.records.access import allow
from data.records.outcomes import CountedDimension, unit_sort_sql, verdict_codes
from data.records.settings import gold_rule
from data.store import Store, cache_result
from data.store.errors import BadInput
from judges.stats import bins
from judges.stats.slices import MeanSlice, ScoredCells, Slicing, make_slicing, mean_of_slice, slice_means, time_periods
from judges.stats.uncertainty import MIN_CLUSTERS

MAX_GROUPS, MAX_TIME_STEPS = 12, 40
"""The most slices, and points in time, that are shown."""
MOST_CELLS = 3_000_000
"""Scores of a dimension that are held in memory."""
RUN, DAY, SYSTEM, KIND, STRATUM = "run", "day", "system", "kind", "stratum"
POSITION, SIDE, META = "position", "side", "meta."
_REST = "all others"
_EARLIER = "earlier runs"


@dataclass(frozen=True)
class BreakdownField:
    """A way to split the items of a dataset: what it is called, and whether its slices follow each other in time.

    `rescored`: the time is that of the judge's score, so an item moves when it is scored again.
    """

    title: str
    time: bool = False
    rescored: bool = False


@dataclass(frozen=True)
class Breakdown:
    """A mean by slice.

    `overall`: the mean of all ratings (None: over all systems together it means nothing). `rest`: how many values are
    one slice together. `without`: the items that are in no slice. `step`: that of time ("" none).
    """

    field: BreakdownField
    overall: MeanSlice | None
    slices: tuple[MeanSlice, ...]
    rest: int = 0
    without: int = 0
    step: str = ""


@allow("annotator")
def breakdown_fields(
    store: Store, dataset_id: str, judge_id: str, counted: CountedDimension
) -> dict[str, BreakdownField]:
    """The ways to part the items that make at least two slices, those of time first, by their name in addresses."""
    items, runs = item_fields.item_fields(store, dataset_id), dashboard.scoring_runs(store, dataset_id, judge_id)
    fields = {f"{META}{key}": BreakdownField(key, True) for key, words in items.days.items() if _several(words)}
    if len(runs) > 1:
        fields[RUN] = BreakdownField("run of the judge", True, True)
    if _days(store, dataset_id, judge_id) > 1:
        fields[DAY] = BreakdownField("day of the judgment (UTC)", True, True)
    systems = {*items.words[item_fields.SYSTEM], *items.second} - {""}
    if len(systems) > 1:
        fields[SYSTEM] = BreakdownField("system")
    if counted.dimension.has_several_units:
        fields[POSITION] = BreakdownField(f"number of the {counted.dimension.sort}")
    if counted.dimension.is_of_side:
        fields[SIDE] = BreakdownField("side of the pair")
    own = {item_fields.LANGUAGE: items.words[item_fields.LANGUAGE], KIND: items.kind, STRATUM: items.stratum}
    if (
        len({*zip(own[STRATUM], items.words[item_fields.SYSTEM], strict=True)})
        == len(set(own[STRATUM]))
        == len(systems)
    ):
        del own[STRATUM]  # drawn by system
    titles = {item_fields.LANGUAGE: "language", KIND: "kind of item", STRATUM: "stratum of the draw"}
    fields |= {key: BreakdownField(titles[key]) for key, words in own.items() if _several(words)}
    metas = {key: words for key, words in items.words.items() if key not in (item_fields.SYSTEM, item_fields.LANGUAGE)}
    return fields | {
        f"{META}{key}": BreakdownField(key)
        for key, words in metas.items() if key not in items.days and _several(words) and not _unique(words)
    }  # fmt: skip


@cache_result
def _days(store: Store, dataset_id: str, judge_id: str) -> int:
    """On how many days the judge judged items of a dataset."""
    query = (
        "select count(distinct cast(c.made_at as date)) from change c where c.seq in (select m.seq from judgment m "
        "join item i on i.id = m.item_id where i.dataset_id = $1 and m.judge_id = $2)"
    )
    return int(store.rows(query, [dataset_id, judge_id])[0][0])


def _several(words: NDArray[np.object_]) -> bool:
    return len(set(words) - {""}) > 1


def _unique(words: NDArray[np.object_]) -> bool:
    """Whether most items have different values, so that a slice would be a single item."""
    return 2 * len(set(words) - {""}) > int((words != "").sum())


@allow("annotator")
@cache_result
def break_down(
    store: Store, dataset_id: str, judge_id: str, tile: Tile, by: str, system: str = "", outcome: int | None = None
) -> Breakdown:
    """The mean of an outcome (None: the one that leads) by slice, of one system, or ("") of all together.

    Raises BadInput for a way that the items cannot be parted in, and for more scores than memory is spent on.
    """
    field = breakdown_fields(store, dataset_id, judge_id, tile.counted).get(by)
    if field is None:
        raise BadInput(f"The items cannot be broken down by {by!r}. Choose another field.")
    outcome = tile.headline if outcome is None else outcome
    basis = tile.approval.requirements.basis(policy.is_synthetic(store, dataset_id))
    ask, items = tile.counted, item_fields.item_fields(store, dataset_id)
    reach, frame = dashboard.reach_of_mean(ask), _frame(store, dataset_id, judge_id, ask, basis)
    frame = frame.assign(place=frame["item_id"].map(items.place))
    frame = _by_system(items, frame, ask, split=bool(system) or by == SYSTEM)
    if system and by != SYSTEM:
        frame = frame[frame["system"] == system]
    cells, step, cell_words = _cells(frame, ask, outcome), "", list[str]()
    overall = None if ask.sided and (not system or by == SYSTEM) else mean_of_slice("all", cells, reach, not ask.mean)
    place = frame["place"].to_numpy(dtype=np.int64)
    if by == RUN:
        cut = _runs(store, dataset_id, judge_id, frame)
    elif by in (POSITION, SIDE):
        units = slices.encode_words(frame["unit"])
        cut = (slices.position_cut if by == POSITION else slices.side_cut)(units, ask.dimension)
    else:
        name, own = by.removeprefix(META), items.days if field.time else items.words
        words = {DAY: frame["day"], SYSTEM: frame["system"], KIND: items.kind[place], STRATUM: items.stratum[place]}
        cell_words = list(words[by] if by in words else own[name][place])
        labelled, every = (len(pandas.unique(part)) for part in (place[cells.gold], place))
        enough = labelled if labelled >= 2 * MIN_CLUSTERS else every  # periods that can be corrected, if any can
        cut, step = _words(by, cell_words, enough if field.time else 0)
    if cut is None:
        return Breakdown(field, overall, (), step=step)
    without = len(pandas.unique(place)) - len(pandas.unique(place[cut.code >= 0]))
    means, rest = slice_means(cells, cut, reach, not ask.mean), 0
    if cut.names[-1] == _REST and not field.time:
        rest = len(set(cell_words) - {""}) - len(cut.names) + 1
        means[-1] = replace(means[-1], name=f"{_REST} ({rest:,} values)")
    if by == SYSTEM:  # as the tile has them
        order = {s.name: n for n, s in enumerate(tile.systems)}
        means.sort(key=lambda mean: order.get(mean.name, len(order)))
    return Breakdown(field, overall, tuple(means), rest, without, step)


def _words(by: str, words: Sequence[str], items: int) -> tuple[Slicing | None, str]:
    """Return a cut by words. With a number of items the words are days, and the cut is by periods of time."""
    if not items:
        coded = slices.encode_words(words)
        return make_slicing(by, coded.names, coded.code, max_slices=MAX_GROUPS), ""
    step, named = time_periods(words, items, MAX_TIME_STEPS)
    code, periods = slices.encode_words(named)
    return make_slicing(by, periods, code, max_slices=len(periods), order=sorted(set(periods))), step


def _runs(store: Store, dataset_id: str, judge_id: str, frame: pandas.DataFrame) -> Slicing | None:
    """Return the cut by run, in their order; of very many runs the oldest are one slice."""
    runs = dashboard.scoring_runs(store, dataset_id, judge_id)
    names = dashboard.run_names(runs)
    if len(runs) > MAX_TIME_STEPS:
        names |= {run.key: _EARLIER for run in runs[: len(runs) - MAX_TIME_STEPS + 1]}
    code, keys = slices.encode_words(frame["run"])
    order = list(dict.fromkeys(names.values()))
    return make_slicing(RUN, [names.get(key, key) for key in keys], code, max_slices=len(order) + 1, order=order)


def _frame(store: Store, dataset_id: str, judge_id: str, counted: CountedDimension, basis: Basis) -> pandas.DataFrame:
    """The cells that the judge gave a value: item, unit, value, run, day, and what people say of it.

    Of several samples, run and day are those of the item's last, as in the trend of the tile.
    """
    d = counted.dimension
    seq, origin = scoring_change_sql(store, judge_id)
    scored = (
        f"from score_now s {origin}join item i on i.id = s.item_id where i.dataset_id = $1 and s.judge_id = $2 "
        f"and s.dimension = $3 and {unit_sort_sql(d.sort, 's')} and s.value is not null"
    )
    params = [dataset_id, judge_id, d.name]
    if (n := int(store.rows(f"select count(*) {scored}", params)[0][0])) > MOST_CELLS:
        raise BadInput(f"There are {n:,} scores of {d.title}, and at most {MOST_CELLS:,} are held in memory at a time.")
    query = f"select s.item_id, s.unit, cast(s.value as double precision) as value, {seq} as seq"
    frame = store.frame(f"{query} {scored} order by 1, 2", params)
    came = store.frame(
        f"select m.seq, max({RUN_KEY}) as run, "
        "cast(cast(max(c.made_at) as date) as text) as day from judgment m left join change c on c.seq = m.seq "
        "where m.judge_id = $1 group by m.seq",
        [judge_id],
    )
    frame = frame.merge(came, how="left", on="seq")
    frame["run"], frame["day"] = frame["run"].fillna(IMPORTED), frame["day"].fillna("")
    shares = "" if counted.mean else "".join(f", said{n}" for n in range(len(counted.codes)))
    rule = gold_rule(store, dataset_id)
    own = gold_sql(d.sort, d.scale, basis, rule, not_in_prompt_sql(store, judge_id), means=True)
    people = store.frame(f"select item_id, unit, weight, mean, share{shares} from ({own}) g", [dataset_id, d.name])
    return frame.merge(people, how="left", on=["item_id", "unit"])


def _by_system(
    items: item_fields.ItemFields, frame: pandas.DataFrame, counted: CountedDimension, split: bool
) -> pandas.DataFrame:
    """Return the cells with the system that each is of. A verdict on a pair is of both: `split` has it twice."""
    place = frame["place"].to_numpy(dtype=np.int64)
    second = frame["unit"].str.endswith("/b") if counted.dimension.is_of_side else False
    cells = frame.assign(system=items.systems(place, second), turned=False)
    if counted.sided and split:
        return pandas.concat([cells, frame.assign(system=items.second[place], turned=True)], ignore_index=True)
    if counted.dimension.sort == "pair" and not counted.sided:
        return cells.assign(system=items.pair_names(place))
    return cells


def _cells(frame: pandas.DataFrame, counted: CountedDimension, outcome: int) -> ScoredCells:
    """The cells as numbers; what is no mean is 1 where the answer is the outcome, else 0."""
    scale = counted.dimension.scale
    value = frame["value"].to_numpy(dtype=np.float64)
    row = np.asarray(bins.row_numbers(value, scale), dtype=np.int64)
    weight, share = float_columns(frame, "weight", "share")
    has_gold, place = ~np.isnan(weight), frame["place"].to_numpy(dtype=np.int64)
    if counted.mean:
        judge, [human] = value, float_columns(frame, "mean")
    else:
        own, other = verdict_codes(counted, outcome) if counted.sided else 2 * (1 if scale.kind == "flag" else outcome,)
        turned = frame["turned"].to_numpy(dtype=bool)
        judge = (row == np.where(turned, other, own)).astype(np.float64)
        answer_shares = float_columns(frame, f"said{own}", f"said{other}")
        with np.errstate(invalid="ignore", divide="ignore"):
            human = np.where(turned, answer_shares[1], answer_shares[0]) / share
    weight, share = np.where(has_gold, weight, 0.0), np.where(has_gold, share, 0.0)
    return ScoredCells(place, judge, row, human, has_gold, weight, share, slices.encode_words(frame["system"]).code)
