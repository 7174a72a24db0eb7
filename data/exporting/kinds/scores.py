"""The scores of judges, one row for each item, unit, dimension and judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from data.approvals import auto_accept
from data.approvals.auto_accept import AutoAcceptRule
from data.exporting.kind import (
    BEGIN,
    FLAG,
    INTEGER,
    NUMBER,
    TEXT,
    ExportKind,
    Options,
    Query,
    Row,
    limit_clause,
    typed_schema,
)
from data.exporting.shared import DIMENSION, JUDGE, code_words
from data.records import datasets
from data.records.datasets import Dataset
from data.store import Store
from judges.types import sort_of


def query(dataset: Dataset, options: Options, limit: int = 0, begin: Options = BEGIN, single: bool = False) -> Query:
    """The combined score of each judge, or each of its samples by itself."""
    params, only = [dataset.id, begin.get("item", "")], ""
    for column, value in (("s.judge_id", options["judge"]), ("s.dimension", options["dimension"])):
        if value:
            params.append(value)
            only += f" and {column} = ${len(params)}"
    number = "s.sample" if single else "case when p.samples is null then s.sample end"
    return (
        f"select i.id, i.name, i.kind, s.unit, s.dimension, s.judge_id, s.value, s.confidence, s.source, {number}, "
        "coalesce(p.samples, 1), p.agreement, p.lowest, p.highest, m.run_id "
        f"from {'score' if single else 'score_now'} s join item i on i.id = s.item_id "
        "join judgment m on m.id = s.judgment_id left join score_spread p on p.judge_id = s.judge_id "
        "and p.item_id = s.item_id and p.unit = s.unit and p.dimension = s.dimension "
        f"where i.dataset_id = $1 and i.name >= $2{only} "
        f"order by i.name, s.judge_id, s.unit, s.dimension, s.sample{limit_clause(limit)}",
        params,
    )


def rows(
    store: Store, dataset: Dataset, options: Options, limit: int = 0, begin: Options = BEGIN, single: bool = False
) -> Iterator[Row]:
    """The values that stand for each judge, or the first so many; `single`: each sample by itself."""
    known, say, spared = datasets.every_judge(store), code_words(store), _hidden_verdicts(store, dataset, options)
    for item, name, kind, unit, dimension, judge_id, code, confidence, source, sample, samples, *spread, run in (
        store.stream(*query(dataset, options, limit, begin, single))
    ):
        by = known[judge_id]
        yield {
            "item": name, "unit": unit, "dimension": dimension, "judge": judge_id,
            "value": say(kind, unit, dimension, code), "code": code, "confidence": confidence, "source": source,
            "sample": sample, "samples": samples, "agreement": spread[0], "lowest": spread[1], "highest": spread[2],
            "card": by.card, "card_version": by.card_version, "model": by.model,
            "params": by.params, "synthetic": by.synthetic, "run": run,
            "spared": None if (items := spared.get((judge_id, sort_of(unit), dimension))) is None else item in items,
        }  # fmt: skip


def _rules(store: Store, dataset: Dataset, options: Options) -> list[AutoAcceptRule]:
    rules = auto_accept.rules_in_force(store, dataset.id, str(options["judge"]))
    return [rule for rule in rules if options["dimension"] in ("", rule.dimension)]


def _hidden_verdicts(store: Store, dataset: Dataset, options: Options) -> dict[tuple[str, str, str], set[str]]:
    """(judge, sort of unit, dimension) -> the items whose verdicts a rule accepts without review, if any rule does."""
    hidden: dict[tuple[str, str, str], set[str]] = {}
    for rule in _rules(store, dataset, options):
        sure = auto_accept.rule_confidence(store, dataset.id, rule)
        if sure is not None:
            hidden[rule.judge, rule.sort, rule.dimension] = set(sure.item[sure.confidence >= rule.threshold].tolist())
    return hidden


def spare_rules(store: Store, dataset: Dataset, options: Options) -> Row:
    """The rules that `spared` goes by."""
    rules = _rules(store, dataset, options)
    return {"spared by": [asdict(rule) for rule in rules]} if rules else {}


COLUMNS = typed_schema(
    item=TEXT, unit=TEXT, dimension=TEXT, judge=TEXT, value=TEXT, code=NUMBER, confidence=NUMBER, source=TEXT,
    sample=INTEGER, samples=INTEGER, agreement=NUMBER, lowest=NUMBER, highest=NUMBER, card=TEXT, card_version=TEXT,
    model=TEXT, params=TEXT, synthetic=FLAG, run=TEXT, spared=FLAG,
)  # fmt: skip

KIND = ExportKind(
    "scores",
    "Judges' scores",
    "One row for each item, unit, dimension and judge: the value in words and as a number, its confidence, and "
    "where a lead has set a rule, whether it needs no person (spared). Several samples are one value, with how many "
    "there were and how far they agree with it.",
    COLUMNS,
    rows,
    query=query,
    options=(JUDGE, DIMENSION),
    place=20,
    shows_people=False,
    shows_judges="all",
    first=rows,
    provenance=spare_rules,
    reimport="imported again in every format, with its items, as values without replies; "
    "what several samples came to is left out",
)  # fmt: skip
