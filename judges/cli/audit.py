"""`audit`: look for the known failures of a judge in plain files. Exit code 1 when something is in alarm."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from judges.audits import Audit, AuditEvidence, AuditFinding, all_audits, combine_replies, run_audits
from judges.cli.options import add_card, add_param, chosen_card, filed_card
from judges.errors import BadInput
from judges.importing.judged_files import (
    Lines,
    answers_by_cell,
    answers_by_person,
    choose_judge,
    judge_of,
    read_replies,
    resolve_cells,
)
from judges.importing.line_files import read_items, read_judgments, read_labels
from judges.params import Probe
from judges.plural import many
from judges.protocols.combination import combination_rule

_LIMIT = 10


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.description = (
        "Look for the known failures of a judge. Exit code 0: nothing is in alarm; 1: something is, or the "
        "files cannot be taken; 2: misused."
    )
    parser.add_argument("items", type=Path, metavar="ITEMS.jsonl", help="the items, in Assay's lines")
    parser.add_argument(
        "judgments", type=Path, metavar="JUDGMENTS.jsonl", help="judgments; those of probes may be in it"
    )
    add_card(parser, "the card, where the judgments are of several")
    parser.add_argument("--model", help="the model to audit, where the judgments are of several")
    add_param(parser)
    parser.add_argument(
        "--probe", action="append", default=[], metavar="NAME=FILE", help="judgments of items changed by a probe"
    )
    parser.add_argument(
        "--other", action="append", default=[], type=Path, metavar="FILE", help="judgments of a second judge"
    )
    parser.add_argument("--gold", type=Path, metavar="LABELS.jsonl", help="people's labels")
    parser.add_argument("--thresholds", type=Path, metavar="FILE.json", help='limits, as in {"averaging": 0.8}')
    parser.add_argument("--json", action="store_true", help="print JSON, with every listed item")
    parser.add_argument("--all", action="store_true", help=f"list every item, not the first {_LIMIT} of each audit")


def run(options: argparse.Namespace) -> int:
    """Audit the judge, print what was found, and say by the exit code whether anything is in alarm."""
    limits = _limits(options.thresholds)
    evidence, header = _evidence(options)
    findings = run_audits(evidence, limits)
    used = {name: limits.get(name, all_audits()[name].threshold) for name in findings}
    if options.json:
        print(json.dumps(_audit_record(evidence, findings, used), ensure_ascii=False, indent=1))
    else:
        print(f"{header}\n")
        for name, finding in findings.items():
            _show(all_audits()[name], finding, used[name], None if options.all else _LIMIT)
    return int(any(finding.verdict == "alarm" for finding in findings.values()))


def _evidence(options: argparse.Namespace) -> tuple[AuditEvidence, str]:
    """All data of the files about one judge, and a description of it."""
    items, lines = read_items(options.items), read_judgments(options.judgments)
    own = filed_card(options)
    judge = choose_judge(
        options.judgments, lines, own.name if own else options.card or None, options.model, options.param
    )
    card = own or chosen_card(options, judge.card)
    same = [(n, line) for n, line in lines if line.card == judge.card]

    def those(path: Path, chosen: Lines) -> list[Any]:
        params = chosen[0][1].params if chosen else {}
        return combine_replies(read_replies(path, chosen, card, items), card, combination_rule(card, params))

    base = those(options.judgments, [(n, line) for n, line in same if judge_of(line) == judge])
    probes, others = {}, {}
    for name in dict.fromkeys(judge_of(line).probe for _, line in same):
        if name:
            of = [
                (n, line)
                for n, line in same
                if (j := judge_of(line)).probe == name and (j.model, j.params) == (judge.model, judge.params)
            ]
            probes[name] = those(options.judgments, of)
    for probe in options.probe:
        name, _, file = probe.partition("=")
        if not name or not file:
            raise BadInput(f"--probe {probe}: give the probe's name and its file, as in injected_order=probe.jsonl.")
        choices = {audit.probe for audit in all_audits().values()} & {*get_args(Probe)} - {""}
        if name not in choices:
            raise BadInput(f"--probe {probe}: there is no probe {name!r}. There are: {', '.join(sorted(choices))}.")
        probes[name] = those(Path(file), _of_card(Path(file), read_judgments(Path(file)), judge.card))
    seconds = [(options.judgments, same)]
    seconds += [(file, _of_card(file, read_judgments(file), judge.card)) for file in options.other]
    for file, given_lines in seconds:
        for model in dict.fromkeys(line.model for _, line in given_lines if line.model != judge.model):
            of_model = [(n, line) for n, line in given_lines if line.model == model and not judge_of(line).probe]
            first = judge_of(of_model[0][1]) if of_model else None
            others[model] = those(file, [(n, line) for n, line in of_model if judge_of(line) == first])
    labels = {options.gold: read_labels(options.gold)} if options.gold else {}
    people = resolve_cells(answers_by_cell(answers_by_person(labels, card, items)), card)
    unused = Counter(reply.reading.unscored for reply in base if reply.reading.unscored)
    reasons = ", ".join(f"{n} {why}" for why, n in unused.most_common())
    words = f"; {many(sum(unused.values()), 'reply', 'replies')} unscored ({reasons})"
    number = many(len(base), "reply", "replies")
    header = f"{judge.title}: {number} to {len({r.item for r in base})} of {many(len(items), 'item')}"
    also = [f"probe {name}" for name in probes] + [f"second judge {name}" for name in others]
    also += [f"{many(len(people), 'reference label')} (gold)"] if people else []
    header += (words if unused else "") + (f"; with {', '.join(also)}" if also else "") + "."
    return AuditEvidence(card, judge.model, items, base, probes, {m: r for m, r in others.items() if r}, people), header


def _of_card(path: Path, lines: Lines, name: str) -> Lines:
    chosen = [(n, line) for n, line in lines if line.card == name]
    if not chosen:
        raise BadInput(f"{path}: no judgment in it is of the card {name}.")
    return chosen


def _limits(path: Path | None) -> dict[str, float]:
    """The limits in a file, by audit; a limit of an unknown audit, or that is not a number, is refused."""
    if path is None:
        return {}
    try:
        limits = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise BadInput(f'{path}: not JSON. Give an object of limits, as in {{"averaging": 0.8}}.') from None
    if not isinstance(limits, dict):
        raise BadInput(f'{path}: not an object. Give limits by audit, as in {{"averaging": 0.8}}.')
    can = {name for name, audit in all_audits().items() if audit.threshold is not None}
    for name, limit in limits.items():
        if name not in can:
            raise BadInput(f"{path}: {name!r} has no limit to set. Those that have: {', '.join(sorted(can))}.")
        if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not abs(limit) <= sys.float_info.max:
            raise BadInput(f"{path}: the limit of {name} is {json.dumps(limit)[:40]}; it has to be a number.")
    return {name: float(limit) for name, limit in limits.items()}


def _show(audit: Audit, finding: AuditFinding, limit: float | None, most: int | None) -> None:
    figure = "" if finding.figure is None else f"{finding.figure:.3f}"
    if figure and finding.interval is not None:
        figure += finding.interval.in_brackets(".3f")
    against = "" if limit is None else f"limit {limit:g}"
    print(f"{finding.verdict.upper():16} {audit.name:23} {figure:24} {against}".rstrip())
    print(f"{'':17}{_line(finding.why)}")
    for flag in finding.flags[:most]:
        place = " ".join(part for part in (flag.item, flag.unit, flag.dimension) if part)
        print(f"{'':17}- {_line(place)}: {_line(flag.text)}")
    if most is not None and len(finding.flags) > most:
        print(f"{'':17}  ... and {len(finding.flags) - most} more: --all lists them.")


def _line(text: str) -> str:
    """A text on one line, without terminal control characters."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _audit_record(
    evidence: AuditEvidence, findings: Mapping[str, AuditFinding], limits: Mapping[str, float | None]
) -> dict[str, Any]:
    """Return the findings of a judge as JSON."""
    rows = {}
    for name, finding in findings.items():
        rows[name] = {
            "title": all_audits()[name].title,
            "verdict": finding.verdict,
            "why": finding.why,
            "figure": finding.figure,
            "interval": finding.interval and finding.interval.ends,
            "threshold": limits[name],
            "n": finding.n,
            "flags": [
                {"item": f.item, "unit": f.unit, "dimension": f.dimension, "text": f.text, "strength": f.strength}
                for f in finding.flags
            ],
        }
    return {"card": evidence.card.name, "version": evidence.card.version, "model": evidence.model, "audits": rows}
