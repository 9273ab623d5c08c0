/**
 * From pasted text to the entries that answer it: what `torch_errors/explaining/` does, in the browser.
 *
 * The two give the same answers to every text; tests/test_engine.py compares them. So each function here is the twin of
 * one there, which says why it does what it does. All that the catalog decides comes as data (website/engine.py).
 * Nothing here touches the page, and nothing is sent.
 *
 * Time is linear in the length of the text. Offsets count UTF-16 units; where Python counts characters, so does this.
 *
 * @typedef {{id: string, category: string, title: string, summary: string, kind: string, fix: string | null,
 *   wrapper: boolean, page: string}} Entry
 * @typedef {{entry: Entry, captures: Record<string, string>, line: number, message: string, frame: UserLine | null,
 *   says: string | null, fix: string | null, ranks: number, alternatives: Match[]}} Match
 * @typedef {{entry: Entry, words: string[]}} Guess
 * @typedef {import("./traceback.js").UserLine} UserLine
 * @typedef {{exception: string | null, message: string | null, operation: string | null, shapes: string[],
 *   dtypes: string[], devices: string[], frame: UserLine | null}} Facts
 * @typedef {{exception: string | null, message: string, frames: import("./traceback.js").Frame[],
 *   place: UserLine | null}} Report
 * @typedef {import("./traceback.js").Cleaned} Cleaned
 * @typedef {{pattern: any, entry: Entry, cleaned: Cleaned, match: RegExpExecArray, captures: Record<string, string>,
 *   at: number, first: number, last: number, role: number, block: number, failure: number, place: number}} Found
 * @typedef {bigint | boolean | string | bigint[]} Value
 * @typedef {any[]} Tree an expression: `[operation, operand, …]`
 */
import { excerpt } from "./excerpt.js";
import { compare, compareLists, head, size, step, stripped, tail } from "./python.js";
import { lineOf, parser } from "./traceback.js";

/**
 * @param {string | URL} url address of `explain.json`
 * @returns {Promise<{explain: (text: string) => Match[], guess: (text: string) => Guess[],
 *   facts: (text: string) => Facts, trim: (text: string, line?: number) => string,
 *   isUnfilled: (text: string) => boolean, example: string}>}
 */
export async function load(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: status ${response.status}`);
  return engine(await response.json());
}

/** The functions for data that are already there. @param {any} data */
export function engine(data) {
  const parse = parser(data.cleaning, data.framing);
  const using = usersOfWords(data.guessing.using);
  const { read, facts, deciding } = reader(data.reading, data.cleaning.roles, parse);
  const patterns = data.patterns.map((pattern) => ({ ...pattern, entry: data.entries[pattern.entry] }));
  return {
    explain: (text) => explain(parse, text, patterns, data.search, data.cleaning.roles),
    guess: (text) => guess(read(text).message, data.entries, { ...data.guessing, using }),
    facts,
    ...excerpt(data.excerpt, data.cleaning.expressions, data.cleaning.roles, parse, deciding),
    example: data.example,
  };
}

// explain.py --------------------------------------------------------------------------------------------------------

/** @param {string} text @returns {Match[]} the errors, the one to fix first on top */
function explain(parse, text, patterns, search, roles) {
  const found = [];
  for (const cleaned of parse.readings(text)) {
    for (const pattern of patterns) {
      for (const match of find(pattern, cleaned.text, search)) found.push(placed(pattern, cleaned, match));
    }
  }
  const lines = new Map();
  const linesOf = (/** @type {Cleaned} */ cleaned) => {
    if (!lines.has(cleaned)) lines.set(cleaned, parse.linesOf(cleaned));
    return lines.get(cleaned);
  };
  const told = (one, ranks, alternatives) => answer(parse, linesOf(one.cleaned), one, ranks, alternatives);
  return distinct(errors(ranked(found, roles)), search, roles).map(([best, ...others]) =>
    told(best, ranksOf(best, search, roles), others.map((other) => told(other, 0, []))),
  );
}

/** @param {Cleaned} cleaned @returns {Found} */
function placed(pattern, cleaned, match) {
  const end = lineOf(cleaned, match.index + match[0].length - 1);
  const block = cleaned.blocks[end];
  let at = lineOf(cleaned, match.index);
  while (cleaned.blocks[at] !== block) at++;
  const groups = Object.entries(match.groups ?? {});
  return {
    pattern,
    entry: pattern.entry,
    cleaned,
    match,
    captures: Object.fromEntries(groups.filter(([, value]) => value !== undefined)),
    at,
    first: cleaned.numbers[at],
    last: cleaned.numbers[end],
    role: Math.max(cleaned.roles[at], cleaned.roles[end]),
    block,
    failure: cleaned.failures[end],
    place: 0,
  };
}

/** @param {Found[]} found @returns {Found[]} */
function ranked(found, { warning, raised }) {
  const inner = new Set(found.filter(({ entry, role }) => !entry.wrapper && role > warning).map(({ failure }) => failure));
  const ranks = new Map();
  for (const one of found) {
    ranks.set(one, [
      Number(one.pattern.assertion ?? false),
      Number(!(one.entry.wrapper && inner.has(one.failure))),
      one.role,
      one.failure,
      -one.block,
      one.pattern.weight,
      Number(one.cleaned.likely),
      raised.includes(one.role) ? -one.first : one.first,
      one.match.index - one.cleaned.starts[one.at],
    ]);
  }
  return found.sort((a, b) => compareLists(ranks.get(b), ranks.get(a)));
}

/** @param {Found[]} ranked @returns {Iterable<Found[]>} */
function errors(ranked) {
  let [place, reached] = [0, 0];
  for (const one of [...ranked].sort((a, b) => a.first - b.first)) {
    if (one.first > reached) place++;
    one.place = place;
    reached = Math.max(reached, one.last);
  }
  const found = new Map();
  for (const one of ranked) {
    const error = found.get(one.place) ?? [];
    found.set(one.place, error);
    if (!error.some(({ entry }) => entry === one.entry)) error.push(one);
  }
  return found.values();
}

/** @param {Iterable<Found[]>} errors @returns {Found[][]} */
function distinct(errors, { errors: most }, { code, raised }) {
  const found = [];
  const told = new Map();
  const leading = new Map();
  for (const error of errors) {
    const best = error[0];
    const again = told.get(best.entry)?.find(({ other }) => repeats(best, other, raised))?.error;
    let known = again ?? leading.get(best.failure);
    if (!again && known && best.entry.wrapper && !known.some(({ entry }) => entry === best.entry)) {
      known.push(best);
    } else if (!known || !(again || best.entry.wrapper || best.role === code)) {
      if (found.length === most) break;
      found.push(error);
      known = error;
      for (const other of error) told.set(other.entry, [...(told.get(other.entry) ?? []), { other, error }]);
    }
    if (!leading.has(best.failure)) leading.set(best.failure, known);
  }
  return found;
}

/** @param {Found} one @param {Found} other */
function repeats(one, other, raised) {
  if (one.failure === other.failure && raised.includes(one.role) && raised.includes(other.role)) return true;
  return Object.entries(one.captures).every(([name, value]) => other.captures[name] === value);
}

/** @param {Found} found @returns {number} */
function ranksOf({ cleaned, at, match }, { shortest }, { code }) {
  if (!cleaned.ranks[at]) return 0;
  const { text, starts } = cleaned;
  const end = Math.min(match.index + match[0].length, starts[at + 1] ?? text.length);
  const parts = text.slice(Math.max(match.index, starts[at]), end).split(/[0-9]+/u);
  const part = parts.reduce((longest, one) => (size(one) > size(longest) ? one : longest));
  const ranks = new Set([cleaned.ranks[at]]);
  for (let from = 0; size(part) >= shortest; ) {
    const offset = text.indexOf(part, from);
    if (offset < 0) break;
    const line = lineOf(cleaned, offset);
    if (cleaned.roles[line] !== code && cleaned.ranks[line]) ranks.add(cleaned.ranks[line]);
    from = starts[line + 1] ?? text.length;
  }
  return ranks.size;
}

/** @param {Found} found @param {number} ranks @param {Match[]} alternatives @returns {Match} */
function answer(parse, lines, { pattern, entry, cleaned, match, captures, at, first }, ranks, alternatives) {
  const place = lines.findIndex(({ last }) => last >= first);
  let [says, ofCase] = say(pattern.says ?? [], captures);
  let fix = firstSaid(captures, ofCase, pattern.fix);
  const framework = pattern.frameworks && parse.frameworksOf(lines, place).find((name) => pattern.frameworks[name]);
  if (framework) {
    const advice = pattern.frameworks[framework];
    says = firstSaid(captures, advice.say) ?? says;
    fix = firstSaid(captures, advice.fix) ?? fix;
  }
  return {
    entry,
    captures,
    line: first,
    message: cleaned.text.slice(Math.max(match.index, cleaned.starts[at]), match.index + match[0].length),
    frame: parse.userLine(lines, place),
    says,
    fix: fix || entry.fix,
    ranks,
    alternatives,
  };
}

/** What the first case says that holds and can be said with what was captured, and its fix. */
function say(cases, captures) {
  for (const { when, say, fix } of cases) {
    if (when === undefined || attempt(() => truth(evaluate(when, captures)), false)) {
      const said = render(say, captures);
      if (said !== null) return [said, fix];
    }
  }
  return [null, undefined];
}

/** The first of these texts that can be said with what was captured. @returns {string | null} */
function firstSaid(captures, ...texts) {
  const said = texts.filter(Boolean).map((text) => render(text, captures));
  return said.find((text) => text !== null) ?? null;
}

// guessing.py -------------------------------------------------------------------------------------------------------

/** @param {string} text `tensor,0,3 shape,1` @returns {Map<string, number[]>} word -> numbers of entries */
function usersOfWords(text) {
  const each = text.split(" ").map((one) => one.split(","));
  return new Map(each.map(([word, ...numbers]) => [word, numbers.map(Number)]));
}

/** @param {string} message @returns {Guess[]} */
function guess(message, entries, { word, path, stop, atLeast, wordsAtLeast, most, weights, using }) {
  const plain = message.split(" ").filter((part) => ![...path].some((sign) => part.includes(sign)));
  const asked = new Map();
  for (const [found] of plain.join(" ").matchAll(new RegExp(word, "gu"))) {
    const lower = found.toLowerCase();
    if (!stop.includes(lower)) asked.set(lower, weights[using.get(lower)?.length ?? 0]);
  }
  const rarestFirst = [...asked.keys()].sort((a, b) => asked.get(b) - asked.get(a) || compare(a, b));
  const shared = new Map();
  for (const one of rarestFirst) {
    for (const number of using.get(one) ?? []) {
      if (!shared.has(number)) shared.set(number, []);
      shared.get(number).push(one);
    }
  }
  const sum = (words) => words.reduce((total, one) => total + asked.get(one), 0);
  const scored = [...shared]
    .map(([number, words]) => ({ entry: entries[number], words, score: sum(words) }))
    .filter(({ words }) => words.length >= wordsAtLeast);
  const least = atLeast * sum(rarestFirst);
  return scored
    .filter(({ score }) => 100 * score >= least)
    .sort((a, b) => b.score - a.score || compare(a.entry.id, b.entry.id))
    .slice(0, most)
    .map(({ entry, words }) => ({ entry, words }));
}

// facts.py ----------------------------------------------------------------------------------------------------------

/** @returns {{read: (text: string) => Report, facts: (text: string) => Facts, deciding: (lines: any[]) => number}} */
function reader({ expressions, within, message: longest, items, before, around }, roles, parse) {
  const search = (name) => {
    const regex = new RegExp(expressions[name], "u");
    return (/** @type {string} */ text) => regex.exec(text);
  };
  const all = (name) => (text) => text.matchAll(new RegExp(expressions[name], "gu"));
  const [findException, findTorch, isPassing, findOperation, isAboutShapes, isNoShape, isSized, findLabel] = [
    "exception",
    "torch",
    "passing",
    "operation",
    "aboutShapes",
    "noShape",
    "sized",
    "label",
  ].map(search);
  const [shapes, dtypes, devices] = ["shape", "dtype", "device"].map(all);

  /** @returns {Facts} */
  function facts(text) {
    const report = read(text);
    const told = report.message;
    return {
      exception: report.exception,
      message: report.exception ? told : null,
      operation: operation(report),
      shapes: labelled(areShapes(told), told),
      dtypes: labelled(dtypes(told), told),
      devices: labelled(devices(told), told),
      frame: report.place,
    };
  }

  /** @returns {Report} */
  function read(text) {
    let lines = parse.linesOf(parse.readings(tail(text, within)).find(({ likely }) => likely));
    if (lines.every(({ text, role }) => role === roles.code && !parse.isFrame(text))) {
      lines = lines.map((line) => ({ ...line, role: roles.loose }));
    }
    const found = exception(lines);
    const at = found?.at ?? lines.length - 1;
    const [frames, place] = lines.length ? [parse.tracebackOf(lines, at), parse.userLine(lines, at)] : [[], null];
    if (found) return { exception: found.type, message: found.message, frames, place };
    const loose = lines.filter(({ role }) => role !== roles.code).map(({ text }) => text);
    return { exception: null, message: tail(loose.join(" "), longest), frames, place };
  }

  /** The line of the deciding exception, without one the last; -1 where there is no line. */
  const deciding = (lines) => exception(lines)?.at ?? lines.length - 1;

  function exception(lines) {
    let warned = null;
    for (let at = lines.length - 1; at >= 0; at--) {
      const found = lines[at].role !== roles.code ? findException(head(lines[at].text, 2 * longest)) : null;
      if (!found) continue;
      const { type } = found.groups;
      const told = () => ({ at, type, message: message(lines, at, found) });
      if (!type.endsWith("Warning")) return told();
      warned ??= told;
    }
    return warned?.();
  }

  function message(lines, at, found) {
    const parts = [head(lines[at].text.slice(found.index + found[0].length), longest)];
    for (const line of lines.slice(at + 1, at + 1 + longest)) {
      if (!roles.raised.includes(line.role) || line.block !== lines[at].block) break;
      if (parts.reduce((sum, part) => sum + size(part), 0) >= longest) break;
      parts.push(line.text);
    }
    return stripped(head(parts.join(" "), longest));
  }

  function operation({ message, frames }) {
    const named = findOperation(message);
    if (named) return Object.values(named.groups).find(Boolean);
    for (const { file, function: name } of [...frames].reverse()) {
      const torch = findTorch(file);
      if (!torch || !name) return null;
      if (!isPassing(name)) return `${name} (${torch.groups.module})`.replaceAll("\\", "/");
    }
    return null;
  }

  function* areShapes(text) {
    if (!isAboutShapes(text)) return;
    for (const found of shapes(text)) {
      const left = tail(text.slice(0, found.index), before);
      const sizes = found.groups.sizes;
      const isShape = sizes === undefined || isSized(left) || (/[,x]/u.test(sizes) && !isNoShape(left));
      if (isShape) yield found;
    }
  }

  function labelled(values, text) {
    const told = new Set();
    let end = 0;
    for (const { 0: value, index } of values) {
      const label = findLabel(tail(text.slice(end, index), before));
      const words = stripped(label?.groups.words ?? "", around);
      told.add(words.endsWith("=") || !words ? words + value : `${words} ${value}`);
      end = index + value.length;
      if (told.size === items) break;
    }
    return [...told];
  }

  return { read, facts, deciding };
}

// patterns.py -------------------------------------------------------------------------------------------------------

/** Matches of one pattern, the last ones first. @returns {RegExpExecArray[]} */
function find(pattern, text, { before, after, places }) {
  const { literal } = pattern;
  const found = [];
  // Nearly every pattern ends here, and looking forwards is what engines do fastest.
  if (!text.includes(literal)) return found;
  pattern.regex ??= new RegExp(pattern.source, "gu");
  let end = text.length;
  for (let place = 0; place < places; place++) {
    const at = end < literal.length ? -1 : text.lastIndexOf(literal, end - literal.length);
    if (at < 0) break;
    pattern.regex.lastIndex = step(text, at, -before);
    const until = text.slice(0, step(text, at, after));
    let match;
    do match = pattern.regex.exec(until);
    while (match && match.index + match[0].length <= at);
    if (match && match.index !== found.at(-1)?.index) found.push(match);
    end = at + literal.length - 1;
  }
  return found;
}

// decode.py ---------------------------------------------------------------------------------------------------------

/** Python would raise here: what is being said stays unsaid. */
class Unsaid extends Error {}

function attempt(compute, otherwise) {
  try {
    return compute();
  } catch (error) {
    if (error instanceof Unsaid) return otherwise;
    throw error;
  }
}

/** @param {(string | Tree)[]} pieces @returns {string | null} */
function render(pieces, captures) {
  const said = (piece) => (typeof piece === "string" ? piece : written(evaluate(piece, captures)));
  return attempt(() => pieces.map(said).join(""), null);
}

/** @param {Tree} tree @returns {Value} */
function evaluate([operation, ...operands], captures) {
  switch (operation) {
    case "constant":
      return operands[0];
    case "number":
      return BigInt(operands[0]);
    case "name":
      return captured(operands[0], captures);
    case "and":
      return operands.every((operand) => truth(evaluate(operand, captures)));
    case "or":
      return operands.some((operand) => truth(evaluate(operand, captures)));
    case "call":
      return FUNCTIONS.get(operands[0])(...operands.slice(1).map((operand) => evaluate(operand, captures)));
  }
  return OPERATORS.get(operation)(...operands.map((operand) => evaluate(operand, captures)));
}

/** Digits are numbers, everything else is text. */
function captured(name, captures) {
  if (!Object.hasOwn(captures, name)) throw new Unsaid(name);
  return /^-?[0-9]{1,300}$/u.test(captures[name]) ? BigInt(captures[name]) : captures[name];
}

/** @type {Map<string, (...values: any[]) => Value>} */
const OPERATORS = new Map([
  ["+", (a, b) => (typeof a === "string" && typeof b === "string" ? a + b : number(a) + number(b))],
  ["-", (a, b) => number(a) - number(b)],
  ["*", (a, b) => number(a) * number(b)],
  ["//", (a, b) => divided(number(a), number(b))],
  ["%", (a, b) => number(a) - divided(number(a), number(b)) * number(b)],
  ["==", (a, b) => equal(a, b)],
  ["!=", (a, b) => !equal(a, b)],
  ["<", (a, b) => number(a) < number(b)],
  ["<=", (a, b) => number(a) <= number(b)],
  [">", (a, b) => number(a) > number(b)],
  [">=", (a, b) => number(a) >= number(b)],
  ["not", (a) => !truth(a)],
  ["negative", (a) => -number(a)],
]);

/** @type {Map<string, (...values: any[]) => Value>} */
const FUNCTIONS = new Map([
  ["sizes", (shape) => sizes(shape)],
  ["product", (shape) => product(sizes(shape))],
  ["known_product", (shape) => product(sizes(shape).filter((size) => size >= 0n))],
  ["count", (shape) => BigInt(sizes(shape).length)],
  ["first", (shape) => item(sizes(shape), 0n)],
  ["last", (shape) => item(sizes(shape), -1n)],
  ["item", (shape, at) => item(sizes(shape), number(at))],
  ["plural", (count, one, many) => `${written(count)} ${written(equal(count, 1n) ? one : many)}`],
  ["bytes", (count) => bytes(number(count))],
]);

/** A value where a whole number is needed; truth counts as 0 or 1, as in Python. @returns {bigint} */
function number(value) {
  if (typeof value === "bigint") return value;
  if (typeof value === "boolean") return value ? 1n : 0n;
  throw new Unsaid("needs a whole number");
}

/** Division that rounds down, as Python's; JavaScript's rounds towards zero. */
function divided(a, b) {
  if (b === 0n) throw new Unsaid("division by zero");
  const towardsZero = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? towardsZero - 1n : towardsZero;
}

function equal(a, b) {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((size, i) => size === b[i]);
  const isNumber = (value) => typeof value === "bigint" || typeof value === "boolean";
  return isNumber(a) && isNumber(b) ? number(a) === number(b) : a === b;
}

function truth(value) {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** `str(value)`. Python refuses numbers of more than 4300 digits. */
function written(value) {
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  if (typeof value === "boolean") return value ? "True" : "False";
  const text = String(value);
  if (typeof value === "bigint" && text.replace("-", "").length > 4300) throw new Unsaid("too long a number");
  return text;
}

/** `[32, 784]`, `torch.Size([32, 784])` or `32 x 784` as a list. */
function sizes(value) {
  return [...written(value).matchAll(/-?[0-9]+/gu)].map(([digits]) => BigInt(digits));
}

function product(list) {
  return list.reduce((total, size) => total * size, 1n);
}

function item(list, at) {
  const index = at < 0n ? at + BigInt(list.length) : at;
  if (index < 0n || index >= BigInt(list.length)) throw new Unsaid("no such size");
  return list[Number(index)];
}

/** A number of bytes in the unit that people read. Python computes with floats, and rounds halves to even. */
function bytes(count) {
  const rounded = Number(count);
  if (!Number.isFinite(rounded)) throw new Unsaid("too large for a float");
  const sign = rounded < 0 ? "-" : "";
  const exact = BigInt(Math.abs(rounded));
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let [unit, size] = [0, 1n];
  while (exact >= 1024n * size && unit < units.length - 1) {
    unit += 1;
    size *= 1024n;
  }
  if (unit === 0) return `${sign}${exact} bytes`;
  let tenths = (exact * 10n) / size;
  const rest = (exact * 10n) % size;
  if (2n * rest > size || (2n * rest === size && tenths % 2n === 1n)) tenths += 1n;
  return `${sign}${tenths / 10n}.${tenths % 10n} ${units[unit]}`;
}
