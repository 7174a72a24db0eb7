"""The tables of a report as CSV: every digit, stable column names, and no text that a spreadsheet would run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from data.reports.evidence import Evidence
from data.reports.figures import Json
from judges.render.csv_cells import csv_text
from judges.stats import agreement


def csv_of_rows(rows: Iterable[Json], columns: Sequence[str]) -> str:
    """A CSV text of rows that are dictionaries."""
    return csv_text(columns, ([line.get(name) for name in columns] for line in rows))


FIGURES = (
    "unit dimension basis ties weights kappa low high bound se items ratings n_eff method undefined_replicates "
    "agreement within_one bias bias_low bias_high people_fewest people_most labels correlation commonest ac "
    "gold_items gold_ratings unscored na_ratings na_people na_judge na_agreement na_kappa"
)
"""The columns of figures.csv."""
_KAPPA = "kappa low high bound items ratings n_eff method"
_COLUMNS = {
    "figures": FIGURES,
    "states": "unit dimension state reason missing more_items_low more_items_high baseline constant constant_agreement "
    "length_kappa ahead ahead_low ahead_high",
    "confusion": "unit dimension basis ties people judge ratings weight people_share judge_share",
    "people": f"unit dimension what people {_KAPPA}",
    "slices": f"unit dimension by slice {_KAPPA} bias p p_holm",
    "growth": f"unit dimension {_KAPPA}",
    "confidence": "unit dimension source from to stated share ratings right right_low right_high near",
    "fingerprints": "unit dimension basis fingerprint",
    "audits": "audit verdict figure low high n flags why",
    "decisions": "at unit dimension decision person reason state fingerprint holds",
    "means": "system dimension unit scores mean",
}


def tables(evidence: Evidence, all_figures: Json) -> dict[str, str]:
    """Every table by its name, from the evidence and the figures that were made of it.

    The README of the archive says what each is (data/reports/bundle.py). In `slices` p tests whether slices differ, and
    p_holm is over all ways of slicing; `confusion` has every cell of every table, with its count, its weight and the
    marginals' shares; `means` are the judge's own, by system.
    """
    rows: dict[str, list[Json]] = {name: [] for name in _COLUMNS}
    for dim in all_figures["dimensions"]:
        for name, lines in _of_dimension(dim):
            rows[name] += [{"unit": dim["unit"], "dimension": dim["dimension"], **line} for line in lines]
    rows["confusion"] = list(_confusion(evidence))
    rows["audits"] = [{"audit": name, **result} for name, result in all_figures["audits"].items()]
    rows["decisions"] = [d | {"unit": d["sort"], "fingerprint": d["print"]} for d in all_figures["decisions"]]
    rows["means"] = [m | {"unit": m["unit"] or "all", "scores": m["cells"]} for m in all_figures["means"]]
    return {name: csv_of_rows(rows[name], columns.split()) for name, columns in _COLUMNS.items()}


def _of_dimension(dim: Json) -> Iterator[tuple[str, list[Json]]]:
    yield "figures", dim["figures"]
    floors, (low, high) = dim["baselines"], dim["more_items"] or (None, None)
    length = floors["length"] or {"ahead": {}}
    ahead = length["ahead"]
    extra_columns = {
        "baseline": floors["standing"], "length_kappa": length.get("kappa"), "ahead": ahead.get("kappa"),
        "ahead_low": ahead.get("low"), "ahead_high": ahead.get("high"),
    }  # fmt: skip
    yield "states", [dim | floors | extra_columns | {"more_items_low": low, "more_items_high": high}]
    names = {"between": "between people", "alpha": "alpha", "judge": "judge", "judge_minus_between": "judge - people"}
    people = dim["people"] or {}
    yield "people", [
        {**people[key], "what": name, "people": people["people"]} for key, name in names.items() if people.get(key)
    ]
    yield "slices", [cut | part for cut in dim["slices"] for part in cut["slices"]]
    yield "growth", dim["by_items"]
    yield "confidence", [
        {**level, "source": entry["source"], "from": level["low"], "to": level["high"]}
        for entry in dim["confidence"] for level in entry["levels"]
    ]  # fmt: skip
    yield "fingerprints", [{"basis": basis, "fingerprint": entry} for basis, entry in dim["fingerprints"].items()]


def _confusion(evidence: Evidence) -> Iterator[Json]:
    for dim in evidence.dimensions:
        for (basis, dropped), summary in dim.bases.items():
            margins = agreement.marginals(summary.table)
            place = {"unit": dim.dimension.sort, "dimension": dim.dimension.name, "basis": basis}
            for i, people in enumerate(summary.answers):
                for j, judge in enumerate(summary.answers):
                    shares = [float(margins[0][i]), float(margins[1][j])] if margins else [None, None]
                    counted = {"ratings": int(summary.counts[i, j]), "weight": float(summary.table[i, j])}
                    yield place | counted | {
                        "ties": "dropped" if dropped else "counted", "people": people, "judge": judge,
                        "people_share": shares[0], "judge_share": shares[1],
                    }  # fmt: skip
