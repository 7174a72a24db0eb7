"""The dashboard as one self-contained HTML file for people without an account, and its tiles as SVG plots.

It has what the page has (data/dashboard/dashboard.py): figures of approved dimensions only; of what is withheld just
why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from data.dashboard import sentences
from data.dashboard.breakdown import Breakdown
from data.dashboard.dashboard import PublishedJudge, SystemMeans, Tile
from data.reports import tables
from judges.plural import many
from judges.render import html
from judges.render.csv_cells import csv_text
from judges.render.drawing import (
    TEXT_SIZE,
    box,
    coord,
    escape_text,
    frame,
    label,
    line,
    text_width,
    title_height,
)
from judges.stats.slices import MeanSlice
from judges.version import VERSION

BREAKDOWN_COLUMNS = (
    "dimension", "unit", "system", "of", "by", "slice", "items", "ratings", "judge", "judge low", "judge high",
    "corrected", "low", "high", "people", "labelled items", "effective items", "remark", "older policy",
)  # fmt: skip
_ROW, _BAR = 36, 180
_GAP = 22
"""Room for the line that parts the systems which have only the judge's own figure from those before them."""
_FIGURE = 150
_JUDGE = 1  # the place of the judge's colour


def dashboard_html(judge: PublishedJudge, made_at: datetime, runs: Mapping[str, str]) -> str:
    """The whole file. `made_at` (UTC) is stated; `runs` names the runs that scores came from."""
    parts = [_head(judge)]
    for tile in judge.tiles:
        parts += _tile(tile, runs)
    parts += [html.heading("Withheld", anchor="withheld"), _withheld(judge)]
    parts += [html.heading("How to read this"), _reading()]
    parts.append(html.embed_json(tile_records(judge.tiles)))
    foot = f"Made by Assay {VERSION} on {made_at:%Y-%m-%d %H:%M} UTC from what was approved then."
    return html.html_page(f"Dashboard of {judge.dataset.name}", parts, foot)


def _head(judge: PublishedJudge) -> str:
    systems = len({s.name for tile in judge.tiles for s in tile.systems})
    markup = html.para(
        "How {systems} do in {n}, as **{judge}** scored them and people's labels correct it. Only dimensions in which "
        "the judge was held against people's blind labels, and which a lead approved, have figures here.",
        "lead", judge=judge.name, n=many(len(judge.tiles), "approved dimension"), systems=many(systems, "system"),
    )  # fmt: skip
    if judge.dataset.synthetic:
        markup += html.note("These data are synthetic: {told}", told=judge.dataset.description or "made by a generator")
    elif judge.synthetic:
        markup += html.note("This judge is no language model: it practises, and its scores say nothing about any.")
    return markup


def _tile(tile: Tile, runs: Mapping[str, str]) -> list[str]:
    title, approval, warning = tile.counted.dimension.title, tile.approval, tile.policy_today.warning
    mark, day = f"{tile.policy_today.mark.capitalize()} ·" if warning else "✓", f"{approval.at:%Y-%m-%d}"
    parts = [
        html.heading(f"{title} · {approval.sort}"),
        html.para("{mark} approved by {person} on {day}", "quiet", mark=mark, person=approval.person, day=day),
        *([html.note("{told}", told=warning)] if warning else []),
        html.para("{told}", told=" ".join(sentences.explain_tile(tile))),
        html.figure(tile_plot(tile)),
    ]
    if tile.comparisons:
        differences = [html.say("{told}", told=sentences.describe_difference(tile, pair)) for pair in tile.comparisons]
        parts.append(html.details("Which systems differ significantly", [html.bullets(differences)]))
    heading_columns = ("dimension", "unit", "older policy")
    rows = [
        {k: f"{v:.4f}" if isinstance(v, float) else v for k, v in row.items() if k not in heading_columns}
        for row in rows_of(tile)
    ]
    parts.append(html.details("All figures", [html.table(rows, list(rows[0]))] if rows else []))
    order = [key for key in runs if any(p.run == key for s in tile.systems for p in s.trend)]
    if len(order) > 1:
        parts.append(html.details("The judge's own figures, run by run", [_runs(tile, order, runs)]))
    return parts


def _runs(tile: Tile, order: Sequence[str], runs: Mapping[str, str]) -> str:
    rows = []
    for system in tile.systems:
        known = {p.run: sentences.tile_figure(tile, p.means[tile.headline]) for p in system.trend}
        rows.append({"system": system.name or "unnamed", **{key: known.get(key) for key in order}})
    return html.table(rows, {"system": "system", **{key: runs[key] for key in order}})


def rows_of(tile: Tile) -> list[dict[str, object]]:
    """Every figure of a tile, a row for each system and mean, with every digit; None where there is none."""
    rows: list[dict[str, object]] = []
    for system in tile.systems:
        for outcome, mean in enumerate(system.means):
            interval = mean.interval
            rows.append(
                {
                    "dimension": tile.approval.dimension, "unit": tile.approval.sort, "system": system.name,
                    "of": tile.counted.describe_mean(outcome), "corrected": interval.point, "low": interval.low,
                    "high": interval.high, "judge": mean.judge, "people": mean.people, "labelled items": mean.n,
                    "other items": mean.others, "not covered": mean.uncovered if mean.n else None,
                    "lambda": None if interval.point is None else mean.lam, "n/a": system.na,
                    "unscored": system.unscored, "older policy": tile.policy_today.warning,
                }
            )  # fmt: skip
    return rows


def tile_records(tiles: Sequence[Tile]) -> list[dict[str, object]]:
    """The same of all tiles, for a program."""
    return [row for tile in tiles for row in rows_of(tile)]


def tiles_csv(tiles: Sequence[Tile]) -> str:
    """The same of all tiles as CSV."""
    rows = tile_records(tiles)
    return tables.csv_of_rows(rows, list(rows[0])) if rows else ""


def breakdown_csv(tile: Tile, breakdown: Breakdown, system: str, outcome: int) -> str:
    """The figures behind a tile as CSV: a row for every slice, after all of them together, with every digit."""
    by = f"{breakdown.field.title} ({breakdown.step})" if breakdown.step else breakdown.field.title
    ahead = [tile.approval.dimension, tile.approval.sort, system or "all", tile.counted.describe_mean(outcome), by]
    totals = [breakdown.overall] if breakdown.overall is not None else []
    return csv_text(
        BREAKDOWN_COLUMNS,
        [[*ahead, *_slice_row(mean_slice), tile.policy_today.warning] for mean_slice in (*totals, *breakdown.slices)],
    )


def _slice_row(mean_slice: MeanSlice) -> list[object]:
    own, mean = mean_slice.judge, mean_slice.mean
    interval = mean.interval if mean is not None else None
    figures = [interval.point, interval.low, interval.high] if interval is not None else [None] * 3
    labels = [mean.people, mean.n, interval.n_eff] if mean is not None and interval is not None else [None] * 3
    return [
        mean_slice.name, own.items, own.cells, own.point, own.low, own.high, *figures, *labels,
        sentences.explain_missing_figure(mean_slice),
    ]  # fmt: skip


def tile_picture(tile: Tile, dataset: str) -> str:
    """A tile as a plot that says by itself what it is of, and how it compares with the policy of today."""
    mark = f" · {tile.policy_today.mark}" if tile.policy_today.warning else ""
    return tile_plot(tile, f"{tile.counted.dimension.title} · {dataset}{mark}")


def _withheld(judge: PublishedJudge) -> str:
    if not judge.withheld:
        return html.para("Nothing: every dimension of this judge is approved.")
    rows = [
        {"dimension": w.dimension.title, "unit": w.dimension.sort, "state": w.state, "why": w.public_reason}
        for w in judge.withheld
    ]
    return html.table(rows, ["dimension", "unit", "state", "why"])


def _reading() -> str:
    points = [
        "**The dot and its line**: what people would say on average over all items, and its 95% interval. The judge "
        "scored all items, people some of them; where both did one sees by how much it is off.",
        "**The dashed diamond**: the judge's own mean. Off the line, it is biased: it scores higher or lower than "
        "people.",
        "**The bar**: how often the judge gave each answer. n/a and unscored replies are in no mean.",
        "**Significant** is a difference at 5% for all pairs of systems together (Holm).",
    ]
    return html.bullets([html.say(point) for point in points])


# -- a tile as a plot -------------------------------------------------------------------------------------------------


def tile_plot(tile: Tile, title: str = "") -> str:
    """A row for each system: the corrected figure with its interval, the judge's own, and the judge's answers."""
    left = min(205.0, max([text_width(s.name or "unnamed") for s in tile.systems], default=0) + 14)
    start, end = left + _FIGURE, 760 - _BAR - 26
    low, high, ticks = sentences.tile_axis(tile, 8)
    top = title_height(title) + 2 * TEXT_SIZE + 12

    def at(value: float) -> float:
        return start + 8 + (value - low) / (high - low) * (end - start - 16)

    sure = sum(s.means[tile.headline].interval.point is not None for s in tile.systems)
    gap = _GAP if 0 < sure < len(tile.systems) else 0
    bottom = top + _ROW * len(tile.systems) + gap
    body = [line(at(t), top, at(t), bottom, "grid") for t, _ in ticks]
    body += [label(at(t), top - 6, text, "soft", "middle", size=12) for t, text in ticks]
    lead = "mean" if tile.counted.mean else f"“{tile.counted.describe_mean(tile.headline)}”"
    body.append(label(left, top - 6, lead, "soft", size=12, room=_FIGURE - 8))
    body += _key(tile, title_height(title))
    for place, system in enumerate(tile.systems):
        body += _row(tile, system, top + _ROW * place + (gap if place >= sure else 0), left, at)
    if gap:
        y = top + _ROW * sure
        body += [line(0, y, 760, y, "grid"), label(0, y + 15, sentences.UNCORRECTED_NOTE, "soft", size=11)]
    body += _legend(bottom + 20)
    return frame(bottom + 34, title, body)


def _row(tile: Tile, system: SystemMeans, y: float, left: float, at: Callable[[float], float]) -> list[str]:
    mean, name = system.means[tile.headline], system.name or "unnamed"
    interval, middle = mean.interval, y + _ROW / 2
    own = sentences.tile_figure(tile, mean.judge)
    parts = [line(0, y, 760, y, "grid"), label(0, middle + 4.5, name, room=left - 10)]
    if interval.point is None:
        why = "judge's own, labels do not cover it" if mean.refused else "judge's own"
        parts += [label(left, middle - 2, own), label(left, middle + 12, why, "soft", size=11, room=_FIGURE - 8)]
    else:
        point, ends = sentences.tile_figure(tile, interval.point), sentences.tile_ends(tile, interval)
        if interval.low is not None and interval.high is not None:
            parts.append(line(at(interval.low), middle, at(interval.high), middle, "s0", 2.5))
        parts += [
            label(left, middle - 2, point, "title"),
            label(left, middle + 12, f"{ends} · judge {own}".lstrip(" ·"), "soft", size=11),
        ]
        says = f"{name}: people would say {point}" + (f" ({ends})" if ends else "")
        tip = f"<title>{escape_text(says)}</title>"
        parts.append(
            f'<circle cx="{coord(at(interval.point))}" cy="{coord(middle)}" r="5.5" class="f0">{tip}</circle>'
        )
    raised = 0 if interval.point is None else 11
    parts.append(_diamond(at(mean.judge), middle - raised, f"{name}: the judge says {own}"))
    x = 760.0 - _BAR
    for n, share in enumerate(system.answer_shares):
        width = _BAR * share
        if width <= 0:
            continue
        tip = f"{name}: the judge answers {tile.counted.answers[n]} in {share:.0%}"
        parts.append(
            box(x, middle - 9, max(0.5, width - 1), 18, f"f{_JUDGE}", tip, _shade(n, len(system.answer_shares)))
        )
        x += width
    return parts


def _diamond(x: float, y: float, tip: str) -> str:
    places = ((x, y - 6), (x + 6, y), (x, y + 6), (x - 6, y))
    path = "M" + "L".join(f"{coord(a)} {coord(b)}" for a, b in places) + "Z"
    dashed = 'stroke-width="1.8" stroke-dasharray="2.6 1.8" style="fill:var(--ground)"'
    return f'<path d="{path}" class="s{_JUDGE}" {dashed}><title>{escape_text(tip)}</title></path>'


def _shade(n: int, of: int) -> str:
    return f' fill-opacity="{coord(0.16 + 0.84 * (n / (of - 1) if of > 1 else 1))}"'


def _key(tile: Tile, y: float) -> list[str]:
    """The judge's answers beside their shades; only the ends of a long scale."""
    answers = list(enumerate(tile.counted.answers))
    if sum(text_width(a, 11) + 22 for _, a in answers) > _BAR:
        answers = [answers[0], answers[-1]]
    parts, x = [label(760 - _BAR, y + TEXT_SIZE - 2, "the judge's answers", "soft", size=11)], 760.0 - _BAR
    for n, answer in answers:
        room = _BAR / len(answers) - 20
        parts.append(box(x, y + TEXT_SIZE + 5, 9, 9, f"f{_JUDGE}", "", _shade(n, len(tile.counted.answers))))
        parts.append(label(x + 13, y + TEXT_SIZE + 14, answer, "soft", room=room, size=11))
        x += 13 + min(room, text_width(answer, 11)) + 9
    return parts


def _legend(y: float) -> list[str]:
    text = "what people would say (corrected), with its 95% interval"
    return [
        line(0, y - 4, 24, y - 4, "s0", 2.5), f'<circle cx="12" cy="{coord(y - 4)}" r="5" class="f0"/>',
        label(32, y, text, "soft", size=12), _diamond(412, y - 4, ""),
        label(426, y, "what the judge itself says", "soft", size=12),
    ]  # fmt: skip
