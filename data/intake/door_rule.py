"""A gold rule at the door: it becomes the dataset's where that has none of its own, and a lead brings it."""

from __future__ import annotations

from dataclasses import asdict

from data.intake.door import Door, No
from data.intake.lines import Line, RuleIn
from data.settings import GoldRule


class RuleDoor:
    """Takes the gold rule of an import; `new` is the one that it sets, if it sets one."""

    def __init__(self, door: Door) -> None:
        self.door = door
        self.new: GoldRule | None = None
        self._given: GoldRule | None = None

    def take(self, line: Line) -> None:
        """Remember the rule, count it as known, or say why it is left aside. Raises No."""
        given = RuleIn.model_validate(line.data).gold_rule
        rule = GoldRule(given.resolve, given.apart, given.waiting).check()
        if self._given not in (None, rule):
            raise No("gold_rule", "There is another gold rule earlier in this import: a dataset has one.")
        known, self._given = self._given is not None, rule
        brief, report = self.door.brief, self.door.report
        name, held = brief.plan.dataset, brief.rule
        if known or held == rule:
            report.known.rules += 1
        elif brief.ruled:
            self.door.tally.warn(
                f"{name} keeps its own gold rule ({_words(held)}). Left aside: that of the file ({_words(rule)})."
            )
        elif not brief.lead:
            self.door.tally.warn(
                f"Left aside: the file's gold rule ({_words(rule)}), which only a lead can bring in, as every figure "
                f"rests on it. {name} goes by {_words(held)}."
            )
        else:
            self.new = rule
            report.new.rules += 1
            self.door.show("rules", 1, **asdict(rule))


def _words(rule: GoldRule) -> str:
    apart = "any number of steps" if rule.apart is None else f"{rule.apart} step{'' if rule.apart == 1 else 's'}"
    out = ", cells that wait are left out" if rule.waiting == "out" else ""
    return f"{rule.resolve}, people may lie {apart} apart{out}"
