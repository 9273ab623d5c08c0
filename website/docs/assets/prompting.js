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

/** @param {string | URL} url address of `prompts.json` */
export async function load(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: status ${response.status}`);
  return prompting(await response.json());
}

/** The functions for data that are already there. @param {any} data */
export function prompting(data) {
  const { fill, tick } = templates(data.template);
  const { trim, isUnfilled } = trimmer(data.excerpt);
  const { redact, owners } = redactor(data.redaction);
  const explanation = explainer(data.explanation);
  return {
    /** @type {Prompt[]} */
    prompts: data.prompts,
    environmentCommand: data.environmentCommand,
    /** Name of the prompt that asks for what this error needs. @param {Match | undefined} match */
    promptFor: (match) => (match && data.promptOfCategory[match.entry.category]) ?? data.unknown,
    compose: composer({ fill, tick, trim, isUnfilled, redact, owners, explanation }),
    fill,
    trim,
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

// excerpt.py --------------------------------------------------------------------------------------------------------

/** @returns {{trim: (text: string, keepLine?: number) => string, isUnfilled: (text: string) => boolean}} */
function trimmer({ expressions, prefixes, boxSides, narrowest, innermost, cycle, repeated, chained, linesAfter, linesWithout }) {
  const [lineEnd, ansi] = ["lineEnd", "ansi"].map((name) => new RegExp(expressions[name], "gu"));
  const [header, chain, frame, listed, broken, rest, empty, edge, nothing, inPackages, packages, file, whole, joint] = [
    ..."header chain frame listed broken rest empty edge nothing installed packages file whole joint".split(" "),
  ].map((name) => new RegExp(expressions[name], "u"));
  const [prefix, ...begins] = ["prefix", "header", "chain", "exception", "warning", "file"].map(
    (name) => new RegExp(expressions[name], "uy"),
  );
  const isFrame = (line) => frame.test(line) || listed.test(line);

  function trim(text, keepLine) {
    let lines = linesOf(text);
    while (lines.length > 1 && !lines.at(-1)) lines.pop();
    const headers = [...lines.keys()].filter((at) => header.test(lines[at]));
    if (!headers.length) {
      lines = lines.slice(Math.max(0, lines.findIndex(Boolean)));
      return withoutBegin(lines).join("\n");
    }
    const begin = firstOfChain(lines, headers);
    const kept = keepLine !== undefined && keepLine <= begin ? [lines[keepLine - 1]] : [];
    const traceback = lines.slice(begin);
    const isQuoted = inside(traceback[0]) !== withoutEnd(traceback[0]);
    lines = [...lines.slice(0, begin), ...rejoined(withWholePaths(isQuoted ? traceback.map(inside) : traceback))];
    const ofChain = [...lines.keys()].filter((at) => at >= begin && header.test(lines[at]));
    const resume = ofChain.length > chained ? ofChain.at(1 - chained) : begin;
    let [at, last] = [begin, 0];
    while (at < lines.length) {
      if (at === ofChain[Math.min(1, ofChain.length - 1)] && at < resume) {
        kept.push(...leftOut(ofChain.length - chained, "exception", " of this chain"));
        at = resume;
      }
      const [frames, after] = framesFrom(lines, at);
      if (frames.length) {
        for (const line of shortened(unrepeated(frames))) kept.push(line);
        last = kept.length;
        at = after;
      } else {
        kept.push(lines[at]);
        at += 1;
      }
    }
    const end = last ? last + linesAfter : kept.length;
    const whole = [...kept.slice(0, end), ...leftOut(kept.length - end, "line")];
    return (last ? whole : withoutBegin(whole)).join("\n");
  }

  const withoutBegin = (lines) => [...leftOut(lines.length - linesWithout, "line"), ...lines.slice(-linesWithout)];

  const isUnfilled = (text) => linesOf(text).every((line) => nothing.test(line));

  function linesOf(text) {
    return text.replace(ansi, "").split(lineEnd);
  }

  const matches = (regex, line) => {
    regex.lastIndex = 0;
    return regex.exec(line);
  };

  function inside(line) {
    for (let i = 0; i < prefixes; i++) {
      const match = matches(prefix, line);
      if (!match) break;
      line = line.slice(match[0].length);
    }
    line = withoutEnd(line);
    return line && boxSides.includes(line.at(-1)) ? withoutEnd(line.slice(0, -1)) : line;
  }

  function rejoined(lines) {
    const texts = lines.map(inside);
    const isCut = (text) => file.test(text) && !whole.test(text);
    const widths = texts
      .slice(0, -1)
      .filter((text, at) => file.test(text) && length(text) >= narrowest && continues(texts[at + 1]))
      .map(length);
    if (!widths.length) return lines;
    const widest = widths.reduce((most, width) => Math.max(most, width), 0);
    const joined = [];
    let [inFrames, last] = [false, ""];
    for (const [at, text] of texts.entries()) {
      if (inFrames && continues(text) && length(text) <= length(last) && length(last) >= narrowest) {
        const before = inside(joined.at(-1));
        const apart = indentation(text) || (isCut(before) ? joint.test(before) : length(last) < widest);
        joined[joined.length - 1] = `${withoutEnd(joined.at(-1))}${apart ? " " : ""}${text.slice(indentation(text))}`;
      } else {
        joined.push(lines[at]);
        inFrames = file.test(text) || (inFrames && !starts(text));
      }
      last = text;
    }
    return joined;
  }

  function withWholePaths(lines) {
    const joined = [];
    for (const line of lines) {
      const before = joined.length ? broken.exec(joined.at(-1)) : null;
      const behind = before && rest.exec(line);
      const frame = behind && `│ ${before.groups.begin}${behind.groups.rest}`;
      if (frame && listed.test(frame)) joined[joined.length - 1] = frame;
      else joined.push(line);
    }
    return joined;
  }

  const starts = (line) => Boolean(line) && !isBlank([...line.slice(0, 4)].slice(0, 2).join(""));
  const continues = (line) => starts(line) && !begins.some((regex) => matches(regex, line));

  function firstOfChain(lines, headers) {
    let begin = headers.at(-1);
    for (const at of headers.slice(0, -1).reverse()) {
      const nested = header.exec(lines[begin])?.groups.original;
      if (!nested && !lines.slice(at, begin).some((line) => chain.test(line))) break;
      begin = at;
    }
    return begin;
  }

  function framesFrom(lines, at) {
    const frames = [];
    while (at < lines.length) {
      const match = frame.exec(lines[at]);
      const other = match ? null : listed.exec(lines[at]);
      if (!match && !other) break;
      const begin = at;
      at = match ? endOfFrame(lines, at) : endOfListed(lines, at);
      const name = (match ?? other).groups.file;
      frames.push({ file: name, text: lines.slice(begin, at), installed: inPackages.test(name) });
    }
    return [frames, at];
  }

  function endOfFrame(lines, at) {
    const indent = indentation(lines[at]);
    at += 1;
    while (at < lines.length && !isFrame(lines[at]) && belongs(lines[at], indent)) at += 1;
    return at;
  }

  function endOfListed(lines, at) {
    const boxed = ["│", "┃", "|"].includes(lines[at].charAt(indentation(lines[at])));
    at += 1;
    while (at < lines.length && !isFrame(lines[at]) && !edge.test(lines[at])) {
      if (empty.test(lines[at]) && !(boxed && !isBlank(lines[at]))) {
        return at + Number(at + 1 < lines.length && isFrame(lines[at + 1]));
      }
      at += 1;
    }
    return at;
  }

  function unrepeated(frames) {
    const keys = frames.map(({ text }) => {
      const counted = text.some((line) => line.slice(indentation(line)).startsWith("[Previous line"));
      return `${withoutEnd(text[0].slice(indentation(text[0])))}\n${counted}`;
    });
    const kept = [];
    let at = 0;
    while (at < frames.length) {
      const [count, times] = cycleFrom(keys, at);
      for (const one of frames.slice(at, at + count)) kept.push(one);
      if (times > 1) {
        const above = count === 1 ? "the frame above" : `the ${count} frames above`;
        kept.push({ file: "", text: [`  [... ${above}, ${times - 1} more times ...]`], installed: false });
      }
      at += count * times;
    }
    return kept;
  }

  function cycleFrom(keys, at) {
    for (let count = 1; count <= Math.min(cycle, Math.floor((keys.length - at) / repeated)); count++) {
      let end = at + count;
      while (end < keys.length && keys[end] === keys[end - count]) end += 1;
      const times = Math.floor((end - at) / count);
      if (times >= repeated) return [count, times];
    }
    return [1, 1];
  }

  function shortened(frames) {
    const kept = [];
    let skipped = [];
    for (const [number, one] of frames.entries()) {
      if (one.installed && number < frames.length - innermost) {
        skipped.push(one);
        continue;
      }
      kept.push(...leftOutFrames(skipped));
      skipped = [];
      const [first, ...others] = one.text;
      kept.push(one.installed && frame.test(first) ? first.replace(packages, '  File "') : first);
      for (const line of others) kept.push(line);
    }
    return [...kept, ...leftOutFrames(skipped)];
  }

  function leftOutFrames(frames) {
    if (!frames.length) return [];
    const names = new Set(frames.map(({ file }) => file.replace(packages, "").split(/[/\\]/u)[0]));
    const where = [...names].filter((name) => name && !name.startsWith("<")).join(", ");
    return leftOut(frames.length, "frame", where && ` inside ${where}`);
  }

  return { trim, isUnfilled };
}

function belongs(line, indent) {
  const found = indentation(line);
  const text = line.slice(found);
  return Boolean(text) && (found > indent || (found === indent && text.startsWith("[Previous line")));
}

function leftOut(count, what, where = "") {
  return count > 0 ? [`  [... ${count} ${what}${count === 1 ? "" : "s"}${where} left out ...]`] : [];
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

// What Python has and JavaScript has not ----------------------------------------------------------------------------

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

// What `str.strip` takes away; JavaScript's `trim` has another list.
const SPACES = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const LEADING = new RegExp(`^${SPACES}*`, "u");
const NOT_SPACE = new RegExp(SPACES.replace("[", "[^"), "u");

/** How many white spaces a line begins with. */
function indentation(line) {
  return LEADING.exec(line)[0].length;
}

/** `str.rstrip`. */
function withoutEnd(line) {
  let end = line.length;
  while (end > 0 && !NOT_SPACE.test(line[end - 1])) end--;
  return line.slice(0, end);
}

/** How many characters (code points) a text has. */
function length(text) {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Whether a text holds nothing but white space. */
function isBlank(text) {
  return !NOT_SPACE.test(text);
}
