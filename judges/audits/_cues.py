"""Words by which a user corrects or objects, in several languages: cues that a repair was called for.

Precision comes before recall: a bare "no" is no cue, because it answers a question more often than it objects.
"""

from __future__ import annotations

import re
import unicodedata

_BEGINS = r"(?:^|[.!?。\n])[ \"']*"
"""The beginning of a sentence: words such as "wait" are an interruption only there."""
_HALT = r"[ ]?(?:[,.!\u2013\u2014]|-+ |$)"
_CUES = {
    "English": (
        r"\bno,? (?:no\b|that\W?s not|that is not|it\W?s not|i (?:meant|said|asked|wanted)|not (?:that|this"
        r"|what)|wrong\b)",
        r"\bthat(?:\W?s| is| was) (?:not (?:right|correct|true|it|what i|accurate|my)|wrong|incorrect|false)\b",
        r"\bthat (?:isn|wasn)\W?t (?:right|correct|true|it|what i|accurate|my)\b",
        r"\byou(?:\W?re| are) (?:wrong|mistaken|not (?:listening|answering))\b",
        r"\byou (?:misunderstood|misread|misheard|forgot|ignored|overlooked|keep ignoring)\b",
        r"\byou(?: \w+)? didn\W?t (?:answer|listen|read|follow|include|address)\b",
        r"\byou (?:got|have) (?:that|it|this) wrong\b",
        r"\byou(?:\W?ve| have)? made (?:a|an|another|some) (?:mistake|error)",
        r"\b(?:there\W?s|there is) (?:a|an) (?:mistake|error) in (?:your|that|the)\b",
        r"\bi (?:actually |really )?meant\b|\bi did(?:n\W?t| not) (?:mean|say|ask)\b",
        r"\bi (?:already|just|clearly|specifically|explicitly) (?:said|told|asked|mentioned)\b",
        r"\b(?:not|isn\W?t|wasn\W?t) what i (?:asked|meant|said|wanted)\b",
        r"\bactually,? (?:no\b|i (?:meant|said|asked)|it\W?s not|that\W?s)",
        r"\bstill (?:wrong|incorrect|not (?:right|correct|what))\b",
        r"\b(?:let me correct|please correct (?:that|this|it|your)|correction:)",
        _BEGINS + r"(?:(?:oh|no|um|hm+|ok(?:ay)?|but),? )?(?:wait|hold on|hang on)(?: a (?:minute|second|sec|moment))?"
        r"(?:" + _HALT + r"| (?:no|but|what|why|that|this|you|i (?:said|meant|asked|thought|want))\b)"
        r"(?![^.!?]{0,25}\b(?:let me|i\W?ll|i will|while i|i need to|brb)\b)",
        _BEGINS + r"(?:oh,? )?no[,.!;]+ (?:i|we)(?: want| need(?! (?:nothing|no\b))| would (?:prefer|rather"
        r"|like)|\W?d like"
        r"|(?:\W?m| am| was) (?:looking for|talking about|asking))\b(?! to (?:end|stop|finish|go|thank|leave)\b)",
    ),
    "Chinese": (
        r"(?<!对)不对(?!劲|称|等|外|口|起)|(?<!對)不對(?!勁|稱|等|外|口|起)",
        r"(?<![不没沒])(?:错了|錯了)|不正确|不正確|有误(?!差)|有誤(?!差)",
        r"(?:不是|并非|並非)(?:这样|這樣|这个意思|這個意思|我的意思|我要的|我想要的|我问的|我問的|我说的|我說的)",
        r"我(?:说|說|问|問|要|指|想要|想问|想問)的(?:是|不是)|我的意思是",
        r"[你您](?:弄|搞|理解|说|說|算|记|記|写|寫|看|答)[错錯]",
        r"[你您](?:误解|誤解|误会|誤會|忘了|忘记|忘記|忽略)",
        r"更正|纠正一下|糾正一下|[没沒]有回答我",
        _BEGINS + r"(?:等等|等一下|等下|慢着|慢著)(?:[,!。.]|$)",
        _BEGINS + r"不(?:是|对|對|要)?的?[,。!] ?我(?:想|要|是想|是说|是說|需要|说|說|指)",
    ),
    "Japanese": (
        r"(?:^|[、。！!\s]|それは|これは|いや|いえ|ちょっと)違(?:います|いますよ|うよ|う。|うって|うんだ|うの?で(?!は))(?!か)",
        r"そう(?:じゃ|では)な(?:い|く)|(?:じゃ|では)なくて",
        r"間違(?:って(?:い|る|ま)|いです|えて(?:い|る|ま)|いがあ)(?!ませんか|ないか)",
        r"誤り(?:です|があ)|正しく(?:ない|あり)|答えにな(?:って|りま)",
        r"(?:聞いた|尋ねた|聞きたかった|言いたかった|言った|頼んだ|お願いした)のは",
        r"(?:という|そういう)意味では(?:な|あ)|と(?:言|い)(?:った|いました)(?:のに|はず|よね|でしょう)",
        r"誤解(?:して|されて|です)|勘違い(?:して|です)|訂正",
        _BEGINS + r"(?:あ|え|いや|いえ|えっと)?[、,]? ?"
        r"(?:ちょっと)?待っ(?:て(?:ください|下さい|よ)?|た)(?:[、,。!.]|$)",
        _BEGINS + r"(?:いや|いえ|いいえ|ううん)[、,。] ?[^。!?\n]{0,30}"
        r"(?:ほしい|欲しい|がいい|知りたい|聞きたい|したい|のほうが|の方が)(?!わけ)",
    ),
    "German": (
        r"\bnein,? (?:das|ich meinte|ich wollte|falsch|nicht)\b",
        r"\bdas (?:ist|war|stimmt) (?:so )?(?:nicht|falsch)\b|\bstimmt (?:so )?nicht\b",
        r"\bich (?:meinte|habe gemeint|wollte eigentlich|habe doch)\b|\bso war das nicht gemeint\b",
        r"\b(?:du hast|sie haben) (?:mich |das |es )?(?:falsch|missverstanden|vergessen|übersehen)",
        r"\bkorrektur:|\bda ist ein fehler\b",
        _BEGINS + r"(?:nein,? |aber )?(?:moment(?: mal)?|warte(?:n sie)?(?: mal)?|halt(?: mal)?|stopp)" + _HALT,
        _BEGINS + r"nein[,.!]+ (?:ich (?:will|möchte|brauche|suche|wollte|meine|meinte)|wir (?:wollen|möchten"
        r"|brauchen))\b"
        r"(?! (?:nichts|danke))",
    ),
    "Spanish": (
        r"\bno,? (?:eso no|me refer[ií]a|quise decir|quer[ií]a decir|no es eso)\b",
        r"\beso no es (?:correcto|cierto|as[ií]|lo que)\b|\b(?:eso )?est[aá]s? (?:mal\b|equivocad)",
        r"\bte equivocas(?:te)?\b|\bse equivoca\b|\bme refer[ií]a a\b|\bquise decir\b",
        r"\bno (?:es|era) lo que (?:ped[ií]|dije|pregunt[eé]|quer[ií]a)\b|\bte (?:dije|ped[ií]) que\b",
        r"\b(?:eso )?es incorrecto\b|\bcorrecci[oó]n:|\bhas? entendido mal\b",
        _BEGINS + r"[¡]?(?:no,? |pero )?(?:esper[ae]|un momento|un segundo)" + _HALT,
        _BEGINS + r"no[,.!]+ (?:yo |lo que )?(?:quiero|quer[ií]a|necesito|busco|prefiero|quisiera)\b(?! nada)",
    ),
    "French": (
        r"\bnon,? (?:ce n\W?est pas|c\W?est faux|je voulais|je parlais|pas (?:ça|cela))",
        r"\bce n\W?(?:est|était) pas (?:correct|exact|vrai|ça|cela|ce que)\b",
        r"\bc\W?est (?:faux|incorrect|inexact|erroné)\b|\bje voulais dire\b",
        r"\b(?:vous vous trompez|tu te trompes)\b",
        r"\b(?:vous avez|tu as) (?:mal compris|oublié|fait une erreur)\b|\bcorrection ?:",
        _BEGINS + r"(?:non,? |mais )?(?:attend(?:s|ez)|minute|un instant|une seconde)(?: un peu)?" + _HALT,
        _BEGINS + r"non[,.!]+ (?:je (?:veux|voudrais|voulais|cherche|parle|parlais|préfère)|j\W?(?:ai besoin"
        r"|aimerais))\b"
        r"(?! rien)",
    ),
    "Portuguese": (
        r"\bnão,? (?:eu )?(?:quis dizer|me referia|não é isso|isso não)\b|\bquis dizer\b|\bnão foi (?:isso|o que)\b",
        r"\bisso (?:não (?:é|está) (?:certo|correto|verdade|o que)|está (?:errado|incorreto))|\bnão é (?:isso"
        r"|o que eu)\b",
        r"\bvocê (?:se enganou|errou|esqueceu|entendeu (?:mal|errado)|não (?:respondeu|entendeu))\b",
        r"\beu (?:disse|pedi|falei|perguntei) que\b|\bnão (?:foi|era) o que eu\b|\bcorreção:",
        _BEGINS + r"(?:não,? |mas )?(?:esper[ae](?: aí)?|peraí|calma|um momento|um segundo)" + _HALT,
        _BEGINS + r"não[,.!]+ (?:eu )?(?:quero|queria|preciso|prefiro|estou (?:falando|procurando)|procuro)\b(?! nada)",
    ),
    "Korean": (
        r"그(?:게|건|런 (?:게|뜻이|말이)) 아니(?:라|고|에요|예요|야|요|잖|지)|제 ?말은|내 ?말은|그런 뜻(?:이|은) 아니",
        r"틀렸(?:어|습니다|는데|네|잖|다)|잘못 (?:이해|알|읽|계산|말|들)|오해하",
        r"(?:라고|다고|고) (?:했|말했|말씀드렸)(?:잖|는데|을 텐데)|제가 (?:물어본|원한|말한|부탁한) (?:건|것은|게)",
        _BEGINS + r"(?:아니,? ?)?(?:잠깐(?:만)?|잠시만)(?:요)?(?:[,.!]|$)",
        _BEGINS + r"아니(?:요|오)?[,.!] ?(?:저는|전|제가|나는|난|내가|그게|그거)",
    ),
}
CUES = {language: re.compile("|".join(patterns), re.MULTILINE) for language, patterns in _CUES.items()}
"""One pattern a language, for texts as `fold_text` gives them."""


def fold_text(text: str) -> str:
    """A text as the cues expect it: compatibility forms unified, case folded."""
    return unicodedata.normalize("NFKC", text).casefold()


def find_correction(text: str) -> tuple[str, str] | None:
    """(language, words) of the first cue in a user's text that the user corrects or objects to what came before."""
    plain = fold_text(text)
    for language, pattern in CUES.items():
        if match := pattern.search(plain):
            return language, match.group().strip(" \n\t、。！!")
    return None


_STOCK = re.compile(
    r"n/?a|not applicable|none|nothing|\b(?:no|not|any|the|a|an|was|were|is|are|there|had|has|have|did|does|do|be|been"
    r"|user|assistant|needed|required|necessary|made|occurred|occur|present|found|seen|here|in|to|of|or|and|for|by|this"
    r"|that|with|cues?|dialogue|conversation|chat|turns?|corrections?|objections?|repairs?|handling|issues?"
    r"|attempts?|applicable"
    r"|keine?|nicht|nötig|korrekturen?|ninguna?|sin|correccion(?:es)?|aucune?|pas de)\b"
    r"|不适用|不適用|没有|沒有|无需|無需|无|無|纠正|糾正|更正|修正|反对|反對|用户|用戶|对话|對話|中|的"
    r"|該当なし|該当|訂正|修復|なし|ない|ありません|ありませんでした|対話|会話|ユーザー|対応|不要|[はがにをので]"
)


def is_explanation(note: str) -> bool:
    """Whether a note says more than that there was nothing to repair.

    It does if it has two further words, or four further characters of Chinese or Japanese.
    """
    left = _STOCK.sub(" ", fold_text(note))
    wide = len(re.findall(r"[\u3040-\u30ff\u3400-\u9fff]", left))
    return wide >= 4 or len(re.findall(r"[^\W\d_]{2,}", re.sub(r"[\u3040-\u30ff\u3400-\u9fff]", " ", left))) >= 2
