"""`audit`: the known failures of the judges of a dataset, measured; exit code 1 where one is in alarm."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from typing import Any

from data.audits import audits
from data.audits.audits import AuditResults
from data.audits.evidence import MAX_REPLIES
from data.cli.options import acting_person, add_actor, add_dataset, add_judge, workspace_store
from data.records import datasets
from data.records.access import require
from data.records.judge_lookup import lookup_judges
from judges.audits import AuditFinding, Flag, all_audits
from judges.judge_lookup import JudgeTraits
from judges.plural import many

_LIMIT = 20
_Shown = dict[tuple[str, str], list[Flag]]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_dataset(parser, "the dataset whose judges are audited")
    add_judge(parser, "all")
    parser.add_argument("--json", action="store_true", help="everything as one JSON object")
    parser.add_argument("--all", action="store_true", help=f"list every item behind a finding, not the first {_LIMIT}")
    parser.add_argument(
        "--every",
        action="store_true",
        help=f"look at every reply, not at a random sample where they are over {MAX_REPLIES:,}",
    )
    add_actor(parser)


def run(options: argparse.Namespace) -> int:
    """Audit, and say what was found; exit code 1 where something is in alarm."""
    most = sys.maxsize if options.every else MAX_REPLIES
    with workspace_store() as store:
        dataset = datasets.dataset_named(store, options.dataset)
        chosen = lookup_judges(store, dataset, options.judge)
        limits = audits.audit_limits(store)
        actor = require(store, acting_person(store, options.actor), "annotator").name
        flags = sys.maxsize if options.all or options.json else _LIMIT
        named = [(judge, audits.run_audits(store, dataset.id, judge.id, most)) for judge in chosen]
        shown = {
            (judge.id, name): audits.visible_flags(store, actor, judge.id, finding.flags, flags)
            for judge, audited in named for name, finding in audited.findings.items()
        }
        items = {str(i): str(n) for i, n in store.rows("select id, name from item where dataset_id = $1", [dataset.id])}
    if options.json:
        records = [_as_json(*pair, limits, items, shown) for pair in named]
        print(json.dumps({"dataset": options.dataset, "judges": records}, ensure_ascii=False, indent=2))
    else:
        for pair in named:
            _tell(*pair, limits, items, shown)
    return 1 if any(audited.alarms for _, audited in named) else 0


def _limit(name: str, limits: dict[str, float]) -> float | None:
    return limits.get(name, all_audits()[name].threshold)


def _tell(
    judge: JudgeTraits, audited: AuditResults, limits: dict[str, float], items: dict[str, str], shown: _Shown
) -> None:
    """A line for each audit, and the items behind it."""
    scope = audited.scope
    basis = f"{many(scope.replies, 'reply', 'replies')} on {many(scope.items, 'item')}{scope.drawn}"
    print(f"{judge.model} ({judge.card}, {judge.id}): {basis}; {scope.unscored:,} unscored")
    if not audited.findings:
        print("  This card names no audits.")
    for name, finding in audited.findings.items():
        figures = ", ".join(_figures(name, finding, limits))
        print(f"  {finding.verdict:<15} {name:<22} {figures + ': ' if figures else ''}{finding.why}")
        flags = shown[judge.id, name]
        for flag in flags:
            where = " ".join(part for part in (flag.unit, flag.dimension) if part)
            print(f"      {items.get(flag.item, flag.item)}{' ' + where if where else ''}: {flag.text}")
        if left := len(finding.flags) - len(flags):
            print(f"      ... and {left:,} more (--all lists those that do not wait for a blind answer of yours)")


def _figures(name: str, finding: AuditFinding, limits: dict[str, float]) -> list[str]:
    interval, limit, parts = finding.interval, _limit(name, limits), []
    if finding.figure is not None:
        parts.append(f"{finding.figure:.3f}")
    if interval is not None and interval.low is not None and interval.high is not None:
        parts.append(f"{interval.level:.0%} interval {interval.low:.3f} to {interval.high:.3f}")
    if limit is not None:
        parts.append(f"limit {limit:g}")
    return parts


def _as_json(
    judge: JudgeTraits, audited: AuditResults, limits: dict[str, float], items: dict[str, str], shown: _Shown
) -> dict[str, Any]:
    by_audit = {}
    for name, finding in audited.findings.items():
        flags = [{**asdict(flag), "item": items.get(flag.item, flag.item)} for flag in shown[judge.id, name]]
        interval = (
            None if finding.interval is None else {k: getattr(finding.interval, k) for k in ("low", "high", "level")}
        )
        by_audit[name] = {
            "verdict": finding.verdict, "why": finding.why, "figure": finding.figure, "interval": interval,
            "n": finding.n, "threshold": _limit(name, limits), "flags": flags,
        }  # fmt: skip
    about = {"judge": judge.id, "card": judge.card, "model": judge.model}
    return {**about, "rests_on": asdict(audited.scope), "audits": by_audit}
