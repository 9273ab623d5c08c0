/**
 * JavaScript version of `torch_errors/explaining/guess.py`, which explains each step.
 *
 * @typedef {import("./patterns.js").Entry} Entry
 * @typedef {{entry: Entry, words: string[], score: number}} Guess
 * @typedef {{id: string, title: string, summary: string, workflow: string, causes: Entry[], score: number}} Symptom
 * @typedef {{entries: Guess[], symptoms: Symptom[], described: boolean, entriesFirst: boolean}} Nearest
 */
import { reader } from "./words.js";

/** The function that finds what is nearest to a text. @param {any} data @param {Entry[]} entries */
export function guesser({ nearness, symptoms, words: index, guessing, texts }, entries) {
  const { weights, synonyms } = nearness;
  const { levels, wordsAtLeast, few, first, early, late, guesses, told, clearly, aboutAsNear, checklist } = guessing;
  const terms = reader(guessing.words, synonyms);
  const users = (term) => (Object.hasOwn(index, term) ? index[term] : []);

  /** @param {string} text @param {import("./facts.js").DecidingError} error @returns {Nearest} */
  return (text, error) => {
    const described = !(error.exception || error.frames.length);
    const asked = terms(described ? text : error.message);
    const rarity = new Map([...asked.keys()].map((term) => [term, weights[users(term).length]]));
    const [scores, shared] = [new Map(), new Map()];
    for (const term of [...asked.keys()].sort((a, b) => rarity.get(b) - rarity.get(a) || compare(a, b))) {
      const { place, written } = asked.get(term);
      const worth = rarity.get(term) * (place < first ? early : late);
      let number = 0;
      for (const step of users(term)) {
        number += Math.floor(step / levels);
        scores.set(number, (scores.get(number) ?? 0) + worth * ((step % levels) + 1));
        shared.set(number, [...(shared.get(number) ?? []), written]);
      }
    }
    const least = asked.size > few ? wordsAtLeast : 1;
    const found = [...scores.keys()].filter((number) => shared.get(number).length >= least);
    found.sort((a, b) => scores.get(b) - scores.get(a) || a - b);
    const known = found.filter((number) => number < entries.length);
    const best = scores.get(known[0]) ?? 0;
    const enough = described ? 0 : aboutAsNear * best;
    const others = found.filter((number) => number >= entries.length && scores.get(number) > enough);
    const symptom = scores.get(others[0]) ?? 0;
    return {
      entries: known.slice(0, guesses).map((number) => ({ entry: entries[number], words: shared.get(number), score: scores.get(number) })),
      symptoms: others.slice(0, told).map((one) => {
        const [[id, workflow, causes], [title, summary]] = [symptoms, texts.symptoms].map((all) => all[one - entries.length]);
        const fits = (cause) =>
          known.includes(cause) && scores.get(cause) >= scores.get(one) && shared.get(cause).length >= shared.get(one).length;
        const ordered = [...causes].sort((a, b) => Number(fits(b)) - Number(fits(a)));
        const told = { id, title, summary, workflow: workflow ?? checklist, causes: ordered.map((cause) => entries[cause]) };
        return { ...told, score: scores.get(one) };
      }),
      described,
      entriesFirst: !described || best > clearly * symptom,
    };
  };
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
