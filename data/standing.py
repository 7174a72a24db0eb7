"""How the dimensions of a judge stand: their figures on a basis beside the gate's, and the gate's decisions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from data import calibration
from data.deciding import policy
from data.fewshot import apart
from data.gold import Basis
from data.settings import Waiting, gold_rule
from data.store import Store
from judges import calibrate
from judges.calibrate import Line, Summary
from judges.types import SORTS, Dimension


def summaries(
    store: Store, dataset_id: str, judge_id: str, basis: Basis, dropped: bool = False, waiting: Waiting | None = None
) -> list[Summary]:
    """The figures of every dimension of a judge on a basis; `dropped` leaves out ties on both sides, and `waiting` says

    what becomes of cells that wait for somebody who adjudicates (None: as the dataset's rule has it).
    """
    asked = calibration.dimensions(store, judge_id)
    cells = calibration.every(store, dataset_id, judge_id, asked, basis, dropped, waiting)
    return [
        calibrate.summarise(given, d, d.scale.drawn if dropped else "") for given, d in zip(cells, asked, strict=True)
    ]


def both(
    store: Store, dataset_id: str, judge_id: str, basis: Basis, dropped: bool = False
) -> list[tuple[Summary, Summary]]:
    """Of every dimension in which cells wait for somebody who adjudicates: its figures with them and without them."""
    if gold_rule(store, dataset_id).apart is None:
        return []
    counted = summaries(store, dataset_id, judge_id, basis, dropped, "counted")
    if not any(one.people.waiting for one in counted):
        return []
    out = summaries(store, dataset_id, judge_id, basis, dropped, "out")
    return [pair for pair in zip(counted, out, strict=True) if pair[0].people.waiting]


def ordered(lines: Sequence[Line]) -> list[Line]:
    """Lines by the sort of their unit, then by name."""
    return sorted(lines, key=lambda line: (SORTS.index(line.dimension.sort), line.dimension.name))


def standing(store: Store, dataset_id: str, judge_id: str) -> list[Line]:
    """Every dimension on the gate's basis, decided together as the workspace's policy asks."""
    gate = summaries(store, dataset_id, judge_id, policy.basis(store, dataset_id))
    return ordered(calibrate.lines(gate, gate, policy.asked(store).policy))


def fingerprint(store: Store, dataset_id: str, judge_id: str, dimension: Dimension, basis: Basis) -> str:
    """Twenty hex digits of the SHA-256 of the cells behind a figure: item, unit, people's value, the judge's, weight.

    Items go by the hash of their content, in order, so that the same labels and scores have the same fingerprint in
    any workspace, however they came there.
    """
    digest = hashlib.sha256()
    rows = store.rows(
        f"with met as ({calibration.met(store, dataset_id, dimension, basis, apart(store, judge_id))}) "
        "select i.hash, m.unit, m.human, m.judge, m.scored, m.weight from met m join item i on i.id = m.item_id "
        "order by i.hash, m.unit, m.human, m.judge, m.scored, m.weight",
        [dataset_id, dimension.name, judge_id],
    )
    for row in rows:
        digest.update(repr(tuple(row)).encode())
    return digest.hexdigest()[:20]
