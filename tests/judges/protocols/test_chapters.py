"""Pairs beyond the context: the cut by chapters of the input, and their readings made one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.authoring.custom import from_recipe
from judges.authoring.recipe import check_recipe
from judges.cards import card
from judges.params import Params
from judges.protocols import chapters, orders
from judges.protocols.call_plan import CallReply, Task, build_request, fuse, pieces, reread
from judges.protocols.messages import read_fence
from judges.tokens import tokens
from tests.judges.replies import any_pair_reply, confidences, fuse_replies, pair, pair_reply, values

CARD, PLAIN = card("long_form_pairwise"), card("plain_pairwise")
INPUT = (
    "# Bridge\n" + "The suspension bridge crosses the fjord near Narvik. " * 18
    + "\n\n# Ferry\n" + "A ferry timetable binds villages during winter. " * 20
    + "\n\n# Tunnel\n" + "Drilling granite needs ventilation shafts everywhere. " * 18
)  # fmt: skip
A = "# Drilling\nGranite and ventilation decide the tunnel.\n\n# Crossing\nThe suspension bridge over the fjord.\n"
B = "# Crossing\nA bridge near Narvik, suspension type.\n\n# Winter\nThe ferry timetable serves villages.\n"
LONG = pair(A, B, INPUT)  # sections: Drilling (A), Crossing (both), Winter (B)
LIMIT = 670  # one chapter of about 340 tokens with its sections, not two
PARAMS = Params(context=1340, max_tokens=2048)  # 1340 - 335 - 335 = 670: the same cut


def test_sections_go_where_their_words_are_from() -> None:
    assert [s.label for s in LONG.sections or []] == ["Drilling", "Crossing", "Winter"]
    cut = chapters.plan_chapters(LONG, LIMIT)
    assert [c.sections for c in cut if "suspension" in c.item.input] == [(2,)]
    assert [c.sections for c in cut if "timetable" in c.item.input] == [(3,)]
    assert [c.sections for c in cut if "granite" in c.item.input] == [(1,)]
    bridge = cut[0].item
    assert bridge.response_a.text == "# Crossing\nThe suspension bridge over the fjord.\n"
    assert [s.label for s in bridge.sections or []] == ["Crossing"]
    drilling = next(c.item for c in cut if c.sections == (1,))
    assert (drilling.sections or [])[0].b is None and drilling.response_b.text == ""
    assert cut[0].outline == ("Bridge", "Ferry", "Tunnel")


def test_sections_that_share_no_word_go_to_the_same_place_in_the_text() -> None:
    # The middles of three sections lie at 1/6, 1/2 and 5/6 of the text: in the first, second and third chapter.
    headed = [f"# {name}\n" + "Zyx wvu tsr. " * 9 for name in ("Eins", "Zwei", "Drei")]
    cut = chapters.plan_chapters(pair("\n\n".join(headed), "\n\n".join(headed), INPUT), LIMIT)
    assert [c.sections for c in cut] == [(1,), (2,), (3,)]


def test_sections_of_one_part_are_asked_together_as_far_as_they_fit_with_it() -> None:
    text = "# Bridge\n" + "The bridge. " * 20
    answer = "\n\n".join(f"# {name}\n" + "The bridge. " * 30 for name in ("Eins", "Zwei", "Drei"))
    # The part has 83 tokens, the sections 123 + 2 (of both sides), 123 and 122: two fit with it from 331 or 328 on.
    for limit, sections in ((331, [(1, 2), (3,)]), (330, [(1,), (2, 3)])):
        cut = chapters.plan_chapters(pair(answer, "# Eins\n", text), limit)
        assert [(c.item.input, c.sections) for c in cut] == [(text, numbers) for numbers in sections]


def test_a_part_longer_than_half_of_the_limit_is_cut_between_its_paragraphs() -> None:
    bridge, ferry = "The suspension bridge crosses the fjord.\n" * 20, "The ferry timetable binds many villages.\n" * 20
    text, answer = f"{bridge}\n{ferry}", f"# Bridge\n{bridge}\n# Ferry\n{ferry}"
    half = tokens(text)
    for limit, inputs in ((2 * half - 1, [f"{bridge}\n", ferry]), (2 * half, [text, text])):
        assert [c.item.input for c in chapters.plan_chapters(pair(answer, answer, text), limit)] == inputs


def test_what_fits_is_not_cut() -> None:
    whole = tokens(INPUT) + tokens(A) + tokens(B)
    assert chapters.plan_chapters(LONG, whole) == ()
    assert len(chapters.plan_chapters(LONG, whole - 30)) > 1
    assert pieces(CARD, Params(), Task("k", LONG)) == [""]
    assert pieces(CARD, Params(context=100_000), Task("k", LONG)) == [""]


def test_a_better_side_that_every_chapter_leaves_open_is_n_a() -> None:
    answers = {"kind": "unordered", "categories": ["a", "tie", "b"], "na": True}
    question = {"name": "clearer", "unit": "pair", "definition": "Which is clearer.", "answers": answers}
    recipe = {"name": "clearer_side", "title": "Clearer", "kind": "pair", "dimensions": [question]}
    own, task = from_recipe(check_recipe(recipe)), Task("k", LONG)
    names = pieces(own, PARAMS, task)
    for words, value in ((["n/a"] * 3, None), (["n/a", "b", "n/a"], 2.0)):
        replies = [json.dumps({"pair": {"clearer": {"score": word}}}) for word in words]
        calls = {name: CallReply("k", "", 0, name, reply) for name, reply in zip(names, replies, strict=True)}
        assert [(s.dimension, s.value) for s in fuse(own, PARAMS, task, calls).reading.scores] == [("clearer", value)]


def test_room_is_what_the_context_leaves() -> None:
    assert chapters.room_for_item(20_000, 2000) == 20_000 - 2000 - 3000
    assert chapters.room_for_item(1000, 2000) == 1000 - 250 - 250  # never less than half


def test_a_chapter_is_asked_in_both_orders_with_its_place_in_the_whole() -> None:
    task = Task("k", LONG)
    params = PARAMS.model_copy(update={"orders": "both"})
    names = pieces(CARD, params, task)
    count = len(names) // 2
    assert names == [f"order:{o} chapter:{n}/{count}" for o in ("ab", "ba") for n in range(1, count + 1)]
    content = build_request(CARD, params, task, names[count], {}, "json_schema").messages[-1]["content"]
    fence = read_fence(content)
    assert fence is not None
    assert fence[1]["chapter"] == f"1 of {count}" and fence[1]["outline_of_input"] == ["Bridge", "Ferry", "Tunnel"]
    assert fence[1]["response_a"].startswith("# Crossing\nA bridge near Narvik")
    assert "this is part 1" in content


_WORDS = st.lists(
    st.sampled_from(["alpha", "bravo", "# H\n", "\n\n", "橋を渡る。", "delta epsilon", "12"]), max_size=60
)


@given(_WORDS, _WORDS, _WORDS, st.integers(1, 200))
def test_every_section_is_judged_exactly_once_and_whole(
    a: list[str], b: list[str], text: list[str], limit: int
) -> None:
    item = pair(" ".join(a), " ".join(b), " ".join(text))
    cut = chapters.plan_chapters(item, limit)
    if not cut:
        return
    sections = item.sections or []
    assert sorted(n for c in cut for n in c.sections) == list(range(1, len(sections) + 1))
    for chapter in cut:
        for number, section in zip(chapter.sections, chapter.item.sections or [], strict=True):
            for side in ("a", "b"):
                own, span = getattr(sections[number - 1], side), getattr(section, side)
                assert (own is None) == (span is None)
                if own is not None:
                    whole = getattr(item, f"response_{side}").text[slice(*own)]
                    assert getattr(chapter.item, f"response_{side}").text[slice(*span)] == whole
        assert chapter.item.input in item.input or len(cut) > 1
    assert chapters.plan_chapters(item, limit) == cut


def test_chapters_fused_by_hand() -> None:
    params, task = PARAMS, Task("k", LONG)
    cut = chapters.plan_chapters(LONG, LIMIT)
    assert [c.sections for c in cut] == [(2,), (3,), (1,)]
    verdicts = {2: ("a", 4, 2, 4.0, 2.0), 3: ("b", 1, 5, 1.0, 5.0), 1: ("a", 5, 1, 5.0, 1.0)}
    raws = []
    for chapter in cut:
        verdict, a, b, whole_a, whole_b = verdicts[chapter.sections[0]]
        flags = (("lost_in_middle",), ()) if chapter.sections == (1,) else ((), ())
        raws.append(pair_reply(chapter.item, (a,) * 3, (b,) * 3, verdict, flags, (whole_a, whole_b)))
    judgment = fuse_replies(CARD, params, task, raws)
    scores = values(judgment.reading)
    assert (
        scores["section:1/a", "quality"] == 5
        and scores["section:2/b", "quality"] == 2
        and scores["section:3/b", "quality"] == 5
    )
    assert ("section:1/b", "quality") not in scores
    # A stands in the chapters of sections 2 and 1 only; its aggregate is weighted by its tokens there
    in_a = [tokens(c.item.response_a.text or "") for c in cut]
    in_b = [tokens(c.item.response_b.text or "") for c in cut]
    assert in_a[1] == in_b[2] == 0
    a, b = (in_a[0] * 4 + in_a[2] * 5) / (in_a[0] + in_a[2]), (in_b[0] * 2 + in_b[1] * 5) / (in_b[0] + in_b[1])
    assert scores["response/a", "aggregate"] == pytest.approx(a, abs=1e-4)
    assert scores["response/b", "aggregate"] == pytest.approx(b, abs=1e-4)
    assert scores["response/a", "lost_in_middle"] == 1 and scores["response/b", "lost_in_middle"] == 0
    assert a - b > 0.25 and scores["pair", "verdict"] == 0
    weight = [x + y for x, y in zip(in_a, in_b, strict=True)]
    share = (weight[0] + weight[2]) / sum(weight)
    assert confidences(judgment.reading)["pair", "verdict"] == (pytest.approx(share, abs=1e-4), "chapters")
    assert judgment.reading.facts["chapters"] == ["a", "b", "a"]
    assert reread(CARD, params, task, judgment.raw) == judgment


def test_the_fused_verdict_follows_the_fused_aggregates() -> None:
    params, task = PARAMS, Task("k", LONG)
    cut = chapters.plan_chapters(LONG, LIMIT)
    # Two of three chapters say b by a little, one says a by much: the aggregates make it a.
    raws = [
        pair_reply(cut[0].item, (5, 5, 5), (1, 1, 1), "a", ((), ()), (5.0, 1.0)),
        pair_reply(cut[1].item, (3, 3, 3), (3, 3, 3), "b", ((), ()), (3.0, 3.2)),
        pair_reply(cut[2].item, (3, 3, 3), (3, 3, 3), "b", ((), ()), (3.0, 3.2)),
    ]
    reading = fuse_replies(CARD, params, task, raws).reading
    assert reading.facts["chapters"] == ["a", "b", "b"]
    assert values(reading)["pair", "verdict"] == 0


@settings(max_examples=25)
@given(st.data())
def test_chapters_in_both_orders_are_read_again_the_same(data: st.DataObject) -> None:
    task = Task("k", LONG)
    params = PARAMS.model_copy(update={"orders": "both"})
    cut = chapters.plan_chapters(LONG, LIMIT)
    items = [c.item for c in cut] + [orders.swap(c.item) for c in cut]
    judgment = fuse_replies(CARD, params, task, [data.draw(any_pair_reply(item)) for item in items])
    assert judgment.reading.unscored is None
    assert reread(CARD, params, task, judgment.raw) == judgment
    assert set(judgment.reading.facts["orders"]) == {"ab", "ba"}
    plain = pair_reply(LONG)
    assert set(values(judgment.reading)) == set(values(fuse_replies(CARD, Params(), task, [plain]).reading))


def test_a_verdict_alone_is_the_vote_of_the_chapters() -> None:
    params = PARAMS
    names = pieces(PLAIN, params, Task("k", LONG))
    reading = fuse_replies(PLAIN, params, Task("k", LONG), ['{"verdict": "b"}'] * len(names)).reading
    assert values(reading) == {("pair", "verdict"): 2}
    assert confidences(reading)["pair", "verdict"] == (0.9, "chapters")
