"""Names that look alike, names that nobody may enter, and the names under which imported labels are kept."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

SAMPLE_ACTOR = "Assay samples"
"""As whom the sample is made; not a person who can sign in."""
APPROVAL_ACTOR = "assay/gate"
"""The name of automatic suspensions. No person can be called so, because no name has a slash in it."""
KEPT_APPROVAL_PREFIX = "kept "
"""The prefix of settings of a dataset that say that a lead has reviewed an approval (its id follows) and keeps it."""
MACHINE_ACTOR = "assay/command line"
"""As whom a lead is made at the machine itself (`python -m data lead`)."""
BACKUP_ACTOR = "assay/backups"
"""The actor of backups that are made by the plan."""
SIGN_IN_ACTOR = "assay/sign-in"
"""As whom people come in, and follow their groups, when they sign in at the provider."""
_SYSTEM_NAMES = {
    APPROVAL_ACTOR: "Assay (approval check)", MACHINE_ACTOR: "command line", BACKUP_ACTOR: "Assay (backup plan)",
    SIGN_IN_ACTOR: "sign-in",
}  # fmt: skip
SYSTEM_ACTORS = (SAMPLE_ACTOR, APPROVAL_ACTOR, MACHINE_ACTOR, BACKUP_ACTOR, SIGN_IN_ACTOR)
RESERVED = (*SYSTEM_ACTORS, "Assay", "Assay itself")

_LOOKS = """
    AΑАᎪᗅꓮ𐊠𖽀 aɑαаᴀ BΒВᏴᗷꓐꞴ𐊂𐊡𐌁 bƄʙЬвᏏᑲᖯ CСᏟⲤꓚ𐊢𐌂𐐕𐔜𑣩𑣲 cсᴄⲥꮯ𐐽 DᎠᗞᗪꓓ dĐđԁᏧᑯᴅꓒ EΕЕᎬⴹꓰ𐊆𑢦𑢮 eеҽᴇꬲ FϜᖴꓝꞘ𐊇𐊥𐔥𑢢𑣂 fքẝꜰꞙꬵ
    GԌᏀᏳꓖ gƍɡɢցᶃ HΗНᎻᕼⲎꓧ𐋏 hħнһհᏂ iıɩɪιіᎥꙇꭵ𑣃 JͿЈᎫᒍꓙꞲ jϳјᴊ KΚКᏦᛕⲔꓗ𐔘 kĸκкᴋ LᏞᒪⳐꓡ𐐛𐔦𑢣𑢲𖼖 lŁłƖǀʟΙІӀӏןו∣│⏐❘۱ᛁⲒⵏꓲ𐊊𐌉𐌠𖼨
    MΜϺМᎷᗰᛖⲘꓟ𐊰𐌑 mмᴍ NΝⲚꓠ𐔓 nŋηпոռ OΟОՕ০ଠ୦ዐⲞⵔ〇ꓳ𐊒𐊫𐐄𐓂𐔖𑓐𑢵𑣠 oØøοσоօ۵०੦૦௦౦೦ഠ൦๐໐ဝ၀ჿᴏᴑⲟꬽ𐐬𐓪𑣈𑣗 PΡРᏢᑭⲢꓑ𐊕 pρрᴘⲣ Qⵕ qԛգզ
    RƦᎡᏒᖇꓣ𐒴𖼵 rгᴦⲅꭇꭈꮁ SЅՏᏕᏚꓢ𐊖𐐠𖼺 sƽѕꜱꮪ𐑈𑣁 TΤТᎢⲦꓔ𐊗𐊱𐌕𑢼𖼊 tŧτтᴛ UՍሀᑌꓴ𐓎𑢸𖽂 uʋυսᴜꞟꭎꭒ𐓶𑣘 VѴ۷Ꮩᐯⴸꓦꛟ𐔝𑢠𖼈 vνѵᴠꮩ𑜆𑣀 WԜᎳᏔꓪ𑣦𑣯
    wɯωѡԝաᴡꮃ𑜊𑜎𑜏 XΧХᚷⲬⵝꓫꞳ𐊐𐊴𐌗𐌢𐔧𑣬 x×χхᕁᕽ YΥУҮᎩᎽⲨꓬ𐊲𑢤𖽃 yɣʏγуүყᶌỿꭚ𑣜 ZΖᏃꓜ𐋵𑢩𑣥 zᴢꮓ𑣄
"""
"""Letters of other scripts behind the Latin one that they look like, where NFKC does not bring them together."""
_KANA = str.maketrans("カロエニトタハヘベペ", "力口工二卜夕八へべぺ")
"""Kana that are drawn as a Chinese character, or as the other kana, is."""
_LIKE = str.maketrans({c: group[0] for group in _LOOKS.split() for c in group[1:]} | {"I": "l", "1": "l", "0": "o"})
_UPPER = str.maketrans(
    {c.lower(): group[0].lower() for group in _LOOKS.split() for c in group[1:] if c.lower() not in _LOOKS}
)
_MARKS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f]")
"""Marks on letters: accents and the like, but not those that make another kana, or a vowel in Indic scripts."""
_FILE = re.compile(r"[(\[{] *file *\d* *[)\]}][\W_]*$")
_SUFFIX = re.compile(r"(.*?)(?: \(file(?: (\d+))?\))?")
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_EMPTY = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs that are drawn as nothing."""
_STROKES = "\u2571\u2572"


def display_name(name: str) -> str:
    """The name of whoever did something, as people read it."""
    return _SYSTEM_NAMES.get(name, name)


def has_invisible_characters(name: str) -> bool:
    """Whether a name has characters that nobody sees."""
    return any(c in _EMPTY or unicodedata.category(c) in _HIDDEN for c in name)


def lookalike_keys(name: str) -> frozenset[str]:
    """Return keys for the look of a name: two names that share one of these can be taken for each other.

    Width, accents, spaces, punctuation and invisible characters are left out. Letters of other scripts count as the
    Latin ones that they look like, 1 and capital I as l, 0 as o, rn as m.
    """
    return frozenset(
        _strip_marks(text) or unicodedata.normalize("NFKC", name).casefold() for text in _fold_shapes(name)
    )


def _fold_shapes(name: str) -> tuple[str, str]:
    """A name as it is drawn, and as it is drawn in small letters: a capital I is l in the one, and i in the other."""
    visible = "".join(c for c in unicodedata.normalize("NFKC", name) if not has_invisible_characters(c))
    text = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", visible))).translate(_KANA)
    first, second = (t.translate(_LIKE).casefold().translate(_LIKE).translate(_UPPER) for t in (text, text.casefold()))
    return first, second


def _strip_marks(text: str) -> str:
    """A text without what sets no names apart: punctuation, spaces, and what looks like a stroke or dash."""
    letters = "".join(c for c in text if c not in _STROKES and not re.match("[PZ]|S[km]", unicodedata.category(c)))
    return letters.replace("rn", "m").replace("vv", "w")


def find_lookalike(known: Iterable[str], name: str) -> str | None:
    """Return a name among those known that this one can be mistaken for, or is; None if there is none."""
    keys = lookalike_keys(name)
    return next((k for k in known if not keys.isdisjoint(lookalike_keys(k))), None)


def match_ignoring_case(known: Iterable[str], name: str) -> str | None:
    """The name among those known that is the same but for capitals, if there is just one."""
    matches = [k for k in known if k.casefold() == name.casefold()]
    return matches[0] if len(matches) == 1 else None


def explain_difference(name: str, known: str) -> str:
    """Say what distinguishes a name from the one that it looks like; "" if only the way of writing does."""
    other = [c for c in dict.fromkeys(unicodedata.normalize("NFC", name)) if c not in known]
    return ", ".join(f"{c!r} is {unicodedata.name(c, 'a sign without a name').lower()}" for c in other[:4])


def why_reserved(name: str, known: bool = False) -> str:
    """Say why nobody may enter under a name; "" if somebody may. `known`: they have worked here before."""
    if find_lookalike(SYSTEM_ACTORS if known else RESERVED, name):
        return f"{name!r} is reserved for what Assay does by itself. Choose another name."
    if not known and any(_FILE.search(text) for text in _fold_shapes(name)):
        return f"{name!r} has an ending that is reserved for labels from files. Choose another name."
    return ""


def imported_name(name: str, known_names: Iterable[str]) -> str:
    """As whom a person in a file is kept, where `known_names` are the people who are or were active in the workspace.

    It is their own name, unless that is, or looks like, one of those: then " (file)" is put behind it, and " (file 2)"
    behind one that has "(file)" already, so that no two people of one file become one.
    """
    match = _SUFFIX.fullmatch(name)
    base, number = (match[1], match[2]) if match else (name, None)
    if not find_lookalike((*known_names, *RESERVED), base):
        return name
    if base == name:
        return f"{base} (file)"
    return f"{base} (file {int(number or 1) + 1})"
