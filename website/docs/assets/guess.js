/**
 * JavaScript version of `torch_errors/explaining/guess.py`, which explains each step.
 *
 * @typedef {import("./patterns.js").Entry} Entry
 * @typedef {{entry: Entry, words: string[]}} Guess
 */
import { words } from "./words.js";

/**
 * @param {string} message @param {Entry[]} entries
 * @param {Record<string, number[]>} using word -> numbers of the entries whose texts use it
 * @param {number[]} weights weight of a word, indexed by the number of entries that use it
 * @returns {Guess[]}
 */
export function guess(message, entries, using, weights, { atLeast, wordsAtLeast, most, ...rules }) {
  const users = (word) => (Object.hasOwn(using, word) ? using[word] : []);
  const asked = new Map([...words(message, rules)].map((word) => [word, weights[users(word).length]]));
  const rarestFirst = [...asked.keys()].sort((a, b) => asked.get(b) - asked.get(a) || compare(a, b));
  const shared = new Map();
  for (const word of rarestFirst) {
    for (const number of users(word)) shared.set(number, [...(shared.get(number) ?? []), word]);
  }
  const sum = (some) => some.reduce((total, word) => total + asked.get(word), 0);
  const scored = [...shared].map(([number, common]) => ({ entry: entries[number], words: common, score: sum(common) }));
  const least = atLeast * sum(rarestFirst);
  return scored
    .filter(({ score, words: common }) => 100 * score >= least && common.length >= wordsAtLeast)
    .sort((a, b) => b.score - a.score || compare(a.entry.id, b.entry.id))
    .slice(0, most)
    .map(({ entry, words: common }) => ({ entry, words: common }));
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
