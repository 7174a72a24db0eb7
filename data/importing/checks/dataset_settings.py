"""Checks of what an import brings besides items: a gold rule and guidelines, for leads only, and judges' prompts."""

from __future__ import annotations

from dataclasses import asdict

from pydantic import Field

from data.importing.checks.import_context import ImportContext, check_text
from data.records.guidelines import MAX_GUIDELINES_LENGTH
from data.records.judge_prompts import PromptSet
from data.records.settings import GoldRule
from judges.importing.entries import Line, LineError
from judges.importing.lines import GoldRuleLine
from judges.mtbench.records import PromptText
from judges.types import Strict


class GoldRuleCheck:
    """Reads how an import combines labels; `new` is the one that it sets, if it sets one."""

    def __init__(self, context: ImportContext) -> None:
        self.context = context
        self.new: GoldRule | None = None
        self._rule: GoldRule | None = None

    def take(self, line: Line) -> None:
        """Remember the rule, count it as known, or say why it is left aside. Raises LineError."""
        gold_rule = GoldRuleLine.model_validate(line.data).gold_rule
        rule = GoldRule(gold_rule.resolve, gold_rule.apart, gold_rule.waiting).check()
        if self._rule not in (None, rule):
            raise LineError(
                "gold_rule", "This import already has another rule for combining labels: a dataset has one rule."
            )
        repeated, self._rule = self._rule is not None, rule
        snapshot, report = self.context.snapshot, self.context.report
        name, old = snapshot.plan.dataset, snapshot.rule
        if old == rule:
            report.known.rules += 1
        elif repeated:
            report.repeated.rules += 1
        elif snapshot.has_rule:
            self.context.problems.warn(
                f"{name} keeps how it combines labels ({_words(old)}). Ignored: the rule of the file ({_words(rule)})."
            )
        elif not snapshot.lead:
            self.context.problems.warn(
                f"Ignored: how the file combines labels ({_words(rule)}). Only a lead can import that, as every "
                f"figure depends on it. {name} uses {_words(old)}."
            )
        else:
            self.new = rule
            report.new.rules += 1
            self.context.show("rules", 1, **asdict(rule))


def _words(rule: GoldRule) -> str:
    difference = "any number of steps" if rule.apart is None else f"{rule.apart} step{'' if rule.apart == 1 else 's'}"
    out = ", ratings to adjudicate are left out" if rule.waiting == "out" else ""
    return f"{rule.resolve}, people may differ by {difference}{out}"


class GuidelinesLine(Strict):
    """The line of a dataset's guidelines."""

    guidelines: str = Field(min_length=1, max_length=MAX_GUIDELINES_LENGTH)


class GuidelinesCheck:
    """Takes the guidelines of an import; `new` are those that it sets, "" where it sets none."""

    def __init__(self, context: ImportContext) -> None:
        self.context = context
        self.new = ""

    def take(self, line: Line) -> None:
        """Remember them, count them as known, or say why they are left aside. Raises LineError."""
        text = GuidelinesLine.model_validate(line.data).guidelines
        check_text(text)
        snapshot, report = self.context.snapshot, self.context.report
        if text == snapshot.guidelines:
            report.known.guidelines += 1
        elif text == self.new:
            report.repeated.guidelines += 1
        elif self.new:
            raise LineError("guidelines", "There are other guidelines earlier in this import: a dataset has one text.")
        elif snapshot.guidelines or not snapshot.lead:
            why = "the dataset keeps its own" if snapshot.guidelines else "only a lead can bring them in"
            self.context.problems.warn(f"Ignored: the guidelines of the file, because {why}.")
        else:
            self.new = text
            report.new.guidelines += 1
            self.context.show("guidelines", 1, guidelines=text)


class PromptsCheck:
    """Takes the sets of judges' prompts of an import; `new` are those that the dataset did not have."""

    def __init__(self, context: ImportContext) -> None:
        self.context = context
        self.new: dict[str, PromptSet] = {}

    def take(self, line: Line) -> None:
        """Remember a set, or count it as known."""
        prompt_set = PromptSet(line.file, tuple(PromptText(*prompt) for prompt in line.data["prompts"]))
        report = self.context.report
        if prompt_set.id in self.context.snapshot.prompts:
            report.known.prompts += 1
            return
        if prompt_set.id in self.new:
            report.repeated.prompts += 1
            return
        self.new[prompt_set.id] = prompt_set
        report.new.prompts += 1
        self.context.show("prompts", len(self.new), file=line.file, families=", ".join(prompt_set.families))
