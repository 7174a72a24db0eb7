"""The material: stories, questions and documents, read from the plain text files in `material/`.

A file holds blocks that begin with `=== key | topic | language ...`. Inside a block the first word of a line says what
the line is; a line without such a mark continues the one before.

    stories (.play)     ? slots   U a user's words (U* they correct)   A 354 a reply: context, helpfulness, safety
                        ! a problem in that reply   @ fault: earlier words | words here
                        ~ the user's objection to that reply   ^ how a good next reply begins after it
    questions (.txt)    T task   R reference   O 5454 an output: factuality, instruction, coherence, completeness
                        ! a problem in that output
    documents (long/)   task and source first   %% headings of a topic
                        S 554 a section: groundedness, relevance, quality   ! a problem in that section
                        + open | text   + close | text   + drift | text   + invented | heading | text
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "material"
_STORY = re.compile(r"(\?|U\*?|A [1-5]{3}|[!@~^])(?: (.*))?$")
_QUESTION = re.compile(r"([TR]|O [1-5]{4}|!)(?: (.*))?$")
_DOCUMENT = re.compile(r"(%%|S [1-5]{3}|[!+])(?: (.*))?$")


@dataclass
class Text:
    """A piece of an answer with its true scores, its problems, and (in stories) its planted faults and aftermath."""

    text: str
    scores: tuple[int, ...]
    issues: list[str] = field(default_factory=list)
    faults: list[tuple[str, str, str]] = field(default_factory=list)
    """(kind, earlier words, words here)"""
    objection: str = ""
    repair: str = ""


@dataclass
class Exchange:
    """A user's words and the replies to choose from. `corrects`: the user takes something back or corrects it."""

    user: str
    corrects: bool
    replies: list[Text] = field(default_factory=list)


@dataclass
class Story:
    """A scenario that can be played in many ways."""

    key: str
    topic: str
    language: str
    goal: str
    done: str
    scenario: str
    slots: list[tuple[list[str], list[list[str]]]]
    exchanges: list[Exchange]


@dataclass
class SampleQuestion:
    """A task with a reference (or "") and outputs of different quality."""

    key: str
    topic: str
    language: str
    task: str
    reference: str
    outputs: list[Text]


@dataclass
class Topic:
    """A part that the report must have: its possible headings, and sections of different quality."""

    headings: list[str]
    sections: list[Text]


@dataclass
class Document:
    """A long input with what a report on it may consist of."""

    key: str
    topic: str
    language: str
    input: str
    topics: list[Topic]
    openings: list[str]
    closings: list[str]
    drift: str
    invented: tuple[str, str]


@cache
def stories() -> tuple[Story, ...]:
    """All stories, in the order of their files."""
    return tuple(_story(head, lines) for name in sorted(FOLDER.glob("*.play")) for head, lines in _blocks(name, _STORY))


@cache
def questions(name: str) -> tuple[SampleQuestion, ...]:
    """The questions of `material/<name>.txt`."""
    return tuple(_question(head, lines) for head, lines in _blocks(FOLDER / f"{name}.txt", _QUESTION))


@cache
def documents() -> tuple[Document, ...]:
    """All long documents, in the order of their files."""
    return tuple(
        _document(head, lines)
        for name in sorted((FOLDER / "long").glob("*.txt"))
        for head, lines in _blocks(name, _DOCUMENT)
    )


Lines = list[tuple[str, str]]


def _blocks(path: Path, marks: re.Pattern[str]) -> Iterator[tuple[list[str], Lines]]:
    """(head fields, [(mark, text)]) of each block; text ahead of any mark has the mark ""."""
    head: list[str] = []
    lines: Lines = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.startswith("=== "):
            if head:
                yield head, _strip_lines(lines)
            head, lines = [part.strip() for part in line[4:].split(" | ")], [("", "")]
        elif match := marks.match(line):
            lines.append((match[1], match[2] or ""))
        elif head:
            lines[-1] = (lines[-1][0], f"{lines[-1][1]}\n{line}")
    if head:
        yield head, _strip_lines(lines)


def _strip_lines(lines: Lines) -> Lines:
    return [(mark, text.strip()) for mark, text in lines]


def _story(head: list[str], lines: Lines) -> Story:
    key, topic, language, goal, done = head
    story = Story(key, topic, language, goal, done, lines[0][1], [], [])
    for mark, text in lines[1:]:
        if mark == "?":
            names, options = text.split(" = ", 1)
            split = [option.split(", ") if "," in names else [option] for option in options.split(" | ")]
            story.slots.append((names.split(", "), split))
        elif mark in ("U", "U*"):
            story.exchanges.append(Exchange(text, mark == "U*"))
        elif mark.startswith("A "):
            story.exchanges[-1].replies.append(Text(text, tuple(int(digit) for digit in mark[2:])))
        else:
            _aftermath(story.exchanges[-1].replies[-1], mark, text)
    return story


def _aftermath(reply: Text, mark: str, text: str) -> None:
    if mark == "!":
        reply.issues.append(text)
    elif mark == "~":
        reply.objection = text
    elif mark == "^":
        reply.repair = text
    else:
        kind, evidence = text.split(": ", 1)
        earlier, later = evidence.split(" | ")
        reply.faults.append((kind, earlier, later))


def _question(head: list[str], lines: Lines) -> SampleQuestion:
    key, topic, language = head
    question = SampleQuestion(key, topic, language, "", "", [])
    for mark, text in lines[1:]:
        if mark == "T":
            question.task = text
        elif mark == "R":
            question.reference = text
        elif mark == "!":
            question.outputs[-1].issues.append(text)
        else:
            question.outputs.append(Text(text, tuple(int(digit) for digit in mark[2:])))
    return question


def _document(head: list[str], lines: Lines) -> Document:
    key, topic, language = head
    document = Document(key, topic, language, lines[0][1], [], [], [], "", ("", ""))
    for mark, text in lines[1:]:
        if mark == "%%":
            document.topics.append(Topic(text.split(" | "), []))
        elif mark == "!":
            document.topics[-1].sections[-1].issues.append(text)
        elif mark.startswith("S "):
            document.topics[-1].sections.append(Text(text, tuple(int(digit) for digit in mark[2:])))
        else:
            _extra(document, *text.split(" | ", 1))
    return document


def _extra(document: Document, kind: str, text: str) -> None:
    if kind == "open":
        document.openings.append(text)
    elif kind == "close":
        document.closings.append(text)
    elif kind == "drift":
        document.drift = text
    else:
        heading, body = text.split(" | ", 1)
        document.invented = (heading, body)
