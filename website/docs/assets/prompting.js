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
 * @typedef {{text: string, openBlanks: string[], redacted: Record<string, number>,
 *   shortened: Record<string, number>, entry: string | null}} Composed
 * @typedef {import("./explain.js").Match} Match
 */

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
    composer: (engine) => composer({ ...engine, fill, tick, redact, owners, explanation, ...data.redaction }),
    fill,
    redact,
    owners,
  };
}

// compose.py --------------------------------------------------------------------------------------------------------

const [TRACEBACK, CODE, ENVIRONMENT, EXPLANATION] = ["traceback", "code", "environment", "explanation"];
export const FILLED = [TRACEBACK, CODE, EXPLANATION, ENVIRONMENT];

function composer({ fill, tick, trim, isUnfilled, redact, owners, explanation, longest, leftOut }) {
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
    const shortened = {};
    for (const [name, value] of values) {
      const excess = lengthOf(value) - longest;
      if (excess <= 0) continue;
      shortened[name] = excess;
      const letters = [...value];
      const missing = leftOut.replace("{count}", String(excess));
      const ends = [letters.slice(0, longest / 2), letters.slice(-longest / 2)].map((end) => end.join(""));
      values.set(name, ends.join(`\n${missing}\n`));
    }
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
      shortened,
      entry: match && values.has(EXPLANATION) && blanks.includes(EXPLANATION) ? match.entry.id : null,
    };
  };
}

/** In code points, as Python counts. */
const lengthOf = (text) => [...text].length;

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

function redactor({ rules, owner, ownerPut, common, shortestName, named }) {
  const compiled = rules.map(({ what, source, put }) => ({ what, put, find: new RegExp(source, "gu") }));
  const ownerRegex = new RegExp(owner, "gu");
  const commonNames = new Set(common);

  /** @param {string} text @param {Map<string, string>} names @returns {[string, Record<string, number>]} */
  function redact(text, names = new Map()) {
    const counts = {};
    const replaced = owners(text);
    for (const [name, put] of names) replaced.set(name, put);
    const take = (what, find, put) => {
      text = substitute(find, text, (match) => {
        const written = put.map((part) => (typeof part === "number" ? (match[part] ?? "") : part)).join("");
        if (written !== match[0]) counts[what] = (counts[what] ?? 0) + 1; // else another rule was there before
        return written;
      });
    };
    for (const { what, find, put } of compiled) take(what, find, put);
    const byLength = [...replaced]
      .map(([name, put]) => ({ name, put, length: [...name].length }))
      .sort((a, b) => b.length - a.length);
    for (const { name, put, length } of byLength) {
      if (length < shortestName || commonNames.has(name.toLowerCase()) || !text.includes(name)) continue;
      const literal = name.replace(/[$()*+./?[\\\]^{|}]/gu, "\\$&");
      take(named[put], new RegExp(`(?<![\\w.\\-])${literal}(?![\\w\\-])`, "gu"), [put]);
    }
    return [text, counts];
  }

  /** @param {string} text @returns {Map<string, string>} */
  const owners = (text) => new Map([...text.matchAll(ownerRegex)].map(([, name]) => [name, ownerPut]));

  return { redact, owners };
}

/** `re.sub` with a function. @param {(match: RegExpExecArray) => string} put */
function substitute(regex, text, put) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(regex)) {
    parts.push(text.slice(end, match.index), put(match));
    end = match.index + match[0].length;
  }
  return parts.length ? parts.join("") + text.slice(end) : text;
}

/** Whether a text holds nothing but what Python takes for white space; JavaScript's `trim` has a different list. */
function isBlank(text) {
  return !/[^\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/u.test(text);
}
