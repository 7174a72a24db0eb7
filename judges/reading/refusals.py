"""Whether a reply without a score is a refusal, and a JSON reply's thinking, which is no part of what it says.

The patterns are few and narrow: a refusal that is not known as one is still unscored, as unreadable.
"""

from __future__ import annotations

import re

_HEAD = 400
"""A refusal says so at once: only so many characters are looked at."""
_ENGLISH = re.compile(
    r"(?:\b(?:I|we)(?:'m| am|'re| are)?(?: (?:currently|simply|really|also|therefore))?|\A\W*(?:sorry,? (?:but )?)?) ?"
    r"(?<!\w)(?:can ?not|can't|won't|will not|unable to|not able to|must decline to|have to decline to|refuse to"
    r"|not comfortable|do not feel comfortable|don't feel comfortable)\b[^.!?\n]{0,40}?"
    r"\b(?:help(?!ful| but)|assist|comply|fulfil|provide|evaluate|assess|judge|judging|rate|rating|score|scoring"
    r"|continue|engage|participate|process|complete|do (?:that|this)|respond|discuss)",
    re.IGNORECASE,
)
_JAPANESE = re.compile(
    r"(?:お答え|回答|お応え|応答|対応|お手伝い|お受け|応じ|評価|採点|判定|提供|ご要望|支援|処理)[^。\n]{0,20}?"
    r"(?:でき(?:ません|ない|かね)|出来(?:ません|ない|かね)|いたしかね|致しかね|しかね|控え|られません|られない|お断り)"
)
_CHINESE = re.compile(
    r"(?:我|抱歉|对不起|對不起|很遗憾|很遺憾)[^。！\n]{0,20}?(?:无法|無法|不能|不可以|不便|拒绝|拒絕)[^。！\n]{0,20}?"
    r"(?:帮助|幫助|协助|協助|提供|回答|回应|回應|评价|評價|评分|評分|评估|評估|评判|完成|处理|處理|满足|滿足|继续|繼續|参与|參與|讨论|討論)"
)
_OPEN = re.compile(r"[\s\ufeff]*<(think|thinking|thought|reason|reasoning)>", re.IGNORECASE)
_CLOSE = re.compile(r"</(?:think|thinking|thought|reason|reasoning)>(?=[ \t]*(?:\r?\n|\{|```|\Z))", re.IGNORECASE)


def is_refusal(text: str) -> bool:
    """Whether a text that holds no score says, in English, Japanese or Chinese, that none will be given."""
    head = text[:_HEAD].replace("\u2019", "'")
    return any(pattern.search(head) for pattern in (_ENGLISH, _JAPANESE, _CHINESE))


def without_thinking(text: str) -> str | None:
    """A reply without the thinking before it; None where it ends within its thinking.

    Thinking is at the very beginning: the same marks within the reply are text that it quotes. A template may open
    it for the model, so that only its end is there, before a new line or the JSON; what begins as JSON or as a fence is
    no thinking.
    """
    at, thought = 0, False
    while found := _OPEN.match(text, at):
        end = re.compile(f"</{found[1]}>", re.IGNORECASE).search(text, found.end())
        if end is None:
            return None
        at, thought = end.end(), True
    if not thought and not text.lstrip("\ufeff \t\r\n").startswith(("{", "[", "`")) and (end := _CLOSE.search(text)):
        at = end.end()
    return text[at:].lstrip("\ufeff")
