"""Gold: the value that people's labels of a cell resolve to, by the rule of its scale, on a chosen basis."""

from __future__ import annotations

from typing import Literal

from judges.types import Scale, UnitSort

Basis = Literal["gate", "blind", "assisted", "all"]
BASES: dict[Basis, str] = {
    "gate": "Blind labels of random draws",
    "blind": "All blind labels",
    "assisted": "Assisted labels of random draws",
    "all": "All labels, blind and assisted",
}
"""What a figure may rest on. The gate counts the first; labels given after a reveal are in none of them."""

WEIGHTED: tuple[Basis, ...] = ("gate", "assisted")
"""The bases on which a cell counts 1/pi, pi being the probability with which its item was drawn."""

_RANDOM = "(d.probability is not null or l.probability is not null)"
_WHERE: dict[Basis, str] = {
    "gate": f"l.mode = 'blind' and {_RANDOM}",
    "blind": "l.mode = 'blind'",
    "assisted": f"l.mode = 'assisted' and {_RANDOM}",
    "all": "l.mode in ('blind', 'assisted')",
}
_UNITS: dict[UnitSort, str] = {
    "turn": "l.unit like 'turn:%'",
    "section": "l.unit like 'section:%'",
    "side": "l.unit like 'response/%'",
    "conversation": "l.unit = 'conversation'",
    "pair": "l.unit = 'pair'",
    "response": "l.unit = 'response'",
}


def rests_on(mode: str, random: bool) -> list[Basis]:
    """The bases that a label of this mode belongs to; `random`: its item was drawn with a known probability."""
    bases: dict[Basis, bool] = {
        "gate": mode == "blind" and random,
        "blind": mode == "blind",
        "assisted": mode == "assisted" and random,
        "all": mode in ("blind", "assisted"),
    }
    return [basis for basis, holds in bases.items() if holds]


def gold(sort: UnitSort, scale: Scale, basis: Basis) -> str:
    """SQL for the gold of one dimension: item_id, unit, value (NULL = n/a), probability, people.

    Parameters: $1 dataset, $2 dimension. Ordered scales resolve to the lower median of the values, or n/a where most
    people said so; unordered ones and flags to the majority, a drawn vote to the scale's `drawn` category where it has
    one, else to no gold. `probability` is the inclusion probability of the item (NULL: not a random draw).
    """
    # Most cells have one label, or equal ones: only the others, `disputed`, are worth a median or a count of votes.
    cells = (
        "with labels as (select l.item_id, l.unit, l.value, coalesce(d.probability, l.probability) as probability "
        "from label_now l join item i on i.id = l.item_id "
        "left join draw_now d on d.id = l.draw_id and d.stream = 'audit' "
        f"where i.dataset_id = $1 and l.dimension = $2 and {_UNITS[sort]} and {_WHERE[basis]}), "
        "cells as (select item_id, unit, min(value) as low, max(value) as high, max(probability) as probability, "
        "count(*) as people, count(value) as valued from labels group by item_id, unit), "
        "disputed as (select l.item_id, l.unit, l.value from labels l join cells c "
        "on c.item_id = l.item_id and c.unit = l.unit where "
    )
    if scale.kind in ("ordinal", "ordered", "number"):  # the lower median of two is the lower one
        return (
            f"{cells} c.valued > 2 and c.low < c.high), "
            "settled as (select item_id, unit, percentile_disc(0.5) within group (order by value) as value "
            "from disputed group by item_id, unit) "
            "select c.item_id, c.unit, c.probability, c.people, "
            "case when 2 * c.valued < c.people then null else coalesce(s.value, c.low) end as value "
            "from cells c left join settled s on s.item_id = c.item_id and s.unit = c.unit"
        )
    drawn = str(scale.categories.index(scale.drawn)) if scale.drawn else "null"
    return (
        f"{cells} c.low < c.high or c.valued between 1 and c.people - 1), "
        "votes as (select item_id, unit, value, count(*) as n from disputed group by item_id, unit, value), "
        "tops as (select item_id, unit, max(n) as top from votes group by item_id, unit), "
        "settled as (select v.item_id, v.unit, count(*) as winners, max(v.value) as value from votes v "
        "join tops t on t.item_id = v.item_id and t.unit = v.unit and t.top = v.n group by v.item_id, v.unit) "
        "select c.item_id, c.unit, c.probability, c.people, case when s.winners is null then c.low "
        f"when s.winners = 1 then s.value else {drawn} end as value "
        "from cells c left join settled s on s.item_id = c.item_id and s.unit = c.unit"
        + ("" if scale.drawn else " where coalesce(s.winners, 1) = 1")
    )
