"""The prompt where the caller wants other scales than 1 to 5, or no confidence: the usual one, changed in those parts."""

from __future__ import annotations

import re
from pathlib import Path

_USUAL_SCORE = re.compile(r"`score`, a whole number from 1 to 5:\n(?:- \d: .*\n)+")
_SCORE = (
    "`score`, a whole number on the scale that stands beside the definition. The highest fully meets it: you can name "
    "nothing that is lacking. The lowest does not meet it, or does the opposite. Those between lie evenly between.\n"
)
_CONFIDENCE = re.compile(r"`confidence`, how well.*?(?=\n## )", re.DOTALL)
_PLAIN = (
    (", and how sure you are of the score.", "."),
    ("a score, a reason", "a score and a reason"),
    ("states scores or confidences", "states scores"),
    (', "confidence": "high" | "medium" | "low"', ""),
    (', "overall_score": <number>, "trustworthy_aggregate": true | false', ""),
    ("what the overall score rests on", "what the scores rest on"),
    ("## The sums\n", "## The decision basis\n"),
)


def prompt(folder: Path, usual: bool, confidence: bool, ends: tuple[int, int]) -> str:
    """The system message of the card in that folder.

    `usual`: the scores are 1 to 5, as the text has it; `ends` are the lowest and the highest score of all scales.
    """
    text = (folder / "prompt.md").read_text(encoding="utf-8").strip()
    if not usual:
        text = _USUAL_SCORE.sub(_SCORE, text).replace("{name, definition}", "{name, definition, scale}")
        text = text.replace('"score": <1-5>', f'"score": <number on its scale, within {ends[0]}-{ends[1]}>')
        text = text.replace("3 and 4 are scores", "Those in the middle are scores")
        text = text.replace("a 1 can be sure and a 5 a guess", "a low score can be sure and a high one a guess")
    if not confidence:
        text = _CONFIDENCE.sub("", text)
        text = re.sub(r"`overall_score`: .*?(?=`decision_basis`)", "", text, flags=re.DOTALL)
        for old, new in _PLAIN:
            text = text.replace(old, new)
    return text
