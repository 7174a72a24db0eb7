"""Positional agreement by hand and beside other libraries, and from two lines a pair on the command line."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.proportion import proportion_confint

from judges.cli import main
from judges.importing.line_files import read_judgments
from judges.protocols import orders
from judges.protocols.order_halves import OrderMatcher, pack_orders, unpack_orders
from judges.stats import both_orders
from tests.judges.cli.test_audit import write

WORDS = ("a", "tie", "b")


def test_by_hand() -> None:
    # Two of five stay. Decided: A A, A -, - B, A B; of these six the first place has all but the second.
    verdicts = [("1", "a", "a"), ("2", "a", "tie"), ("3", "tie", "b"), ("4", "a", "b"), ("5", "tie", "tie")]
    agreement = both_orders.positional_agreement(verdicts, WORDS)
    assert (agreement.same.point, agreement.same.cells) == (2 / 5, 5)
    assert (agreement.first.point, agreement.first.cells) == (5 / 6, 6)
    assert agreement.table.tolist() == [[1, 1, 1], [0, 1, 1], [0, 0, 0]]
    # expected agreement: (3 * 1 + 2 * 2 + 0 * 2) / 25 = .28; (.4 - .28) / .72
    assert agreement.kappa.point == pytest.approx((0.4 - 0.28) / 0.72)
    same, kappa, first, warning = both_orders.explain(agreement)
    assert same.startswith("With the order swapped the verdict stays the same in 40.0% of 5 pairs")
    assert kappa.startswith("Kappa between the two orders is 0.17")
    assert first.startswith("The first position wins 83.3% of 6 verdicts with a winner")
    assert warning == "Fewer than 30 pairs: no conclusion."


def test_beside_other_libraries() -> None:
    draw = random.Random(7)
    verdicts = [(n, draw.choice(WORDS), draw.choice(("a", "a", "tie", "b"))) for n in range(400)]
    agreement = both_orders.positional_agreement(verdicts, WORDS)
    ab, ba = [s[1] for s in verdicts], [s[2] for s in verdicts]
    assert agreement.kappa.point == pytest.approx(cohen_kappa_score(ab, ba), abs=1e-12)
    same = sum(x == y for x, y in zip(ab, ba, strict=True))
    low, high = proportion_confint(same, 400, method="wilson")
    assert (agreement.same.low, agreement.same.high) == pytest.approx((low, high), abs=1e-9)
    # Two samples of a pair are no two pairs: the same data doubled has the same interval.
    twice = both_orders.positional_agreement([*verdicts, *verdicts], WORDS)
    assert twice.same.items == 400 and twice.same.low == pytest.approx(agreement.same.low, abs=0.002)
    assert (twice.kappa.point, twice.kappa.items) == (pytest.approx(agreement.kappa.point), 400)
    assert np.array_equal(twice.table, 2 * agreement.table)


def test_nothing_and_answers_off_the_scale() -> None:
    nothing = both_orders.positional_agreement([], WORDS)
    assert (nothing.same.point, nothing.kappa.point, nothing.first.point) == (None,) * 3
    assert both_orders.explain(nothing) == []
    constant = both_orders.positional_agreement([(n, "a", "a") for n in range(110)], ("a", "b", "tie"))
    assert both_orders.explain(constant)[1].startswith("Kappa is undefined on 110 items: both orders gave one and")
    odd = both_orders.positional_agreement([("1", "n/a", "a"), ("2", "n/a", "n/a")], ("a", "b"))
    assert odd.same.point == 0.5 and odd.first.point == 0.0 and odd.answers == ("a", "b", "n/a")


def test_a_note_on_a_flip_is_read_back_and_no_other_note_is() -> None:
    note = "Verdict changed with the order: {} when asked as A/B, {} when asked as B/A. It counts as a tie."
    assert orders.parse_flip_note(note.format("A", "tie")) == ("a", "tie")
    assert orders.parse_flip_note(note.format("good", "B").replace("Verdict", "Which one is better")) == ("good", "b")
    assert orders.parse_flip_note("The verdict changed with the order: I think.") is None
    assert orders.parse_flip_note("x: " + note.format("A", "B")) is None


def test_the_first_goes_with_the_first_and_the_same_is_no_other() -> None:
    waiting = OrderMatcher()
    assert waiting.meet("p", "ab", None, ("x", None, ""), 1) is None
    assert waiting.meet("p", "ab", None, ("x", None, ""), 2) == -1
    assert waiting.meet("p", "ab", None, ("y", None, ""), 3) is None
    assert waiting.meet("p", "ba", 5, ("u", None, ""), 4) is None
    assert waiting.meet("q", "ba", None, ("u", None, ""), 5) is None
    assert waiting.meet("p", "ba", None, ("u", None, ""), 6) == 1
    assert waiting.meet("p", "ba", None, ("v", None, ""), 7) == 3
    assert waiting.left == [4, 5]
    halves: dict[Any, Any] = {"ba": ("r", "refused", "no"), "ab": ('{"pieces":[', None, "")}
    assert unpack_orders(pack_orders(halves)) == halves and unpack_orders('{"verdict": "a"}') == {}


def half(n: int, order: str, verdict: str, **more: Any) -> dict[str, Any]:
    line = {"item": f"p{n}", "card": "plain_pairwise", "model": "m", "order": order, "params": {"temperature": 0.7}}
    return {**line, "reply": {"verdict": verdict, "reason": "so"}, **more}


def label(n: int, value: str) -> dict[str, Any]:
    line = {"item": f"p{n}", "unit": "pair", "dimension": "verdict", "value": value, "annotator": "ann"}
    return {**line, "mode": "blind", "made_at": "2026-01-01T00:00:00Z"}


def test_agree_and_audit_take_a_line_for_each_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # 40 pairs: 30 the better one both times, 10 whoever stands first; two more in one order only.
    rows = [half(n, "ab", "a") for n in range(40)] + [half(n, "ba", "b" if n < 30 else "a") for n in range(40)]
    rows += [half(40, "ba", "b"), half(41, "ab", "b")]
    random.Random(1).shuffle(rows)
    file = tmp_path / "j.jsonl"
    lines = read_judgments(Path(write(file, rows)))
    assert sorted(line.params["orders"] for _, line in lines) == ["ab", "ba"] + ["both"] * 40
    people = write(tmp_path / "l.jsonl", [label(n, "a" if n % 4 else "tie") for n in range(42)])
    assert main(["agree", str(file), people, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["items"] == 40 and row["orders"]["same"]["point"] == 0.75
    # 80 decided verdicts: 40 as A/B, all A; 40 as B/A, of which 10 B, shown first there.
    assert row["orders"]["first_place"]["point"] == 50 / 80
    assert row["orders"]["kappa"]["point"] == 0.0
    # The verdict that people are held against is A where both say so, else a tie.
    assert row["table"] == [[22, 8, 0], [8, 2, 0], [0, 0, 0]]
    assert main(["agree", str(file), people]) == 0
    out = capsys.readouterr().out
    assert "verdict, both orders: With the order swapped the verdict stays the same in 75.0% of 40 pairs" in out
    assert "2 replies of it that are not to both orders of a pair are left out." in out
    sides = {"response_a": {"text": "one"}, "response_b": {"text": "two"}}
    items = write(tmp_path / "i.jsonl", [{"id": f"p{n}", "kind": "pair", "input": "?", **sides} for n in range(42)])
    main(["audit", items, str(file), "--json"])
    audit = json.loads(capsys.readouterr().out)["audits"]["first_place_wins"]
    assert (audit["n"], audit["figure"]) == (40, 50 / 80)


def test_an_order_of_a_part_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path / "j.jsonl", [half(1, "ab", "a"), half(1, "ba", "a", part="pair")])
    assert main(["agree", file, write(tmp_path / "l.jsonl", [label(1, "a")])]) == 1
    assert "line 2: a judgment of one part" in capsys.readouterr().err
