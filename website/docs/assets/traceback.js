/**
 * What people paste, made comparable and read: what `torch_errors/paste/` does, in the browser.
 *
 * Each function is the twin of one there, which says why it does what it does. The expressions come as data
 * (website/engine.py). Time is linear in the length of the text.
 *
 * @typedef {{text: string, starts: number[], numbers: number[], roles: number[], blocks: number[], failures: number[],
 *   ranks: string[], raws: string[], likely: boolean}} Cleaned
 * @typedef {{number: number, raw: string, rank: string, text: string, width: number, apart: boolean,
 *   indented: boolean, marked: boolean}} Part a line of a paste that holds text
 * @typedef {{text: string, number: number, last: number, role: number, block: number, failure: number, rank: string,
 *   raw: string}} Line
 * @typedef {{file: string, line: number, function: string | null, code: string | null, package: string | null}} Frame
 * @typedef {{file: string, line: number, function: string | null, code: string | null}} UserLine
 */
import { codePoint, head, size, stripped } from "./python.js";

/** @param {any} cleaning @param {any} framing */
export function parser(cleaning, framing) {
  return { ...cleaner(cleaning), ...framer(framing, cleaning) };
}

// cleaning.py -------------------------------------------------------------------------------------------------------

/** @returns {{readings: (text: string) => Cleaned[], inside: (line: string) => string}} */
function cleaner({ expressions, prefixes, boxSides, broken, narrowest, usual, entities, characters, rule, roles }) {
  const all = (name) => new RegExp(expressions[name], "gu");
  const somewhere = (name) => searching(new RegExp(expressions[name], "u"));
  const atStart = (name) => searching(new RegExp(expressions[name], "uy"));
  const [ansi, spaces, nothing, lineEnd] = ["ansi", "spaces", "nothing", "lineEnd"].map(all);
  const [lineBreak, tag, entity, punctuation] = ["break", "tag", "entity", "punctuation"].map(all);
  const progress = all("progress");
  const [hasHeader, hasChain, isNested, isStarted] = ["header", "chain", "nested", "started"].map(somewhere);
  const isConsequence = somewhere("consequence");
  const [isOneWord, isWordEnd] = ["oneWord", "wordEnd"].map(somewhere);
  const begins = ["header", "chain", "exception", "warning", "frame"].map(atStart);
  const [, , isException, isWarning, isFrame] = begins;
  const isNative = atStart("native");
  const [isSource, isWarned] = ["source", "warned"].map(atStart);
  const prefix = new RegExp(expressions.prefix, "uy");

  /** A paste without colours, progress bars, HTML and the punctuation of chats; its lines stay. */
  function plain(text) {
    text = text.replace(ansi, "");
    if (text.includes("%|")) text = text.replace(progress, "");
    if (text.includes("<")) text = text.replace(lineBreak, " ").replace(tag, "");
    if (text.includes("&")) text = text.replace(entity, unescaped);
    return text
      .replace(spaces, " ")
      .replace(nothing, "")
      .replace(punctuation, (sign) => characters.named[sign] ?? codePoint(sign.codePointAt(0) - characters.fullWidth));
  }

  function unescaped(match, decimal, hexadecimal, name) {
    if (name) return Object.hasOwn(entities, name) ? entities[name] : match;
    const code = decimal ? parseInt(decimal, 10) : parseInt(hexadecimal, 16);
    return code < 0x20 || code === 0x85 || (code >= 0x2028 && code <= 0x2029) ? " " : codePoint(code) || match;
  }

  /** The rank that the prefixes of a line name, and the line without them and without the white space at its end. */
  function split(line) {
    let rank = "";
    for (let i = 0; i < prefixes; i++) {
      prefix.lastIndex = 0;
      const match = prefix.exec(line);
      if (!match) break;
      rank += (match.groups.rank ?? "").trim();
      line = line.slice(match[0].length);
    }
    line = line.trimEnd();
    return [rank, line && boxSides.includes(line.at(-1)) ? line.slice(0, -1).trimEnd() : line];
  }

  /** The lines that hold text. @returns {Line[]} */
  function linesOf(text) {
    const lines = [];
    for (const [index, raw] of plain(text).split(lineEnd).entries()) {
      const [rank, held] = split(raw);
      let line = held.split(/[\t-\r ]+/u).filter(Boolean).join(" ");
      if (!line || isRule(line, rule)) continue;
      const width = size(held);
      let marked = broken.includes(line.at(-1)) && width >= narrowest;
      if (marked) {
        line = line.slice(0, -1);
        marked = line.at(-1) !== " ";
      }
      const [apart, indented] = [/^[\t-\r ]/u, /^[\t-\r ]{2}/u].map((begins) => begins.test(held));
      lines.push({ number: index + 1, raw, rank, text: line.trimEnd(), width, apart, indented, marked });
    }
    return lines;
  }

  /** The lines that may go on in the next without a space. @param {Line[]} lines */
  function brokenIn(lines) {
    const found = new Set();
    for (const [at, line] of lines.slice(0, -1).entries()) {
      const after = lines[at + 1];
      if (after.number !== line.number + 1 || line.width < narrowest || after.apart || after.width > line.width) continue;
      if (found.has(at - 1) && line.width < lines[at - 1].width) continue;
      if (!begins.some((does) => does(after.text))) found.add(at);
    }
    return found;
  }

  function isEven(widths) {
    if (widths.length === 1) return widths[0] % 10 === 0 || usual.includes(widths[0]);
    const counts = new Map();
    for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1);
    return 2 * [...counts.values()].reduce((most, count) => Math.max(most, count), 0) > widths.length;
  }

  /** @param {Line[]} lines @param {Set<number>} continued @returns {Cleaned} */
  function assemble(lines, continued, likely) {
    const cleaned = { text: "", starts: [], numbers: [], roles: [], blocks: [], failures: [], ranks: [], raws: [], likely };
    const follow = following();
    const parts = [];
    let [offset, role, stream, joined] = [0, roles.loose, undefined, false];
    for (const [at, line] of lines.entries()) {
      if (!joined) ({ role, stream } = follow(line, wholeOf(lines, continued, at)));
      joined = continued.has(at);
      const text = (joined && !isWordEnd(line.text.slice(-1))) || isInWord(lines, at) ? line.text : `${line.text} `;
      parts.push(text);
      cleaned.starts.push(offset);
      cleaned.numbers.push(line.number);
      cleaned.roles.push(role);
      cleaned.blocks.push(stream.block);
      cleaned.failures.push(stream.failure);
      cleaned.ranks.push(stream.rank);
      cleaned.raws.push(line.raw);
      offset += text.length;
    }
    cleaned.text = parts.join("");
    return cleaned;
  }

  /** Goes through lines. @returns {(line: Line, whole: string) => {role: number, stream: any}} */
  function following() {
    const streamOf = (rank, failure) => ({ rank, failure, before: failure, block: 0, role: roles.loose, inFrames: false, open: false, started: false });
    const streams = new Map();
    const failed = new Set();
    let stream = streamOf("", 0);
    let failure = 0;
    let child = -1;

    function begin() {
      if (stream.open) return;
      if (failed.has(stream.rank) || failed.has("")) {
        failure++;
        failed.clear();
      }
      stream.before = stream.failure;
      stream.failure = failure;
      stream.open = true;
    }

    function roleOf(line, whole) {
      const [header, chain, exception, warning] = [hasHeader, hasChain, isException, isWarning].map((is) => is(whole));
      const frame = isFrame(whole) || isNative(whole);
      if (line.rank || header || chain || exception || warning || frame) {
        if (!streams.has(line.rank)) streams.set(line.rank, streamOf(line.rank, failure));
        stream = streams.get(line.rank);
      }
      const turn = (role, inFrames) => Object.assign(stream, { block: line.number, role, inFrames });
      if (chain || isNested(whole)) stream.open = true;
      if (header || chain) {
        begin();
        turn(roles.loose, header);
        stream.started = false;
        return roles.loose;
      }
      if (warning || (exception && !stream.inFrames && isWarned(whole))) {
        turn(roles.warning, false);
      } else if (exception) {
        begin();
        stream.open = false;
        failed.add(stream.rank);
        if (stream.started) child = stream.failure;
        else if (child >= 0 && isConsequence(whole)) stream.failure = child;
        turn(roles.exception, false);
      } else if (frame) {
        if (isStarted(whole)) {
          stream.started = true;
          if (stream.open) stream.failure = stream.before;
        }
        stream.role = roles.loose;
        stream.inFrames = true;
        return roles.code;
      } else if (stream.role === roles.warning && line.indented) {
        turn(roles.loose, false);
        return roles.code;
      } else if (stream.inFrames || (stream.role === roles.loose && isSource(line.raw))) {
        return roles.code;
      }
      return stream.role;
    }

    return (line, whole) => ({ role: roleOf(line, whole), stream });
  }

  function wholeOf(lines, continued, at) {
    const parts = [lines[at].text];
    while (continued.has(at)) parts.push(lines[++at].text);
    return parts.join("");
  }

  function isInWord(lines, at) {
    const [line, after] = [lines[at], lines[at + 1]];
    if (line.width < narrowest || !after || after.number !== line.number + 1 || after.apart) return false;
    return line.marked || isOneWord(`${line.text.slice(-2)}\n${after.text.slice(0, 12)}`);
  }

  return {
    inside: (line) => split(line)[1],
    readings: (text) => {
      const lines = linesOf(text);
      const continued = brokenIn(lines);
      const even = isEven([...continued].map((at) => lines[at].width));
      const found = [assemble(lines, new Set(), !even)];
      if (continued.size) found.push(assemble(lines, continued, even));
      return found;
    },
  };
}

/** Whether a regular expression is found, wherever the last search with it ended. */
function searching(regex) {
  return (line) => {
    regex.lastIndex = 0;
    return regex.test(line);
  };
}

function isRule(line, { begins, ends, sides, title }) {
  let first = 0;
  while (first < line.length && begins.includes(line[first])) first++;
  let last = line.length;
  while (last > 0 && ends.includes(line[last - 1])) last--;
  if (line.length < 2 * sides || first < sides || line.length - last < sides) return false;
  return [...line.slice(first, Math.max(first, last))].length <= title;
}


/** Which kept line an offset lies in. @param {Cleaned} cleaned */
export function lineOf({ starts }, offset) {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= offset) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

// frames.py ---------------------------------------------------------------------------------------------------------

function framer({ expressions, source: longest, quoted, aliases }, { expressions: { frame }, roles }) {
  const isFrame = new RegExp(frame, "u");
  const [pointed, beginsFrame, warned, installed, library, program] = [
    ..."pointed beginsFrame warned package library program".split(" "),
  ].map((name) => new RegExp(expressions[name], "u"));

  /** @param {Cleaned} cleaned @returns {Line[]} */
  const linesOf = (cleaned) => withWholeFrames(joined(cleaned));

  /** @param {Cleaned} cleaned @returns {Line[]} */
  function joined({ text, starts, numbers, roles: kinds, blocks, failures, ranks, raws }) {
    const lines = [];
    let parts = [];
    let first = 0;
    for (const [at, start] of starts.entries()) {
      const end = starts[at + 1] ?? text.length;
      if (!parts.length) first = at;
      parts.push(text.slice(start, end));
      if (parts.at(-1).endsWith(" ") || end === text.length) {
        lines.push({
          text: stripped(parts.join(""), " ", false),
          number: numbers[first],
          last: numbers[at],
          role: kinds[at],
          block: blocks[at],
          failure: failures[at],
          rank: ranks[at],
          raw: raws[first],
        });
        parts = [];
      }
    }
    return lines;
  }

  /** @param {Line[]} lines */
  function withWholeFrames(lines) {
    const whole = [];
    for (const line of lines) {
      const before = whole.at(-1);
      if (before && beginsFrame.test(before.text) && line.number === before.last + 1 && !functionOf(before.text)) {
        const text = [before.text + line.text, `${before.text} ${line.text}`].find(functionOf);
        if (text) {
          whole[whole.length - 1] = { ...before, text, last: line.last, role: roles.code };
          continue;
        }
      }
      whole.push(line);
    }
    return whole;
  }

  function functionOf(text) {
    const named = isFrame.exec(text)?.groups;
    return named && (named.function || named.name || named.caller);
  }

  /** @param {Line[]} lines @returns {Frame | null} */
  function frameAt(lines, at) {
    const named = isFrame.exec(lines[at].text)?.groups;
    if (!named) return null;
    const file = named.file || named.path || named.cell || named.input || named.listed || named.scripted;
    const number = named.line || named.at || named.row || named.number || named.position;
    const called = named.function || named.name || named.inside || named.called || named.caller;
    const [code, arrow] = sourceOf(lines, at, named.listed !== undefined);
    return {
      file,
      line: Number(arrow || number || 0),
      function: called || named.method || null,
      code,
      package: packageOf(file),
    };
  }

  function sourceOf(lines, at, listed) {
    let code = null;
    for (let number = at + 1; number < lines.length; number++) {
      const line = lines[number];
      if (line.role !== roles.code || isFrame.test(line.text)) break;
      const arrow = pointed.exec(line.raw)?.groups;
      if (arrow) return [stripped(head(arrow.source, longest)), arrow.line];
      code ||= head(line.text, longest);
    }
    if (listed && !lines[at].raw.startsWith(quoted)) {
      for (let number = at - 1; number >= 0; number--) {
        const line = lines[number];
        if (isFrame.test(line.text)) break;
        if (line.raw.startsWith(quoted)) return [head(line.text, longest), null];
      }
    }
    return [code, null];
  }

  /** @param {Line[]} lines @returns {Frame[]} */
  function tracebackOf(lines, at) {
    const mine = [...lines.keys()].filter((number) => lines[number].rank === lines[at].rank);
    let first = mine.indexOf(at);
    let last = first;
    const block = first ? lines[mine[first - 1]].block : null;
    const isBefore = ({ block: other, role }) => other === block && !roles.raised.includes(role);
    while (first && isBefore(lines[mine[first - 1]])) first--;
    while (last + 1 < mine.length && lines[mine[last + 1]].block === lines[at].block) last++;
    return framesOf(mine.slice(first, last + 1).map((number) => lines[number]));
  }

  /** @param {Line[]} lines @returns {Frame[]} */
  const failureOf = (lines, at) => framesOf(linesOfFailure(lines, at));

  /** @param {Line[]} lines */
  function linesOfFailure(lines, at) {
    return lines.filter(({ failure, rank }) => failure === lines[at].failure && rank === lines[at].rank);
  }

  const framesOf = (lines) => [...lines.keys()].map((at) => frameAt(lines, at)).filter(Boolean);

  /** @param {Line[]} lines @returns {UserLine | null} */
  function userLine(lines, at) {
    if (lines[at].role === roles.warning) {
      const found = warned.exec(lines[at].text)?.groups;
      if (!found || packageOf(found.file) !== null) return null;
      const code = lines[at + 1]?.role === roles.code ? head(lines[at + 1].text, longest) : null;
      return { file: found.file, line: Number(found.line), function: null, code };
    }
    for (const frames of [tracebackOf(lines, at), failureOf(lines, at)]) {
      const own = frames.findLast((frame) => frame.package === null);
      if (own) return { file: own.file, line: own.line, function: own.function, code: own.code };
    }
    return null;
  }

  /** @param {Line[]} lines @returns {string[]} */
  function frameworksOf(lines, at) {
    const found = new Set();
    for (const frame of failureOf(lines, at)) {
      const named = program.exec(frame.file)?.groups.program;
      if (named) found.add(named);
      if (frame.package) found.add(frame.package);
    }
    return [...found];
  }

  function packageOf(file) {
    const name = installed.exec(file)?.groups.package;
    if (name) return Object.hasOwn(aliases, name) ? aliases[name] : name;
    return library.test(file) ? "" : null;
  }

  return { linesOf, frameAt, tracebackOf, linesOfFailure, userLine, frameworksOf, isFrame: (text) => isFrame.test(text) };
}
