"""Several samples of a judge become one answer: its rules, stored with the judge, and the rows made of its samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from data.records.access import allow
from data.records.datasets import DatasetJudge
from data.records.tables import CombineRuleRow
from data.store import Store, Tx, kept
from judges.card import Card
from judges.protocols.combination import combination_rule, describe_samples, rule_on_scale
from judges.stats import bins
from judges.types import Scale


def nearest_sql(column: str) -> str:
    """SQL of the answer nearest to a judge's value, which may lie between two; a half counts up."""
    return f"floor({column} + 0.5)"


def is_answer_sql(column: str, code: float, scale: Scale) -> str:
    """SQL condition that a value is, or is nearest to, an answer; on an interval scale that it is in the row of one."""
    if scale.kind != "interval":
        return f"{nearest_sql(column)} = {code!r}"
    low, high = bins.row_ends(code, scale)
    return f"{column} >= {low!r} and {column} < {high!r}"


def table_row_sql(column: str, scale: Scale) -> str:
    """SQL of the code of the table's row in which a value is (`judges.stats.bins.row_values`)."""
    if not bins.is_binned(scale):
        return answer_sql(column, scale)
    low, width = repr(float(scale.lo)), repr(bins.scale_width(scale) / bins.MAX_BINS)
    return f"({low} + (least({bins.MAX_BINS - 1}, floor(({column} - {low}) / {width} + 1e-9)) + 0.5) * {width})"


def answer_sql(column: str, scale: Scale) -> str:
    """SQL of the answer of a scale nearest to a value; of an interval scale without steps the value itself."""
    if scale.kind != "interval":
        return nearest_sql(column)
    low, step = repr(float(scale.lo)), repr(float(scale.step))
    return f"({low} + floor(({column} - {low}) / {step} + 0.5 + 1e-9) * {step})" if scale.step else column


def add_rules(tx: Tx, judges: Mapping[str, tuple[Card, Mapping[str, Any]]]) -> None:
    """Append how the samples of new judges combine, for every dimension of their cards."""
    tx.append([
        CombineRuleRow(key, d.sort, d.name, rule_on_scale(combination_rule(card, params), d.scale), d.scale.tie_code)
        for key, (card, params) in judges.items()
        for d in card.dimensions
    ])  # fmt: skip


@allow("annotator")
@kept
def describe_combinations(store: Store) -> dict[str, str]:
    """The words beside the name of every judge that was asked several times: "5 samples, median"."""
    # Unordered answers always go by vote, so `min` gives the judge's own rule: all others come before "vote".
    rows = store.rows(
        "select c.judge_id, max(c.samples), min(r.rule) from combination_now c join combine_rule r "
        "on r.judge_id = c.judge_id group by c.judge_id"
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
