"""Texts that try to make a reader's browser fetch, run, link, focus or draw what it must not, or to keep it busy."""

from __future__ import annotations


def tricks(url: str) -> list[str]:
    """One text for each way in; whatever is fetched goes to `url`, or to a path of the page's own server."""
    own = "/canary.png"
    images = [
        f"![a]({url}/i1) ![a](<{url}/i2> 'title') ![a][r] ![r][] ![r]\n\n[r]: {url}/i3 'x'",
        f"[![nested]({url}/i4)]({url}/l1) **![bold]({url}/i5)** | "
        f"![own]({own}) ![up](../canary.png) ![proto](//{url[7:]}/i6)",
        f"| ![cell]({url}/i7) |\n|---|\n| ![cell]({url}/i8) |\n\n> "
        f"![quote]({url}/i9)\n\n1. ![list]({url}/i10)\n\n# ![h]({url}/i11)",
        "![d](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+) ![j](javascript:window.hit=1) ![b](blob:x)",
    ]
    links = [
        f"<{url}/auto> {url}/bare <mail@canary.test> [l]({url}/l2) [j](javascript:window.hit=1) [d](data:text/html,x)",
        f"[v](vbscript:x) [u](\u202e{url}/l3) [j](java\tscript:window.hit=1) [e](&#106;avascript:window.hit=1)",
        f"[x](<javascript:window.hit=1> \"' onmouseover='window.hit=1\") [y]({url}/l4 '\" autofocus tabindex=0 x=\"')",
    ]
    html = [
        f"<img src='{url}/h1' onerror='window.hit=1'><IMG SRC={own}><image href='{url}/h2'>",
        f"<script>window.hit=1;fetch('{url}/h3')</script><iframe "
        f"src='{url}/h4'></iframe><object data='{url}/h5'></object>",
        f"<link rel=stylesheet href='{url}/h6'><style>@import '{url}/h7';.step{{background:url({url}/h8)}}</style>",
        f"<svg onload='window.hit=1'><use href='{url}/h9'/><image "
        f"href='{url}/h10'/></svg><math href='{url}/h11'><mtext></mtext>",
        f"<math><mtext><table><mglyph><style><!--</style><img "
        f"title=\"--&gt;&lt;img src='{url}/h12' onerror='window.hit=1'&gt;\">",
        f"<form action='{url}/h13'><button autofocus class='go' name=body>Save, next</button><input id=root></form>",
        f"<div class='cell' style='position:fixed;inset:0;background:url({url}/h14)' "
        f"tabindex=0 contenteditable>4</div>",
        f"<video poster='{url}/h15' src='{url}/h16' autoplay></video><base "
        f"href='{url}/'><meta http-equiv=refresh content=0>",
        "<span class=\"step mine\" role=radio aria-checked=true>5</span><details open ontoggle='window.hit=1'>",
    ]
    code = [
        f"```html\n<img src='{url}/c1' "
        f"onerror='window.hit=1'><script>window.hit=1</script>\n```\n~~~\"onclick=x\nx\n~~~",
        f"```\"><img/src='{url}/c2'/onerror='window.hit=1'>\nx\n```\n\n "
        f"   <img src='{url}/c3'>\n\n`<img src={url}/c4>`",
        f"```mermaid\nclick A href '{url}/c5'\n```\n```css\nbody{{background:url({url}/c6)}}\n```",
    ]
    tex = [
        rf"$\href{{{url}/t1}}{{x}}$ $\includegraphics{{{url}/t2}}$ "
        rf"$\url{{{url}/t3}}$ $\href{{javascript:window.hit=1}}{{x}}$",
        r"$\htmlData{a=b}{x}$ $\htmlClass{go}{x}$ $\htmlId{root}{x}$ "
        r"$\htmlStyle{position:fixed}{x}$ $\class{step}{x}$ $\id{a}{x}$",
        r"$$\label{root}\ref{root}\tag{<img src=x onerror=window.hit=1>}$$ $\text{<img src=x onerror=window.hit=1>}$",
        r"$\def\a{\a\a}\a$ $\rule{900em}{900em}$ $\hspace{-900em}x$ $\kern-900em x$ $\raise900em{x}$ $\Huge\Huge x$",
        r"$\color{red}x$ $\colorbox{blue}{x}$ $\style{background:url(" + url + r"/t4)}{x}$ "
        r"\begin{align}\href{x}{y}\end{align}",
        r"$\unicode{x3c}img$ $\char`\<img$ $\mathchoice{a}{b}{c}{d}$ $\phantom{x}$ $\smash{x}$ \(\frac{1\) \[\left( \]",
    ]
    return [*images, *links, *html, *code, *tex]


def floods() -> list[str]:
    """Texts that a careless reader works on for ever: deep, long, and bad for regular expressions."""
    return [
        ">" * 1000 + " deep",
        "\n".join("  " * n + "- item" for n in range(200)),
        "**a *b _c " * 3000,
        "[" * 5000 + "a](" * 2000,
        "`" + "``a" * 4000,
        "![" * 4000 + "<" * 4000,
        "$" * 9000 + r"\(" * 4000 + "$a " * 4000,
        "| a " * 400 + "\n" + "|-" * 400 + "\n" + "| b " * 400,
        "```python\n" + "x = (" * 3000 + "\n```",
        r"\begin{align}" * 400 + "\n" + "$$\n" * 500,
        "a\u0300" * 3000 + "\u202e" * 200 + "\u200b" * 2000,
        "&" * 5000 + "<!--" * 3000 + "\\" * 5000,
    ]


ENDLESS = "word *and* $x " * 75_000
"""A million characters in one line."""
