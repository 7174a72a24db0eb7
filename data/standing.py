"""How the dimensions of a judge stand: their figures on a basis beside the gate's, and the gate's decisions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from data import calibration
from data.deciding import policy
from data.fewshot import apart
from data.gold import Basis
from data.response import responses
from data.store import Store
from judges import calibrate
from judges.calibrate import Line, Summary
from judges.response import held
from judges.types import SORTS, Dimension


def summaries(store: Store, dataset_id: str, judge_id: str, basis: Basis, dropped: bool = False) -> list[Summary]:
    """The figures of every dimension of a judge on a basis; `dropped` leaves out ties on both sides."""
    asked = calibration.dimensions(store, judge_id)
    cells = calibration.every(store, dataset_id, judge_id, asked, basis, dropped)
    return [
        calibrate.summarise(given, d, d.scale.drawn if dropped else "") for given, d in zip(cells, asked, strict=True)
    ]


def standing(store: Store, dataset_id: str, judge_id: str) -> list[Line]:
    """Every dimension on the gate's basis, decided together as the workspace's policy asks."""
    gate = summaries(store, dataset_id, judge_id, policy.basis(store, dataset_id))
    return lines(store, dataset_id, judge_id, gate, gate)


def lines(
    store: Store, dataset_id: str, judge_id: str, shown: Sequence[Summary], gate: Sequence[Summary]
) -> list[Line]:
    """Figures on any basis beside those on the gate's, decided together as the workspace's policy asks, with an eye to

    who answered; by the sort of their unit, then by name. The one place where what is shown becomes a decision.
    """
    asked = policy.asked(store)
    answered = responses(store, dataset_id, judge_id, [s.dimension for s in gate], policy.basis(store, dataset_id))
    found = [
        replace(line, decision=held(line.decision, answered[line.dimension.sort, line.dimension.name], asked.answered))
        for line in calibrate.lines(shown, gate, asked.policy)
    ]
    return sorted(found, key=lambda line: (SORTS.index(line.dimension.sort), line.dimension.name))


def fingerprint(store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis) -> str:
    """Twenty hex digits of the SHA-256 of the cells behind a figure: item, unit, people's value, the judge's, weight.

    Items go by the hash of their content, in order, so that the same labels and scores have the same fingerprint in
    any workspace, however they came there.
    """
    digest = hashlib.sha256()
    rows = store.rows(
        f"with met as ({calibration.met(store, dataset_id, dimension, basis, among=apart(store, judge_id))}) "
        "select i.hash, m.unit, m.human, m.judge, m.scored, m.weight from met m join item i on i.id = m.item_id "
        "order by i.hash, m.unit, m.human, m.judge, m.scored, m.weight",
        [dataset_id, dimension.name, judge_id],
    )
    for row in rows:
        digest.update(repr(tuple(row)).encode())
    return digest.hexdigest()[:20]
