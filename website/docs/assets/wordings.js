/**
 * JavaScript version of `torch_errors/explaining/wordings.py`, which explains each step.
 *
 * @typedef {{owners: number[], pairs: Map<string, number[]>, users: Map<string, number>}} Wordings
 */

/** @returns {string[]} */
const wordsOf = (text, { word, header }) =>
  [...text.replaceAll(header, "").matchAll(new RegExp(word, "gu"))].map(([one]) => one.toLowerCase());

/** @returns {Wordings} */
export function loadWordings({ patterns, recorded, wordings }) {
  const rows = [
    ...wordings.python.map((text) => [-1, wordsOf(text, wordings)]),
    ...patterns.map(([entry, , literal]) => [entry, wordsOf(literal, wordings)]),
    ...recorded.flatMap((texts, entry) => texts.map((text) => [entry, text.split(" ")])),
  ];
  const [pairs, users] = [new Map(), new Map()];
  const add = (map, key, value) => (map.has(key) ? map.get(key).push(value) : map.set(key, [value]));
  for (const [number, [owner, row]] of rows.entries()) {
    for (const word of row) if (users.get(word)?.at(-1) !== owner) add(users, word, owner);
    for (const pair of new Set(row.slice(1).map((word, at) => `${row[at]} ${word}`))) add(pairs, pair, number);
  }
  const counts = new Map([...users].map(([word, owners]) => [word, new Set(owners).size]));
  return { owners: rows.map(([owner]) => owner), pairs, users: counts };
}

/** The number of the entry in whose wordings a message stands, or null. @param {Wordings} known */
export function ownerOf({ owners, pairs, users }, message, weights, rules) {
  const words = wordsOf(message, rules).slice(0, rules.longest);
  const weighed = words.map((word) => weights[Math.min(users.get(word) ?? 0, weights.length - 1)]);
  const scores = new Map();
  const reached = new Map();
  for (let at = 1; at < words.length; at++) {
    for (const number of pairs.get(`${words[at - 1]} ${words[at]}`) ?? []) {
      const added = weighed[at] + (reached.get(number) === at - 1 ? 0 : weighed[at - 1]);
      scores.set(number, (scores.get(number) ?? 0) + added);
      reached.set(number, at);
    }
  }
  const best = [...scores.values()].reduce((most, score) => Math.max(most, score), 0);
  const whole = weighed.reduce((sum, weight) => sum + weight, 0);
  if (words.length < rules.fewest || best < rules.weight || 100 * best < rules.share * whole) return null;
  const close = new Map();
  for (const [number, score] of scores) {
    const owner = owners[number];
    if (owner < 0 && 2 * score > best) return null;
    if (score > best - rules.margin) close.set(owner, (close.get(owner) ?? 0) + 1);
  }
  const [[first, most], ...others] = [...close].sort((a, b) => b[1] - a[1]);
  return others.some(([, count]) => rules.times * count > most) ? null : first;
}
