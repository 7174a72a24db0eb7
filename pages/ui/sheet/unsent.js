// unsent.js: sends from any other page the answers and acts that were not sent when their page was left or their tab was closed.

const WAIT = 2000, LONGEST = 60000;
const KEPT = { answers: keptAnswers, acts: (person) => keptActs(person).map((one) => one.act) };
let first = "", tries = 0; // the first entry of the last message, and how often it was sent

export default function ({ data, setStateValue }) {
  if (!data) return undefined;
  for (const key of data.saved) for (const place of [answerKey, actKey]) box.drop(place(data.person, key));
  const left = Object.fromEntries(data.sorts.map((sort) => [sort, KEPT[sort](data.person).filter((one) => !data.refused.includes(one.key))]));
  const [next] = Object.values(left).flat();
  if (!next || next.key !== first) tries = 0;
  const pause = () => Math.min(WAIT * 2 ** tries, LONGEST);
  const send = () => {
    first = next.key;
    tries++;
    setStateValue("outbox", { ...Object.fromEntries(Object.entries(left).map(([sort, all]) => [sort, firstOf(all)])), nonce: Date.now() });
    timer = setTimeout(send, pause()); // if nothing could be saved, no other data comes
  };
  let timer = next && setTimeout(send, tries && pause());
  return () => clearTimeout(timer);
}
