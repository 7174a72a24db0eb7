"""Answers as a protocol asks for them: which calls, with which messages and temperature, and what becomes of them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.authoring.custom import from_spec
from judges.cards import cards
from judges.mtbench.generation import answer_card, answered_dialogues, answers_mark, open_dialogue
from judges.mtbench.protocol import Protocol, protocols
from judges.mtbench.records import BenchQuestion
from judges.protocols.call_plan import CallReply, Task, build_request, fuse, pieces, remaining_pieces, reread

FASTCHAT, SWALLOW = protocols()["fastchat"], protocols()["swallow"]
WRITING = open_dialogue(BenchQuestion("81", "writing", ("Write it.", "Shorten it."), ("ref 1", "ref 2")))
MATH = open_dialogue(BenchQuestion("111", "math", ("1+1?", "And 2+2?")), {"gpt-4": ("2", "4")})


def make_reply(piece, text, unscored=None):
    return CallReply("k", "", 0, piece, text, unscored, "so it came" if unscored else "")


def run_calls(protocol, question, say=lambda piece: piece, unscored=None):
    """Every call in its order as (piece, temperature, messages in short), and the judgment it all amounts to."""
    card, task, answers, calls = answer_card(protocol), Task("k", question), {}, []
    while left := remaining_pieces(card, card.defaults, task, answers):
        request = build_request(card, card.defaults, task, left[0], answers, "text")
        assert request.schema is None
        calls.append((left[0], request.temperature, [(m["role"][0], m["content"]) for m in request.messages]))
        answers[left[0]] = make_reply(left[0], say(left[0]), (unscored or {}).get(left[0]))
    return calls, fuse(card, card.defaults, task, answers)


def test_fastchat_asks_each_turn_once_after_its_own_first_turn_and_without_a_system_prompt() -> None:
    calls, judgment = run_calls(FASTCHAT, WRITING)
    assert calls == [
        ("turn:1 sample:0", 0.7, [("u", "Write it.")]),
        ("turn:2 sample:0", 0.7, [("u", "Write it."), ("a", "turn:1 sample:0"), ("u", "Shorten it.")]),
    ]
    assert judgment.reading.unscored is None and judgment.reading.scores == ()
    [answer] = answered_dialogues(FASTCHAT, WRITING, "m", judgment.raw)
    assert (answer.id, answer.system) == ("81/m", "m")
    assert [(t.turn, t.role, t.text) for t in answer.turns] == [
        (1, "user", "Write it."), (1, "assistant", "turn:1 sample:0"),
        (2, "user", "Shorten it."), (2, "assistant", "turn:2 sample:0"),
    ]  # fmt: skip
    assert answer.meta == {
        "question_id": "81", "category": "writing", "reference": ["ref 1", "ref 2"], "protocol": answers_mark(FASTCHAT),
    }  # fmt: skip


def test_swallow_continues_the_first_sample_in_every_second_turn_under_its_system_prompt() -> None:
    calls, judgment = run_calls(SWALLOW, WRITING)
    system = ("s", SWALLOW.system)
    assert [c[0] for c in calls] == [f"turn:{t} sample:{n}" for t in (1, 2) for n in range(5)]
    assert {c[1] for c in calls} == {0.7}
    assert all(c[2] == [system, ("u", "Write it.")] for c in calls[:5])
    second = [system, ("u", "Write it."), ("a", "turn:1 sample:0"), ("u", "Shorten it.")]
    assert all(c[2] == second for c in calls[5:])
    answers = answered_dialogues(SWALLOW, WRITING, "m", judgment.raw)
    assert [a.id for a in answers] == ["81/m", *(f"81/m/choice:{n}" for n in range(1, 5))]
    # Each is judged beside its own first turn: a conversation that never took place, but for the first.
    assert [(a.turns[1].text, a.turns[3].text) for a in answers] == [
        (f"turn:1 sample:{n}", f"turn:2 sample:{n}") for n in range(5)
    ]
    assert [a.meta.get("continues") for a in answers] == [None, 0, 0, 0, 0]
    assert [a.meta.get("choice") for a in answers] == [None, 1, 2, 3, 4]


def test_own_continuation_with_several_samples_follows_each_its_own() -> None:
    own = SWALLOW.model_copy(update={"continues": "own", "samples": 2, "system": ""})
    calls, judgment = run_calls(own, WRITING)
    assert [c[2][1] for c in calls[2:]] == [("a", "turn:1 sample:0"), ("a", "turn:1 sample:1")]
    assert all("continues" not in a.meta for a in answered_dialogues(own, WRITING, "m", judgment.raw))


def test_at_temperature_zero_one_call_a_turn_is_copied_to_all_samples() -> None:
    calls, judgment = run_calls(SWALLOW, MATH)
    assert [(c[0], c[1]) for c in calls] == [("turn:1 sample:0", 0.0), ("turn:2 sample:0", 0.0)]
    answers = answered_dialogues(SWALLOW, MATH, "m", judgment.raw)
    assert len(answers) == 5 and len({tuple(t.text for t in a.turns) for a in answers}) == 1
    assert all("continues" not in a.meta for a in answers), "the copied first turn is the one it was asked after"


@pytest.mark.parametrize(
    ("category", "own", "fastchat", "swallow"),
    [
        ("writing", None, 0.7, 0.7), ("roleplay", None, 0.7, 0.7), ("stem", None, 0.1, 0.1),
        ("humanities", None, 0.1, 0.1), ("math", None, 0.0, 0.0), ("reasoning", None, 0.0, 0.0),
        ("coding", None, 0.0, 0.0), ("extraction", None, 0.0, 0.0), ("poetry", None, 0.7, 0.0), ("math", 0.3, 0.3, 0.3),
        ("writing", 0.0, 0.0, 0.0),
    ],
)  # fmt: skip
def test_temperatures_are_those_of_the_contract_and_a_questions_own_goes_before(category, own, fastchat, swallow):
    question = open_dialogue(BenchQuestion("1", category, ("a?",), (), own))
    for protocol, heat in ((FASTCHAT, fastchat), (SWALLOW, swallow)):
        calls, _ = run_calls(protocol, question)
        assert {c[1] for c in calls} == {heat}
        assert len(calls) == (protocol.samples if heat else 1)


def test_a_text_is_cut_before_turn_two_and_kept_whole_in_the_answer() -> None:
    short = SWALLOW.model_copy(update={"cut_at": 4, "samples": 2})
    calls, judgment = run_calls(short, WRITING, lambda piece: "あいうえおか" if piece == "turn:1 sample:0" else "abc")
    assert [c[2][2] for c in calls[2:]] == [("a", "あいうえ")] * 2
    first, second = answered_dialogues(short, WRITING, "m", judgment.raw)
    assert first.turns[1].text == "あいうえおか"
    assert (first.meta.get("cut_at"), second.meta.get("cut_at")) == (4, None), "nothing of the second was cut"


def test_references_of_the_judge_are_shown_and_a_questions_own_are_for_people() -> None:
    both = open_dialogue(BenchQuestion("1", "math", ("a?",), ("own",)), {"gpt-4": ("theirs",)})
    for question, used, meta in (
        (MATH, "gpt-4", {"reference": ["2", "4"]}), (MATH, "", {}),
        (both, "gpt-4", {"reference": ["own"], "reference_answer": ["theirs"]}), (both, "", {"reference": ["own"]}),
    ):  # fmt: skip
        _, judgment = run_calls(FASTCHAT, question)
        [answer] = answered_dialogues(FASTCHAT, question, "m", judgment.raw, used)
        assert {k: v for k, v in answer.meta.items() if k.startswith("reference")} == meta


def test_replies_that_are_cut_off_empty_or_refuse_are_answers_and_say_so() -> None:
    texts = {"turn:1 sample:0": "It is bec", "turn:2 sample:0": "I cannot help with that.", "turn:2 sample:1": ""}
    unscored = {"turn:1 sample:0": "cut_off", "turn:2 sample:0": "refused", "turn:2 sample:1": "cut_off"}
    two = SWALLOW.model_copy(update={"samples": 2})
    calls, judgment = run_calls(two, WRITING, lambda piece: texts.get(piece, "fine"), unscored)
    assert len(calls) == 4 and judgment.reading.unscored is None
    first, second = answered_dialogues(two, WRITING, "m", judgment.raw)
    assert (first.meta["cut_off"], first.meta["refused"]) == ([1], [2])
    assert (second.meta["cut_off"], "refused" in second.meta) == ([2], False)
    assert second.turns[3].text == ""


def test_what_a_filter_kept_back_loses_its_own_sample_only() -> None:
    own = SWALLOW.model_copy(update={"samples": 3, "continues": "own"})
    calls, judgment = run_calls(
        own, WRITING, lambda p: "" if p == "turn:1 sample:1" else p, {"turn:1 sample:1": "refused"}
    )
    assert [c[0] for c in calls] == [
        "turn:1 sample:0", "turn:1 sample:1", "turn:1 sample:2", "turn:2 sample:0", "turn:2 sample:2",
    ]  # fmt: skip
    assert (judgment.reading.unscored, judgment.reading.why) == ("refused", "turn 1 sample 1: so it came")
    assert [a.id for a in answered_dialogues(own, WRITING, "m", judgment.raw)] == ["81/m", "81/m/choice:2"]


def test_a_call_that_failed_ends_the_question_and_is_what_the_question_is_unscored_for() -> None:
    unscored = {"turn:1 sample:1": "refused", "turn:2 sample:0": "api_error"}
    calls, judgment = run_calls(SWALLOW, WRITING, lambda p: "" if p in unscored else p, unscored)
    assert [c[0] for c in calls][-1] == "turn:2 sample:0", "what the endpoint no longer answers is not asked"
    assert judgment.reading.unscored == "api_error", "only that is asked again when the run goes on"
    assert answered_dialogues(SWALLOW, WRITING, "m", judgment.raw) == []


def test_a_card_is_made_again_of_what_is_stored_and_judging_is_no_part_of_it() -> None:
    for protocol in protocols().values():
        card = answer_card(protocol)
        again = from_spec(json.loads(json.dumps(card.spec)), cards())
        assert again.version == card.version
        task = Task("k", WRITING)
        assert pieces(again, again.defaults, task) == pieces(card, card.defaults, task)
        judged = protocol.model_copy(update={"judge": "x", "prompts": "y", "failed": "counted", "name": "z"})
        assert answer_card(judged).version == card.version
    changes = {
        "system": "s", "samples": 2, "continues": "first", "cut_at": 9, "max_tokens": 77, "other_temperature": 0.2,
    }  # fmt: skip
    others = [answer_card(FASTCHAT.model_copy(update={name: value})).version for name, value in changes.items()]
    assert len({answer_card(FASTCHAT).version, *others}) == len(changes) + 1


@given(st.integers(1, 4), st.integers(1, 5), st.sampled_from(["own", "first"]), st.booleans(), st.data())
def test_every_call_is_asked_once_after_what_it_goes_on_from(turns, samples, continues, cold, data) -> None:
    protocol = Protocol(name="p", samples=samples, continues=continues, other_temperature=0.0 if cold else 0.5)
    question = open_dialogue(BenchQuestion("q", "any", tuple(f"q{n}" for n in range(turns))))
    card, task = answer_card(protocol), Task("k", question)
    names = pieces(card, card.defaults, task)
    assert len(names) == len(set(names)) == turns * (1 if cold else samples)
    unscored = {n: data.draw(st.sampled_from([None, None, "cut_off", "refused", "api_error"])) for n in names}
    calls, judgment = run_calls(
        protocol, question, lambda p: "" if unscored[p] in ("refused", "api_error") else p, unscored
    )
    call_names = [c[0] for c in calls]
    assert len(set(call_names)) == len(call_names)
    for name, _, messages in calls:
        turn, sample = (int(part.partition(":")[2]) for part in name.split())
        of = 0 if continues == "first" else sample
        before = [("u", "q{n}"), ("a", "turn:{after} sample:{of}")] * turn
        expected = [(role, text.format(n=n // 2, after=n // 2 + 1, of=of)) for n, (role, text) in enumerate(before)]
        assert messages == expected[:-1]
    if not any(unscored[name] in ("refused", "api_error") for name in call_names):
        assert len(answered_dialogues(protocol, question, "m", judgment.raw)) == samples and (
            set(call_names) == set(names)
        )
    assert reread(card, card.defaults, task, judgment.raw).reading.unscored == judgment.reading.unscored
