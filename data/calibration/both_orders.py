"""A judge's verdicts on pairs asked in both orders, from its scores and the notes on those that flipped."""

from __future__ import annotations

from data.cards import cards
from data.records.access import allow
from data.store import Store, cache_result
from judges.protocols import orders
from judges.stats.both_orders import OrderedVerdicts, PositionalAgreement, positional_agreement

_BOTH = "m.raw like '{\"pieces\":[{\"piece\":\"order:ab%' and m.raw like '%,{\"piece\":\"order:ba%'"
"""Quotes within a reply are escaped there, so that none can pass for a piece."""


@allow("annotator")
@cache_result
def load_positional_agreement(store: Store, dataset_id: str, judge_id: str) -> PositionalAgreement | None:
    """The positional agreement of a judge's verdicts; None where it has none in both orders.

    Every sample counts, as a cell of its pair.
    """
    card = cards.card_of_judge_if_known(store, judge_id)
    dimension = orders.verdict_dimension(card) if card is not None else None
    if dimension is None:
        return None
    rows = store.rows(
        "select m.id, m.item_id, s.value, s.judgment_id is not null, r.text from judgment m "
        "join item i on i.id = m.item_id "
        "left join score s on s.judgment_id = m.id and s.unit = 'pair' and s.dimension = $3 "
        "left join remark r on r.judgment_id = m.id and r.unit = 'pair' and r.dimension = $3 and r.sort = 'note' "
        "and (r.text like '% changed with the order: %' or r.text like 'Asked as %') "
        f"where i.dataset_id = $1 and m.judge_id = $2 and m.unscored = '' and {_BOTH} order by i.name, m.sample, m.id",
        [dataset_id, judge_id, dimension.name],
    )
    verdicts: dict[str, OrderedVerdicts] = {}
    for key, item, value, scored, note in rows:
        if (flip := orders.parse_flip_note(note or "")) is not None:
            verdicts[key] = (item, *flip)
        elif scored:
            word = dimension.scale.format(value)
            verdicts.setdefault(key, (item, word, word))
    complete = [verdict for verdict in verdicts.values() if verdict[1]]
    return positional_agreement(complete, dimension.scale.answers) if complete else None
