"""The panel Auto-accept: which scores can be accepted unseen, and the rule by which the rest goes to people."""

from __future__ import annotations

import streamlit as st

from data.approvals import auto_accept as rules
from data.approvals import policy
from data.approvals.auto_accept import AutoAcceptRule, AutoAcceptTarget, AutoAcceptThreshold
from data.calibration import auto_accept as figures
from data.calibration.auto_accept import ItemConfidence
from data.gold.gold import BASIS_PHRASES
from judges.plural import many
from judges.render.findings import auto_accept as auto_accept_findings
from judges.render.findings import confidence
from judges.stats.auto_accept import ThresholdTest
from judges.stats.calibration import DimensionResult
from judges.types import Dimension
from pages.calibration.selection import CalibrationSelection
from pages.ui import explanations, findings, session, text, url_state


def panel(selection: CalibrationSelection, line: DimensionResult, key: str) -> None:
    """The requirement, its result, the curve, and the rule in force."""
    store, d = session.store(), line.dimension
    sources = figures.confidence_sources(store, selection.dataset, selection.judge, d)
    rule = rules.rule_in_force(store, selection.dataset, selection.judge, d)
    if not sources:
        text.quiet(
            "The judge gives no confidence here, so no score can be accepted automatically. Run it with "
            "log-probabilities or several samples, or use a card whose reply states a confidence."
        )
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        usual = rule.source if rule else ""
        source = url_state.select("source", "Confidence from", confidence.sources(sources), usual, 300)
        request = _ask_target(source, rule, d.scale.has_order, key)
        explanations.help_button("selective", "sequence", key=key)
    with text.refusals():
        with st.spinner("Testing confidence thresholds ..."):
            threshold = rules.find_threshold(store, selection.dataset, selection.judge, d, selection.basis, request)
        _draw_threshold(selection, d, threshold, rule, f"{key}:{source}")


def _draw_threshold(
    selection: CalibrationSelection, d: Dimension, threshold: AutoAcceptThreshold, rule: AutoAcceptRule | None, key: str
) -> None:
    store, request = session.store(), threshold.request
    counted = policy.approval_basis(store, selection.dataset)
    result = threshold.result
    findings.draw(
        auto_accept_findings.sentences(result, request.near, len(threshold.confidence.item), threshold.spared), key
    )
    if selection.basis != counted:
        text.warn(
            "These are not {counted}. The probability above is valid only for items drawn at random and labelled "
            "blind.",
            counted=BASIS_PHRASES[counted],
        )
    explanations.explain_equality(d.scale)
    if plot := auto_accept_findings.plot(result):
        findings.draw_plot(plot, f"selective:{key}")
        findings.draw_table(auto_accept_findings.table(result), f"thresholds:{key}")
    if rule is not None:
        _draw_rule_in_force(rule, *rules.evaluate_rule(store, selection.dataset, d, rule))
    _draw_actions(selection, d, threshold, rule, selection.basis == counted, key)


def _ask_target(source: str, rule: AutoAcceptRule | None, ordered: bool, key: str) -> AutoAcceptTarget:
    """The required agreement, its probability, and whether within one counts; the rule's, where there is one."""
    before = rule.request if rule else AutoAcceptTarget(source)
    target = st.number_input(
        "Required agreement (%)", 50.0, 99.5, round(100 * before.target, 4), 1.0, "%g", key=f"target:{key}", width=150
    )
    probability = st.number_input(
        "Probability (%)", 50.0, 99.9, round(100 * (1 - before.delta), 4), 1.0, "%g", key=f"held:{key}", width=150,
        help="The probability that agreement on automatically accepted scores is as high as required, or higher.",
    )  # fmt: skip
    near = ordered and st.toggle("Within one counts", before.near, key=f"near:{key}")
    return AutoAcceptTarget(source, round(target / 100, 6), round(1 - probability / 100, 6), near)


def _draw_rule_in_force(rule: AutoAcceptRule, step: ThresholdTest, sure: ItemConfidence) -> None:
    spared = sure.count_above(rule.threshold)
    agreement = step.agreement
    text.say(
        ":material/rule: **In force**: scores of a confidence of {threshold} or more are accepted automatically, for "
        "agreement of {target} with a probability of {held}. That covers {spared} of {items}.",
        threshold=f"{rule.threshold:.3g}", target=f"{100 * rule.target:g}%", held=f"{100 * (1 - rule.delta):g}%",
        spared=f"{spared:,}", items=many(len(sure.item), "item"),
    )  # fmt: skip
    if agreement.point is None:
        text.quiet("No item above the threshold has gold of the required kind today.")
        return
    today = "On today's gold agreement there is {agree} (lower bound {bound}; {items})."
    words = {
        "agree": f"{agreement.point:.0%}", "bound": f"{agreement.lower_bound or 0:.1%}",
        "items": many(agreement.items, "item"),
    }  # fmt: skip
    if agreement.point < rule.target:
        text.warn(today + " That is below the requirement of the rule: set it again, or withdraw it.", **words)
    else:
        text.quiet(today, **words)


def _draw_actions(
    selection: CalibrationSelection,
    dimension: Dimension,
    threshold: AutoAcceptThreshold,
    rule: AutoAcceptRule | None,
    counts: bool,
    key: str,
) -> None:
    me = session.me()
    if not me.may("lead"):
        text.quiet("A lead can make this a rule; the review queue then gets the other items only.")
        return
    best = threshold.result.chosen
    same = best and rule and (rule.request, rule.threshold) == (threshold.request, best.threshold)
    with st.container(horizontal=True):
        if st.button(
            "Accept these automatically" if rule is None else "Set the rule again", icon=":material/rule:",
            disabled=best is None or not counts or bool(same), key=f"set:{key}",
            help="A setting, recorded in the audit log: adding items to the review queue then leaves these out.",
        ):  # fmt: skip
            with text.refusals():
                rules.set_rule(
                    session.store(), me.name, selection.dataset, selection.judge, dimension, threshold.request
                )
                done = "The rule is in force. Add items to the review queue to send the others to people."
                text.finish(done, "fragment")
        if rule is not None and st.button("Withdraw the rule", icon=":material/undo:", key=f"end:{key}"):
            with text.refusals():
                rules.end_rule(session.store(), me.name, selection.dataset, rule)
                text.finish("The rule is withdrawn.", "fragment")
