/**
 * Makes a prompt for a language model from a pasted error, as `torch_errors/prompting/` does for a file.
 *
 * tests/site/test_copied_prompt.py compares the two. Each function here is the twin of one there, which gives the reasons. The
 * templates, the rules and the expressions arrive as data (website/prompting.py). Nothing here touches the page.
 *
 * @typedef {{title: string, text: string, redacted: Record<string, number>}} Composed
 *   `redacted`: what was taken out, by the name of the rule, and how often
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
  const fill = filler(data.template);
  const { redact, owners } = redactor(data.redaction);
  const explanation = explainer(data.explanation);

  /** The template that asks for what this error needs. @param {Match | undefined} match */
  const templateFor = (match) => data.prompts[(match && data.promptOfCategory[match.entry.category]) ?? data.unknown];

  /**
   * @param {string} trimmed the pasted error, without the frames that do not matter (`trim` of explain.js)
   * @param {Match} [match] the entry that answers it
   * @returns {Composed}
   */
  function compose(trimmed, match) {
    const given = match ? { traceback: trimmed, explanation: explanation(match) } : { traceback: trimmed };
    const capped = Object.entries(given).map(([name, value]) => [name, shortened(value, data.redaction)]);
    const names = new Map(capped.flatMap(([, value]) => [...owners(value)]));
    const redacted = {};
    const values = new Map();
    for (const [name, value] of capped) {
      const [without, taken] = redact(value, names);
      values.set(name, without);
      for (const [what, count] of Object.entries(taken)) redacted[what] = (redacted[what] ?? 0) + count;
    }
    const { title, text } = templateFor(match);
    return { title, text: fill(text, values), redacted };
  }

  return { compose, fill, redact };
}

// compose.py --------------------------------------------------------------------------------------------------------

/** A value of at most `longest` characters: of a longer one its beginning and end, and how many are left out. */
function shortened(value, { longest, leftOut }) {
  const letters = [...value]; // code points, as Python counts
  if (letters.length <= longest) return value;
  const missing = leftOut.replace("{count}", String(letters.length - longest));
  const ends = [letters.slice(0, longest / 2), letters.slice(-longest / 2)].map((end) => end.join(""));
  return ends.join(`\n${missing}\n`);
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

/** @returns {(text: string, values: Map<string, string>) => string} of a template and values by the names of blanks */
function filler(expressions) {
  const [blank, fenced, section] = ["blank", "fenced", "section"].map((name) => new RegExp(expressions[name], "gu"));

  const withoutExplanation = (text) =>
    text
      .split(section)
      .filter((part) => !part.includes("<<explanation:"))
      .join("");

  return (text, values) => {
    if (!values.get("explanation")) text = withoutExplanation(text);
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
  };
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
