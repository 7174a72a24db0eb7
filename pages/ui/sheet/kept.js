// kept.js: data that this browser keeps. An answer, or an act of adjudication, stays until the server confirms that it is saved.

const box = (() => {
  // storage that may be full, forbidden or corrupt: the desk works without it
  const safe = (fn, other) => { try { return fn(); } catch { return other; } };
  return {
    get: (key) => safe(() => JSON.parse(localStorage.getItem(key)), null),
    set: (key, value) => safe(() => { localStorage.setItem(key, JSON.stringify(value)); return true; }, false),
    drop: (key) => safe(() => localStorage.removeItem(key)),
    keys: (prefix) => safe(() => Object.keys(localStorage).filter((key) => key.startsWith(prefix)), []),
  };
})();

/** A map that lives in this browser too, each entry by itself: a tab takes away nothing that another one keeps. */
class KeptMap extends Map {
  constructor(prefix, fits) {
    super();
    this.prefix = prefix;
    for (const key of box.keys(prefix)) if (fits(box.get(key))) super.set(key.slice(prefix.length), box.get(key));
  }
  set(key, value) { box.set(this.prefix + key, value); return super.set(key, value); }
  delete(key) { box.drop(this.prefix + key); return super.delete(key); }
}

const answerKey = (person, key) => `assay:answer:${person}:${key}`;

/** A person's answers that no server has acknowledged; anything else is discarded. */
function keptAnswers(person) {
  const found = [];
  for (const key of box.keys(answerKey(person, ""))) {
    const answer = box.get(key);
    const whole = answer && key === answerKey(person, answer.key) && answer.person === person && typeof answer.item === "string" && Array.isArray(answer.values) && Array.isArray(answer.notes) && answer.action;
    if (whole) found.push(answer); else box.drop(key);
  }
  return inOrder(found);
}

const actKey = (person, key) => `assay:act:${person}:${key}`;

/** A person's acts of the adjudication that no server has acknowledged, {person, dataset, place, at, act}, in order; anything else is discarded. */
function keptActs(person) {
  const found = [];
  for (const key of box.keys(actKey(person, ""))) {
    const one = box.get(key);
    const whole = one && one.act && key === actKey(person, one.act.key) && one.person === person && typeof one.dataset === "string" && typeof one.place === "string" && one.act.action;
    if (whole) found.push(one); else box.drop(key);
  }
  return found.sort((one, other) => one.at - other.at);
}

/** Orders answers so that one that is based on another comes after it. */
function inOrder(answers) {
  const left = new Map(answers.map((answer) => [answer.key, answer])), ordered = [];
  for (const answer of answers) {
    const line = [];
    for (let at = left.get(answer.key); at; at = left.get(at.version)) { line.unshift(at); left.delete(at.key); }
    ordered.push(...line);
  }
  return ordered;
}

/** The first answers, as many as one message may contain, but at least one. The rest is sent when these are acknowledged. */
function firstOf(all) {
  const most = 200, longest = 1e6, answers = [];
  let letters = 0;
  for (const answer of all.slice(0, most)) {
    letters += JSON.stringify(answer).length;
    if (answers.length && letters > longest) break;
    answers.push(answer);
  }
  return answers;
}

const LATE = 8000; // so long a silence of the server is said

/** What of a person is not saved yet, and why not, once that takes too long. `kept`: whether all of it is in this browser. */
function unsavedText(count, things, late, kept, notice) {
  const place = kept ? `your ${things} are kept in this browser` : `this browser cannot keep your ${things}: leave this tab open`;
  return `${count} not saved yet${late ? `:${notice ? "" : " the server does not answer;"} ${place}` : ""}`;
}
