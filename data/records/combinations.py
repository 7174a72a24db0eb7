"""Several samples of a judge become one answer: its rules, stored with the judge, and the rows made of its samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from data.records.access import allow
from data.records.datasets import DatasetJudge
from data.records.tables import CombineRuleRow
from data.store import Store, Tx, cache_result
from judges.card import Card
from judges.protocols.combination import combination_rule, describe_samples, rule_on_scale


def add_rules(tx: Tx, judges: Mapping[str, tuple[Card, Mapping[str, Any]]]) -> None:
    """Append how the samples of new judges combine, for every dimension of their cards."""
    tx.append([
        CombineRuleRow(key, d.sort, d.name, rule_on_scale(combination_rule(card, params), d.scale), d.scale.tie_code)
        for key, (card, params) in judges.items()
        for d in card.dimensions
    ])  # fmt: skip


@allow("annotator")
@cache_result
def describe_combinations(store: Store) -> dict[str, str]:
    """The words beside the name of every judge that was asked several times: "5 samples, median"."""
    # Unordered answers always go by vote, so `min` gives the judge's own rule: all others come before "vote".
    rows = store.rows(
        "select c.judge_id, max(c.samples), min(r.rule) from combination_now c join combine_rule r "
        "on r.judge_id = c.judge_id group by c.judge_id having max(c.samples) > 1"
    )
    return {str(judge): describe_samples(int(samples), rule) for judge, samples, rule in rows}


def model_names(store: Store, judges: Sequence[DatasetJudge]) -> dict[str, str]:
    """The model of each judge by the judge's id, with its samples where it was asked several times."""
    samples = describe_combinations(store)
    return {
        judge.id: f"{judge.model} · {samples[judge.id]}" if judge.id in samples else judge.model for judge in judges
    }


@allow("annotator")
def combination_start(store: Store, judge: str) -> str:
    """The day from which the samples of a judge count together, where it was here before; "" where it always was so."""
    rows = store.rows(
        "select m.made_at from judge j join change c on c.seq = j.seq join migration m on m.name = 'samples' "
        "where j.id = $1 and c.made_at < m.made_at and j.params not like '%\"combine\":%'",
        [judge],
    )
    return f"{rows[0][0]:%Y-%m-%d}" if rows and judge in describe_combinations(store) else ""
