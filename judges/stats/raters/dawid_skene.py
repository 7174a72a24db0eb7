"""Dawid and Skene's model: the most likely answers of the cells and each person's errors, from the labels alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judges.stats.agreement import Codes, Floats

_MIN_PROBABILITY = 1e-100
_MAX_STEPS, _TOLERANCE = 1_000, 1e-6  # steps of the search at most, and a change of all figures that ends it


@dataclass(frozen=True)
class DawidSkene:
    """The fitted model.

    `posterior` (cells, K): how likely each answer is the true one; `error` (people, K, K): how often a person says l
    (last axis) where j is true; `prior` (K,): how common each true answer is.
    """

    posterior: Floats
    error: Floats
    prior: Floats

    @property
    def accuracy(self) -> Floats:
        """The share of true answers of each person, (people,): sum_j prior_j error_jj."""
        rates: Floats = np.einsum("j,pjj->p", self.prior, self.error)
        return rates


def fit_dawid_skene(cell: Codes, person: Codes, value: Codes, k: int, lent: float = 0.0) -> DawidSkene:
    """The model fitted by expectation-maximisation, begun at the shares of the answers in each cell.

        M: prior_j = mean_i T_ij,   error_pjl ~ sum_i T_ij n_ipl
        E: T_ij ~ prior_j prod_p prod_l error_pjl^n_ipl

    with T the posterior and n_ipl how often person p says l in cell i (one row each; a person may label a cell twice).
    Numbers run from 0; a cell or person without rows has the prior, or even errors. `lent` adds that many labels to
    every row of a person's errors, with the error distribution of all people. Without it (lent = 0, as in the paper), a
    person with five labels would look perfect or useless. ValueError when nothing is given or a code is off the scale.
    Source: Dawid and Skene 1979, equations 2.3 to 2.5.
    """
    if not len(value):
        raise ValueError("There is no label to form an opinion from.")
    if value.min() < 0 or value.max() >= k:
        raise ValueError(f"The values must lie on the scale, from 0 to {k - 1}.")
    people, group_by_cell, often = int(person.max()) + 1, *_group_cells(cell, person * k + value)
    first = np.unique(group_by_cell[cell], return_index=True)[1]
    keep = np.isin(cell, cell[first])
    group, person, value = group_by_cell[cell[keep]], person[keep], value[keep]
    counts = np.bincount(group * k + value, minlength=len(often) * k).reshape(len(often), k).astype(np.float64)
    posterior = counts / counts.sum(axis=1, keepdims=True)
    place, before = person * k + value, None
    prior, error = _maximisation(posterior, often, group, place, people, k, lent)
    for _ in range(_MAX_STEPS):
        posterior = _expectation(prior, error, len(often), group, person, value)
        prior, error = _maximisation(posterior, often, group, place, people, k, lent)
        now = np.concatenate([prior, error.ravel()])
        if before is not None and float(np.abs(now - before).max()) < _TOLERANCE:
            break
        before = now
    by_cell = np.where((group_by_cell >= 0)[:, None], posterior[group_by_cell], prior)
    return DawidSkene(by_cell, error, prior)


def _group_cells(cell: Codes, code: Codes) -> tuple[Codes, Floats]:
    """Groups of cells in which the same people gave the same answers: the model cannot distinguish them.

    Gives the group of every cell (-1: it has no row), and how many cells each group has.
    """
    order = np.lexsort((code, cell))
    cell, code = cell[order], code[order]
    many = np.bincount(cell)
    start, groups = np.concatenate([[0], many.cumsum()[:-1]]), np.full(len(many), -1, dtype=np.int64)
    often = list[Codes]()
    for size in np.unique(many[many > 0]).tolist():
        cells = np.flatnonzero(many == size)
        rows = code[start[cells][:, None] + np.arange(size)]
        _, group, n = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
        groups[cells] = group.reshape(-1) + sum(len(n) for n in often)
        often.append(n)
    return groups, np.concatenate(often).astype(np.float64)


def _maximisation(
    posterior: Floats, often: Floats, group: Codes, place: Codes, people: int, k: int, lent: float
) -> tuple[Floats, Floats]:
    weighted = posterior * often[:, None]
    prior = weighted.sum(axis=0) / often.sum()
    columns = [np.bincount(place, weighted[group, j], minlength=people * k).reshape(people, k) for j in range(k)]
    tallied = np.stack(columns, axis=1).astype(np.float64)
    if lent:
        tallied = tallied + lent * _rows(tallied.sum(axis=0))
    return prior, _rows(tallied)


def _rows(tallied: Floats) -> Floats:
    """Every row as shares; one without anything in it as even ones."""
    total = tallied.sum(axis=-1, keepdims=True)
    return np.where(total > 0, tallied / np.where(total > 0, total, 1), 1 / tallied.shape[-1])


def _expectation(prior: Floats, error: Floats, groups: int, group: Codes, person: Codes, value: Codes) -> Floats:
    logs = np.log(np.maximum(error, _MIN_PROBABILITY))[person, :, value]
    joint = np.log(np.maximum(prior, _MIN_PROBABILITY)) + np.stack(
        [np.bincount(group, logs[:, j], minlength=groups) for j in range(len(prior))], axis=1
    )
    scaled = np.exp(joint - joint.max(axis=1, keepdims=True))
    return np.asarray(scaled / scaled.sum(axis=1, keepdims=True), dtype=np.float64)
