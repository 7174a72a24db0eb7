// unsent.js: sends from any other page what the desk had not sent when it was left, or when its tab was closed.

const WAIT = 2000, LONGEST = 60000;
let first = "", tries = 0; // the first answer of the last message, and how often it was sent

export default function ({ data, setStateValue }) {
  if (!data) return undefined;
  for (const key of data.saved) box.drop(answerKey(data.person, key));
  const left = keptAnswers(data.person).filter((answer) => !data.refused.includes(answer.key));
  if (!left.length || left[0].key !== first) tries = 0;
  const pause = () => Math.min(WAIT * 2 ** tries, LONGEST);
  const send = () => {
    first = left[0].key;
    tries++;
    setStateValue("outbox", { answers: firstOf(left), nonce: Date.now() });
    timer = setTimeout(send, pause()); // where nothing could be saved, no other data comes
  };
  let timer = left.length ? setTimeout(send, tries && pause()) : 0;
  return () => clearTimeout(timer);
}
