"""The data from which a tile of the dashboard is drawn: all words and figures of it, as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from data.dashboard import sentences
from data.dashboard.dashboard import SystemMeans, Tile
from judges.plural import many

_UNITS = {
    "turn": "each turn", "section": "each section", "side": "each response of a pair", "response": "each response",
}  # fmt: skip


def tile_data(tile: Tile, runs: Mapping[str, str], badges: Mapping[str, str]) -> dict[str, Any]:
    """The data of one tile (pages/dashboard/tiles/tiles.js)."""
    has_trend = len({point.run for system in tile.systems for point in system.trend}) > 1
    low, high, ticks = sentences.tile_axis(tile, 10)
    approval, dimension = tile.approval, tile.counted.dimension
    trust: dict[str, Any] = {
        "t": "✓ approved", "help": "A lead approved it: here the judge agrees with people as the policy requires.",
    }  # fmt: skip
    if tile.policy_today.warning:
        trust = {"t": tile.policy_today.mark, "help": tile.policy_today.warning, "made": True}
    return {
        "title": dimension.title,
        "unit": f"asked of {_UNITS.get(dimension.sort, f'the whole {dimension.sort}')}",
        "badges": [trust] + [{"t": name, "help": help_text, "made": True} for name, help_text in badges.items()],
        "by": f"approved by {approval.person} on {approval.at:%Y-%m-%d}",
        "today": tile.policy_today.warning,
        "reading": " ".join(sentences.explain_tile(tile)),
        "answers": list(tile.counted.answers),
        "axis": {"lo": low, "hi": high, "ticks": [{"at": at, "t": text} for at, text in ticks]},
        "systems": [_system(tile, n, system, runs) for n, system in enumerate(tile.systems)],
        "trend": _trend_range(tile, high - low) if has_trend else None,
        "pairs": [
            {"t": sentences.describe_difference(tile, pair), "apart": pair.differs}
            for pair in sorted(tile.comparisons, key=lambda pair: not pair.differs)
        ],
        "tables": [_figures(tile), *([_trend(tile, runs)] if has_trend else [])],
        "words": {
            "figure": "mean" if tile.counted.mean else f"“{tile.counted.describe_mean(tile.headline)}”",
            "answers": "the judge's answers",
            "trend": "judge, by run",
            "people": "what people would say (corrected), with its 95% interval",
            "judge": "what the judge itself says",
            "open": "Over time and by category",
            "pairs": "Which systems differ significantly",
            "few": sentences.UNCORRECTED_NOTE,
        },
    }


def _trend_range(tile: Tile, length: float) -> list[float]:
    """The ends between which the judge's figures move from run to run: alike for all systems, and never close-up.

    `length` is that of the axis, of which at least a tenth is shown.
    """
    values = [point.means[tile.headline] for system in tile.systems for point in system.trend]
    spare = max(0.0, length / 10 - (max(values) - min(values))) / 2
    return [min(values) - spare, max(values) + spare]


def _system(tile: Tile, number: int, system: SystemMeans, runs: Mapping[str, str]) -> dict[str, Any]:
    mean, name = system.means[tile.headline], system.name or "unnamed"
    interval, own = mean.interval, sentences.tile_figure(tile, mean.judge)
    point = None if interval.point is None else sentences.tile_figure(tile, interval.point)
    ends = sentences.tile_ends(tile, interval)
    notes: list[dict[str, Any]] = [{"t": sentences.lacking_labels(mean) if mean.missing else f"{mean.n:,} labelled"}]
    if mean.refused:
        notes.append({"t": "labels do not cover it"})
    if system.na:
        notes.append({"t": f"n/a {system.na:.0%}", "answer": None, "label": f"{name}: n/a in {system.na:.0%}"})
    if system.unscored:
        notes.append({"t": f"unscored {system.unscored:.0%}"})
    shares = [
        {"answer": n, "share": share, "t": f"{share:.0%}", "label": f"{name}: {answer} in {share:.0%} — show the items"}
        for n, (answer, share) in enumerate(zip(tile.counted.answers, system.answer_shares, strict=True))
    ]
    return {
        "system": number,
        "name": name,
        "figure": point or own,
        "span": ends if point else "judge's own",
        "own_told": f"judge {own}" if point else "",
        "point": interval.point,
        "low": interval.low,
        "high": interval.high,
        "judge": mean.judge,
        "told": f"{name}: people would say {point}{f', {ends}' if ends else ''}" if point else f"{name}: not corrected",
        "own": f"{name}: the judge itself says {own}",
        "items": many(system.items, "item"),
        "notes": notes,
        "spread": shares,
        "spreadTold": f"{name}: the judge's answers",
        "trend": [
            {
                "v": p.means[tile.headline],
                "t": f"{runs.get(p.run, p.run)}: {sentences.tile_figure(tile, p.means[tile.headline])}",
            }
            for p in system.trend
        ],
    }


def _figures(tile: Tile) -> dict[str, Any]:
    shape = ".3f" if tile.counted.mean else ".1%"

    def put(value: float | None) -> str:
        return "–" if value is None else f"{value:{shape}}"

    rows = []
    for system in tile.systems:
        for outcome, mean in enumerate(system.means):
            interval = mean.interval
            rows.append(
                [
                    system.name or "unnamed", tile.counted.describe_mean(outcome), put(interval.point),
                    f"{put(interval.low)} to {put(interval.high)}" if interval.low is not None else "–",
                    put(mean.judge), put(mean.people), f"{mean.n:,}", f"{mean.others:,}",
                    "–" if interval.point is None else f"{mean.lam:.2f}", f"{system.na:.1%}", f"{system.unscored:.1%}",
                ]
            )  # fmt: skip
    columns = [
        "system", "of", "corrected", "95% interval", "judge", "people, labelled items", "labelled", "others", "λ",
        "n/a", "unscored",
    ]  # fmt: skip
    return {"title": "All figures", "columns": columns, "rows": rows}


def _trend(tile: Tile, runs: Mapping[str, str]) -> dict[str, Any]:
    order = [key for key in runs if any(p.run == key for s in tile.systems for p in s.trend)]
    rows = []
    for system in tile.systems:
        known = {p.run: p for p in system.trend}
        cells = [known.get(key) for key in order]
        texts = [
            "–" if p is None else f"{sentences.tile_figure(tile, p.means[tile.headline])} ({p.items:,})"
            for p in cells
        ]
        rows.append([system.name or "unnamed", *texts])
    return {
        "title": "The judge's own, run by run (items)",
        "columns": ["system", *(runs[k] for k in order)],
        "rows": rows,
    }
