"""Audits of verbosity bias: a score rises with the tokens of the text that it is about (docs/methods.md, Audits)."""

from __future__ import annotations

from functools import partial

from judges.audits import Audit, AuditEvidence, AuditFinding, Flag, Plot
from judges.audits._judged import cell_means, group_judgments, item_numbers, text_lengths
from judges.audits._verdict import bounds, limit_verdict, make_finding, not_tested, strongest_flags, too_few
from judges.stats.concordance import spearman
from judges.stats.intervals import Cells
from judges.triage import describe_unit

_MAX_FLAGS = 50


def find(evidence: AuditEvidence, limit: float, *, dimension: str, text: str) -> AuditFinding:
    """Spearman's correlation of a dimension with the tokens of the text it is about, clustered by item.

    `text` names such a text in the singular ("turn"). The flags are texts longer than the median that get the highest
    score that occurs, longest first.
    """
    name = dimension.replace("_", " ")
    cells = {cell: value for cell, value in cell_means(group_judgments(evidence)).items() if cell[2] == dimension}
    sizes_of = {item: text_lengths(evidence.items[item]) for item in dict.fromkeys(cell[0] for cell in cells)}
    rows = [(cell, v, sizes_of[cell[0]][cell[1]]) for cell, v in cells.items() if cell[1] in sizes_of[cell[0]]]
    place_of = item_numbers(cell[0] for cell, _, _ in rows)
    items = len(set(place_of))
    if stop := too_few(items, f"items with a score of {name} and its text"):
        return stop
    sizes, values = [size for _, _, size in rows], [value for _, value, _ in rows]
    r = spearman(Cells(place_of, sizes, values))
    picture = Plot.points(f"tokens in the {text}", name, list(zip(map(float, sizes), values, strict=True)))
    if r.point is None:
        same = name if len(set(values)) == 1 else f"the length of every {text}"
        return not_tested(f"No correlation exists, because {same} is the same throughout.", n=items)
    verdict = limit_verdict(r, limit)
    flags: list[Flag] = []
    if verdict in ("warning", "alarm"):
        middle, high = sorted(sizes)[len(sizes) // 2], max(values)
        for (item, unit, _), value, size in rows:
            if value == high and size > middle:
                where = (describe_unit(unit).strip() or f"the {text}").capitalize()
                sentence = f"{where} has about {size} tokens, where the median is {middle}, and {name} {value:g}."
                flags.append(Flag(item, sentence, unit, dimension, min(0.2 + 0.1 * size / max(middle, 1), 0.7)))
    why = f"Rank correlation of {name} with tokens is {r.point:z.2f} ({bounds(r, False)}) over {len(rows)} {text}s."
    return make_finding(verdict, why, r, strongest_flags(flags, _MAX_FLAGS), picture, items)


AUDITS = tuple(
    Audit(
        f"length_{dimension}",
        f"Verbosity bias: {dimension}",
        f"Rank correlation (Spearman) between {measures}",
        "The correlation is above {threshold}.",
        limit,
        partial(find, dimension=dimension, text=text),
    )
    for dimension, text, limit, measures in (
        ("completeness", "output", 0.7, "completeness and the length of the output in tokens."),
        ("helpfulness", "turn", 0.6, "the helpfulness of an assistant turn and its length in tokens, with an interval "
                                     "that resamples whole dialogues."),
        ("rating", "turn", 0.6, "the rating of a turn and its length in tokens, with an interval that resamples whole "
                                "dialogues."),
    )
)  # fmt: skip
