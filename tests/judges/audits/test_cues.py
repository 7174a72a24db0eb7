"""Words of correction in eight languages, words that only look like it, and notes that explain nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.audits._cues import find_correction, is_explanation

CORRECTIONS = {
    "English": [
        "No, I meant the blue one.",
        "no no, the other file",
        "That’s not what I asked for.",
        "That is wrong, it was 1987.",
        "You misunderstood me.",
        "You still didn't answer my question.",
        "I already told you I am vegetarian.",
        "Actually, I meant next Friday.",
        "There's a mistake in your second step.",
        "It is still not right.",
        "Wait, that was for Tuesday.",
        "oh wait - you said three",
        "Hold on, I asked for a table.",
        "Hang on. What about the fee?",
        "No, I want a refund.",
        "no. i need the blue one",
    ],
    "Chinese": [
        "不对，我要的是素食菜谱。",
        "你理解错了。",
        "我问的是下周的价格",
        "这不是我要的，不是这个意思",
        "你忘了我说过预算只有五百",
        "答案错了，应该是十二",
        "不對，我說的是台北。",
        "你誤會我的意思了",
        "等等，我说的是周二。",
        "不，我要退款。",
    ],
    "Japanese": [
        "違います。大阪です。",
        "いや、違うよ。来週の話。",
        "そうじゃなくて、値段を聞いています。",
        "それは間違っています。",
        "私が聞いたのは営業時間です。",
        "答えになっていません。",
        "さっき肉は食べないと言ったのに。",
        "訂正してください",
        "待って、それは火曜日です。",
        "いえ、返金してほしいです。",
    ],
    "German": [
        "Nein, das ist falsch.",
        "Das stimmt nicht.",
        "Ich meinte den anderen Zug.",
        "Du hast mich missverstanden.",
        "Moment, es waren zwei.",
        "Nein, ich möchte eine Rückerstattung.",
    ],
    "Spanish": ["No, eso no es lo que pedí.", "Te equivocas.", "Me refería a la otra.", "Eso es incorrecto.",
                "Espera, pedí dos.", "No, quiero el azul."],
    "French": ["Non, ce n'est pas ça.", "C’est faux.", "Je voulais dire demain.", "Vous avez mal compris.",
               "Attendez, j'ai dit mardi.", "Non, je voudrais un remboursement."],
    "Portuguese": ["Não, eu quero o azul.", "Espera aí, era terça.", "Isso está errado.", "Você esqueceu o preço."],
    "Korean": ["그게 아니라 파란색이요.", "잠깐만요, 화요일이에요.", "아니요, 저는 환불을 원해요.", "답이 틀렸습니다."],
}
NONE = [
    "",
    "No, thanks, that is all.",
    "No.",
    "Wait times are long, what can I do?",
    "How do I hold on to a job?",
    "Hold on a second, let me check the number.",
    "I can wait, no problem.",
    "No, I would like to stop here.",
    "No, I don't need anything else.",
    "Im Moment nicht.",
    "Nein, danke.",
    "No, gracias.",
    "Non, merci.",
    "Não, obrigado.",
    "아니요, 괜찮습니다.",
    "다음 중 틀린 것은?",
    "苹果、梨等等。",
    "不，谢谢。",
    "いいえ、結構です。",
    "No problem, take your time.",
    "What did you mean by that?",
    "Could you tell me what is right for me?",
    "对不对？",
    "不错，谢谢！",
    "没错，就是这样。",
    "对不起，我来晚了。",
    "何が違いますか。",
    "二つのプランはどう違うのですか。",
    "間違っていませんか、と聞かれました。",
    "ありがとうございます。とても助かりました。",
    "Nein danke.",
    "No, gracias.",
    "Non merci.",
    "Danke, das stimmt so.",
]


@pytest.mark.parametrize(("language", "text"), [(name, text) for name, texts in CORRECTIONS.items() for text in texts])
def test_corrections_are_found_in_their_language(language: str, text: str) -> None:
    correction = find_correction(text)
    assert correction is not None
    assert correction[0] == language
    assert correction[1]


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_correction(text: str) -> None:
    assert find_correction(text) is None


@pytest.mark.parametrize(
    ("note", "does"),
    [
        ("", False),
        ("n/a", False),
        ("N/A - no corrections occurred in this conversation.", False),
        ("No repair was needed.", False),
        ("1 user turn with a correction.", False),
        ("没有纠正。", False),
        ("不适用", False),
        ("訂正なし。", False),
        ("該当なし", False),
        ("Keine Korrekturen.", False),
        ("The user only quoted somebody else's objection.", True),
        ("用户只是引用了别人的反对意见。", True),
        ("ユーザーは他人の発言を引用しただけです。", True),
    ],
)
def test_notes_that_explain(note: str, does: bool) -> None:
    assert is_explanation(note) is does


@given(st.text(max_size=200))
def test_any_text_has_a_cue_or_none(text: str) -> None:
    correction = find_correction(text)
    assert correction is None or (correction[0] in CORRECTIONS and correction[1])
    assert is_explanation(text) in (True, False)
