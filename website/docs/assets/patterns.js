/**
 * JavaScript version of `torch_errors/explaining/patterns.py`, which explains each step.
 *
 * @typedef {import("./decode.js").Text} Text
 * @typedef {{id: string, category: string, kind: string, wrapper: boolean | string, title: string, summary: string,
 *   fix: string | null, variants: Variant[], page: string}} Entry
 * @typedef {{parts: any[], say: Text | null, fix: Text | null}} Variant
 * @typedef {{number: number | null, entry: Entry, source: string, literal: string, weight: number, assertion: boolean,
 *   common: boolean, picture?: Text | null, code?: string | null, regex?: RegExp, relaxed?: boolean}} Pattern
 * @typedef {{says: {say: Text, when: any, fix: Text | null}[], fix: Text | null, variants: Variant[]}} PatternTexts
 */

/** @param {any} data the data that website/engine.py writes @returns {{entries: Entry[], all: Pattern[]}} */
export function loadPatterns({ entries, patterns, texts }) {
  const known = entries.map(([id, category, kind, wrapper], number) => {
    const [title, summary, fix, advice] = texts.entries[number];
    return { id, category, kind, wrapper, title, summary, fix, variants: variantsOf(advice), page: `${category}/${id}/` };
  });
  const all = patterns.map(([entry, source, literal, weight, assertion, common, picture, code], number) => {
    return { number, entry: known[entry], source, literal, weight, assertion, common, picture, code };
  });
  return { entries: known, all };
}

/** The texts of a pattern, once they are loaded. One without a number has none. @returns {PatternTexts} */
export function textsOf({ number }, { patterns }) {
  const [cases, fix, advice] = number === null ? [[], null, []] : patterns[number];
  return { says: cases.map(([say, when, fix]) => ({ say, when, fix })), fix, variants: variantsOf(advice) };
}

const variantsOf = (rows) => rows.map(([parts, say, fix]) => ({ parts, say, fix }));

/**
 * The patterns as `torch_errors/explaining/relaxed.py` relaxes them.
 * @param {Pattern[]} patterns @returns {Pattern[]}
 */
export function relax(patterns, { quote, anyQuote }) {
  const quotes = new RegExp(quote, "gu");
  return patterns.map((pattern) => {
    const parts = pattern.literal.split(/['"`]/u);
    const literal = parts.reduce((longest, part) => (part.length > longest.length ? part : longest)).toLowerCase();
    const source = pattern.source.replace(quotes, (part, found) => (found === undefined ? part : anyQuote));
    return { ...pattern, source, literal, regex: undefined, relaxed: true };
  });
}

/** A cleaned text for relaxed patterns, and the same in lower case. @returns {[string, string]} */
export function relaxedText(text) {
  const folded = text.replaceAll("\u017f", "s").replaceAll("\u212a", "k");
  return [folded, folded.replace(/[A-Z]+/gu, (letters) => letters.toLowerCase())];
}

/** The matches of one pattern, the last match first. @param {Pattern} pattern @returns {RegExpExecArray[]} */
export function find(pattern, text, { before, after, places, above, otherCode }, searched = text) {
  const { literal, code } = pattern;
  const codeAbove = (start) => text.slice(Math.max(0, start - above), start).split(new RegExp(otherCode, "u")).at(-1);
  const fits = ({ index }) => !code || new RegExp(code, "u").test(codeAbove(index));
  const found = [];
  // Most patterns do not occur, and `includes` is the fastest way to find out.
  if (!searched.includes(literal)) return found;
  pattern.regex ??= new RegExp(pattern.source, pattern.relaxed ? "giu" : "gu");
  let end = text.length;
  for (let place = 0; place < places; place++) {
    const at = end < literal.length ? -1 : searched.lastIndexOf(literal, end - literal.length);
    if (at < 0) break;
    pattern.regex.lastIndex = Math.max(0, at - before);
    const until = text.slice(0, at + after);
    let match;
    do match = pattern.regex.exec(until);
    while (match && match.index + match[0].length <= at);
    if (match && match.index !== found.at(-1)?.index && fits(match)) found.push(match);
    end = at + literal.length - 1;
  }
  return found;
}
