"""The importer: entries of any format are validated, compared with what is there, and become rows in the spool."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial

from pydantic import ValidationError

from data.importing.checks.adjudications import AdjudicationCheck
from data.importing.checks.dataset_settings import GoldRuleCheck, GuidelinesCheck, PromptsCheck
from data.importing.checks.import_context import ImportContext
from data.importing.checks.items import CardCheck, check_item, has_text
from data.importing.checks.judgments import JudgmentCheck
from data.importing.checks.known_rows import KnownAdjudications, KnownItems, KnownJudgments, KnownLabels, Lookup
from data.importing.checks.labels import LabelCheck
from data.importing.formats import table
from data.importing.report import ProblemCollector
from data.importing.sentences import validation_problems
from data.importing.snapshot import Snapshot
from data.importing.staging import Spool
from data.records import rows
from data.store.errors import BadInput
from judges.errors import AssayError
from judges.importing.entries import Entry, ItemMissing, Line, LineError, RejectedRow, Sort
from judges.plural import many, verb
from judges.strict_json import BadJson, show_value

_CHUNK = 500
_PEOPLE, _JUDGES = 20_000, 1_000


class LineChecks:
    """One import in progress. Give it entries with `take`, then call `finish` once; the rows are in the spool.

    What the workspace holds already is asked of `ask`.
    """

    def __init__(self, snapshot: Snapshot, lookup: Lookup, spool: Spool, problems: ProblemCollector) -> None:
        items = KnownItems(lookup, snapshot.dataset_id, spool.open("items"))
        self.context = ImportContext(snapshot, spool, problems, items)
        self.judgments = JudgmentCheck(self.context, KnownJudgments(lookup), spool.open("orders"))
        self.labels = LabelCheck(self.context, KnownLabels(lookup))
        self.decisions = AdjudicationCheck(self.context, KnownAdjudications(lookup))
        self.rule = GoldRuleCheck(self.context)
        self.guidelines = GuidelinesCheck(self.context)
        self.prompts = PromptsCheck(self.context)
        self.cards = CardCheck(self.context)
        self._waiting = spool.open("waiting")
        self._checks: dict[Sort, Callable[[Line], None]] = {
            "item": partial(check_item, self.context), "card": self.cards.take, "label": self.labels.take,
            "judgment": self.judgments.take, "adjudication": self.decisions.take, "rule": self.rule.take,
            "guidelines": self.guidelines.take, "prompts": self.prompts.take,
        }  # fmt: skip

    def take(self, entries: Sequence[Entry], last: bool = False) -> None:
        """A few hundred entries, in their order. What names an item that has not come yet waits for the end.

        Raises TooManyErrors when too many are bad, BadInput when they name more people or judges than there can be.
        """
        self._fetch(entries)
        for entry in entries:
            if isinstance(entry, Line):
                self._line(entry, last)
            elif isinstance(entry, RejectedRow):
                self.context.refuse(entry.name, entry)
                self.context.problems.reject(entry.file, entry.line, entry.problems, entry.row)
            elif entry.summary:
                self.context.report.summary.append(entry.sentence)
            else:
                self.context.problems.warn(entry.sentence)
        for noun, members, most in (("people", self.people, _PEOPLE), ("judges", self.judgments.judges, _JUDGES)):
            if len(members) > most:
                raise BadInput(f"The import names more than {most:,} {noun}. Is it the right column that names them?")

    def finish(self) -> None:
        """Take what waited, and settle which label replaces which, and what probability they have.

        Raises what `take` does, and BadInput where more items have labels than they were drawn from.
        """
        for entries in self._reread_waiting():
            self.take(entries, last=True)
        for line in self.judgments.unpaired_lines():
            self._line(line, last=True)
        self.context.spool.settle(self.labels.known.replacements(), self.labels.probability())

    def close(self) -> None:
        """Complete the report."""
        report = self.context.report
        report.unscored = dict(self.judgments.unscored)
        if outcome := self.judgments.orders.describe_outcome():
            self.context.problems.warn(outcome)
        if again := self.judgments.known.again:
            self.context.problems.warn(
                f"{many(again, 'judgment')} {verb(again, 'is a further answer', 'are further answers')} of a judge to "
                "an item that it has judged here before: all count as samples, and no earlier one is replaced. "
                "Import corrected scores under another name of the judge or its model."
            )
        for sentence in filter(None, (self.judgments.describe_off_scale(), self.judgments.describe_renewed())):
            self.context.problems.warn(sentence)
        if old := self.labels.known.replaced_count:
            are, do, them = ("is", "does", "it") if old == 1 else ("are", "do", "them")
            self.context.problems.warn(
                f"{many(old, 'answer')} {are} there already and {do} not count, because a later import has another "
                f"answer of the same person to the same question. To make {them} count again, import {them} with a "
                "later time (made_at)."
            )
        if report.formats == [table.TITLE]:
            for sentence in filter(None, (self._describe_textless(), self._describe_numbered())):
                self.context.problems.warn(sentence)
        report.people = sorted(self.people)
        report.judges = sorted({judge.named for judge in self.judgments.judges.values()})
        self.context.problems.close()

    def _describe_textless(self) -> str:
        """A sentence where answers name new items by ids alone, and none of those that have texts; else nothing."""
        alone, report, items = self.context.textless, self.context.report, self.context.items
        if not (report.new.labels or report.new.judgments):
            return ""
        first = items.get(next(iter(items.stored))) if items.stored and not report.known.items else None
        if not alone or (report.new.items == len(alone) and not (first and has_text(first))):
            return ""
        shown = ", ".join(map(show_value, sorted(alone)[:3]))
        return (
            f"{many(len(alone), 'item')} {verb(len(alone), 'is', 'are')} imported without a text, because no item with "
            f"a text has {verb(len(alone), 'its id', 'their ids')} ({shown}). If the ids there are written in another "
            "way, such as 1.0 or 001, write them alike and import again."
        )

    def _describe_numbered(self) -> str:
        """A sentence where rows without ids give new answers to items of the dataset; else nothing."""
        report = self.context.report
        if not self.context.numbered or not (report.new.labels or report.new.judgments):
            return ""
        return (
            f"{many(self.context.numbered, 'row')} without an id {verb(self.context.numbered, 'is', 'are')} matched by "
            "number with the rows imported into this dataset before, and answers that differ are taken for new ones. "
            "If these are other items, import them into another dataset, or give them a column of ids."
        )

    @property
    def people(self) -> dict[str, str]:
        """The people whom this import names, with their teams."""
        return self.decisions.people | self.labels.people

    def _line(self, line: Line, last: bool) -> None:
        try:
            if (only := self.context.snapshot.plan.sorts) and line.sort not in only:
                raise LineError("", f"It is a line of sort {line.sort}; only {', '.join(only)} lines are taken here.")
            if line.sort != "item" and not last and self._early(line):
                self._waiting.write(json.dumps(asdict(line)).encode() + b"\n")
            else:
                self._checks[line.sort](line)
            return
        except ValidationError as error:
            problems = validation_problems(error)
        except LineError as no:
            place = line.file, line.line
            if isinstance(no, ItemMissing) and self.context.refused.get(line.data["item"]) == place:
                return  # the same row is rejected already, with the reason
            problems = [no.problem]
        except BadJson as error:
            problems = [("", f"The line {error}.")]
        except AssayError as error:
            problems = [("", str(error))]
        if line.sort == "item":
            self.context.refuse(line.data.get("id"), line)
        self.context.problems.reject(line.file, line.line, problems, line.row)

    def _early(self, line: Line) -> bool:
        """Whether a line names an item, or a card, that may still come."""
        name, card = line.data.get("item"), line.data.get("card")
        if line.sort == "judgment" and isinstance(card, str) and card not in self.context.cards:
            return True
        return isinstance(name, str) and name.strip() not in self.context.items

    def _fetch(self, entries: Sequence[Entry]) -> None:
        """Bring what the workspace holds about the items of these entries to hand, in a few queries."""
        stored = self.context.items.stored
        if not stored:
            return
        named: dict[str, dict[str, None]] = {"judgment": {}, "label": {}, "adjudication": {}}
        for entry in entries:
            if isinstance(entry, Line) and entry.sort in named:
                name = entry.data.get("item")
                if isinstance(name, str) and name.strip() in stored:
                    named[entry.sort][name.strip()] = None
        self.context.items.fetch(named["judgment"] | named["label"] | named["adjudication"])
        ids = {sort: [rows.item_id(self.context.dataset_id, name) for name in names] for sort, names in named.items()}
        self.judgments.known.fetch(ids["judgment"])
        self.labels.known.fetch(ids["label"])
        self.decisions.known.fetch(ids["adjudication"])

    def _reread_waiting(self) -> Iterator[list[Entry]]:
        self._waiting.seek(0)
        while texts := list(itertools.islice(self._waiting, _CHUNK)):
            records = map(json.loads, texts)
            yield [Line(**{**line, "unscored": line["unscored"] and tuple(line["unscored"])}) for line in records]
