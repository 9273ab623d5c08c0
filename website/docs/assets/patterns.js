/**
 * JavaScript version of `torch_errors/explaining/patterns.py`, which explains each step.
 *
 * @typedef {import("./decode.js").Text} Text
 * @typedef {{id: string, category: string, kind: string, wrapper: boolean, title: string, summary: string,
 *   fix: string | null, variants: Variant[], page: string}} Entry
 * @typedef {{parts: any[], say: Text | null, fix: Text | null}} Variant
 * @typedef {{entry: Entry, source: string, literal: string, weight: number, assertion: boolean,
 *   says: {say: Text, when: any, fix: Text | null}[], fix: Text | null,
 *   variants: Variant[], regex?: RegExp}} Pattern
 */

/** @param {any} data the data that website/engine.py writes @returns {{entries: Entry[], all: Pattern[]}} */
export function loadPatterns({ entries, patterns, texts }) {
  const known = entries.map(([id, category, kind, wrapper], number) => {
    const [title, summary, fix, advice] = texts.entries[number];
    return { id, category, kind, wrapper, title, summary, fix, variants: variantsOf(advice), page: `${category}/${id}/` };
  });
  const all = patterns.map(([entry, source, literal, weight, assertion], number) => {
    const [cases, fix, advice] = texts.patterns[number];
    const says = cases.map(([say, when, fix]) => ({ say, when, fix }));
    return { entry: known[entry], source, literal, weight, assertion, says, fix, variants: variantsOf(advice) };
  });
  return { entries: known, all };
}

const variantsOf = (rows) => rows.map(([parts, say, fix]) => ({ parts, say, fix }));

/** The matches of one pattern, the last match first. @param {Pattern} pattern @returns {RegExpExecArray[]} */
export function find(pattern, text, { before, after, places }) {
  const { literal } = pattern;
  const found = [];
  // Most patterns do not occur, and `includes` is the fastest way to find out.
  if (!text.includes(literal)) return found;
  pattern.regex ??= new RegExp(pattern.source, "gu");
  let end = text.length;
  for (let place = 0; place < places; place++) {
    const at = end < literal.length ? -1 : text.lastIndexOf(literal, end - literal.length);
    if (at < 0) break;
    pattern.regex.lastIndex = Math.max(0, at - before);
    const until = text.slice(0, at + after);
    let match;
    do match = pattern.regex.exec(until);
    while (match && match.index + match[0].length <= at);
    if (match && match.index !== found.at(-1)?.index) found.push(match);
    end = at + literal.length - 1;
  }
  return found;
}
