"""The calls of one trace become one conversation: what they repeat of it is recognised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from data.importing.conversations.utterances import Utterance

Sort = Literal["model", "tool", "root", ""]


@dataclass(slots=True)
class TraceSpan:
    """A span of a trace: the call of a model or a tool, the outermost one with its input and output, or any other ("").

    `inputs` is what went in and `answer` what came out; `start` are nanoseconds, by which calls are put in order.
    """

    trace: str
    span: str
    parent: str = ""
    session: str = ""
    sort: Sort = ""
    name: str = ""
    start: int = 0
    model: str = ""
    inputs: list[Utterance] = field(default_factory=list)
    answer: list[Utterance] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)
    file: str = ""
    line: int = 0


@dataclass(slots=True)
class CallChain:
    """Calls that continue each other.

    `heard` of its utterances went into the first of them; `marks` has for each call its span, where its answer lies,
    and when it began.
    """

    system: str
    origin: tuple[str, str]
    utterances: list[Utterance]
    heard: int
    marks: list[tuple[str, int, int]]
    model: str = ""

    def takes(self, call: CallChain, rooted: bool) -> bool:
        """Whether the chain of one call continues this one; then it is part of it."""
        inputs, answer = call.utterances[: call.heard], call.utterances[call.heard :]
        remembers = any(utterance.role != "user" for utterance in inputs)
        users, known = _users(inputs), _users(self.utterances)
        shared, begin = _count_shared(known, users), first_new_entry(self.utterances, inputs)
        same_system = call.system == self.system
        if not shared and not begin:
            if remembers or rooted or not same_system or self.origin != call.origin:
                return False
            self.utterances += inputs
        elif remembers and (same_system or self.utterances[-1] in inputs):
            self.utterances += inputs[begin:]
        elif not remembers and same_system and users == known[-len(users) :]:
            # The same was asked again: the later answer holds.
            del self.utterances[_last_user(self.utterances) + 1 :]
        elif not remembers and same_system:
            self.utterances += inputs[begin:]
        else:
            return False
        self.utterances += answer
        self.marks += [(span, len(self.utterances) - 1, start) for span, _, start in call.marks]
        return True


def first_new_entry(history: Sequence[Utterance], heard: Sequence[Utterance]) -> int:
    """Return the index of the first entry that a call heard and that is new to the history."""
    for most in range(min(len(history), len(heard)), 0, -1):
        if heard[most - 1] == history[-1] and list(heard[:most]) == list(history[-most:]):
            return most
    users = _users(heard)
    shared = _count_shared(_users(history), users)
    if not shared or (len(users) == 1 and len(heard) == 1):
        return 0
    places = [n for n, utterance in enumerate(heard) if utterance.role == "user"]
    if len(places) > shared:
        return places[shared]
    rest = len(history) - _last_user(history) - 1
    return min(places[-1] + 1 + rest, len(heard))


def main_conversation(calls: Sequence[TraceSpan]) -> tuple[CallChain | None, list[str]]:
    """The conversation that the calls of a trace, in their order, amount to, and the spans that are no part of it."""
    root = next((call for call in calls if call.sort == "root"), None)
    rooted = root is not None and bool(root.inputs and root.answer)
    chains: list[CallChain] = []
    for call in calls:
        if call.sort != "model" or not (call.inputs or call.answer):
            continue
        call_chain = _begin_chain(call)
        if not any(chain.takes(call_chain, rooted) for chain in reversed(chains)) and call_chain.utterances:
            chains.append(call_chain)
    if not chains:
        alone = _begin_chain(root) if root is not None else None
        return (alone if alone is not None and alone.utterances else None), []
    best = max(range(len(chains)), key=lambda n: (*_likeness(chains[n], root), len(chains[n].utterances), n))
    chain = chains[best]
    if root is not None:
        _unwrap_prompt(chain, root)
    _with_tools(chain, [call for call in calls if call.sort == "tool"])
    return chain, [mark[0] for n, other in enumerate(chains) if n != best for mark in other.marks]


def _begin_chain(call: TraceSpan) -> CallChain:
    """The chain of this call alone; what the system said stands apart, so there may be no utterance in it."""
    system = "\n\n".join(utterance.text for utterance in call.inputs if utterance.role == "system")
    inputs = [utterance for utterance in call.inputs if utterance.role != "system"]
    chat = [*inputs, *call.answer]
    mark = (call.span, len(chat) - 1, call.start)
    return CallChain(system, (call.parent, call.name), chat, len(inputs), [mark], call.model)


def _likeness(chain: CallChain, root: TraceSpan | None) -> tuple[bool, bool]:
    """Whether a chain ends with what the trace answered, and whether its last user text holds the trace's input."""
    if root is None:
        return False, False
    answers = {utterance.text.strip() for utterance in root.answer if utterance.role == "assistant"}
    user_inputs = [utterance.text.strip() for utterance in root.inputs if utterance.role == "user"]
    users = [text.strip() for text in _users(chain.utterances)]
    return chain.utterances[-1].text.strip() in answers, bool(user_inputs and users) and user_inputs[-1] in users[-1]


def _unwrap_prompt(chain: CallChain, root: TraceSpan) -> None:
    """If a prompt wraps what the user said, replace it by the user's own words."""
    user_inputs = [utterance for utterance in root.inputs if utterance.role == "user"]
    place = _last_user(chain.utterances)
    if user_inputs and place >= 0:
        own, prompt = user_inputs[-1].text.strip(), chain.utterances[place].text
        if own and own in prompt and len(own) < len(prompt.strip()):
            chain.utterances[place] = Utterance("user", user_inputs[-1].text)


def _with_tools(chain: CallChain, tools: Sequence[TraceSpan]) -> None:
    """Put the calls of tools before the answer that followed them, where the messages do not tell of them already."""
    begins = max(
        (n for n, utterance in enumerate(chain.utterances[: chain.heard]) if utterance.role == "user"), default=0
    )
    if not tools or any(utterance.role == "tool" for utterance in chain.utterances[begins:]):
        return
    insertions: dict[int, list[Utterance]] = {}
    for tool in tools:
        answered = next((index for _, index, start in chain.marks if start >= tool.start), chain.marks[-1][1])
        place = min(answered, len(chain.utterances) - 1)
        place += chain.utterances[place].role == "user"
        insertions.setdefault(place, []).extend([*tool.inputs, *tool.answer])
    for place in sorted(insertions, reverse=True):
        chain.utterances[place:place] = insertions[place]
        chain.marks = [(s, n + len(insertions[place]) if n >= place else n, at) for s, n, at in chain.marks]


def _users(utterances: Sequence[Utterance]) -> list[str]:
    return [utterance.text for utterance in utterances if utterance.role == "user"]


def _count_shared(known: Sequence[str], users: Sequence[str]) -> int:
    """Count how many of the first user texts repeat the last ones that are known."""
    most = min(len(known), len(users))
    return next((n for n in range(most, 0, -1) if list(known[-n:]) == list(users[:n])), 0)


def _last_user(utterances: Sequence[Utterance]) -> int:
    return max((n for n, utterance in enumerate(utterances) if utterance.role == "user"), default=-1)
