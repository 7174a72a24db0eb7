"""The report of one judge on one dataset: one self-contained HTML text, for people without an account."""

from __future__ import annotations

import json
from datetime import datetime

from data.approvals.check_results import NO_CELLS
from data.approvals.rules import RULES
from data.gold.gold import BASES, BASIS_PHRASES
from data.records.access import allow, require
from data.reports import figures, plots, tables
from data.reports.evidence import DimensionEvidence, Evidence, Progress, gather_report_evidence
from data.reports.statistics import EPSILON, STATISTICS
from data.store import Store
from judges.audits import all_audits
from judges.plural import many
from judges.render import html
from judges.render.findings import agreement, both_orders, disputes, means, weakest_turns
from judges.render.findings.as_html import html_parts
from judges.render.findings.findings import Finding, quiet
from judges.render.words import cell, people_agreement
from judges.stats.check_states import LEGEND, STATES, Role, may_be_approved
from judges.version import VERSION

_KINDS: dict[Role, str] = {"good": "fine", "open": "look", "bad": "alarm", "quiet": "quiet"}


@allow("annotator")
def make_report(
    store: Store, actor: str, dataset_id: str, judge_id: str, progress: Progress = lambda _: None,
    epsilon: float = EPSILON,
) -> str:
    """The whole report as HTML, which shows no single item. The same data gives the same text, byte by byte.

    Raises NotFound, NotAllowed for somebody who does not work here.
    """
    require(store, actor, "annotator")
    evidence = gather_report_evidence(store, dataset_id, judge_id, progress, epsilon)
    return render_report(evidence, figures.report_figures(evidence))


def render_report(evidence: Evidence, all_figures: figures.Json) -> str:
    """The report of evidence that was gathered, and of the figures `all_figures` of it."""
    judge, turns = evidence.judge, evidence.turns
    parts = [
        *_opening(evidence),
        *_overview(evidence),
        *(part for dim in evidence.dimensions for part in _dimension_section(evidence, dim)),
        *_disputes(evidence),
        *([html.heading("The weakest turn"), *html_parts(weakest_turns.findings(turns))] if turns else []),
        *_means(evidence),
        *_judge_section(evidence),
        *_policy(evidence),
        *_position(evidence),
        *_audits(evidence),
        *_decisions(evidence),
        *_reading(),
        *_reproduction_section(evidence, all_figures),
        html.embed_json(all_figures),
    ]
    stand = f" · data as of {format_minute(evidence.at)}" if evidence.at else ""
    title = f"How far {judge.model} agrees with people on {evidence.dataset.name}"
    return html.html_page(title, parts, f"Made by Assay {VERSION} · fingerprint {evidence.fingerprint}{stand}")


def _opening(evidence: Evidence) -> list[str]:
    judge = evidence.judge
    parts = [
        html.para(
            "The judge **{model}** with the card **{card}** has scored {items} of this dataset. Here its scores are "
            "compared with the labels of people for the same questions, the reference labels (gold).",
            "lead", model=judge.model, card=judge.card, items=many(judge.items, "item"),
        )
    ]  # fmt: skip
    if evidence.dataset.synthetic or judge.synthetic:
        origin = evidence.dataset.description or "made by a generator, not by people"
        parts.append(html.note("**Synthetic**: {what}. Its figures say nothing about any real model.", what=origin))
    if not evidence.basis_sizes:
        return [*parts, html.note("No rating of this judge has a label here yet: there are no figures.")]
    meeting = [dim.dimension.title for dim in evidence.dimensions if may_be_approved(dim.line.check.state)]
    sentence = "{n} of {all} dimensions meet the policy of this workspace for publishing a judge's scores"
    parts.append(
        html.para(sentence + (": **{which}**." if meeting else "."), n=len(meeting), all=len(evidence.dimensions),
             which=", ".join(meeting))
    )  # fmt: skip
    if evidence.basis != evidence.gate:
        parts.append(
            html.note(
                "There are no {required}, and only these count for a decision. The figures below are computed from "
                "{basis}, and every state is “below minimum sample”, whatever they are.",
                required=BASIS_PHRASES[evidence.gate], basis=BASIS_PHRASES[evidence.basis],
            )
        )  # fmt: skip
    if evidence.gate == "gate" and (imported_labels := _count_imported(evidence)):
        parts.append(
            html.note(
                "{n} imported labels that are said to be blind and of random draws do not count for the approval check "
                "here; a lead can allow them in the policy.",
                n=f"{imported_labels:,}",
            )
        )
    return parts


def _count_imported(evidence: Evidence) -> int:
    """Return the number of labels that would count in addition if imported ones counted."""
    counted, all_ = (rest.labels if (rest := evidence.basis_sizes.get(basis)) else 0 for basis in ("gate", "imported"))
    return all_ - counted


def _overview(evidence: Evidence) -> list[str]:
    if not evidence.basis_sizes:
        return []
    rest = evidence.basis_sizes[evidence.basis]
    rows = []
    for dim in evidence.dimensions:
        shown, check = dim.line.shown, dim.line.check
        interval = shown.interval
        rows.append(
            {
                "dimension": dim.dimension.title, "unit": dim.dimension.sort,
                "result": f"{STATES[check.state].mark} {check.state}".replace(" ", "\u00a0"),
                "items": f"{interval.items:,}", "ratings": f"{shown.cells:,}",
                "kappa": cell(interval.point), "low": cell(interval.low), "high": cell(interval.high),
                "lower bound": cell(dim.line.bound),
                "kappa between people": people_agreement(dim.ceiling.between if dim.ceiling else None),
                "% agreement": cell(shown.exact, ".1%"),
            }
        )  # fmt: skip
    used = html.para(
        "Labels used: **{basis}**, {labels} of {people}.", "quiet", basis=BASIS_PHRASES[evidence.basis],
        labels=many(rest.labels, "label"), people=many(rest.people, "person", "people"),
    )  # fmt: skip
    mark = (
        "Mark: kappa. Line: its 95% interval. Short tick: the one-sided lower bound"
        f"{plots.REACH if evidence.requirements.policy.lower_bound else ''}. Long tick: kappa between two people, "
        "with its interval below, where 30 items have labels of two. "
        f"{LEGEND}."
    )
    columns = list(rows[0]) if rows else []
    whose = plots.explain_people([dim.line for dim in evidence.dimensions], plots.ceilings(evidence))
    used += html.para("{whose}", "quiet", whose=whose)
    plot = html.figure(plots.overview_plot(evidence), mark)
    return [html.heading("All dimensions"), used, plot, html.table(rows, columns)]


def _dimension_section(evidence: Evidence, dim: DimensionEvidence) -> list[str]:
    check = dim.line.check
    conclusion, why = agreement.check_result(dim.line)
    parts = [
        html.heading(f"{dim.dimension.title} · of each {dim.dimension.sort}", anchor=dim.line.key),
        html.note(
            "{state}: " + conclusion.template, _KINDS[STATES[check.state].role], state=check.state.capitalize(),
            **conclusion.values,
        ),
        *html_parts([why]),
    ]  # fmt: skip
    if dim.dimension.definition:
        parts.append(html.para("Definition: {definition}", "quiet", definition=dim.dimension.definition))
    if not dim.line.shown.cells:
        parts.append(html.para("No rating has both a reference label (gold) and a score of this judge."))
        return [*parts, *html_parts(agreement.omissions(dim.line.shown, evidence.judge.unscored))]
    folded = []
    for statistic in STATISTICS.values():
        if not statistic.applies(dim.line):
            continue
        figures = dim.statistics[statistic.name]
        drawn = html_parts(statistic.findings(figures, dim.line, evidence.requirements.policy))
        if statistic.collapsed and drawn:
            folded.append(html.details(statistic.title, drawn))
        elif drawn:
            parts += [html.heading(statistic.title, 3), *drawn]
    return [*parts, *_bases(dim), *folded]


def _bases(evidence: DimensionEvidence) -> list[str]:
    rows = []
    for (basis, dropped), summary in evidence.bases.items():
        interval = summary.interval
        rows.append(
            {
                "labels used": BASES[basis] + (", ties dropped" if dropped else ""), "items": f"{interval.items:,}",
                "ratings": f"{summary.cells:,}", "n_eff": cell(interval.n_eff, ".1f"),
                "kappa": cell(interval.point, ".4f"), "low": cell(interval.low, ".4f"),
                "high": cell(interval.high, ".4f"),
                "bound, one look": cell(interval.lower_bound, ".4f"), "% agreement": cell(summary.exact, ".1%"),
                "r": cell(summary.correlation, ".3f"),
                "AC2" if summary.dimension.scale.has_order else "AC1": cell(summary.ac, ".3f"),
            }
        )  # fmt: skip
    return [html.table(rows, list(rows[0]), "The same figures from each set of labels")] if rows else []


def _judge_section(evidence: Evidence) -> list[str]:
    judge, card = evidence.judge, evidence.card
    params = ", ".join(
        f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in sorted(judge.params.items())
    )
    dates = " to ".join(format_minute(at) for at in dict.fromkeys((judge.first, judge.last)) if at)
    runs = ", ".join(f"{format_minute(at)} ({state})" for at, state in judge.runs)
    failures = ", ".join(f"{n:,} {reason.replace('_', ' ')}" for reason, n in judge.unscored)
    rows = [
        ("Model", judge.model),
        ("Card", f"{card.title} ({judge.card})" if card else judge.card),
        ("Version of the card", judge.version),
        ("Parameters", params or "not known"),
        ("Judge", judge.id),
        ("Judged", f"{many(judge.items, 'item')} of {evidence.items:,}, {many(judge.judgments, 'reply', 'replies')}"),
        ("Replies came in", dates),
        ("Runs from here", runs or "none: its replies were imported"),
        ("Replies without use", failures or "none"),
        ("Examples left out", f"{evidence.examples:,}, as they stand in its prompt" if evidence.examples else ""),
        ("Dataset", evidence.dataset.name + (" (synthetic)" if evidence.dataset.synthetic else "")),
        ("How labels are combined", _gold(evidence)),
        ("Data as of", format_minute(evidence.at) if evidence.at else "nothing yet"),
    ]
    return [html.heading("Who judged what"), html.facts(rows)]


def _gold(evidence: Evidence) -> str:
    rule = evidence.rule
    dispute = "" if rule.apart is None else f"; adjudicated where people are more than {many(rule.apart, 'step')} apart"
    out = "; until then left out of kappa" if rule.waiting == "out" and rule.apart is not None else ""
    return f"the {rule.resolve} of what people say{dispute}{out}; in means all that people say"


def _policy(evidence: Evidence) -> list[str]:
    yes = {True: "yes", False: "no"}
    rows = [
        (RULES[name].report, yes[value] if isinstance(value, bool) else f"{value:.7g}")
        for name, value in figures.flatten_requirements(evidence.requirements).items()
    ]
    return [
        html.heading("Required before publishing (policy)"),
        html.para(
            "Only blind labels of random draws count, imported ones where it is said below, and never items that "
            "stand in the judge's prompt or that a prompt was tuned on. Several dimensions are decided together, each "
            "at a level by Holm's procedure."
        ),
        html.facts(rows),
    ]


def _position(evidence: Evidence) -> list[str]:
    """Whether it says the same of a pair with the places swapped, where it was asked in both orders."""
    if evidence.position is None:
        return []
    shown: list[Finding] = [*both_orders.sentences(evidence.position), both_orders.plot(evidence.position)]
    shown += [both_orders.table(evidence.position), both_orders.counting_note()]
    return [html.heading("Position bias"), *html_parts(shown)]


def _means(evidence: Evidence) -> list[str]:
    if not evidence.overall:
        return []
    own = quiet("The judge's own scores over all items, not corrected.")
    overall = means.table([row.display for row in evidence.overall])
    return [html.heading("Mean scores of the judge"), *html_parts([own, overall])]


def _disputes(evidence: Evidence) -> list[str]:
    waiting = [dim.waiting for dim in evidence.dimensions if dim.waiting is not None]
    if not waiting:
        return []
    return [html.heading("To adjudicate"), *html_parts(disputes.findings(waiting, evidence.rule.waiting == "counted"))]


def _audits(evidence: Evidence) -> list[str]:
    if evidence.audits is None or not evidence.audits.findings:
        return []
    titles, scope = all_audits(), evidence.audits.scope
    rows = [
        {
            "failure": titles[name].title if name in titles else name, "verdict": f.verdict,
            "figure": cell(f.figure), "n": f"{f.n:,}", "why": f.why,
        }
        for name, f in evidence.audits.findings.items()
    ]  # fmt: skip
    alarms = len(evidence.audits.alarms)
    first = "{n} in alarm." if alarms else "None is in alarm."
    return [
        html.heading("Audits of known failures"),
        html.para(f"**{first}** {{replies}} were examined.", n=alarms, replies=many(scope.replies, "reply", "replies")),
        html.table(rows, ["failure", "verdict", "figure", "n", "why"]),
    ]


def _decisions(evidence: Evidence) -> list[str]:
    heading = html.heading("Decisions on record")
    if not evidence.decisions:
        return [heading, html.para("No lead has decided on any dimension of this judge here yet.")]
    now = {
        dim.line.key: [dim.fingerprints.get(basis, NO_CELLS) for basis in ("gate", "imported")]
        for dim in evidence.dimensions
    }
    same = {True: "as in this report", False: "have changed"}
    rows = [
        {
            "when": format_minute(d.at), "dimension": d.dimension.replace("_", " "), "unit": d.sort,
            "decision": d.decision, "by": d.person, "why": d.reason, "state then": d.state,
            "labels and scores": same[d.fingerprint in now.get(f"{d.sort}.{d.dimension}", [])],
            "in force": "yes" if d.id in evidence.in_force else "superseded",
        }
        for d in evidence.decisions
    ]  # fmt: skip
    return [heading, html.table(rows, list(rows[0]))]


def _reading() -> list[str]:
    points = [
        "**Kappa** is agreement with the part taken out that chance alone would give: 1 is full agreement, 0 what "
        "chance gives, below 0 less than that. Where answers have an order it is quadratic-weighted: two steps apart "
        "weighs four times as much as one.",
        "**The 95% interval** says how far kappa might lie elsewhere with other items of the same kind. Items are "
        "taken whole, because the turns of one dialogue resemble each other. Below 30 items nothing may be concluded.",
        "**The lower bound** of kappa is one-sided: that of the approval check, as the policy asks for it, where its "
        "labels are shown, else at 95% for a single look. Where the policy requires it, it has to reach the required "
        "kappa too, so that a judge does not pass by chance.",
        "**n_eff** is the effective number of items (Kish) where they were drawn with different probabilities.",
        "**% agreement** is the share of ratings on which judge and people gave the same answer, **within one** the "
        "share with answers at most one step apart. Both are high by chance where one answer is very common.",
        "**Bias (judge - people)** is the mean difference, in steps of the scale: above 0 the judge scores higher. "
        "Of several people in a rating each counts alike, an adjudicated one has what was decided; n/a is no value.",
        "**AC1 and AC2** stand beside a kappa that one common answer has made shaky. They do not replace it.",
        "**n/a and unscored**: where people or judge say that a question does not apply, or the judge gave no usable "
        "reply, there is nothing to compare: these ratings are in no kappa, and are counted separately.",
    ]
    return [html.heading("How to read this"), html.bullets([html.say(point) for point in points])]


def _reproduction_section(evidence: Evidence, all_figures: figures.Json) -> list[str]:
    name, judge = evidence.dataset.name, evidence.judge.id
    quoted = "'" + name.replace("'", "'\\''") + "'" if not name.replace("-", "").replace("_", "").isalnum() else name
    epsilon = "" if evidence.epsilon == EPSILON else f" --epsilon {evidence.epsilon:g}"
    named = f"--dataset {quoted} --judge {judge}{epsilon}"
    lines = [f"python -m data report {named} --out report.html", f"python -m data report {named} --figures"]
    prints = [
        {"dimension": dim.dimension.title, "unit": dim.dimension.sort}
        | {basis: dim.fingerprints.get(basis, "") for basis in evidence.basis_sizes}
        for dim in evidence.dimensions
    ]
    heads = {"dimension": "dimension", "unit": "unit"} | {basis: BASIS_PHRASES[basis] for basis in evidence.basis_sizes}
    figure_rows = [row for dim in all_figures["dimensions"] for row in dim["figures"]]
    figures_csv = tables.csv_of_rows(figure_rows, tables.FIGURES.split())
    libraries = ", ".join(f"{name} {version}" for name, version in evidence.libraries.items())
    return [
        html.heading("How to get the same digits"),
        html.para(
            "Whoever has the same labels and scores gets the same figures. The fingerprints show whether they are the "
            "same: they are made of every item's content, unit, gold, score and weight, in any workspace."
        ),
        html.facts([("Fingerprint of it all", evidence.fingerprint)]),
        html.table(prints, heads) if prints and evidence.basis_sizes else "",
        html.para("In the folder of the workspace:"),
        html.code("\n".join(lines)),
        html.para(
            "Kappa's intervals: {replicates} resamplings of whole items with seed {seed}, each end the farther of the "
            "percentile and the studentised one, or linearised over items from 3,000 items on. Computed with "
            "{libraries}.",
            replicates=f"{figures.REPLICATES:,}", seed=figures.SEED, libraries=libraries,
        ),
        html.details("Every figure with every digit, as CSV", [html.code(figures_csv)]),
        html.para("The same, and more, stands as JSON in this file, in the element with the id `figures`.", "quiet"),
    ]  # fmt: skip


def format_minute(at: datetime) -> str:
    """A time of the store, which is UTC, to the minute."""
    return f"{at:%Y-%m-%d %H:%M} UTC"
