"""The rules that turn figures into verdicts, the same for all audits, and the words for them.

Rates and correlations need `MIN_ITEMS` items. Against a limit: *alarm* when the figure is above it, *warning* while its
interval still reaches above it, *pass* when the interval stays below. Against a neutral value: *alarm* when the
interval excludes it, *warning* when the figure is further off than `distance` and the interval does not settle it, else
*pass*. A figure without an interval is *not tested*, unless it is above a limit. Cases that are listed singly: *pass*
without any, *warning* from the first case on, *alarm* when their share is above the limit (docs/methods.md, Audits).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from judges.audits import AuditFinding, Flag, Plot, Verdict
from judges.audits._judged import item_numbers
from judges.stats.clustered import share_by_item
from judges.stats.uncertainty import MIN_CLUSTERS, Interval

MIN_ITEMS = MIN_CLUSTERS
"""Items that a rate or a correlation needs before anything is concluded from it."""
MAX_FLAGS = 200
"""The most items that a rate lists, strongest first; cases that are listed singly are all listed."""


def not_tested(why: str, n: int = 0) -> AuditFinding:
    """The finding *not tested*, with the reason."""
    return AuditFinding("not tested", why, n=n)


def too_few(n: int, noun: str, need: int = MIN_ITEMS) -> AuditFinding | None:
    """*Not tested*, with how many more it takes, if there are fewer than `need`; None if there are enough."""
    if n >= need:
        return None
    if n == 1:  # `noun` is words in the plural
        return not_tested(f"A verdict needs {need} {noun}: there is only one.", n=n)
    amount = f"No {noun} yet" if n == 0 else f"Only {n} {noun}"
    return not_tested(f"{amount}: {need - n} more {'is' if need - n == 1 else 'are'} needed for a verdict.", n=n)


def limit_verdict(interval: Interval, limit: float) -> Verdict:
    """The verdict against an upper limit."""
    if (interval.point or 0.0) > limit:
        return "alarm"
    if interval.high is None:
        return "not tested"
    return "warning" if interval.high > limit else "pass"


def neutral_verdict(interval: Interval, neutral: float, distance: float) -> Verdict:
    """The verdict against a value that means no preference."""
    if interval.point is None or interval.low is None or interval.high is None:
        return "not tested"
    if interval.low > neutral or interval.high < neutral:
        return "alarm"
    return "warning" if abs(interval.point - neutral) > distance else "pass"


def case_verdict(hits: int, interval: Interval, limit: float) -> Verdict:
    """The verdict for cases listed singly. Below `MIN_ITEMS` items, an alarm needs the lower end above the limit."""
    if not hits:
        return "pass"
    point, low = interval.point or 0.0, interval.low or 0.0
    return "alarm" if point > limit and (interval.items >= MIN_ITEMS or low > limit) else "warning"


def strongest_flags(flags: Sequence[Flag], limit: int = MAX_FLAGS) -> tuple[Flag, ...]:
    """The strongest flags, strongest first; equal ones keep their order."""
    return tuple(sorted(flags, key=lambda f: -f.strength)[:limit])


def flags_of(verdict: Verdict, flags: Sequence[Flag]) -> tuple[Flag, ...]:
    """The strongest flags of a finding; none where the verdict is *pass* or *not tested*."""
    return strongest_flags(flags) if verdict in ("warning", "alarm") else ()


def share_of(hits: Iterable[tuple[str, bool]]) -> Interval:
    """The share of hits among pairs (item, whether it is a hit), with an interval clustered by item."""
    rows = list(hits)
    return share_by_item([hit for _, hit in rows], item_numbers(item for item, _ in rows))


def make_finding(
    verdict: Verdict, why: str, figure: Interval, flags: Sequence[Flag] = (), picture: Plot | None = None,
    n: int | None = None,
) -> AuditFinding:  # fmt: skip
    """A finding on a figure with its interval; the number of items comes from the figure or from `n`."""
    if verdict == "not tested" and figure.low is None:
        why += " Without an interval nothing is concluded from it."
    return AuditFinding(verdict, why, figure.point, figure, figure.items if n is None else n, tuple(flags), picture)


def list_cases(
    cases: Sequence[tuple[str, Sequence[Flag]]], limit: float, why: str, y: str, good: str, bad: str
) -> AuditFinding:
    """The finding on cases that are listed singly: from (item, its flags), the items with a flag and their share.

    `why` has placeholders for the number of `hits`, the number of all items (`n`), and the share with its interval
    (`rate`) or without it (`share`). `y`, `good` and `bad` are the labels of the picture.
    """
    rate, hits = share_of((item, bool(flags)) for item, flags in cases), sum(bool(flags) for _, flags in cases)
    text = why.format(
        hits=hits, n=len(cases), share=percent(rate.point), rate=f"{percent(rate.point)} ({bounds(rate)})"
    )
    picture = Plot.bars("", y, (good, len(cases) - hits), (bad, hits))
    return make_finding(case_verdict(hits, rate, limit), text, rate, [f for _, flags in cases for f in flags], picture)


def percent(share: float | None) -> str:
    """A share in words: .412 -> "41%"; a small one keeps a decimal."""
    if share is None:
        return "an unknown share"
    return f"{share:.1%}" if 0 < share < 0.0095 else f"{share:.0%}"


def bounds(interval: Interval, share: bool = True) -> str:
    """The ends of an interval in words, such as "31% to 52%" or "-.10 to .22"; missing ends are named as such."""
    if interval.low is None or interval.high is None:
        return "no interval"
    if share:
        return f"{percent(interval.low)} to {percent(interval.high)}"
    return f"{interval.low:z.2f} to {interval.high:z.2f}"


def as_sentence(text: str) -> str:
    """A remark as a sentence that ends with a full stop; a remark in lower case gets the judge as its subject."""
    text = " ".join(text.split())
    if not text:
        return "The judge's reply breaks a rule of its card."
    text = f"The judge {text}" if text[0].islower() else text
    return text if text.endswith((".", "!", "?", "。", "！", "？")) else f"{text}."
