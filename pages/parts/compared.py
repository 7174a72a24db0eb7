"""Judges side by side: kappas on the same cells, differences to one of them, and what may be said of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from data.figures.compared import CONSTANT, LENGTH, Same
from data.gold import BASES, Basis
from data.report.svg import Row
from judges.counted import many
from judges.figures.paired import ALPHA, Comparison, Pair
from judges.types import Dimension
from pages.parts import charts, session, text
from pages.parts.calibrated import number, small, span
from pages.parts.rows import clickable

RULES = {LENGTH: "rule “only length”", CONSTANT: "rule “always the same”"}
_LOOKS = {
    "better": "meets policy", "worse": "fails", "cannot tell": "inconclusive", "too few items": "below minimum sample",
}  # fmt: skip


def one_only() -> None:
    """There is one judge: what to do to have another, and what stands here all the same."""
    st.info(
        "This dataset has one judge so far, so it is held against two rules that do not read the text. Run another "
        "judge (another model, prompt or protocol) on the same items, and both stand here side by side.",
        icon=":material/compare:",
    )


def nothing(basis: Basis) -> None:
    """No cell has gold and a score of all of them."""
    text.quiet(
        "Nothing to compare on {basis}: no cell has gold there and a score of all of these judges. Choose fewer judges "
        "or another basis, or label items that all of them have scored.",
        basis=BASES[basis][0].lower() + BASES[basis][1:],
    )


def chosen(names: Mapping[str, str], reference: str) -> list[str]:
    """The judges to hold against the reference, from the address or the chooser; all others at first."""
    others = [one for one in names if one != reference]
    asked = [one for one in st.query_params.get("with", "").split(",") if one in others]
    key = f"with:{reference}:{','.join(others)}"

    def address() -> None:
        st.query_params["with"] = ",".join(session.component_state(key))

    picked: list[str] = st.multiselect(
        "Against", others, default=asked or others[:4], format_func=lambda one: names[one], key=key, on_change=address,
        placeholder="no other judge",
    )  # fmt: skip
    return picked


def summary(pairs: Mapping[str, Mapping[str, Pair]], names: Mapping[str, str], reference: str) -> None:
    """In how many dimensions the reference agrees better with people than each of the others, a sentence each."""
    lines = []
    for other in dict.fromkeys(one for found in pairs.values() for one in found):
        verdicts = [found[other].verdict for found in pairs.values() if other in found]
        parts = [
            f"{said} in {n}" for said, n in (
                ("better", verdicts.count("worse")), ("worse", verdicts.count("better")),
                ("cannot be told apart", verdicts.count("cannot tell")),
                ("too few items", verdicts.count("too few items")),
            ) if n
        ]  # fmt: skip
        lines.append(f"Compared with {names[other]}: {', '.join(parts)} of {many(len(verdicts), 'dimension')}.")
    if lines:
        text.say("How well **{reference}** agrees with people:", reference=names[reference])
        with st.container(gap=None):
            for line in lines:
                text.say("- {line}", line=line)


def table(
    rows: Sequence[tuple[Dimension, Same, Comparison, Mapping[str, Pair]]], names: Mapping[str, str], reference: str,
    key: str, chosen: Callable[[int], None],
) -> None:  # fmt: skip
    """Every dimension and judge with its kappa and its difference to the reference; `chosen` gets the dimension."""
    shown: list[dict[str, object]] = []
    places = []
    for place, (dimension, _, found, pairs) in enumerate(rows):
        for who, interval in found.kappas.items():
            pair = pairs.get(who)
            places.append(place)
            shown.append(
                {
                    "dimension": dimension.title,
                    "unit": dimension.sort,
                    "judge": names[who],
                    "result": "reference" if who == reference else pair.verdict if pair else "–",
                    "items": interval.items,
                    "kappa": _unsigned(interval.point),
                    "95% interval": span(interval),
                    "difference": None if pair is None else _unsigned(pair.difference.point),
                    "its interval": "" if pair is None else span(pair.difference),
                    "p (Holm)": "" if pair is None or pair.adjusted is None else small(pair.adjusted),
                }
            )
    clickable(
        shown, lambda row: chosen(places[row]), f"compared:{key}",
        height="content" if len(shown) <= 24 else 560, placeholder="–",
        column_config={
            "judge": st.column_config.TextColumn(width=215),
            "kappa": st.column_config.NumberColumn(format="%.3f", help="Quadratic-weighted where answers are ordered."),
            "difference": st.column_config.NumberColumn(format="%+.3f", help="Its kappa minus that of the reference."),
            "p (Holm)": st.column_config.TextColumn(
                help="Two-sided, adjusted for all the differences of this table (Holm)."
            ),
        },
    )  # fmt: skip


def _unsigned(value: float | None) -> float | None:
    """A figure with three digits, of which 0 has no sign."""
    return None if value is None else round(value, 3) + 0.0


def told(dimension: Dimension, found: Same, pairs: Mapping[str, Pair], names: Mapping[str, str]) -> None:
    """What may be said of each judge against the reference, in a sentence."""
    items = min((pair.difference.items for pair in pairs.values()), default=0)
    text.quiet(
        "On {cells} of {items} that people and all of these judges gave a value, of {gold} with gold: {scored}.",
        cells=many(len(found.seats.item), "cell"), items=many(items, "item"), gold=many(found.gold, "cell"),
        scored=", ".join(f"{names[one]} {n:,}" for one, n in found.scored.items()),
    )  # fmt: skip
    if found.too_many:
        st.caption("The rule of length is left out: with so many items it would have to read every text.")
    for other, pair in pairs.items():
        _said(dimension, pair, names[other], names[pair.reference])


def _said(dimension: Dimension, pair: Pair, other: str, reference: str) -> None:
    gap = pair.difference
    ends = span(gap)
    if pair.verdict == "worse" and gap.low is not None and gap.high is not None:
        ends = f"{-gap.high:.2f} to {-gap.low:.2f}"
    figures = f"{abs(gap.point or 0):.2f} ({ends})"
    if pair.verdict == "better":
        text.say(
            "**{other}** agrees better with people than {reference} on {name}: difference {figures}.",
            other=other, reference=reference, name=dimension.title, figures=figures,
        )  # fmt: skip
    elif pair.verdict == "worse":
        text.say(
            "**{reference}** agrees better with people than {other} on {name}: difference {figures}.",
            other=other, reference=reference, name=dimension.title, figures=figures,
        )  # fmt: skip
    elif pair.verdict == "too few items":
        text.say(
            "**{other}** and {reference}: too few items for a verdict ({items}; 30 are the least).",
            other=other, reference=reference, items=many(gap.items, "item"),
        )  # fmt: skip
    elif gap.point is None or pair.p is None:
        text.say(
            "**{other}** and {reference} cannot be compared on {name}: a kappa is undefined.",
            other=other, reference=reference, name=dimension.title,
        )  # fmt: skip
    else:
        alone = "Alone it would count; among so many comparisons it does not." if pair.p <= ALPHA else ""
        more = "They are so near each other that more labels will not settle it."
        if pair.more is not None:
            low, high = pair.more
            more = f"Likely {low:,} to {high:,} more items would tell them apart, if the difference is what it seems."
        text.say(
            "**{other}** and {reference} cannot be told apart on {name}: difference {figures}. {alone} {more}",
            other=other, reference=reference, name=dimension.title, figures=f"{gap.point:+.2f} ({ends})",
            alone=alone, more=more,
        )  # fmt: skip


def chart(found: Comparison, pairs: Mapping[str, Pair], names: Mapping[str, str], key: str) -> None:
    """Kappas with their intervals, then the differences."""
    spans = []
    for who, interval in found.kappas.items():
        state = "meets policy" if who not in pairs else "beside" if who in RULES else "other"
        told = f"{number(interval.point, '.2f')} ({span(interval)})"
        spans.append(Row(names[who], "", interval.point, interval.low, interval.high, None, state, told))
    st.markdown("**Agreement with people** (kappa)")
    charts.intervals(spans, f"kappas:{key}", mark=0.0)
    gaps = [
        Row(
            names[who], "", p.difference.point, p.difference.low, p.difference.high, None, _LOOKS[p.verdict],
            f"{number(p.difference.point, '+.2f')} ({span(p.difference)})",
        )
        for who, p in pairs.items()
    ]  # fmt: skip
    st.markdown("**Difference to the reference** (kappa)")
    charts.intervals(gaps, f"gaps:{key}", mark=0.0, marked="no difference", reach=(-0.4, 0.4))
    st.caption("● better than the reference, ✕ worse, ○ cannot be told apart, □ too few items.")


def between(found: Comparison, names: Mapping[str, str]) -> None:
    """Kappa between judges, without people."""
    rows = [(pair, i) for pair, i in found.between.items() if not any(one in RULES for one in pair)]
    if not rows:
        return
    st.markdown("**Judges among themselves**")
    st.dataframe(
        {
            "judge": [names[one] for (one, _), _ in rows],
            "and": [names[other] for (_, other), _ in rows],
            "kappa between them": [i.point for _, i in rows],
            "95% interval": [span(i) for _, i in rows],
        },
        hide_index=True,
        width="content",
        column_config={"kappa between them": st.column_config.NumberColumn(format="%.3f")},
    )
