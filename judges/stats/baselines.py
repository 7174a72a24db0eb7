"""Baselines: what rules that do not read the text reach against the same gold (docs/methods.md, Baselines).

The constant rule always gives the most frequent gold value. The length rule uses only the length of the judged text. It
is fitted on other items than those that it predicts (cross-fitting), so it is no better than on new items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from judges.rounding import ROUNDING
from judges.stats import bins
from judges.stats.agreement import Floats, nearest_codes
from judges.stats.calibration import PairedRatings, kappa_cells
from judges.stats.concordance import midranks
from judges.stats.intervals import Cells, kappa_difference, kappa_influences, kappa_interval
from judges.stats.uncertainty import Interval, why_no_interval
from judges.tokens import tokens
from judges.types import Dialogue, Dimension, Pair, Response, section_place, sort_of, turn_number

FOLDS = 10
"""Parts of the items; each part is answered for by a rule fitted on the other nine."""
_LEAST_MARGIN = 1e-5
"""Below it, a difference of kappas is rounding: a judge that always says the same is as good as a rule that does."""
BaselineVerdict = Literal["beats", "not shown to beat", "falls short of", "cannot tell"]


@dataclass(frozen=True)
class LengthRule:
    """The length rule against gold, and the judge on the same cells.

    `rule` and `judge` are kappas with their intervals by items, `exact` the rule's share of equal answers, `difference`
    the paired difference judge - rule. `standing` is "beats" where the interval of `difference` lies above 0, "falls
    short of" where it lies below, "not shown to beat" where it holds 0, and "cannot tell" below 30 items or without an
    interval. There are two such rules, one with people's distribution of answers and one with the judge's
    (`length_rule_guesses`); this is the better one.
    """

    rule: Interval
    judge: Interval
    difference: Interval
    exact: float

    @property
    def standing(self) -> BaselineVerdict:
        """Whether the judge beats the rule."""
        return _standing(self.difference)

    @property
    def caveat(self) -> str:
        """A sentence on why the difference tells nothing; "" if it has an interval."""
        return why_no_interval(self.difference, "people and rule" if self.judge.point is not None else "everyone")


@dataclass(frozen=True)
class Baselines:
    """The results of the two rules in one dimension. A figure is None without cells, or if its rule does not apply.

    `constant` is the commonest gold value in words and `share` how much of the gold it is: the exact agreement of a
    rule that always says it. Its kappa is always 0, because observed and expected agreement are equal, so the judge
    beats it if its own interval is above 0. If all gold has one value, every kappa is 0 or undefined, and nothing can
    be concluded. `items` is the number of items behind the figures.
    """

    items: int
    constant: str | None = None
    share: float | None = None
    judge: Interval | None = None
    length: LengthRule | None = None

    @property
    def above_constant(self) -> BaselineVerdict:
        """Whether the judge beats a rule that always says the same."""
        varied = self.judge is not None and self.share is not None and self.share < 1
        return _standing(self.judge) if self.judge is not None and varied else "cannot tell"

    @property
    def standing(self) -> BaselineVerdict:
        """The judge against both rules: the worse of the two verdicts."""
        verdicts = [self.above_constant, *([self.length.standing] if self.length is not None else [])]
        if self.share == 1:
            return "cannot tell"
        return next((s for s in ("falls short of", "not shown to beat", "cannot tell") if s in verdicts), "beats")


def _standing(margin: Interval) -> BaselineVerdict:
    if margin.is_too_small or margin.low is None or margin.high is None:
        return "cannot tell"
    if margin.low > _LEAST_MARGIN:
        return "beats"
    return "falls short of" if margin.high < -_LEAST_MARGIN else "not shown to beat"


def unit_length(item: Dialogue | Pair | Response, unit: str) -> float:
    """The length of a unit's text in tokens: of a turn, of all assistant turns for the conversation, or of a section.

    For a pair it is B's share of both lengths, len(b) / (len(a) + len(b)), as its verdict is about which is better.
    nan where the text is not there.
    """
    sort = sort_of(unit)
    if isinstance(item, Dialogue):
        turn = turn_number(unit) if sort == "turn" else None
        texts = [t.text for t in item.turns if t.role == "assistant" and turn in (None, t.turn)]
        return float(sum(map(tokens, texts))) if texts else float("nan")
    if isinstance(item, Response):
        return float(tokens(item.output))
    sides = {"a": item.response_a.text, "b": item.response_b.text}
    if sort == "pair":
        if sides["a"] is None or sides["b"] is None:
            return float("nan")
        a, b = tokens(sides["a"]), tokens(sides["b"])
        return b / (a + b) if a + b else 0.5
    side = unit.partition("/")[2]
    text = sides.get(side)
    if text is None:
        return float("nan")
    if sort == "section":
        number, _ = section_place(unit)
        section = (item.sections or [])[number - 1] if number <= len(item.sections or []) else None
        span = getattr(section, side, None)
        return float(tokens(text[span[0] : span[1]])) if span else float("nan")
    return float(tokens(text))


def compare_baselines(ratings: PairedRatings, lengths: Floats, dimension: Dimension) -> Baselines:
    """Return the results of the two rules on the cells that people and judge gave a value.

    `lengths` is as long as `ratings`. The length rule needs an order of answers (`has_length_rule`). Cells without a
    length are left out of its figures, and of the judge's figures that it is compared with.
    """
    scale = dimension.scale
    cells, k = kappa_cells(ratings, scale)
    item, human, judge, weight = (np.asarray(side) for side in cells[:4])  # codes, or between two
    if not len(item):
        return Baselines(0)
    rows = bins.row_numbers(ratings.human[ratings.has_both], scale)
    totals = np.bincount(rows, weight, minlength=bins.row_count(scale))
    commonest = int(totals.argmax())
    items = len(np.unique(item))
    judge_kappa = kappa_interval(cells, k, scale.weights)
    constant, share = bins.row_labels(scale)[commonest], float(totals[commonest] / totals.sum())
    x = np.asarray(lengths, dtype=np.float64)[ratings.has_both]
    known = ~np.isnan(x)
    if not has_length_rule(dimension) or len(np.unique(item[known])) < 2:
        return Baselines(items, constant, share, judge_kappa)
    x, item, human, judge, weight = x[known], item[known], human[known], judge[known], weight[known]
    own = judge if human.dtype.kind == "f" else nearest_codes(judge)
    guesses = [guess_by_length(x, item, human, weight, dimension, like) for like in (None, own)]
    rules = [Cells(item, human, guess, weight) for guess in guesses]
    rule = max(rules, key=lambda candidate: kappa_influences(candidate, k, scale.weights)[0] or 0.0)
    judged = Cells(item, human, judge, weight)
    length_rule = LengthRule(
        kappa_interval(rule, k, scale.weights),
        judge_kappa if known.all() else kappa_interval(judged, k, scale.weights),
        kappa_difference(rule, judged, k, scale.weights, paired=True),
        float(weight[rule.judge == human].sum() / weight.sum()),
    )
    return Baselines(items, constant, share, judge_kappa, length_rule)


def has_length_rule(dimension: Dimension) -> bool:
    """Whether a length rule makes sense: for ordered answers, for flags, and for which side is better."""
    scale = dimension.scale
    sides = dimension.sort == "pair" and {"a", "b"} <= set(scale.categories)
    return scale.has_order or scale.kind == "flag" or sides


def guess_by_length(
    x: Floats, item: NDArray[np.int64], human: NDArray[np.int64] | Floats, weight: Floats, dimension: Dimension,
    like: NDArray[np.int64] | Floats | None = None,
) -> NDArray[np.int64] | Floats:  # fmt: skip
    """`length_rule_guesses` on the scale of a dimension.

    For the better side of a pair, the order is "a", answers that name no side, "b", however a card lists them.
    """
    k = bins.code_count(dimension.scale)
    if dimension.scale.has_order or dimension.scale.kind == "flag":
        return length_rule_guesses(x, item, human, weight, k, like)
    order = np.argsort([{"a": -1, "b": 1}.get(name, 0) for name in dimension.scale.categories], kind="stable")
    place = order.argsort()
    placed = None if like is None else place[nearest_codes(like)]
    return order[length_rule_guesses(x, item, place[nearest_codes(human)], weight, k, placed)]


def length_rule_guesses(
    x: Floats, item: NDArray[np.int64], human: NDArray[np.int64] | Floats, weight: Floats, k: int,
    like: NDArray[np.int64] | Floats | None = None,
) -> NDArray[np.int64] | Floats:  # fmt: skip
    """Return the answer of a length rule in every cell: codes 0..k-1, cross-fitted by item in FOLDS parts.

    If codes are not whole numbers, the guess is one of the codes that occur.

    F is the weighted distribution of lengths (a length's own share counts half) and G that of codes. A cell of length x
    gets the code whose stretch of G, lower end included, contains F(x): the rule is monotone in length and uses the
    scale as G does. Without `like`, F and G are those of the gold in the *other* parts. With it (the judge's codes),
    they are those of all lengths and of the judge, which use no gold. The weighted covariance of length's rank and gold
    in the other parts decides whether the rule goes upward or downward. Items fall into the parts by length (then
    gold), after a shuffle with a fixed seed.
    """
    distinct, position = np.unique(item, return_inverse=True)
    # Sorted by content: sorted by item name, as in a store, the parts would differ between workspaces.
    order = np.lexsort([np.bincount(position, value) for value in (human, x)])
    part = (np.random.default_rng(0).permutation(len(distinct)) % min(FOLDS, len(distinct)))[order.argsort()][position]
    out = (human if like is None else like).copy()
    everywhere = np.ones(len(x), dtype=bool)
    for fold in range(int(part.max()) + 1):
        own, others = part == fold, part != fold
        upward = _trend(midranks(x[others], weight[others], x[others]), human[others], weight[others]) >= 0
        fitted, codes = (others, human) if like is None else (everywhere, like)
        at = midranks(x[fitted], weight[fitted], x[own])
        values = np.unique(codes[fitted]).astype(out.dtype) if out.dtype.kind == "f" else np.arange(k, dtype=np.int64)
        steps = np.cumsum(np.bincount(np.searchsorted(values, codes[fitted]), weight[fitted], minlength=len(values)))
        placed = (at if upward else 1 - at) + ROUNDING  # a border of two stretches belongs to the upper one
        out[own] = values[np.minimum(np.searchsorted(steps / steps[-1], placed, side="right"), len(values) - 1)]
    return out


def _trend(ranks: Floats, codes: NDArray[np.int64] | Floats, weight: Floats) -> float:
    """Weighted covariance."""
    mean, middle = np.average(ranks, weights=weight), np.average(codes, weights=weight)
    return float(np.average((ranks - mean) * (codes - middle), weights=weight))
