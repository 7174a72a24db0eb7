"""The strata into which the items of a dataset are divided for a draw; an item keeps its own from its first draw on."""

from __future__ import annotations

import json
from bisect import bisect_left
from dataclasses import dataclass

from data.calibration import item_fields
from data.calibration.calibration import compared_dimensions
from data.gold import excluded_items
from data.records.access import allow
from data.records.outcomes import unit_sort_sql
from data.records.tables import DesignRow, StratumRow
from data.store import Store, Tx
from data.store.errors import BadInput
from data.store.ids import new_id
from judges.protocols.combination import nearest_answer
from judges.stats import bins, sampling
from judges.stats.sampling import SampleDesign
from judges.types import Dimension

LOWEST = "lowest score"


@dataclass(frozen=True)
class SampledPopulation:
    """The items of a dataset that a draw is about: item -> stratum, and item -> whether assisted of those drawn before.

    `new` are the strata that this draw would fix; `open` says whether the design assigns any item. Items that prompts
    were tuned on are not in the population, drawn before or not, because the figures do not cover them.
    """

    strata: dict[str, str]
    already: dict[str, bool]
    new: dict[str, str]
    open: bool


@allow("researcher")
def sampled_population(store: Store | Tx, dataset_id: str, design: SampleDesign) -> SampledPopulation:
    """Return the items with their strata: those fixed before, and for items that have none yet those of the design.

    Raises BadInput for an impossible design: nothing is known by which to divide the items, or all of them are divided
    already, in another way.
    """
    rows = store.rows("select item_id, mode, seq from draw where dataset_id = $1 and stream = 'audit'", [dataset_id])
    already, draws = {str(r[0]): r[1] == "assisted" for r in rows}, sorted({int(r[2]) for r in rows})
    query = "select id, system_a, system_b, seq from item where dataset_id = $1" + excluded_items.not_excluded_sql(
        store, "id"
    )
    items = {str(i): (sampling.system_pair(str(a), str(b)), int(s)) for i, a, b, s in store.rows(query, [dataset_id])}
    stored = store.rows("select item_id, stratum from stratum where dataset_id = $1", [dataset_id])
    fixed = {str(i): str(h) for i, h in stored}
    # Draws from before strata were stored: by system, in waves of what came in between them.
    wave = {i: bisect_left(draws, seq) if not fixed else len(draws) for i, (_, seq) in items.items() if i not in fixed}
    names = {i: items[i][0] for i in wave}
    if items and len(draws) not in wave.values():
        _refuse_other(store, dataset_id, design)
    elif design.by != "system":
        others = stratum_words(store, dataset_id, design)
        names |= {i: others[i] for i, n in wave.items() if n == len(draws)}
    new = sampling.assign_strata((i, names[i], n) for i, n in wave.items())
    every = fixed | new  # a stratum may have the name "", that of the items without a system
    return SampledPopulation({i: every[i] for i in items}, already, new, len(draws) in wave.values())


@allow("researcher")
def current_design(store: Store | Tx, dataset_id: str) -> SampleDesign | None:
    """The design that parted items of a dataset last; None before the first draw."""
    query = "select parted_by, field, judge_id, allocation, about from design where dataset_id = $1"
    rows = store.rows(f"{query} order by seq desc limit 1", [dataset_id])
    if rows:
        by, field, judge, allocation, about = (str(value) for value in rows[0])
        return SampleDesign(by, field, judge, allocation, about)  # type: ignore[arg-type]
    drawn = store.rows("select 1 from draw where dataset_id = $1 and stream = 'audit' limit 1", [dataset_id])
    return SampleDesign() if drawn else None


def store_strata(tx: Tx, dataset_id: str, sampled_population: SampledPopulation, design: SampleDesign) -> None:
    """Store the strata that a draw gave to items, and the design that did."""
    if sampled_population.new:
        tx.append([StratumRow(dataset_id, i, h) for i, h in sorted(sampled_population.new.items())])
        fields = design.by, design.of, design.judge, design.allocation, design.about
        tx.append([DesignRow(new_id(), dataset_id, *fields)])


def _refuse_other(store: Store | Tx, dataset_id: str, design: SampleDesign) -> None:
    first = current_design(store, dataset_id) or SampleDesign()
    judged = first.by in ("score", "confidence") and design.judge != first.judge
    if (design.by, design.of) != (first.by, first.of) or judged:
        raise BadInput(
            f"The items of this dataset were stratified {describe_design(first)} at their first draw and keep these "
            "strata, because their probabilities would be unknown otherwise. Another design can stratify only items "
            "that are imported later."
        )


def describe_design(design: SampleDesign) -> str:
    """Return the property that items are divided by, in words: "by system"."""
    if design.by == "score":
        return f"by the judge's {design.of.rpartition('.')[2].replace('_', ' ') or LOWEST}"
    return f"by {design.of}" if design.by == "meta" else f"by {design.by}"


# -- what items are parted by -------------------------------------------------------------------------------------


def stratum_words(store: Store | Tx, dataset_id: str, design: SampleDesign) -> dict[str, str]:
    """item -> its score, confidence, language or field of meta, in words. Raises BadInput where none is known."""
    if design.by == "score":
        return _by_score(store, dataset_id, design)
    if design.by == "confidence":
        return _by_confidence(store, dataset_id, design)
    rows = store.rows(f"select id, meta, {item_fields.HEAD} from item i where dataset_id = $1", [dataset_id])
    metas = [json.loads(r[1]) if r[1] not in ("", "{}") else {} for r in rows]
    if design.by == "language":
        return {
            str(r[0]): item_fields.language(m, str(r[2])) or "no language" for r, m in zip(rows, metas, strict=True)
        }
    field = design.of
    words = {str(r[0]): item_fields.word(m.get(field)) for r, m in zip(rows, metas, strict=True)}
    if not any(words.values()):
        known_fields = sorted({key for m in metas for key, value in m.items() if item_fields.word(value)})
        raise BadInput(
            f"No item of this dataset has a field {field!r} with a value in its meta. "
            f"There are: {', '.join(known_fields[:20]) or 'none'}."
        )
    return {i: f"{field} {w}" if w else f"no {field}" for i, w in words.items()}


def _by_score(store: Store | Tx, dataset_id: str, design: SampleDesign) -> dict[str, str]:
    dimensions = compared_dimensions(store, design.judge)
    if design.of:
        dimensions = [d for d in dimensions if f"{d.sort}.{d.name}" == design.of]
    else:  # scores before categories in an order, as "good" and 3 are not on one scale
        ordered = [d for d in dimensions if d.scale.has_order]
        dimensions = [d for d in ordered if d.scale.is_numeric and d.asked] or ordered
    if not dimensions:
        raise BadInput(
            f"This judge's card has no dimension called {design.of!r} with a scale: choose one of its dimensions."
            if design.of
            else "This judge's card has no dimension on an ordered scale: choose a dimension, or other strata."
        )
    lowest = [_lowest(store, dataset_id, design.judge, d) for d in dimensions]
    items = [str(r[0]) for r in store.rows("select id from item where dataset_id = $1", [dataset_id])]
    if not any(lowest):
        raise BadInput("This judge has scored no item of this dataset on that: choose another judge, or other strata.")
    scales = {(bins.first_value(d.scale), bins.scale_width(d.scale)) for d in dimensions}
    if len(scales) > 1:  # parts of a scale, where scales differ
        lowest = [
            {i: (v - bins.first_value(d.scale)) / bins.scale_width(d.scale) for i, v in scores.items()}
            for d, scores in zip(dimensions, lowest, strict=True)
        ]
    figures = {i: min((scores[i] for scores in lowest if i in scores), default=None) for i in items}
    if not design.of:
        return sampling.assign_bands(figures, LOWEST if len(scales) == 1 else f"{LOWEST} of 0 to 1,")
    [dimension] = dimensions
    name = dimension.name.replace("_", " ")
    if dimension.scale.is_numeric:
        return sampling.assign_bands(figures, name)
    words = {i: None if v is None else dimension.scale.answers[int(nearest_answer(v))] for i, v in figures.items()}
    return {i: f"no {name}" if word is None else f"{name} {word}" for i, word in words.items()}


def _lowest(store: Store | Tx, dataset_id: str, judge_id: str, dimension: Dimension) -> dict[str, float]:
    """The lowest score of every item on one dimension."""
    rows = store.rows(
        "select l.item_id, min(l.value) from score_now l join item i on i.id = l.item_id where i.dataset_id = $1 "
        f"and l.judge_id = $2 and l.dimension = $3 and {unit_sort_sql(dimension.sort, 'l')} and l.value is not null "
        "group by l.item_id",
        [dataset_id, judge_id, dimension.name],
    )
    return {str(i): float(v) for i, v in rows}


def _by_confidence(store: Store | Tx, dataset_id: str, design: SampleDesign) -> dict[str, str]:
    """By the lowest confidence in an item: stated or from log-probabilities, else how far the samples agree."""
    query = (
        "select i.id, min(s.{figure}) from item i left join {table} s on s.item_id = i.id and s.judge_id = $2 "
        "where i.dataset_id = $1 group by i.id"
    )
    for figure, table in (("confidence", "score_now"), ("agreement", "score_spread")):
        rows = store.rows(query.format(figure=figure, table=table), [dataset_id, design.judge])
        figures: dict[str, float | None] = {str(i): None if c is None else float(c) for i, c in rows}
        if any(c is not None for c in figures.values()):
            return sampling.assign_bands(figures, "confidence")
    raise BadInput(
        "This judge states no confidence and has one sample per item, so there is no self-consistency either. Stratify "
        "by its score, or by system."
    )


@allow("researcher")
def meta_fields(store: Store | Tx, dataset_id: str) -> list[str]:
    """The fields of the items' meta that could part them: with two values or more, and not more than strata."""
    values: dict[str, set[str]] = {}
    query = "select distinct meta from item where dataset_id = $1 and meta not in ('', '{}')"
    for (meta,) in store.rows(query, [dataset_id]):
        for key, value in json.loads(meta).items():
            words = values.setdefault(key, set())
            if (word := item_fields.word(value)) and len(words) <= sampling.MAX_STRATA:
                words.add(word)
    return sorted(key for key, words in values.items() if 2 <= len(words) <= sampling.MAX_STRATA)
