/**
 * From what a reader has to a prompt: what `torch_errors/prompting/` does, in the browser.
 *
 * The two make the same of every text; tests/test_prompt_builder.py compares them. So each function here is the twin of
 * one there, which says why it does what it does. The prompts, the rules and the expressions come as data
 * (website/prompt_builder.py). Nothing here touches the page, and nothing is sent.
 *
 * @typedef {{name: string, label: string, hint: string}} Blank
 * @typedef {{name: string, title: string, summary: string, text: string, blanks: Blank[],
 *   options: {heading: string, options: string[]}[]}} Prompt
 * @typedef {{text: string, openBlanks: string[], redacted: Record<string, number>, entry: string | null}} Composed
 * @typedef {import("./explain.js").Match} Match
 */
import { isBlank, substitute } from "./python.js";

/** @param {string | URL} url address of `prompts.json` */
export async function load(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: status ${response.status}`);
  return prompting(await response.json());
}

/** The functions for data that are already there. @param {any} data */
export function prompting(data) {
  const { fill, tick } = templates(data.template);
  const { redact, owners } = redactor(data.redaction);
  const explanation = explainer(data.explanation);
  return {
    /** @type {Prompt[]} */
    prompts: data.prompts,
    environmentCommand: data.environmentCommand,
    /** Name of the prompt that asks for what this error needs. @param {Match | undefined} match */
    promptFor: (match) => (match && data.promptOfCategory[match.entry.category]) ?? data.unknown,
    /** @param {{trim: (text: string, line?: number) => string, isUnfilled: (text: string) => boolean}} engine */
    composer: (engine) => composer({ ...engine, fill, tick, redact, owners, explanation }),
    fill,
    redact,
    owners,
  };
}

// compose.py --------------------------------------------------------------------------------------------------------

const [TRACEBACK, CODE, ENVIRONMENT, EXPLANATION] = ["traceback", "code", "environment", "explanation"];
export const FILLED = [TRACEBACK, CODE, EXPLANATION, ENVIRONMENT];

function composer({ fill, tick, trim, isUnfilled, redact, owners, explanation }) {
  // A prompt is composed at every pause of typing, and only one field has changed then.
  const trimmed = remembering(trim);
  const ownersIn = rememberingEach(owners);
  const redacted = rememberingEach((text, names) => redact(text, new Map(JSON.parse(names))));

  /**
   * @param {Prompt} prompt
   * @param {Record<string, string>} fields what the reader gave, by the names of the blanks
   * @param {{match?: Match, ticked?: Set<string>, hide?: boolean}} options `match`: what answers the traceback;
   *   `ticked`: options of the prompt; `hide`: whether secrets and names are taken out
   * @returns {Composed}
   */
  return (prompt, fields, { match, ticked = new Set(), hide = true } = {}) => {
    const blanks = prompt.blanks.map(({ name }) => name);
    const given = new Map(blanks.map((name) => [name, fields[name] ?? ""]).filter(([, value]) => !isBlank(value)));
    if (given.has(TRACEBACK) && isUnfilled(given.get(TRACEBACK))) given.delete(TRACEBACK);
    if (given.has(TRACEBACK)) {
      given.set(TRACEBACK, trimmed(given.get(TRACEBACK), match?.line));
      if (match) given.set(EXPLANATION, explanation(match));
    }
    const inOrder = [...FILLED, ...given.keys()].filter((name) => given.has(name));
    const values = new Map(inOrder.map((name) => [name, given.get(name)]));
    const counts = {};
    if (hide) {
      const names = JSON.stringify([...new Map([...values].flatMap(([name, value]) => [...ownersIn(name, value)]))]);
      for (const [name, value] of values) {
        const [without, taken] = redacted(name, value, names);
        values.set(name, without);
        for (const [what, count] of Object.entries(taken)) counts[what] = (counts[what] ?? 0) + count;
      }
    }
    return {
      text: fill(tick(prompt.text, ticked), values),
      openBlanks: blanks.filter((name) => !values.has(name) && name !== EXPLANATION),
      redacted: counts,
      entry: match && values.has(EXPLANATION) && blanks.includes(EXPLANATION) ? match.entry.id : null,
    };
  };
}

/** The function, which does not compute the same twice in a row. */
function remembering(compute) {
  let last = /** @type {any[] | undefined} */ (undefined);
  let result;
  return (...values) => {
    if (!last || values.some((value, i) => value !== last[i])) result = compute(...values);
    last = values;
    return result;
  };
}

/** The same for each of several names: the first argument. */
function rememberingEach(compute) {
  const functions = new Map();
  return (name, ...values) => {
    if (!functions.has(name)) functions.set(name, remembering(compute));
    return functions.get(name)(...values);
  };
}

/** @returns {(match: Match) => string} */
function explainer({ happened, fix, why, source, mechanisms }) {
  const said = (text, values) => text.replace(/\{(\w+)\}/gu, (_, name) => values[name]);
  return ({ entry, says, fix: change }) => {
    const parts = [said(happened, { title: entry.title, said: says || entry.summary })];
    if (change) parts.push(said(fix, { fix: change }));
    if (mechanisms[entry.id]) parts.push(said(why, { text: mechanisms[entry.id] }));
    parts.push(said(source, { id: entry.id }));
    return parts.join("\n\n");
  };
}

// template.py -------------------------------------------------------------------------------------------------------

function templates(expressions) {
  const [blank, fenced, section, option] = ["blank", "fenced", "section", "option"].map(
    (name) => new RegExp(expressions[name], "gu"),
  );

  const withoutSection = (text, name) =>
    text
      .split(section)
      .filter((part) => !part.includes(`<<${name}:`))
      .join("");

  /** @param {string} text of a prompt @param {Map<string, string>} values by the names of blanks @returns {string} */
  function fill(text, values) {
    if (!values.get(EXPLANATION)) text = withoutSection(text, EXPLANATION);
    text = substitute(fenced, text, ({ groups }) => {
      const runs = (values.get(groups.name) ?? "").match(/`{3,}/gu) ?? [];
      const longest = runs.reduce((most, run) => Math.max(most, run.length), 0);
      const marks = "`".repeat(Math.max(groups.marks.length, longest + 1));
      return `${marks}${groups.language}\n${groups.blank}\n${marks}`;
    });
    return substitute(blank, text, (match) => {
      const value = values.get(match[1]);
      return value === undefined ? match[0] : indented(withoutEmptyEnds(value), match);
    });
  }

  /** The text of a prompt with some of its options ticked. The command line leaves that to the reader. */
  const tick = (text, ticked) =>
    substitute(option, text, ([line, what]) => (ticked.has(what) ? line.replace("[ ]", "[x]") : line));

  return { fill, tick };
}

function indented(value, { input, index }) {
  const before = input.slice(input.lastIndexOf("\n", index) + 1, index);
  return isBlank(before) ? value.replaceAll("\n", `\n${before}`) : value;
}

function withoutEmptyEnds(value) {
  let [first, end] = [0, value.length];
  while (value[first] === "\n") first++;
  while (end > first && value[end - 1] === "\n") end--;
  return value.slice(first, end);
}

// redaction.py ------------------------------------------------------------------------------------------------------

function redactor({ rules, owner, ownerPut, common, shortestName, mostOwners, named }) {
  // Of 200 rules, a text needs a few: an expression is compiled when one of its literals occurs.
  const compiled = rules.map(({ what, source, put, keep, literals, reach }) => {
    let expressions;
    return {
      what,
      literals,
      reach,
      /** @param {string} part */
      replace(part) {
        expressions ??= [new RegExp(source, "gu"), keep && new RegExp(keep, "gu")];
        return withRule(part, expressions[0], put, expressions[1]);
      },
    };
  });
  const ownerRegex = new RegExp(owner, "gu");
  const commonNames = new Set(common);

  /** @param {string} text @param {Map<string, string>} names @returns {[string, Record<string, number>]} */
  function redact(text, names = new Map()) {
    const counts = {};
    const replaced = owners(text);
    for (const [name, put] of names) replaced.set(name, put);
    const take = (what, [without, count]) => {
      text = without;
      if (count) counts[what] = (counts[what] ?? 0) + count;
    };
    let [small, of] = [inSmall(text), text];
    for (const rule of compiled) {
      if (of !== text) [small, of] = [inSmall(text), text];
      take(rule.what, replaceNearLiterals(text, small, rule));
    }
    const byLength = [...replaced]
      .map(([name, put]) => ({ name, put, length: [...name].length }))
      .sort((a, b) => b.length - a.length);
    for (const { name, put, length } of byLength) {
      if (length < shortestName || commonNames.has(name.toLowerCase()) || !text.includes(name)) continue;
      const literal = name.replace(/[$()*+./?[\\\]^{|}]/gu, "\\$&");
      take(named[put], withRule(text, new RegExp(`(?<![\\w.\\-])${literal}(?![\\w\\-])`, "gu"), [put]));
    }
    return [text, counts];
  }

  /** @param {string} text @returns {Map<string, string>} */
  function owners(text) {
    const found = new Map();
    for (const [, name] of text.matchAll(ownerRegex)) {
      found.set(name, ownerPut);
      if (found.size === mostOwners) break;
    }
    return found;
  }

  return { redact, owners };
}

/** The text in small letters, each where it was: of all letters, only `İ` becomes two. */
function inSmall(text) {
  return text.replaceAll("İ", "I").toLowerCase();
}

/** A rule sees the lines around one of its literals, not the whole text. @returns {[string, number]} */
function replaceNearLiterals(text, small, { literals, reach, replace }) {
  const parts = [];
  let [count, end] = [0, 0];
  for (const [start, stop] of windows(small, literals, reach)) {
    const [put, found] = replace(text.slice(start, stop));
    if (!found) continue;
    parts.push(text.slice(end, start), put);
    count += found;
    end = stop;
  }
  return count ? [parts.join("") + text.slice(end), count] : [text, 0];
}

/** Where a find may be: the lines around each literal, one behind the other. @returns {[number, number][]} */
function windows(small, literals, reach) {
  if (!literals.length) return [[0, small.length]];
  const places = [];
  for (const literal of literals) {
    for (let at = small.indexOf(literal); at >= 0; ) {
      places.push(at);
      const lineEnd = small.indexOf("\n", at);
      at = lineEnd >= 0 ? small.indexOf(literal, lineEnd) : -1;
    }
  }
  const found = [];
  let [begin, end] = [0, -1];
  for (const place of places.sort((a, b) => a - b)) {
    if (place < end && !reach) continue;
    const [start, stop] = [linesBefore(small, place, reach), linesBehind(small, place, reach)];
    if (start <= end) {
      end = stop;
      continue;
    }
    if (end >= 0) found.push([begin, end]);
    [begin, end] = [start, stop];
  }
  if (end >= 0) found.push([begin, end]);
  return found;
}

function linesBefore(text, place, lines) {
  for (let line = 0; line <= lines; line++) {
    if (!place) return 0;
    place = text.lastIndexOf("\n", place - 1);
    if (place < 0) return 0;
  }
  return place + 1;
}

function linesBehind(text, place, lines) {
  for (let line = 0; line <= lines; line++) {
    place = text.indexOf("\n", place) + 1;
    if (!place) return text.length;
  }
  return place;
}

/** @param {(string | number)[]} put texts, and numbers of groups @returns {[string, number]} */
function withRule(text, regex, put, keep) {
  const kept = keep ? [...text.matchAll(keep)] : [];
  let [count, next] = [0, 0];
  const without = substitute(regex, text, (match) => {
    while (next < kept.length && kept[next].index <= match.index) next++;
    const before = kept[next - 1];
    if (before && match.index < before.index + before[0].length) return match[0];
    count += 1;
    return put.map((part) => (typeof part === "number" ? (match[part] ?? "") : part)).join("");
  });
  return [without, count];
}
