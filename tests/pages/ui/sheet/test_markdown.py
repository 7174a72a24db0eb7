"""What becomes of a judged text, on an empty page: no server, no desk, only the scripts that format texts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from pages.server import assets
from pages.ui.sheet import TEXTS, bundle_scripts
from tests import poison

OPEN = """
arrived("markdown-it");
window.format = text => { const e = judged(text); while (texts.jobs.size) work({timeRemaining: () => 50}); return e };
window.cleaned = html => { const e = el("div"); e.append(texts.purify.sanitize(html, ALLOWED)); return e };
window.overlooked = texts => texts.filter(t => !SIGNS.test(t)
    && /<(?!p>|[/]p>|br>)/.test(window.markdownit({breaks: false}).disable(["reference"]).render(t)));
window.steps = text => { const job = making(text); let n = 0; while (!job.next().done) n++; return n };
window.odd = e => [...e.querySelectorAll("*")].filter(x => !TAGS.test(x.localName) || [...x.attributes].some(odder))
    .map(x => x.outerHTML.slice(0, 300));
const TAGS =
  /^(p|span|strong|em|s|code|pre|blockquote|[uo]l|li|table|thead|tbody|t[rhd]|h[3-6]|hr|div|wbr|m[a-z]+|none)$/;
const LENGTH = /^(\\d(\\.\\d+)?|\\.\\d+|10)(em|ex|pt|px)$|^\\d{1,3}%$|^0$/;
const odder = ({name, value}) => ({
    class: () => !/^((md|hljs|tml)-[\\w-]+ ?|[a-z]+_+ ?|(up|down)strike ?|sout ?)+$/.test(value),
    style: () => !/^((padding[a-z-]*|width|text-align|border):[\\d.a-z% ]+;?)+$/.test(value)
        || /\\d\\d\\d?(em|px|pt)/.test(value),
    title: () => false, start: () => false,
    ...Object.fromEntries(["width", "height", "depth", "lspace", "rspace", "minsize", "maxsize", "linethickness"]
        .map(one => [one, () => !LENGTH.test(value)])),
}[name] || (() => !/^(display(style)?|scriptlevel|mathvariant|fence|form|stretchy|symmetric|accent(under)?)$/.test(name)
    && !/^(movablelimits|largeop|separator|notation|(row|column)span)$/.test(name)))();
"""
FORMATTED = {
    "one\ntwo\n\n  three": "<p>one\ntwo</p><p>  three</p>",
    "\n \n  one\r\n\r\ntwo\rthree\n\n": "<p>  one</p><p>two\nthree</p>",
    "**a** _b_ ~~c~~ `d`\ne": "<p><strong>a</strong> <em>b</em> <s>c</s> <code>d</code>\ne</p>",
    "これは**「強調」**です": "<p>これは<strong>「強調」</strong>です</p>",
    'これは**"b"**です': '<p>これは<strong>"b"</strong>です</p>',
    "**「強調」**は": "<p><strong>「強調」</strong>は</p>",
    "snake_case_name * 2 * 3": "<p>snake_case_name * 2 * 3</p>",
    "# A\n- b\n- c": '<h3>A</h3><ul><li><p class="md-tight">b</p></li><li><p class="md-tight">c</p></li></ul>',
    "###### A\n\n    a < b": '<h6>A</h6><pre class="md-wide"><code>a &lt; b\n</code></pre>',
    "3. x": '<ol start="3"><li><p class="md-tight">x</p></li></ol>',
    "<b>x</b> &lt; <!-- y -->": "<p>&lt;b&gt;x&lt;/b&gt; &lt; &lt;!-- y --&gt;</p>",
    "[r]: http://x\n*y*": "<p>[r]: http://x\n<em>y</em></p>",
    "![a *b*](/c)": '<p><span class="md-image">[image: a b]</span> <span class="md-aside">'
    '(<span class="md-address" title="/c">/c</span>)</span></p>',
    "<http://x>": '<p><span class="md-link" title="http://x">http://x</span></p>',
    "[a](http://x)": '<p><span class="md-link" title="http://x">a</span> <span class="md-aside">'
    '(<span class="md-address" title="http://x">http://x</span>)</span></p>',
    "[a](http://例え.jp/あ%20b)": '<p><span class="md-link" title="http://例え.jp/あ%20b">a</span> '
    '<span class="md-aside">(<span class="md-address" title="http://例え.jp/あ%20b">http://例え.jp/あ%20b</span>)</span></p>',
    "|a|b|c|\n|:-:|-:|-|\n|1|2|3|": '<div class="md-wide"><table><thead><tr><th style="text-align:center">a</th>'
    '<th style="text-align:right">b</th><th>c</th></tr></thead><tbody><tr><td style="text-align:center">1</td>'
    '<td style="text-align:right">2</td><td>3</td></tr></tbody></table></div>',
    "```zig\na < b\n```": '<pre class="md-wide"><span class="md-lang">zig</span><code>a &lt; b\n</code></pre>',
}
PIECES = [*"|-: a=+1.)#><@[]!\t&;\n", "](", "http:", "  ", "\n\n", "---", "\n| a | b |\n", "| - | - |", "1. ", "名"]
FORMULAS = {
    "$x$, $$y$$ and \\(z\\), \\[w=1\\]": 4, "\\begin{align}a&=b\\\\c&=d\\end{align}": 1, "$$\nx\n$$": 1,
    "the $n$th and $ABC$": 2, "値は$x$です": 1, "> \\[\n> x^2\n> \\]": 1, "$\\frac{1}{2}$": 1,
    "$a_1 + \\$b$ more": 1, "so $$profit margin$$ it is": 1, "$rate = x^2$": 1, "as in \\[12\\]": 0,
    "It costs $5 and $6.": 0, "US$5/US$6, $10,$20": 0, "$5 for one and 6$": 0, "$HOME/bin:$PATH": 0, "$ x $": 0,
    "   \\begin{align}a&=b\\end{align}": 1, "    \\begin{align}a&=b\\end{align}": 0,
    "- so\n\n  \\begin{align}a&=b\\end{align}": 1,
    "`$x$` and \\$x\\$": 0, "\\[see note\\] \\(see the note\\)": 0, "$\\frac{1$": 0,
}  # fmt: skip


@pytest.fixture(scope="module")
def page(chromium: Any) -> Iterator[Any]:
    """An empty page with the scripts, and three functions of ours."""
    opened = chromium.new_page()
    for file in assets.library_files().values():
        opened.add_script_tag(path=file)
    opened.add_script_tag(content=bundle_scripts(*TEXTS) + OPEN, type="module")
    opened.wait_for_function("() => !!window.odd")
    yield opened
    opened.close()


def test_texts_become_what_their_writers_meant(page: Any) -> None:
    for text, expected in FORMATTED.items():
        assert page.evaluate("t => format(t).innerHTML.replace(/>\\n+(<|$)/g, '>$1')", text) == expected, text
    for text, count in FORMULAS.items():
        assert page.evaluate("t => format(t).querySelectorAll('math').length", text) == count, text
    around = (
        "t => { const e = format(t); [...e.querySelectorAll('math')].forEach(m => m.replaceWith('·'));"
        " return e.textContent.trim() }"
    )
    for text, expected in {"値は$x$です": "値は·です", "$$y$$, \\(z\\) and \\[w=1\\].": "·, · and ·."}.items():
        assert page.evaluate(around, text) == expected
    assert page.evaluate("format('$$\\nx\\n$$\\nlast').lastElementChild.textContent") == "last"
    script = "t => [...format(t).querySelectorAll('math')].map(m => m.getAttribute('display') === 'block')"
    assert page.evaluate(script, "so $$x=1$$, \\[y=1\\], \\(z=1\\) and $w=1$") == [True, True, False, False]
    assert page.evaluate("format('```python\\ndef f(): pass\\n```').querySelectorAll('.hljs-keyword').length") == 2


def test_a_space_in_a_formula_has_a_size_that_fits_the_page(page: Any) -> None:
    spaces = "".join(f'<mspace width="{width}"></mspace>' for width in ("1em", "1000em", "99999px", "50%"))
    script = "t => [...cleaned(t).querySelectorAll('mspace')].map(e => e.getAttribute('width'))"
    assert page.evaluate(script, f"<math>{spaces}</math>") == ["1em", None, None, "50%"]


def test_only_a_text_without_any_sign_of_markdown_is_taken_as_plain(page: Any) -> None:
    """A table between plain sentences, say: of texts made of what has a meaning, none is overlooked."""
    draw = random.Random(35)
    texts = ["".join(draw.choices(PIECES, k=draw.randint(1, 9))) for _ in range(20_000)]
    assert page.evaluate("t => overlooked(t)", [*texts, *FORMATTED]) == []
    assert page.evaluate("overlooked(['see http://x, a - b, 1.5 or (c)'])") == []
    table = "As follows:\n\n| a | b |\n| - | --: |\n| 1 | 2 |\n\nThat is all."
    assert page.evaluate("t => format(t).innerText", table).split() == "As follows: a b 1 2 That is all.".split()
    assert page.evaluate("t => [...format(t).children].map(e => e.localName)", table) == ["p", "div", "p"]


def test_what_belongs_together_is_made_together_however_long_it_is(page: Any) -> None:
    """A text is made in pieces of some 1,500 letters, which end between its parts and never within one."""
    items = "\n".join(f"- {n} " + "x" * 400 for n in range(20))
    cells = "".join(f"| {n} | {'y' * 400} |\n" for n in range(20))
    for text, parts in [
        (items, ["ul"]), (f"> {items.replace(chr(10), chr(10) + '> ')}", ["blockquote"]),
        ("| a | b |\n| --- | --- |\n" + cells, ["table"]), ("```\n" + "z = 1\n" * 900 + "```", ["pre"]),
        ("\n\n".join("w" * 400 for _ in range(20)), ["p"] * 20), (f"# A\n\n{items}\n\n# B", ["h3", "ul", "h3"]),
    ]:  # fmt: skip
        script = "t => [...format(t).children].map(e => (e.querySelector('table') || e).localName)"
        assert page.evaluate(script, text) == parts, text[:20]


def test_nothing_in_a_text_is_fetched_run_focused_or_looks_like_the_desk(page: Any) -> None:
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    for text in poison.tricks("http://canary.test"):
        assert page.evaluate("t => { const e = format(t); document.body.append(e); return odd(e) }", text) == [], text
        second = page.evaluate("t => { const e = cleaned(t); document.body.append(e); return odd(e) }", text)
        assert second == [], text
    page.wait_for_timeout(100)
    assert urls == [] and page.evaluate("window.hit") is None


def test_no_text_keeps_the_page_busy_or_loses_a_word(page: Any) -> None:
    hand = page.context.new_cdp_session(page)
    hand.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> float:
        """The processor time that the page's thread has taken, in seconds."""
        metrics = hand.send("Performance.getMetrics")["metrics"]
        return float(next(metric["value"] for metric in metrics if metric["name"] == "ThreadTime"))

    for text in [*poison.floods(), poison.ENDLESS]:
        before = busy()
        page.evaluate("t => { format(t) }", text)
        assert busy() - before < 3, text[:40]
    # of a long word every 1,000 letters a line may break, which Chromium would look for till all stands still
    for sign in ("", "*b* "):
        count = "t => [format(t).textContent.split('A').length - 1, format(t).querySelectorAll('wbr').length]"
        assert page.evaluate(count, sign + "A" * 60_000) == [60_000, 59], sign
    deep = page.evaluate("t => format(t).textContent", ">" * 60 + " deep down")
    assert "deep down" in deep


def test_the_eye_that_looks_for_harm_sees_it(page: Any) -> None:
    for html in ("<a href=x>", "<p id=a>", "<p class='md-tight step'>", "<p style='width:99em'>", "<mo lspace='-9em'>"):
        script = "h => odd(Object.assign(document.createElement('div'), {innerHTML: h})).length"
        assert page.evaluate(script, html) == 1, html


def test_formulas_of_a_line_of_their_own_stand_there(page: Any) -> None:
    script = "t => format(t).querySelector('math').getAttribute('display')"
    expected = {"$$y$$": "block", "\\[w=1\\]": "block", "the $x$ there": None, "the \\(z\\) there": None}
    assert {text: page.evaluate(script, text) for text in expected} == expected


def test_a_long_text_is_formatted_in_many_steps_and_very_long_code_is_not_coloured(page: Any) -> None:
    """So that the page answers in between, and none of them takes long."""
    assert page.evaluate("steps", "A **b** c.\n\n" * 3_000) == 21, "one to parse it, and one for each 1,500 letters"
    coloured = "t => format(t).querySelectorAll('.hljs-number').length"
    lines = "x = 1\n" * 4_990
    assert page.evaluate(coloured, f"```python\n{lines[:600]}```") == 100
    assert page.evaluate(coloured, f"```python\n{lines}x = 10000000000\n{lines[:600]}```") == 0
    assert page.evaluate(coloured, f"```python\n{'x = 1 + ' * 400}1\n```") == 0, "nor is code of endless lines"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("cost5$x$", 0), ("US$x$", 0), ("($x$)", 1), ("$a \\$ b$", 1), ("\\(a \\$ b\\)", 1), ("$5 and $6", 0),
        ("$x$nd", 1),
    ],
)  # fmt: skip
def test_a_dollar_is_a_formula_only_where_it_stands_as_one(page: Any, text: str, count: int) -> None:
    assert page.evaluate("t => format(t).querySelectorAll('math').length", text) == count
