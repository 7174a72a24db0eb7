"""People's votes on pairs of answers in words: with judges, with the majority, with each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judges.mtbench.records import Bench
from judges.mtbench.votes import SETUPS, VerdictAgreement
from judges.plural import many
from judges.render.findings.findings import Column, Sentence, Table, say
from judges.render.words import span


def vote_counts(bench: Bench) -> Sentence:
    """Return a sentence with the number of votes, and of the people who gave them."""
    people = {vote.voter: vote.group for vote in bench.votes}
    groups = {group: list(people.values()).count(group) for group in sorted(set(people.values()))}
    text = ", ".join(f"{n:,} {group}" for group, n in groups.items() if group)
    of = {"votes": many(len(bench.votes), "vote"), "people": many(len(people), "person", "people")}
    return say("**{votes}** of {people} ({told}).", **of, told=text) if text else say("**{votes}** of {people}.", **of)


def table(agreements: Sequence[VerdictAgreement], names: Mapping[str, str]) -> Table:
    """A row for each two sides and turn; ties counted (S1) and dropped (S2) side by side."""
    rows: dict[tuple[str, str, int | None], dict[str, object]] = {}
    for agreement in agreements:
        row = rows.setdefault(
            (agreement.one, agreement.other, agreement.turn),
            {
                "between": f"{names.get(agreement.one, agreement.one)} and {agreement.other}",
                "turn": "all" if agreement.turn is None else str(agreement.turn),
            },
        )
        name = f"{agreement.setup} "
        row |= {
            name + "agreement": agreement.equal.point,
            name + "interval": span(agreement.equal, ".1%"),
            name + "kappa": agreement.kappa.point,
            name + "kappa interval": span(agreement.kappa),
            name + "n": agreement.pairs,
        }
    columns: dict[str, Column] = {"between": Column(width=230), "turn": Column(width=56)}
    for name, meaning in SETUPS.items():
        columns |= {
            f"{name} agreement": Column(".1%", f"% agreement: share of equal pairs of votes ({meaning}).", name, 110),
            f"{name} interval": Column("", "By questions.", "95% interval", 118),
            f"{name} kappa": Column(".3f", f"Cohen's kappa, {name}.", "kappa", 66),
            f"{name} kappa interval": Column("", "By questions.", "95% interval", 98),
            f"{name} n": Column(",", "Pairs of votes.", "votes", 62),
        }
    return Table(
        list(rows.values()), columns,
        "Each row: the share of equal pairs of votes, and Cohen's kappa. Ties counted: a tie is an answer; ties "
        "dropped: pairs of votes in which either is a tie are left out. They are S1 and S2 in the MT-Bench paper. "
        "Majority: the verdict that most voters of all groups gave, a tie where several did. All current votes are "
        "used, blind and assisted.",
    )  # fmt: skip
