// markdown.js: judged texts, formatted as their writers meant them. markdown-it makes HTML of a text, and DOMPurify keeps only its harmless elements.
// Nothing in a text is ever fetched or followed: links and pictures are words. Until the libraries are there a text stands in plain paragraphs.

const RAW = "assay:raw:";
const AT_ONCE_CHARS = 3000; // a longer text is formatted in pieces, in idle time
const MOST_CHARS = 300000, MOST_CODE = 30000, NESTED = 24;
// Without one of these a text is the same with Markdown as without.
const SIGNS = /[*_`~\\$]|\]\(|&[#\w]+;|<[^\s<>]+[:@]|^ {0,3}(?:[>#=\t]|[-+](?:\s|$)|\d{1,9}[.)](?:\s|$)|--|-[|:]|[|:][|:\s]*-)|^ {4}/m;
const CJK = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/, POINT = /[\p{P}\p{S}]/u;

const GLOBALS = { highlight: "hljs", temml: "temml" };
const texts = { raw: false, md: null, purify: null, loading: new Map(), made: new Map(), waiting: new Set(), jobs: new Map(), due: false };

// ---- the libraries

/** Loads one of them once; texts that wait for it are drawn again when it is loaded. */
function library(name) {
  if (texts.loading.has(name)) return;
  texts.loading.set(name, performance.now());
  const script = document.createElement("script");
  script.src = new URL("." + BUNDLED[name], location.href).href; // a proxy may serve all of Assay below an address of its own
  script.onload = () => { script.remove(); arrived(name); };
  script.onerror = () => { script.remove(); setTimeout(() => texts.loading.delete(name), 15000); }; // asked for again with a later text
  document.head.append(script);
}

function arrived(name) {
  if (window.markdownit && window.DOMPurify && !texts.md) { texts.md = parser(); texts.purify = purifier(); }
  if (!texts.md) return;
  for (const e of [...texts.waiting]) if (e.wants === name || !e.wants) fill(e);
}

function ready() {
  if (texts.md) return true;
  library("markdown-it"); library("dompurify");
  return false;
}

// ---- from text to elements

const escaped = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const short = (text, n) => (text.length > n ? text.slice(0, n) + "…" : text);
const address = (url) => ` <span class="md-aside">(<span class="md-address" title="${escaped(short(url, 2000))}">${escaped(short(url, 300))}</span>)</span>`;

function parser() {
  const md = window.markdownit({ html: false, linkify: false, breaks: true, maxNesting: NESTED });
  md.disable(["reference"]); // it would hide lines
  md.validateLink = () => true; // no address is followed, so each is shown in the same way
  md.normalizeLink = md.normalizeLinkText = (url) => url;
  md.block.ruler.before("fence", "formula", formulaBlock, { alt: ["paragraph", "blockquote", "list"] });
  md.inline.ruler.before("escape", "formula", formulaInline);
  cjkEmphasis(md.inline.State.prototype);
  const { rules } = md.renderer;
  rules.paragraph_open = (tokens, i) => (tokens[i].hidden ? '<p class="md-tight">' : "<p>");
  rules.paragraph_close = () => "</p>\n";
  rules.softbreak = rules.hardbreak = () => "\n"; // white space is kept in paragraphs
  const heading = (end) => (tokens, i) => `<${end}h${Math.min(6, Number(tokens[i].tag[1]) + 2)}>`;
  rules.heading_open = heading(""); rules.heading_close = heading("/");
  rules.table_open = () => '<div class="md-wide"><table>'; rules.table_close = () => "</table></div>";
  rules.image = (tokens, i, options, env, self) => `<span class="md-image">[image: ${escaped(self.renderInlineAsText(tokens[i].children, options, env))}]</span>${address(tokens[i].attrGet("src"))}`;
  rules.link_open = (tokens, i) => `<span class="md-link" title="${escaped(short([tokens[i].attrGet("href"), tokens[i].attrGet("title")].filter(Boolean).join(" · "), 2000))}">`;
  rules.link_close = (tokens, i) => {
    let at = i, said = "";
    while (at > 0 && tokens[at].type !== "link_open") said = (tokens[--at].content || "") + said;
    const url = tokens[at].attrGet("href") || "";
    return said === url || "mailto:" + said === url ? "</span>" : "</span>" + address(url);
  };
  rules.code_block = (tokens, i, options, env) => code(tokens[i].content, "", env);
  rules.fence = (tokens, i, options, env) => code(tokens[i].content, tokens[i].info.trim().split(/[\s{,]/)[0], env);
  rules.formula = (tokens, i, options, env) => formula(tokens[i], env);
  return md;
}

function code(text, language, env) {
  let inner = null;
  if (language && text.length < MOST_CODE && !/[^\n]{3000}/.test(text)) {
    if (!window.hljs) env.wants = "highlight";
    else if (window.hljs.getLanguage(language)) try { inner = window.hljs.highlight(text, { language, ignoreIllegals: true }).value; } catch { /* it stays without colours */ }
  }
  return `<pre class="md-wide">${language ? `<span class="md-lang">${escaped(short(language, 24))}</span>` : ""}<code>${inner ?? escaped(text)}</code></pre>`;
}

function formula({ content, markup, meta }, env) {
  const plain = `<code class="md-tex">${escaped(meta)}</code>`;
  if (!window.temml) { env.wants = env.wants || "temml"; return plain; }
  try {
    return `<span class="md-math${markup}" title="${escaped(short(content.trim(), 2000))}">${window.temml.renderToString(content, { displayMode: markup !== "", throwOnError: true, trust: false, maxSize: [10, 10], maxExpand: 200 })}</span>`;
  } catch { return plain; }
}

/** Words rather than a formula: "$5 for one and 6$". */
const wordy = (tex) => /[a-z]{4,}|[A-Za-z]{2,}\s+[A-Za-z]{2,}/.test(tex.replace(/\\(?:text|mathrm|operatorname|textbf|mathbf)\s*\{[^{}]*\}|\\[A-Za-z]+/g, "")) && !/[\\^_={}]/.test(tex);

/** $x$, $$x$$, \(x\) and \[x\]. Sums of money are none: no space inside the signs, no letter or digit outside of them. */
function formulaInline(state, silent) {
  const { src, pos } = state, open = /^(?:\$\$?|\\[([])/.exec(src.slice(pos, pos + 2));
  if (!open) return false;
  const begin = pos + open[0].length, room = src.slice(begin, Math.min(state.posMax, begin + 3000)), close = { "\\(": "\\)", "\\[": "\\]" }[open[0]] || open[0];
  let end = room.indexOf(close);
  while (close[0] === "$" && room[end - 1] === "\\") end = room.indexOf(close, end + 1);
  const tex = room.slice(0, Math.max(0, end));
  if (!tex.trim() || /\n\s*\n|`/.test(tex)) return false;
  if (open[0] === "$" ? /^\s|\s$/.test(tex) || /[A-Za-z0-9\\$]/.test(src[pos - 1] || "") || !/^(?:th|st|nd|rd|'?s)?(?![A-Za-z0-9$])/.test(room.slice(end + 1)) || wordy(tex) : close[0] === "\\" && (wordy(tex) || close === "\\]" && !/[\\^_=+<>]/.test(tex))) return false;
  if (!silent) token(state, tex, close === "$$" || close === "\\]", src.slice(pos, begin + end + close.length));
  state.pos = begin + end + close.length;
  return true;
}

/** The same as lines of their own, and \begin{align} ... \end{align}. */
function formulaBlock(state, from, to, silent) {
  if (state.sCount[from] - state.blkIndent > 3) return false;
  const line = (n) => state.src.slice(state.bMarks[n] + state.tShift[n], state.eMarks[n]).trimEnd();
  const first = line(from), open = /^(?:\$\$|\\\[|\\begin\{((?:equation|align|aligned|alignat|gather|gathered|multline|split|cases|array|eqnarray|[pbvBV]?matrix)\*?)\})/.exec(first);
  if (!open) return false;
  const close = open[1] ? `\\end{${open[1]}}` : open[0] === "$$" ? "$$" : "\\]";
  let n = from, said = first;
  while (!(n > from ? said : said.slice(open[0].length)).endsWith(close)) {
    if ((n === from && first.slice(open[0].length).includes(close)) || ++n >= to || n > from + 80 || state.sCount[n] < state.blkIndent) return false;
    said = line(n);
  }
  if (silent) return true;
  const all = []; for (let k = from; k <= n; k++) all.push(line(k));
  const whole = all.join("\n"), t = token(state, open[1] ? whole : whole.slice(open[0].length, -close.length), true, whole);
  t.block = true; t.map = [from, n + 1]; state.line = n + 1;
  return true;
}

function token(state, tex, display, whole) {
  const t = state.push("formula", "math", 0);
  t.content = tex; t.markup = display ? " md-display" : ""; t.meta = whole;
  return t;
}

/** **「強調」**は is emphasis too: a mark beside a Chinese, Japanese or Korean sign needs no space. */
function cjkEmphasis(state) {
  const scan = state.scanDelims;
  state.scanDelims = function (start, split) {
    const found = scan.call(this, start, split), before = this.src[start - 1] || " ", after = this.src[start + found.length] || " ";
    if (!split || (!CJK.test(before) && !CJK.test(after))) return found;
    const bare = (one, other) => !/\s/.test(one) && (!POINT.test(one) || /\s/.test(other) || POINT.test(other) || CJK.test(other));
    return { ...found, can_open: bare(after, before), can_close: bare(before, after) };
  };
}

const MATH = "math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle mpadded mphantom msub msup msubsup munder mover munderover mmultiscripts mprescripts mtable mtr mtd menclose none";
const ALLOWED = {
  ALLOWED_TAGS: `p span strong em s code pre blockquote ul ol li table thead tbody tr th td h3 h4 h5 h6 hr div ${MATH}`.split(" ").concat("#text"),
  ALLOWED_ATTR: "class style title start display displaystyle scriptlevel mathvariant fence form stretchy symmetric lspace rspace minsize maxsize width height depth accent accentunder linethickness movablelimits largeop separator notation rowspan columnspan".split(" "),
  ALLOW_DATA_ATTR: false, ALLOW_ARIA_ATTR: false, KEEP_CONTENT: true, RETURN_DOM_FRAGMENT: true,
};
const SMALL = /^(?:(?:\d(?:\.\d+)?|\.\d+)(?:em|ex|pt|px)|10em|\d{1,3}%|0)$/;

/** The second barrier. Only the libraries' own classes are kept, so that no text can look like a button or a score of the desk. */
function purifier() {
  const purify = window.DOMPurify(window);
  purify.addHook("uponSanitizeAttribute", (node, data) => {
    const { attrName: name, attrValue: value } = data;
    if (name === "class") data.attrValue = value.split(/\s+/).filter((c) => /^(?:md|hljs|tml)-[\w-]+$|^(?:upstrike|downstrike|sout)$|^[a-z]+_+$/.test(c)).join(" ");
    else if (name === "style") data.attrValue = value.split(";").map((one) => one.split(":").map((part) => part.trim())).filter(([what, how]) => (what === "text-align" && /^(?:left|right|center)$/.test(how)) || (/^(?:padding(?:-\w+)?|width)$/.test(what) && SMALL.test(how)) || (what === "border" && how === "1px solid")).map(([what, how]) => `${what}:${how}`).join(";");
    else if (/^(?:width|height|depth|[lr]space|minsize|maxsize|linethickness)$/.test(name)) data.keepAttr = SMALL.test(value);
    if ((name === "class" || name === "style") && !data.attrValue) data.keepAttr = false;
  });
  return purify;
}

/** A text without any sign of Markdown, or before the libraries are there. */
function paragraphs(text) {
  const all = document.createDocumentFragment();
  for (const part of text.replace(/\r\n?/g, "\n").replace(/^(?:[ \t]*\n)+/, "").trimEnd().split(/\n(?:[ \t]*\n)+/)) all.append(el("p", "", part));
  return breakable(all);
}

/** Makes the elements of a text, a piece at each step, and keeps them for the next time. */
function* making(text) {
  const env = {}, tokens = texts.md.parse(text, env), all = document.createDocumentFragment();
  yield;
  let from = 0, size = 0;
  if (tokens.some((t) => t.level >= NESTED - 2)) all.append(paragraphs(text)); // markdown-it would leave out what is deeper
  else for (let i = 0; i < tokens.length; i++) {
    size += tokens[i].content.length;
    if (tokens[i].level || (size < 1500 && i < tokens.length - 1)) continue;
    all.append(breakable(texts.purify.sanitize(texts.md.renderer.render(tokens.slice(from, i + 1), texts.md.options, env), ALLOWED)));
    from = i + 1; size = 0;
    yield;
  }
  const made = { all, wants: env.wants || null };
  if (made.wants) library(made.wants);
  texts.made.delete(text);
  texts.made.set(text, made);
  if (texts.made.size > 300) texts.made.delete(texts.made.keys().next().value);
  return made;
}

function finish(job) {
  let step = job.next();
  while (!step.done) step = job.next();
  return step.value;
}

// ---- texts on the page

/** A judged text: formatted, or as it came where the person wants that. */
function judged(text) {
  const e = prose("prose formatted", "");
  const lang = langOf(text);
  if (lang) e.lang = lang;
  e.dir = "auto";
  e.source = text;
  fill(e);
  return e;
}

function fill(e) {
  const text = e.source, made = texts.made.get(text), plain = !SIGNS.test(text) || text.length > MOST_CHARS;
  texts.waiting.delete(e);
  e.classList.toggle("raw", texts.raw);
  if (texts.raw) { e.textContent = text; breakable(e); }
  else if (plain) e.replaceChildren(paragraphs(text));
  else if (!ready()) { texts.waiting.add(e); e.replaceChildren(paragraphs(text)); }
  else if (made && !window[GLOBALS[made.wants]]) put(e, made);
  else if (text.length <= AT_ONCE_CHARS) put(e, finish(making(text)));
  else { e.replaceChildren(paragraphs(text)); later(text, e); }
}

function put(e, { all, wants }) {
  e.replaceChildren(all.cloneNode(true));
  e.wants = wants;
  if (wants) { texts.waiting.add(e); library(wants); }
}

/** Formats a text in idle time: for an element, or for the next item. */
function later(text, e) {
  const job = texts.jobs.get(text) || { steps: making(text), for: [] };
  if (e) job.for.push(e);
  texts.jobs.set(text, job);
  if (!texts.due) { texts.due = true; whenIdle(work); }
}

const whenIdle = (fn) => (window.requestIdleCallback || ((run) => setTimeout(() => run({ timeRemaining: () => 8 }), 30)))(fn, { timeout: 600 });

function work(deadline) {
  texts.due = false;
  do {
    const next = texts.jobs.entries().next().value;
    if (!next) return;
    const [text, job] = next, step = job.steps.next();
    if (!step.done) continue;
    texts.jobs.delete(text);
    if (step.value) for (const e of job.for) if (!texts.raw && e.source === text) put(e, step.value);
  } while (deadline.timeRemaining() > 4);
  if (texts.jobs.size) { texts.due = true; whenIdle(work); }
}

/** Formats in advance what the next item needs. */
function formatAhead(sheet) {
  if (!texts.md || texts.raw) return;
  for (const part of [...sheet.head, ...sheet.rows.flatMap((row) => row.texts).filter((t) => !t.fold).flatMap((t) => (t.parts ? t.parts.filter((p) => !p.why) : [t])), ...sheet.head.flatMap((one) => one.turns || [])])
    if (part.text && part.role !== "tool" && !texts.made.has(part.text) && part.text.length <= MOST_CHARS && SIGNS.test(part.text)) later(part.text);
}

const rawFor = (person) => { texts.raw = box.get(RAW + person) === true; };

/** Switches all texts of these trees between raw and formatted; the text that the person reads stays in place. */
function turnRaw(person, trees) {
  texts.raw = !texts.raw;
  box.set(RAW + person, texts.raw);
  for (const tree of trees) if (tree) for (const e of tree.querySelectorAll(".formatted")) fill(e);
}
