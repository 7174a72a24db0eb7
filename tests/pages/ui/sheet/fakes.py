"""Made-up sheets for the harness: every kind of item, in the component's own JSON."""

import json

from judges.types import sort_of
from tests import poison

LOREM = "The carrier reports a delay at its sorting centre and expects to deliver in one or two days. "
JA = (
    "ご注文の商品は配送センターで遅れが生じており、一両日中のお届けとなる見込みです。"
    "ご不便をおかけして申し訳ございません。"
)
ONE_TO_FIVE = [{"v": n, "t": str(n)} for n in range(1, 6)]
NA = {"v": None, "t": "n/a"}
VERDICT = [{"v": n, "t": t} for n, t in enumerate(("poor", "borderline", "good", "excellent"))]
SIDES = [{"v": n, "t": t} for n, t in enumerate(("A", "B", "tie"))]
FLAG = [{"v": 0, "t": "no"}, {"v": 1, "t": "yes"}]

GUIDE = {"dataset": "support", "no": 2, "by": "lea", "on": "3 May 2026", "text": "# Rate\n![x](https://e.example/x.png)"}


def cell(
    unit, dimension, v=4, *, kind="ordinal", steps=ONE_TO_FIVE, level="high", note="", rule="", own=None, source=""
):
    confidence = {"level": level, "measure": "stated confidence", "source": source or "self-reported"}
    confidence |= {"exact": "", "between": None, "samples": []}
    judge = None if v == "none" else {"v": v, "note": note, "rule": rule, **confidence}
    return {
        "unit": unit,
        "dimension": dimension.replace(" ", "_"),
        "label": dimension,
        "definition": f"How good the {dimension} is.",
        "anchors": [["1", "fails"], ["5", "as good as can be"]] if kind == "ordinal" else [],
        "kind": kind,
        "sort": sort_of(unit),
        "steps": steps,
        "range": None,
        "optional": False,
        "by": None,
        "judge": judge,
        "reason": "",
        "others": [],
        "mine": own,
    }


def row(unit, sort, texts, groups, **more):
    base = {
        "unit": unit,
        "sort": sort,
        "no": "",
        "title": "",
        "texts": texts,
        "columns": 1,
        "judge_issues": [],
        "notes": [],
        "rules": [],
        "notices": [],
        "judgments": [],
        "can_issue": True,
        "better": None,
        "can_better": False,
        "stacked": False,
    }
    return {**base, "groups": [{"label": label, "cells": cells} for label, cells in groups], **more}


def text(role, content, label=""):
    return {"role": role, "label": label, "text": content}


def item(name, title, kind, rows, **more):
    base = {
        "item": f"id-{name}",
        "claim": f"claim-{name}",
        "dataset": "support-dialogues",
        "name": name,
        "title": title,
        "systems": ["model-x"],
        "synthetic": False,
        "stream": "review",
        "mode": "assisted",
        "why": ["turn 3 helpfulness: low stated confidence", "verdict breaks its rule"],
        "judge": "judge-1",
        "judges": [{"model": "openai/gpt-4o", "card": "Multi-turn dialogue", "version": "91710b5"}],
        "unnamed": False,
        "choice": 0,
        "version": "",
        "again": False,
        "kind": kind,
        "head": [],
        "comments": [],
    }
    item = {**base, "rows": rows, **more}
    places = {"turn 3 helpfulness": ("turn:3", "helpfulness"), "verdict breaks": ("conversation", "verdict")}
    item["why"] = [
        next(({"text": w, "unit": u, "dimension": d} for b, (u, d) in places.items() if w.startswith(b)), {"text": w})
        for w in item["why"]
    ]
    return item


def turns(exchanges, scores=None, levels=None):
    out = []
    for n, (user, bot) in enumerate(exchanges, 1):
        values = (scores or {}).get(n, (5, 5, 5))
        cells = [
            cell(f"turn:{n}", d, v, level=(levels or {}).get((n, d), "high"), note=NOTES.get((n, d), ""))
            for d, v in zip(("context use", "helpfulness", "safety"), values, strict=True)
        ]
        out.append(row(f"turn:{n}", "turn", [text("user", user), text("assistant", bot)], [("", cells)], no=str(n)))
    return out


NOTES = {
    (3, "helpfulness"): "acknowledges the user but repeats the delivery estimate; does not start the refund.",
    (3, "context use"): "forgets that the user is away from tomorrow.",
}


def conversation(count, rules=(), weakest=3):
    steps = [{"v": n, "t": str(n)} for n in range(1, count + 1)] + [{"v": 0, "t": "none"}]
    cells = [
        cell("conversation", "coherence", 4, note="each turn follows from the one before, except the last."),
        cell(
            "conversation",
            "task completion",
            2,
            steps=[*ONE_TO_FIVE, NA],
            note="the refund was asked for and never started.",
        ),
        cell(
            "conversation",
            "verdict",
            2,
            kind="ordered",
            steps=VERDICT,
            level=None,
            rule=rules[0] if rules else "",
            note="Helpful start, but the refund that was asked for is not arranged.",
        ),
        cell("conversation", "weakest turn", weakest, kind="turn", steps=steps, level=None),
    ]
    return row("conversation", "whole", [], [("", cells)], rules=list(rules))


TEXTS = [
    (
        "My parcel should have been here on Tuesday. Where is it?",
        "I'm sorry about that. Could you give me the order number, or the e-mail address you ordered with?",
    ),
    ("It's 4421-987.", LOREM + "I can send you the tracking link, or arrange a refund should it not arrive."),
    (
        "Actually no, I said I'm away from tomorrow. I want the refund now. 返金してください。",
        "Understood! Your parcel will arrive in one or two days. In the meantime, here is the tracking link, "
        "and do let me know if there is anything else I can help you with today.",
    ),
]
BROKEN = "The judge said good. Its own scores (context use 2 on turn 3) allow borderline or poor."


def dialogue(name="d-0117", **more):
    rows = turns(TEXTS, {2: (4, 4, 5), 3: (2, 3, 5)}, {(2, "helpfulness"): "medium", (3, "helpfulness"): "low"})
    rows[2]["groups"][0]["cells"][1] |= {
        "reason": "turn 3 helpfulness: low stated confidence",
        "others": [{"by": "qwen2.5:7b", "v": 1, "t": "1"}],
    }
    rows[2]["judge_issues"] = [
        "Repeats the estimate although the user is away from tomorrow.",
        "Does not start the refund.",
    ]
    scenario = (
        "The user wants a refund for a delayed order; the assistant should find the order, "
        "explain the delay and refund as asked."
    )
    more = {"rules": [BROKEN], **more}
    return item(
        name,
        more.pop("title", "Refund for a delayed order"),
        "dialogue",
        [*rows, conversation(3, more.pop("rules"))],
        head=[{"label": "Scenario", "text": scenario, "fold": False}],
        **more,
    )


def japanese(name="d-0202"):
    exchanges = [
        (
            "火曜日に届くはずの荷物がまだ届きません。どこにありますか？",
            "ご迷惑をおかけしております。ご注文番号、またはご注文時のメールアドレスをお知らせいただけますでしょうか。",
        ),
        (
            "4421-987です。明日から出張なので、今日中に返金してほしいです。",
            JA * 3 + "\n\n・返金の手続き\n・お届け日の変更\n・配送状況のご確認「お荷物番号：4421-987」",
        ),
        (
            "（怒）さっきも言いましたよね？",
            "大変失礼いたしました。ただいま返金の手続きを開始いたしました。三営業日以内にご登録のカードへ返金されます。",
        ),
    ]
    rows = turns(exchanges, {2: (2, 3, 5)}, {(2, "context use"): "low"})
    rows[1]["judge_issues"] = ["返金の依頼に答えていない。"]
    rows[1]["groups"][0]["cells"][0]["judge"]["note"] = (
        "利用者が「今日中に返金してほしい」と述べたのに、配送の見込みだけを繰り返している。"
    )
    return item(
        name,
        "配送の遅れと返金のご依頼",
        "dialogue",
        [*rows, conversation(3)],
        dataset="サポート対話",
        why=["turn 2 context use: low stated confidence"],
        head=[
            {
                "label": "Scenario",
                "text": "利用者は遅延した注文の返金を求めている。"
                "アシスタントは注文を確認し、理由を説明したうえで返金を行う。",
                "fold": False,
            }
        ],
    )


def blind(name="d-0300", **more):
    item = dialogue(name, mode="blind", stream="audit", why=["audit sample"], title="Blind: a delayed order", **more)
    for r in item["rows"]:
        r["judge_issues"], r["rules"] = [], []
        for g in r["groups"]:
            for c in g["cells"]:
                c["judge"] = None
    return item


def long_dialogue(name="d-0400", count=40):
    exchanges = [
        (f"Question {n}. " + LOREM * (n % 3), f"Answer {n}. " + LOREM * (1 + n % 5 + (50 if n == 7 else 0)))
        for n in range(1, count + 1)
    ]
    return item(
        name,
        f"A long talk of {count} turns",
        "dialogue",
        [*turns(exchanges, dict.fromkeys(range(1, count + 1), (4, 4, 5))), conversation(count)],
        why=["identical scores on all turns"],
    )


def pair(name="p-0001", size=900, sections=3, title="Compare two summaries of a field report", long_input=30000):
    def side(u, s, n):
        return [
            cell(f"section:{u}/{s}", d, v, level=lv)
            for d, v, lv in (
                ("groundedness", 4 - (s == "b" and n == 2), "high"),
                ("relevance", 4, "high" if s == "a" else "low"),
                ("quality", 5, None),
            )
        ]

    titles = ("Opening and scope", "What the measurements show", "Recommendations", "Limits", "Closing")
    rows = [
        row(
            f"section:{n}",
            "section",
            [
                text("a", (LOREM * 400)[:size], "A · model-x"),
                text("b", ("Two of the three sites were measured twice. " * 800)[: size * 2 // 3], "B · model-y"),
            ],
            [("A", side(n, "a", n)), ("B", side(n, "b", n))],
            no=str(n),
            title=titles[n % 5 - 1],
            columns=2,
            judge_issues=["B repeats the second paragraph."] if n == 2 else [],
        )
        for n in range(1, sections + 1)
    ]
    flags = (
        "mid-content drift",
        "lost in the middle",
        "hallucinated continuation",
        "false completeness",
        "format collapse",
    )
    rows.append(
        row(
            "response",
            "side",
            [],
            [
                (
                    s.upper(),
                    [
                        cell(
                            f"response/{s}",
                            f,
                            1 if f == flags[1] and s == "b" else 0,
                            kind="flag",
                            steps=FLAG,
                            level=None,
                        )
                        for f in flags
                    ],
                )
                for s in "ab"
            ],
            title="Failures",
            can_issue=False,
        )
    )
    rows.append(
        row(
            "pair",
            "whole",
            [],
            [
                (
                    "",
                    [
                        cell(
                            "pair",
                            "verdict",
                            0,
                            kind="unordered",
                            steps=SIDES,
                            level="medium",
                            note="A covers the three sites, B leaves the second one out.",
                        )
                    ],
                )
            ],
            rules=["The verdict is A, but the aggregates are 3.4 for A and 3.9 for B."],
        )
    )
    text_in = "\n\n".join(f"{n}. {LOREM * 4}" for n in range(1, 200))[:long_input]
    return item(
        name,
        title,
        "pair",
        rows,
        systems=["model-x", "model-y"],
        dataset="long-form",
        head=[{"label": "Input", "text": text_in, "fold": True}],
        why=["the order of A and B changes the verdict"],
    )


def response(name="r-0001"):
    cells = [
        cell("response", d, v, note="Names the right year but the wrong city.", level=lv)
        for d, v, lv in (
            ("factuality", 3, "low"),
            ("instruction following", 5, "high"),
            ("coherence", 5, "high"),
            ("completeness", 4, "medium"),
        )
    ]
    cells.append(cell("response", "verdict", 1, kind="ordered", steps=VERDICT, level=None))
    rows = [
        row(
            "response",
            "response",
            [
                text("output", "The treaty was signed in 1648 in Vienna.\n\n" + LOREM * 6, "Output"),
                text("reference", "The treaty was signed in 1648 in Münster and Osnabrück.", "Reference"),
            ],
            [("", cells)],
        )
    ]
    return item(
        name,
        "When and where was the treaty signed?",
        "response",
        rows,
        synthetic=True,
        dataset="short-answers",
        head=[
            {
                "label": "Task",
                "text": "When and where was the peace of Westphalia signed? Answer in one paragraph.",
                "fold": False,
            }
        ],
        why=["factuality: low stated confidence"],
    )


def bench(name="m-0081"):
    steps = [{"v": n, "t": str(n)} for n in range(1, 11)]
    rows = [
        row(
            f"turn:{n}",
            "turn",
            [
                text("user", "Write a haiku about queues."),
                text("assistant", None if n == 2 else "People in a line\n…", ""),
            ],
            [("", [cell(f"turn:{n}", "score", 8, steps=steps, note="Reads well.")])],
            no=str(n),
        )
        for n in (1, 2)
    ]
    return item(name, "MT-bench, question 81", "response", rows, why=[], dataset="mt-bench")


def nasty(name="x-0001"):
    bad = '<img src=x onerror="window.hit=1"><script>window.hit=1</script> **not bold** ![](http://127.0.0.1:1/x.png)'
    return dialogue(name, title=bad, why=[bad], systems=[bad], rules=[bad])


FORMATTED = """Here is **the fix**, with _care_ and `read_all()`:
one line each, for $5 and not $6.

```python
def rows(path): return 1  # one pass
```

| Approach | Memory |
|:--|--:|
| streaming | **18 MB** |

1. See [the guide](https://example.org/guide).
2. ![A plot](https://example.org/plot.png)

The roots of $ax^2+bx+c$ are \\(x_1\\) and

\\[ x_2 = \\frac{-b}{2a} \\]

お届けは**「一両日中」**です。"""


def poisoned_dialogue(name="v-0001"):
    """A dialogue of which every text tries something, and one turn takes a million characters."""
    texts = poison.tricks("http://canary.test")
    exchanges = [(user, bot) for user, bot in zip(texts, reversed(texts), strict=True)]
    exchanges += [(text, "ok") for text in poison.floods()] + [("ok", poison.ENDLESS)]
    head = [{"label": "Input", "text": "".join(texts), "fold": True}]
    return item(name, "Poisoned", "dialogue", [*turns(exchanges), conversation(3)], head=head)


def formatted_dialogue(name="f-0001"):
    """Markdown, code, a table, formulas and Japanese."""
    exchanges = [("How do I read it?\nIt has  two lines.", FORMATTED), ("No *sign", "Plain.\n\nTwo paragraphs.")]
    return item(name, "Formatted", "dialogue", [*turns(exchanges), conversation(2)])


def dialogues(count, start=1):
    return [dialogue(f"d-{n:04d}", title=f"Refund for a delayed order {n}") for n in range(start, start + count)]


HALVES = [{"v": n / 2, "t": f"{n / 2:g}"} for n in range(2, 11)]
FINE = [{"v": n / 2, "t": f"{n / 2:g}"} for n in range(21)]
HUNDRED = {"lo": 0, "hi": 100, "step": 0, "by": 1}


def tools(name="t-0001"):
    """A dialogue whose assistant called tools, one with a long result."""
    rows = [*turns(TEXTS[:2]), conversation(2)]
    orders = [{"order": n, "state": "sorting", "note": LOREM} for n in range(40)]
    called = [
        {"role": "tool", "label": "calls search_orders", "text": '{"customer": "ann", "open": true}'},
        {"role": "tool", "label": "result of search_orders", "text": json.dumps(orders)},
        {"role": "tool", "label": "calls 配送状況", "text": '{"注文": "八百三十一", "詳しく": true}'},
        {"role": "tool", "label": "result of 配送状況", "text": JA * 3},
    ]
    rows[0]["texts"][1:1] = called
    return item(name, "Where is my parcel?", "dialogue", rows)


def thinking_dialogue(name="m-0001", **more):
    """A turn of MT-Bench: thinking and a long reference folded away, three judges, an answer that was cut."""
    parts = [
        {"why": "thinking", "text": f"<think>\nTHOUGHT **one** {LOREM}\n</think>"},
        {"why": "", "text": "\n\nThe **answer**."},
        {"why": "<think> is never closed", "text": "<think>REST <img src=x onerror=alert(1)>"},
    ]
    judgments = [
        {"judge": "gpt-4o", "prompt": "single-v1", "main": True, "t": "8",
         "texts": [{"t": "", "text": None, "why": ""}]},
        {"judge": "gpt-4.1", "prompt": "single-v1", "main": False, "t": "6.5",
         "texts": [{"t": "6", "text": "SAID six", "why": ""}, {"t": "7", "text": "SAID seven", "why": ""}]},
        {"judge": "o3", "prompt": "", "main": False, "t": "", "texts": [{"t": "", "text": "", "why": "no [[rating]]"}]},
    ]  # fmt: skip
    texts = [
        text("user", "What is it?"),
        {"role": "assistant", "label": "", "parts": parts, "marks": ["cut at 8,192 characters by the protocol"]},
        {"role": "reference", "label": "reference: the judges' set", "text": "REFERENCE " + LOREM, "fold": True},
    ]
    rating = cell("turn:1", "rating", 8, note="SAID eight", steps=[{"v": n, "t": str(n)} for n in range(1, 11)])
    rating["others"] = [{"by": "gpt-4.1", "v": 7, "t": "6.5"}]
    turn = row(
        "turn:1", "turn", texts, [("", [rating])], no="1", notices=["Turn 1 was never asked."], judgments=judgments
    )
    return item(name, "What is it?", "dialogue", [{**turn, "can_better": True}], **{"choice": 3, "why": [], **more})


def numbers(name="n-0001"):
    """A response with half points, with numbers that are typed, and with what only the judge states."""
    cells = [
        cell("response", "fluency", 3.5, kind="interval", steps=HALVES),
        cell("response", "adequacy of the whole answer", 62.5, kind="interval", steps=[NA], level="medium"),
        cell("response", "style", 7.5, kind="interval", steps=FINE),
        cell("response", "tone", 4),
        cell("response", "overall score", 3.4285714285714284, kind="interval", steps=[], level=None),
        cell("response", "trustworthy aggregate", 1, kind="flag", steps=FLAG, level=None),
    ]
    cells[1]["range"] = HUNDRED
    cells[4] |= {"range": {"lo": 1, "hi": 5, "step": 0, "by": 0.04}, "optional": True}
    cells[5]["optional"] = True
    rows = [row("response", "response", [text("output", LOREM * 3)], [("", cells)])]
    return item(name, "Numbers, half points and aggregates", "response", rows)


def cards(name="c-0001"):
    """A turn that two cards are about: the second one's ratings, of another judge, stand below the first one's."""
    sheet = dialogue(name, title="Two cards", why=[])
    for row_of in sheet["rows"]:
        row_of["stacked"] = True
        second_cells = [cell(row_of["unit"], "politeness", 2) | {"by": "judge-2"}]
        second_cells += [cell(row_of["unit"], "length", 0, kind="flag", steps=FLAG, level=None) | {"by": "judge-2"}]
        row_of["groups"][0]["title"] = ""
        row_of["groups"].append({"label": "", "title": "Manners · gpt-4.1", "cells": second_cells})
    sheet["judges"].append({"model": "openai/gpt-4.1", "card": "Manners", "version": "0a1b2c3"})
    return sheet


CASES = {
    "plain": lambda: dialogues(90),
    "few": lambda: dialogues(3),
    "blind": lambda: [blind(f"b-{n:04d}") for n in range(1, 5)],
    "gallery": lambda: [
        dialogue(),
        japanese(),
        pair(),
        response(),
        blind(),
        bench(),
        long_dialogue(),
        pair("p-0002", 30000, 3, "Three very long sections"),
        nasty(),
    ],
    "formatted": lambda: [formatted_dialogue(), poisoned_dialogue(), *dialogues(1)],
    "nasty": lambda: [nasty(), *dialogues(2)],
    "long": lambda: [long_dialogue(f"l-{n}") for n in range(3)],
    "huge": lambda: [pair(f"h-{n}", 30000, 3) for n in range(4)],
    "pairs": lambda: [pair(f"q-{n}") for n in range(4)],
    "response": lambda: [response(f"r-{n}") for n in range(3)],
    "japanese": lambda: [japanese(f"j-{n}") for n in range(3)],
    "numbers": lambda: [numbers(f"n-{n}") for n in range(3)],
    "tools": lambda: [tools(f"t-{n}") for n in range(2)],
    "none": lambda: [],
}
