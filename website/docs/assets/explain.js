/**
 * JavaScript version of `torch_errors/explaining/explain.py`, which explains each step, and the entry point for pages.
 *
 * Both engines give the same answers (tests/site/test_engine.py). Everything from the catalog comes as data
 * (website/engine.py). Nothing here changes the page, and nothing is sent. Lengths are in UTF-16 units here and in
 * characters in Python, which matters only where a text is cut. The time is linear in the length of the text.
 *
 * @typedef {import("./patterns.js").Entry} Entry
 * @typedef {import("./patterns.js").Pattern} Pattern
 * @typedef {import("./guess.js").Nearest} Nearest
 * @typedef {import("./facts.js").Facts} Facts
 * @typedef {import("./frames.js").UserLine} UserLine
 * @typedef {import("./cleaning.js").Cleaned} Cleaned
 * @typedef {{entry: Entry, captures: Record<string, string>, line: number, message: string, frame: UserLine | null,
 *   says: string | null, fix: string | null, ranks: number, alternatives: Match[], because: string[],
 *   needs: string | null, platform: string | null, picture: string | null}} Match
 * @typedef {{pattern: Pattern, entry: Entry, cleaned: Cleaned, match: RegExpExecArray, captures: Record<string, string>,
 *   at: number, first: number, last: number, role: number, block: number, failure: number, place: number}} Found
 */
import { circumstancesReader } from "./circumstances.js";
import { cleaner, lineOf } from "./cleaning.js";
import { decoder } from "./decode.js";
import { excerpt } from "./excerpt.js";
import { reader } from "./facts.js";
import { framer } from "./frames.js";
import { guesser } from "./guess.js";
import { logReader } from "./log-rules.js";
import { find, loadPatterns, relax, relaxedText, textsOf } from "./patterns.js";
import { loadWordings, ownerOf } from "./wordings.js";

/**
 * The functions of the engine. `explain` loads what it says of an error, a file for each category of entries.
 * @param {string | URL} url address of `explain.json`
 * @returns {Promise<{explain: (text: string) => Promise<Match[]>, nearest: (text: string) => Nearest,
 *   facts: (text: string) => Facts, log: (text: string) => any, trim: (text: string, line?: number) => string,
 *   isUnfilled: (text: string) => boolean, isReport: (text: string) => boolean, examples: string[]}>}
 */
export async function load(url) {
  const data = await json(url);
  data.texts.patterns = {};
  /** @type {Map<string, Promise<void>>} */
  const loading = new Map();
  const loadAnswers = (category) => {
    const loaded = loading.get(category) ?? json(new URL(`answers/${category}.json`, url)).then((texts) => {
      Object.assign(data.texts.patterns, texts);
    });
    loading.set(category, loaded);
    loaded.catch(() => loading.delete(category)); // the next attempt loads again
    return loaded;
  };
  const { errorsOf, answersOf, ...functions } = engine(data);
  const explain = async (text) => {
    const errors = errorsOf(text);
    const patterns = errors.flat().map(({ pattern }) => pattern);
    const categories = new Set(patterns.filter(({ number }) => number !== null).map(({ entry }) => entry.category));
    await Promise.all([...categories].map(loadAnswers));
    return answersOf(errors);
  };
  return { ...functions, explain };
}

async function json(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: status ${response.status}`);
  return response.json();
}

/** The functions of the engine for data that are all loaded. @param {any} data */
export function engine(data) {
  const { roles, expressions } = data.cleaning;
  const circumstances = circumstancesReader(data.circumstances);
  const parse = { ...cleaner(data.cleaning), ...framer(data.framing, data.cleaning), ...circumstances };
  const decode = decoder(data.digits);
  const { entries, all } = loadPatterns(data);
  const nearest = guesser(data, entries);
  const readLog = logReader(data.logs, data.digits);
  const { read, facts, deciding } = reader(data.reading, roles, parse);
  // Only texts that no pattern matches need these.
  let relaxed, wordings;
  const relaxedPatterns = () => (relaxed ??= relax(all, data.search));
  // The message of the deciding exception, if only the wordings show to which entry it belongs.
  const recognized = (text, readings) => {
    const error = text.length <= data.reading.within ? read(text) : null;
    const number = error && ownerOf((wordings ??= loadWordings(data)), error.message, data.nearness.weights, data.wordings);
    if (number === null) return [];
    const cleaned = readings.find(({ likely }) => likely);
    const line = new RegExp(data.search.line, "uy");
    line.lastIndex = cleaned.starts[cleaned.numbers.indexOf(error.line)];
    const match = line.exec(cleaned.text);
    const pattern = { number: null, entry: entries[number], weight: 0, assertion: false, common: true };
    return match ? [placed(pattern, cleaned, match)] : [];
  };
  const errorsOf = (text) => errorsIn(parse, text, all, relaxedPatterns, recognized, data.search, roles);
  const answersOf = (errors) => answersTo(parse, decode, errors, data.texts, data.search, roles);
  return {
    errorsOf,
    answersOf,
    explain: (text) => answersOf(errorsOf(text)),
    nearest: (text) => nearest(text, read(text)),
    facts,
    isReport: (text) => new RegExp(data.report, "u").test(text),
    log: (text) => withSymptoms(readLog(text), data, entries),
    ...excerpt(data.excerpt, expressions, roles, parse, deciding),
    examples: data.examples,
  };
}

/** A training log whose findings have the title, the page and the causes of their symptom. */
function withSymptoms(log, { symptoms, texts }, entries) {
  const known = symptoms.map(([id, , causes], i) => ({ id, title: texts.symptoms[i][0], causes: causes.map((at) => entries[at]) }));
  const symptomOf = ({ symptom: id, entry }) => {
    const { title = id, causes = [] } = known.find((one) => one.id === id) ?? {};
    const ordered = [...causes].sort((a, b) => Number(b.id === entry) - Number(a.id === entry));
    return { id, title, page: `symptoms/${id}/`, causes: ordered };
  };
  return log && { ...log, findings: log.findings.map((finding) => ({ ...finding, symptom: symptomOf(finding) })) };
}

/** @param {string} text @returns {Found[][]} the errors, the error to fix first at the top, each with its alternatives */
function errorsIn(parse, text, patterns, relaxedPatterns, recognized, search, roles) {
  const found = [];
  const cleanedTexts = parse.readings(text);
  for (const cleaned of cleanedTexts) {
    for (const pattern of patterns) {
      for (const match of find(pattern, cleaned.text, search)) found.push(placed(pattern, cleaned, match));
    }
  }
  for (const cleaned of found.length ? [] : cleanedTexts) {
    const [folded, searched] = relaxedText(cleaned.text);
    for (const pattern of relaxedPatterns()) {
      for (const match of find(pattern, folded, search, searched)) found.push(placed(pattern, cleaned, match));
    }
  }
  if (!found.length) found.push(...recognized(text, cleanedTexts));
  const [torch, raising] = [search.torch, search.raising].map((source) => new RegExp(source, "u"));
  const framed = new Map();
  const hasFrames = (/** @type {Cleaned} */ cleaned) => {
    const { text, starts } = cleaned;
    const isFrame = (start, at) => parse.isFrame(text.slice(start, starts[at + 1] ?? text.length).replace(/ +$/u, ""));
    if (!framed.has(cleaned)) framed.set(cleaned, starts.some(isFrame));
    return framed.get(cleaned);
  };
  const isForeign = (/** @type {Found} */ { cleaned }) => !torch.test(cleaned.text) && hasFrames(cleaned);
  const isSource = (/** @type {Found} */ { cleaned, match: { index } }) =>
    raising.test(cleaned.text.slice(Math.max(0, index - search.around), index)) &&
    !cleaned.roles.includes(roles.exception) &&
    !hasFrames(cleaned);
  const answered = found.filter((one) => !(one.pattern.common ? isForeign(one) : isSource(one)));
  return distinct(errors(ranked(answered, roles)), search, roles);
}

/** What is said of each error. @param {Found[][]} errors @returns {Match[]} */
function answersTo(parse, decode, errors, texts, search, roles) {
  const lines = new Map();
  const linesOf = (/** @type {Cleaned} */ cleaned) => {
    if (!lines.has(cleaned)) lines.set(cleaned, parse.linesOf(cleaned));
    return lines.get(cleaned);
  };
  const shown = new Map();
  const shownBy = (/** @type {Cleaned} */ cleaned) => {
    if (!shown.has(cleaned)) shown.set(cleaned, parse.readText(cleaned.text));
    return shown.get(cleaned);
  };
  const told = (one, ranks, alternatives) =>
    answer(parse, decode, textsOf(one.pattern, texts), linesOf(one.cleaned), shownBy(one.cleaned), one, ranks, alternatives);
  return errors.map(([best, ...others]) =>
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
function ranked(found, { warning, exception, raised }) {
  const inner = new Set(found.filter(({ entry, role }) => !entry.wrapper && role > warning).map(({ failure }) => failure));
  const isRaised = found.some(({ entry, role }) => !entry.wrapper && role === exception);
  const ranks = new Map();
  for (const one of found) {
    ranks.set(one, [
      Number(one.pattern.assertion),
      Number(!(one.entry.wrapper === "job" && isRaised)),
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
  const part = parts.reduce((longest, one) => (one.length > longest.length ? one : longest));
  const ranks = new Set([cleaned.ranks[at]]);
  for (let from = 0; part.length >= shortest; ) {
    const offset = text.indexOf(part, from);
    if (offset < 0) break;
    const line = lineOf(cleaned, offset);
    if (cleaned.roles[line] !== code && cleaned.ranks[line]) ranks.add(cleaned.ranks[line]);
    from = starts[line + 1] ?? text.length;
  }
  return ranks.size;
}

/** @param {Found} found @param {number} ranks @param {Match[]} alternatives @returns {Match} */
function answer(parse, decode, texts, lines, shown, one, ranks, alternatives) {
  const { pattern, entry, cleaned, match, captures, at, first } = one;
  const place = lines.findIndex(({ last }) => last >= first);
  const own = parse.ownFrames(lines, place, Boolean(entry.wrapper));
  const frame = own.at(-1);
  const values = {
    ...captures,
    line_code: frame?.code || "",
    line_function: frame?.function || "",
    own_functions: own.flatMap((frame) => frame.function || []).join(" "),
    inner_error: parse.innerError(lines, place),
  };
  const [says, fixOfCase] = say(decode, texts.says, values);
  const [ofCase, ofPattern] = [fixOfCase, texts.fix].map((text) => firstSaid(decode, values, text));
  const variants = ofCase || ofPattern ? texts.variants : [...texts.variants, ...entry.variants];
  const found = parse.circumstances(shown, variants.length ? parse.frameworksOf(lines, place) : []);
  const variant = parse.chosen(variants, found);
  const said = firstSaid(decode, values, variant?.say);
  const advised = firstSaid(decode, values, variant?.fix);
  const fixes = [advised, ofCase, ofPattern, entry.fix].filter(Boolean);
  const fix = fixes.find((text) => !parse.lacking(text, found)) ?? fixes[0] ?? null;
  const used = variant && (said || fix === advised) ? variant.parts : [];
  const message = cleaned.text.slice(Math.max(match.index, cleaned.starts[at]), match.index + match[0].length);
  return {
    entry,
    captures,
    line: first,
    message,
    frame: frame ? { file: frame.file, line: frame.line, function: frame.function, code: frame.code } : null,
    says: said || says,
    fix,
    ranks,
    alternatives,
    because: parse.reasons(used, found),
    needs: fix && parse.lacking(fix, found),
    platform: parse.otherPlatform(used, message),
    picture: firstSaid(decode, values, pattern.picture),
  };
}

/** The text and the fix of the first case that applies and whose text can be evaluated with the captures. */
function say({ render, holds }, cases, captures) {
  for (const { when, say, fix } of cases) {
    const said = holds(when, captures) ? render(say, captures) : null;
    if (said !== null) return [said, fix];
  }
  return [null, null];
}

/** The first of these texts that can be evaluated with the captures. @returns {string | null} */
function firstSaid({ render }, captures, ...texts) {
  const said = texts.filter(Boolean).map((text) => render(text, captures));
  return said.find((text) => text !== null) ?? null;
}

function compareLists(a, b) {
  const differs = a.findIndex((value, i) => value !== b[i]);
  return differs < 0 ? 0 : a[differs] - b[differs];
}
