/**
 * JavaScript version of `torch_errors/paste/frames.py`, which explains each step.
 *
 * @typedef {import("./cleaning.js").Cleaned} Cleaned
 * @typedef {{text: string, number: number, last: number, role: number, block: number, failure: number, rank: string,
 *   raw: string}} Line
 * @typedef {{file: string, line: number, function: string | null, code: string | null, package: string | null}} Frame
 * @typedef {{file: string, line: number, function: string | null, code: string | null}} UserLine
 */

export function framer({ expressions, source: longest, quoted, here, aliases }, { expressions: { frame }, roles }) {
  const isFrame = new RegExp(frame, "u");
  const [pointed, beginsFrame, lacksFunction, warned, installed, library, passedOn] = [
    ..."pointed beginsFrame lacksFunction warned package library passedOn".split(" "),
  ].map((name) => new RegExp(expressions[name], "u"));
  const address = new RegExp(expressions.address, "gu");

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
          text: parts.join("").trimEnd(),
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
        const texts = [before.text + line.text, `${before.text} ${line.text}`];
        const text = texts.find(functionOf) ?? texts.reverse().find((text) => lacksFunction.test(text));
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
      if (arrow) return [arrow.source.slice(0, longest).trim(), arrow.line];
      if (line.text.endsWith(here) && number > at + 1) return [lines[number - 1].text.slice(0, longest), null];
      code ||= line.text.slice(0, longest);
    }
    if (listed && !lines[at].raw.startsWith(quoted)) {
      for (let number = at - 1; number >= 0; number--) {
        const line = lines[number];
        if (isFrame.test(line.text)) break;
        if (line.raw.startsWith(quoted)) return [line.text.slice(0, longest), null];
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
    const own = ownFrames(lines, at).at(-1);
    return own ? { file: own.file, line: own.line, function: own.function, code: own.code } : null;
  }

  /** @param {Line[]} lines @param {boolean} wrapper whether those of the whole failure @returns {UserLine[]} */
  function ownFrames(lines, at, wrapper = false) {
    if (lines[at].role === roles.warning) {
      const found = warned.exec(lines[at].text)?.groups;
      if (!found || packageOf(found.file) !== null) return [];
      const code = lines[at + 1]?.role === roles.code ? lines[at + 1].text.slice(0, longest) : null;
      return [{ file: found.file, line: Number(found.line), function: null, code }];
    }
    const places = [tracebackOf(lines, at), failureOf(lines, at)];
    for (const frames of wrapper ? places.reverse() : places) {
      const own = frames.filter((frame) => frame.package === null);
      if (own.length) return own;
    }
    return [];
  }

  /** @param {Line[]} lines @returns {string} */
  function innerError(lines, at) {
    const { failure, number } = lines[at];
    const mine = lines.filter((line) => line.role === roles.exception && line.failure === failure);
    const starts = new Set(mine.map(({ block }) => block));
    const raised = lines.filter((line) => starts.has(line.number) && !passedOn.test(line.text));
    const chosen = raised.filter((line) => line.number > number).at(-1) ?? raised[0];
    return (chosen?.text ?? "").slice(0, longest).replace(address, "0x…").replaceAll("`", "'");
  }

  /** @param {Line[]} lines @returns {string[]} */
  function frameworksOf(lines, at) {
    return [...new Set(failureOf(lines, at).flatMap((frame) => frame.package || []))];
  }

  function packageOf(file) {
    const name = installed.exec(file)?.groups.package;
    if (name) return Object.hasOwn(aliases, name) ? aliases[name] : name;
    return library.test(file) ? "" : null;
  }

  return { linesOf, frameAt, tracebackOf, linesOfFailure, userLine, ownFrames, innerError, frameworksOf, isFrame: (text) => isFrame.test(text) };
}
