"""Approvals as people see them: a row for each dimension with what was decided, one of them open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from typing import Literal

import pandas as pd
import streamlit as st

from data.approvals.approvals import AUTOMATIC, Approval, Note, Stand, Waits
from data.approvals.case import Beside, Case
from data.approvals.record import Fact, called
from data.records.names import shown
from judges.audits import audits
from judges.plural import many
from judges.stats.raters.human_ceiling import Ceiling
from judges.stats.uncertainty import Interval
from pages.ui import nonresponse, text, url_state
from pages.ui.agreement_tables import between, number, span

Status = Literal["suspended", "proposed", "doubted", "open", "older", "approved", "declined", "withdrawn", "not yet"]
BADGES: dict[Status, str] = {
    "suspended": ":red-badge[:material/pause_circle: suspended]",
    "proposed": ":blue-badge[:material/group: proposed]",
    "doubted": ":orange-badge[:material/visibility: review]",
    "open": ":green-badge[:material/check_circle: to decide]",
    "older": ":orange-badge[:material/history: older policy]",
    "approved": ":green-badge[:material/verified: approved]",
    "declined": ":gray-badge[:material/cancel: declined]",
    "withdrawn": ":gray-badge[:material/pause_circle: suspended]",
    "not yet": ":gray-badge[:material/hourglass_empty: policy not met]",
}
"""In the order in which rows stand."""
DONE = {"propose": "proposed", "approve": "approved", "decline": "declined", "suspend": "suspended"}


def status(one: Case, stand: Stand, note: Note) -> Status:
    """Where a dimension belongs."""
    holds = stand.holds
    if stand.proposed is not None:
        return "proposed"
    if holds is not None and holds.decision == "approve":
        return "doubted" if note.doubted else "older" if note.older else "approved"
    if holds is not None and holds.decision == "suspend":
        return "suspended" if holds.person == AUTOMATIC else "withdrawn"
    if holds is not None:
        return "declined"
    return "not yet" if one.against else "open"


def address(one: Case) -> str:
    """A dimension of a judge as addresses have it."""
    return f"{one.judge.id}.{one.line.key}"


def title(one: Case) -> str:
    """A dimension's name and unit in words."""
    return f"{one.line.dimension.title} · {one.line.dimension.sort}"


def who(one: Approval) -> str:
    """Who decided, in words."""
    return shown(one.person)


def bullets(lines: Sequence[str]) -> None:
    """Sentences one below the other."""
    with st.container(gap=None):
        for line in lines:
            text.say("- {line}", line=line)


def decided(stand: Stand, note: Note, zone: tzinfo, dataset: str, case: str, eligible: bool) -> None:
    """What was decided on a dimension so far, in a line, and the way to where it is decided."""
    one = stand.proposed or stand.holds
    doubt = note.look.why if note.look is not None and note.doubted else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        if one is not None:
            text.quiet(
                "**{who}** {done} it, {at}: {reason}", who=who(one), done=DONE[one.decision],
                at=text.moment(one.at, zone), reason=text.short(one.reason, 110),
            )  # fmt: skip
        elif eligible:
            st.caption("It meets the policy, and is not decided: a lead may approve it.")
        label = "Its approval" if one else "Decide" if eligible else "Approvals"
        url_state.link("approvals", label, icon=":material/verified:", dataset=dataset, case=case)
        if one is not None and one.decision == "approve":
            url_state.link(
                "dashboard", "On the dashboard", icon=":material/dashboard:", dataset=dataset, judge=one.judge
            )
    for icon, told in (("history", note.older), ("visibility", doubt)):
        if told:
            text.quiet(":orange[:material/{icon}:] {told}", icon=icon, told=told)


def summary(found: Waits) -> None:
    """What there is to decide, in one sentence."""
    told = [
        f"{len(of):,} {what}" for of, what in (
            (found.suspended, "suspended by new evidence"), (found.proposed, "proposed, waiting for a second lead"),
            (found.eligible, "meeting the policy, not decided"), (found.doubted, "approved, to be reviewed"),
            (found.older, "approved under an older policy"),
        ) if of
    ]  # fmt: skip
    if told:
        text.say("**To decide:** {told}.", told="; ".join(told))
    else:
        st.markdown("**Nothing to decide.**")


def row(
    one: Case, stand: Stand, note: Note, top: Interval | None, opened: bool, zone: tzinfo, click: Callable[[], None]
) -> None:  # fmt: skip
    """One dimension in a line: its state, in a sentence, with its figure and that of people among themselves.

    `click` opens or closes it.
    """
    interval = one.line.gate.interval
    figured, few = interval.point is not None, one.line.decision.state == "below minimum sample"
    left, figure = st.columns([76, 24], gap="small")
    with left, st.container(horizontal=True, gap="small"):
        with st.container(width=130):
            st.markdown(BADGES[status(one, stand, note)])
        with st.container(gap=None):
            st.button(
                text.plain(title(one)), icon=":material/keyboard_arrow_down:" if opened else ":material/chevron_right:",
                key=f"case:{one.judge.id}:{one.line.key}", type="tertiary", on_click=click,
            )  # fmt: skip
            text.quiet("{sentence}", sentence=sentence(one, stand, note, zone))
    with figure, st.container(gap=None):
        if not figured:
            text.quiet("{n} to compare", n=many(interval.items, "item"))
            return
        (text.quiet if few else text.say)(  # in grey where nothing may be concluded from it yet
            "kappa **{kappa}** &nbsp;{span}", kappa=number(interval.point, ".2f"), span=span(interval)
        )
        bound, items = one.line.decision.bound, many(interval.items, "item")
        low = "no lower bound yet" if bound is None else f"lower bound {bound:.2f}"
        asked, people = f"{one.asked.policy.threshold:.2f}", between(top)
        text.quiet("{low}, on {items}", low=low, items=items)
        told = "not known" if people == "–" else people
        text.quiet("{asked} required; between people {told}", asked=asked, told=told)


def sentence(one: Case, stand: Stand, note: Note, zone: tzinfo) -> str:
    """The state of a dimension, in a sentence."""
    holds, where = stand.holds, status(one, stand, note)
    if stand.proposed is not None:
        return f"{who(stand.proposed)} proposed it, {text.moment(stand.proposed.at, zone)}: {stand.proposed.reason}"
    if holds is not None and where in ("approved", "declined", "withdrawn"):
        return f"{who(holds)} {DONE[holds.decision]} it, {text.moment(holds.at, zone)}: {holds.reason}"
    if holds is not None and where == "older":
        return f"{note.older} It stays on the dashboard until a lead decides."
    if where == "doubted" and note.look is not None:
        then = "It is suspended at the next new label." if note.look.suspends else "This does not suspend it."
        return f"{note.look.why} {then} {note.older}".strip()
    if holds is not None:
        return holds.reason
    return "It meets the policy. A lead decides whether it is published." if where == "open" else missing(one)


def may(one: Case, verdict: str) -> str:
    """What the figures of a dimension say that meets the policy."""
    interval, asked, low = one.line.gate.interval, one.asked.policy, one.line.decision.bound
    bound = f", and so is its lower bound, {low:.2f}" if asked.lower_bound and low is not None else ""
    return (
        f"{verdict}: kappa {number(interval.point, '.2f')} is at least the required "
        f"{asked.threshold:.2f}{bound}."
    )


def missing(one: Case) -> str:
    """Why a dimension may not be published, in a sentence."""
    decision = one.line.decision
    if decision.state == "meets policy":
        return " ".join(one.against)
    told = {
        "below minimum sample": "Below minimum sample: too few drawn items have both a blind label and a score.",
        "undefined": "Undefined: everybody gave the same answer, so agreement shows nothing.",
        "fails": "Fails: agreement with people is below the required kappa.",
        "inconclusive": "Inconclusive: the required kappa lies within the margin of error.",
    }[decision.state]
    return f"{told} {wanted(decision.missing)}".strip()


def wanted(missing: str) -> str:
    """What is missing, as the sentence that it is on every page; nothing where nothing is."""
    return f"Missing: {missing[0].lower()}{missing[1:]}" if missing else ""


def verdict(one: Case, holds: Approval | None, then: float | None, lead: bool) -> None:
    """What the figures of an open dimension say of the policy, and what moved since it was decided."""
    interval = one.line.gate.interval
    if not one.against:
        stands = holds is not None and holds.decision == "approve"
        told = "It meets today's policy" if stands else f"{'You' if lead else 'A lead'} may approve it"
        text.say("{may}", may=may(one, told))
    gone = holds is not None and holds.decision == "suspend"
    told = holds.reason if holds is not None and gone else ""
    if gone and not one.against:
        st.caption("Approving it again counts all labels, those before the suspension and those since.")
    for why in [why for why in one.against if why not in told]:
        st.warning(text.plain(why), icon=":material/block:")
    if one.synthetic:
        st.caption(
            ":orange[:material/science:] Judge or data are synthetic: an approval here says nothing about any language "
            "model. The dashboard is marked accordingly."
        )
    if then is not None and interval.point is not None and abs(then - interval.point) >= 0.005:
        text.say(
            "Kappa was **{then}** at the decision, and is **{now}** now.",
            then=f"{then:.2f}",
            now=f"{interval.point:.2f}",
        )


def reading(one: Case, near: Beside) -> None:
    """What else there is to weigh about an open dimension."""
    gate, share = one.line.gate, one.coverage
    replied = (
        f"The judge answered {int(1000 * share + 1e-6) / 10:g}% of "
        f"{many(gate.gold_cells, 'rating')} with reference labels (gold)."
        if share is not None else ""
    )  # fmt: skip
    wait = f"{many(near.waiting, 'rating')} on which people disagree {'waits' if near.waiting == 1 else 'wait'} for "
    p = gate.people
    many_ = f"{p.fewest}" if p.fewest == p.most else f"{p.fewest} to {p.most}"
    each = "label" if p.most == 1 else "labels"
    whose = f"Each rating has {many_} {each}." if gate.gold_cells else ""
    notes = [replied, whose, _people(near.ceiling), f"{wait}adjudication." if near.waiting else "", _alarms(near)]
    text.quiet("{notes}", notes=" ".join(note for note in notes if note))
    nonresponse.panel(
        one.dataset.id, one.dataset.name, one.judge.id, one.line.dimension, one.basis, " ".join(one.against), "case"
    )
    if near.origin:
        text.quiet("**Labels:** {origin}", origin=near.origin)
    for caution in near.cautions:
        text.quiet(":orange[:material/priority_high:] {caution}", caution=caution)


def _people(top: Ceiling | None) -> str:
    if top is None or top.between.point is None:
        return (
            "No item was labelled blind by two people, so agreement between people, the usual upper limit for a judge, "
            "is not known: set people per item to 2 on the Queues page."
        )
    few = " That is too few items for a conclusion." if top.between.verdictless else ""
    return (
        f"Agreement between people: kappa {top.between.point:.2f} ({span(top.between)}), "
        f"from {many(top.cells, 'rating')} of {many(top.items, 'item')} that several labelled.{few}"
    )


def _alarms(near: Beside) -> str:
    if near.alarms is None:
        return "The audits have not been computed since this judge's last replies."
    if not near.alarms:
        return "No audit in alarm."
    return "Audits in alarm: " + ", ".join(audits()[name].title for name in near.alarms) + "."


def evidence(facts: Sequence[Fact], height: int | Literal["content"] = 320) -> None:
    """Frozen figures, or those that would be, as they stand."""
    frame = pd.DataFrame(
        {"evidence": [called(n) for n, _, _ in facts], "figure": [f for _, f, _ in facts],
         "details": [t for _, _, t in facts]}
    )  # fmt: skip
    st.dataframe(
        frame, hide_index=True, height=height, placeholder="",
        column_config={
            "evidence": st.column_config.TextColumn(width=250),
            "figure": st.column_config.NumberColumn(width=90, format="%.4g"),
            "details": st.column_config.TextColumn(width="large"),
        },
    )  # fmt: skip


def history(found: Sequence[Approval], facts: Mapping[str, Sequence[Fact]], zone: tzinfo) -> None:
    """Every decision on a dimension, the newest first, each with the evidence that it was made on."""
    if not found:
        return
    st.markdown("**Decisions on record**")
    for one in found:
        figures = {name: figure for name, figure, _ in facts[one.id]}
        text.say(
            "**{who}** {done} it, {at}: {reason}", who=who(one), done=DONE[one.decision], at=text.moment(one.at, zone),
            reason=one.reason,
        )  # fmt: skip
        kappa, bound, items = (figures.get(name) for name in ("kappa", "kappa, lower bound", "items"))
        then = f"kappa {number(kappa, '.2f')}, lower bound {number(bound, '.2f')}, {many(items or 0, 'item')}"
        with st.expander(text.plain(f"Evidence at that time: {one.state}, {then} · fingerprint {one.print or 'none'}")):
            evidence(facts[one.id])


def home(found: Waits, names: Mapping[str, str], judges: Mapping[str, str]) -> None:
    """The quiet block on a lead's home; nothing where nothing waits. `names` are datasets, `judges` models, by id."""
    if not found:
        return
    with st.container(border=True, gap="small"):
        st.markdown("**Approvals**")
        for one in found.suspended[:3]:
            name, dataset = one.dimension.replace("_", " "), names.get(one.dataset, "")
            with st.container(gap=None):
                text.say(
                    ":red[:material/pause_circle:] **{name}** · {sort} in {dataset} was suspended by new evidence. "
                    "{why}",
                    name=name, sort=one.sort, dataset=dataset,
                    why=_GONE.get(one.state, _GONE["undefined"]).format(judge=judges.get(one.judge, "the judge")),
                )  # fmt: skip
                url_state.link(
                    "approvals", "Review and decide", icon=":material/arrow_forward:", dataset=dataset,
                    case=f"{one.judge}.{one.sort}.{one.dimension}",
                )  # fmt: skip
        parts = (
            (len(found.suspended) - 3, "more suspended"),
            (len(found.proposed), "proposed, waiting for a second lead"),
            (len(found.eligible), "meeting the policy, not decided"),
            (len(found.doubted), "approved, to be reviewed"),
            (len(found.older), "approved under an older policy"),
        )
        keys = [a.dataset for a in found.proposed] + [c.dataset.id for c in found.eligible]
        keys += [a.dataset for a, _ in (*found.doubted, *found.older)] + [a.dataset for a in found.suspended[3:]]
        if told := "; ".join(f"{n:,} {what}" for n, what in parts if n > 0):
            text.quiet("{told}.", told=told)
            with st.container(horizontal=True):
                for key in list(dict.fromkeys(keys))[:3]:
                    name = names.get(key, "")
                    url_state.link("approvals", name, icon=":material/verified:", dataset=name)


_GONE = {
    "below minimum sample": "{judge} has fewer labelled items than required now.",
    "fails": "With the labels as they are now, {judge} fails the approval check.",
    "inconclusive": "With the labels as they are now, the approval check of {judge} is inconclusive.",
    "meets policy": "{judge} does not meet all of the policy's other requirements any more.",
    "undefined": "The agreement of {judge} with people is undefined now.",
}
