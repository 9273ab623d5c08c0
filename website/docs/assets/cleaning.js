/**
 * JavaScript version of `torch_errors/paste/cleaning.py`, which explains each step.
 *
 * @typedef {{text: string, starts: number[], numbers: number[], roles: number[], blocks: number[], failures: number[],
 *   ranks: string[], raws: string[], likely: boolean}} Cleaned
 * @typedef {{number: number, raw: string, rank: string, text: string, width: number, apart: boolean,
 *   indented: boolean, marked: boolean}} Part a line of a paste that is not empty
 */

/** @returns {{readings: (text: string) => Cleaned[], inside: (line: string) => string}} */
export function cleaner({ expressions, prefixes, boxSides, broken, narrowest, usual, entities, characters, rule, roles, shared: mostShared }) {
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
  const [prefixed, digits] = [new RegExp(`^${expressions.prefixed}`, "u"), new RegExp(expressions.digits, "gu")];

  /** A paste without colors, progress bars, HTML and typographic punctuation. The number of lines stays the same. */
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

  /** The rank in the prefixes of a line, and the line without these prefixes and without trailing white space. */
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

  /** Remove the prefixes that the lines of a traceback share. @param {[string, string][]} lines */
  function withoutShared(lines) {
    const shared = new Map();
    for (const [at, [, content]] of lines.slice(0, -1).entries()) {
      const found = prefixed.exec(content)?.groups.prefix;
      if (!found?.trim() || shared.size >= mostShared) continue;
      const pieces = found.split(digits).map((piece) => piece.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, "\\$&"));
      const source = `^${pieces.join("[0-9]{1,30}")}`;
      const [regex, after] = [new RegExp(source, "u"), lines[at + 1][1]];
      if (regex.test(after) && !shared.has(source)) shared.set(source, [regex, pieces.length > 1 && after.startsWith(found)]);
    }
    if (!shared.size) return lines;
    return lines.map(([rank, content]) => {
      for (const [regex, same] of shared.values()) {
        const found = regex.exec(content)?.[0];
        if (found !== undefined) return [rank + (same ? found.trim() : ""), content.slice(found.length)];
      }
      return [rank, content];
    });
  }

  /** The lines that are neither empty nor a ruler. @returns {Part[]} */
  function linesOf(text) {
    const lines = [];
    const raws = plain(text).split(lineEnd);
    const contents = withoutShared(raws.map(split));
    for (const [index, raw] of raws.entries()) {
      const [rank, held] = contents[index];
      let line = held.split(/[\t-\r ]+/u).filter(Boolean).join(" ");
      if (!line || isRule(line, rule)) continue;
      let marked = broken.includes(line.at(-1)) && held.length >= narrowest;
      if (marked) {
        line = line.slice(0, -1);
        marked = line.at(-1) !== " ";
      }
      const [apart, indented] = [/^[\t-\r ]/u, /^[\t-\r ]{2}/u].map((begins) => begins.test(held));
      lines.push({ number: index + 1, raw, rank, text: line.trimEnd(), width: held.length, apart, indented, marked });
    }
    return lines;
  }

  /** Indices of the lines that may continue in the next line without a space. @param {Part[]} lines */
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

  /** @param {Part[]} lines @param {Set<number>} continued @returns {Cleaned} */
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

  /** A function to call with each line. @returns {(line: Part, whole: string) => {role: number, stream: any}} */
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

/** A function that tests a line, regardless of where the last search with the expression ended. */
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
  if (first < last && /^[*_]*$/u.test(line.slice(0, first))) return false;
  return last - first <= title;
}

/** Index of the line that contains an offset in the cleaned text. @param {Cleaned} cleaned */
export function lineOf({ starts }, offset) {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= offset) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** The character with this number, or an empty string if there is none. */
function codePoint(code) {
  return code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : "";
}
