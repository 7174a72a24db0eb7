"""What the name of a table's column says: whose it is, a judge's or a person's, who that is, and what it is about."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Owner = Literal["judge", "person", ""]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MODELS = """
    gpt chatgpt claude gemini gemma llama mistral mixtral qwen deepseek palm bard prometheus pandalm autoj judgelm
    cohere command grok phi yi davinci vicuna o1 o3 o4 sonnet opus haiku openai anthropic kimi glm nemotron selene
""".split()
_JUDGE = _set("""
    judge judges judged judgement judgment llm llms ai bot machine auto automatic automated geval autorater
    autograder ki richter modell modelo bertscore bleurt comet rouge bleu 審査 判定 モデル 自動 ジャッジ 模型 裁判
    自动 人工知能 人工智能
""")
_JUDGE_WEAK = _set("pred preds prediction predictions predicted model metric system 予測")
_PERSON = _set("""
    human humans annotator annotators rater raters expert experts person people crowd worker workers turker mturk
    manual reviewer assessor labeler labeller author mensch menschen menschlich mensch1 gutachter bewerter experte
    experten expertin annotation annotations humano humain me 人間 人手 評価者 専門家 アノテーター 人工 标注 专家
    手動
""")
_PERSON_WEAK = _set("""
    label labels labeled labelled gold golden goldstandard truth gt groundtruth target reference actual expected
    true ytrue 正解 ラベル referenz wahrheit 标签
""")
_PLAIN = _set("""
    score scores rating ratings grade grades value values verdict winner preference preferred result results choice
    decision answer mean avg average overall final evaluation eval assessment vote y by of the from as a bewertung
    punkte note urteil wert ergebnis 評価 点数 スコア 得点 評点 分数 评分 得分 standard ground
""")
_AVERAGE = _set("mean avg average median majority consensus aggregate mittel 平均")
_NOTES = _set("""
    reason reasoning explanation rationale justification feedback comment comments critique thought thoughts
    begründung kommentar 理由 コメント 评语 notes
""")
_CONFIDENCE = _set("confidence conf certainty probability prob sicherheit 確信度 置信度")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z][a-z])")
_APART = re.compile(r"[\s_/:|()\[\],;]+")
_MODEL = re.compile(rf"({'|'.join(_MODELS)})(?=$|[\d\-.])")
_SIZE = re.compile(r"\d[\w.]*|turbo|mini|nano|opus|sonnet|haiku|pro|flash|large|small|instruct")
_NUMBERED = re.compile(r"(\D{2,}?)(\d{1,3})")
_SCRIPTS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[^\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


def owner(name: str) -> Owner:
    """Whose something of that name is: "gpt-4_score" a judge's, "annotator_1" a person's, "score" nobody's known."""
    return parse_name(name).owner


@dataclass(frozen=True)
class ColumnName:
    """What a column's name says: whose it is (`both`: of either), how surely, who that is, and what it is about."""

    owner: Owner
    weak: bool
    both: bool
    who: str
    stem: str
    """The words of who it is alone: that of annotator_1_score and annotator_1_comment is the same."""
    dimension: str
    average: bool
    note: bool
    confidence: bool
    plain: bool
    """Whether it says that the column holds values (score, rating, verdict)."""


def _words(name: str) -> list[str]:
    """The words of a column's name; a model's name with its version and size is one."""
    words: list[str] = []
    spaced = _CAMEL.sub("_", unicodedata.normalize("NFKC", name)).lower().replace("_as_a_", "_")
    for chunk in _APART.split(spaced.strip()):
        if words and _MODEL.match(words[-1]) and _SIZE.fullmatch(chunk):
            words[-1] += f"-{chunk}"
        elif _MODEL.match(chunk):
            words.append(chunk)
        else:
            words += [word for part in re.split(r"[-.]+", chunk) if part for word in _parted(part)]
    return words


def _parted(text: str) -> list[str]:
    """A word without signs between: "human2" is human and 2, and where no space parts words, known ones are cut out."""
    found = []
    for run in _SCRIPTS.findall(text):
        numbered = _NUMBERED.fullmatch(run)
        if numbered and numbered[1] in _OWNERS:
            found += [numbered[1], numbered[2]]
        elif run.isascii() or run in _KNOWN:
            found.append(run)
        else:
            found += _cut(run)
    return found


def _cut(run: str) -> list[str]:
    """Known words in a run of letters without spaces, the longest first, and what is between them."""
    for word in _UNSPACED:
        before, at, after = run.partition(word)
        if at:
            return [*(_cut(before) if before else []), word, *(_cut(after) if after else [])]
    return [run]


_OWNERS = _JUDGE | _JUDGE_WEAK | _PERSON | _PERSON_WEAK
_KNOWN = _OWNERS | _PLAIN | _NOTES | _CONFIDENCE | _AVERAGE
_UNSPACED = sorted((word for word in _KNOWN if _SCRIPTS.match(word) and ord(word[0]) > 0x3000), key=len, reverse=True)


def parse_name(name: str) -> ColumnName:
    """What a column's name says."""
    words = _words(name)
    judge = [w for w in words if w in _JUDGE or _MODEL.match(w)]
    person = [w for w in words if w in _PERSON]
    strong = bool(judge or person)
    if not strong:
        judge, person = [w for w in words if w in _JUDGE_WEAK], [w for w in words if w in _PERSON_WEAK]
    mine = judge or person
    signs = [w for w in words if w.isdigit() or (len(w) == 1 and w != "の")]
    rest = [w for w in words if w not in _KNOWN and w not in mine and w not in signs and w != "の"]
    models = [w for w in judge if _MODEL.match(w)]
    stem = "_".join(models or [w for w in words if w in mine or w in signs])
    return ColumnName(
        "judge" if judge and not person else "person" if person and not judge else "",
        not strong,
        bool(judge and person),
        stem if rest or models or judge else name.strip(),
        stem,
        "_".join(rest),
        any(w in _AVERAGE for w in words),
        any(w in _NOTES for w in words),
        any(w in _CONFIDENCE for w in words),
        any(w in _PLAIN for w in words),
    )


def normalize(name: str) -> str:
    """A name in small letters with _ between its words."""
    return re.sub(r"[^\w#]+|_+", "_", unicodedata.normalize("NFKC", _CAMEL.sub("_", name)).lower()).strip("_")


def column_names(header: Sequence[str]) -> list[str]:
    """The names of a table's columns; one without a name, such as that of a saved index, gets its place as name."""
    return [cell.strip() or f"Unnamed: {place}" for place, cell in enumerate(header)]
