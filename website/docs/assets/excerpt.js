/**
 * What of a traceback matters to somebody who is to explain the error: the twin of `torch_errors/prompting/excerpt.py`,
 * which says why it does what it does.
 */

/** @returns {{trim: (text: string, line?: number) => string, isUnfilled: (text: string) => boolean}} */
export function excerpt(
  { expressions, heading, innermost, outerFrames, chained: mostChained, linesAfter, linesWithout },
  { header, chain, nested, lineEnd, ansi },
  roles,
  parse,
  deciding,
) {
  const [isHeader, isChain, isNested] = [header, chain, nested].map((source) => new RegExp(source, "u"));
  const [isNothing, isRepeated, packages] = ["nothing", "repeated", "packages"].map((name) => new RegExp(expressions[name], "u"));
  const [ends, colours] = [lineEnd, ansi].map((source) => new RegExp(source, "gu"));
  const isFrame = (part) => typeof part !== "string";

  /** @param {string} text @param {number} [line] @returns {string} */
  function trim(text, line) {
    const lines = parse.linesOf(parse.readings(text).find(({ likely }) => likely));
    let at = line === undefined ? -1 : lines.findIndex(({ last }) => last >= line);
    let kept = [];
    if (at >= 0 && [roles.loose, roles.code].includes(lines[at].role) && !parse.frameAt(lines, at)) {
      kept.push(parse.inside(lines[at].raw));
      at = -1;
    }
    if (at < 0) at = deciding(lines);
    const tracebacks = at >= 0 ? tracebacksOf(lines, at) : [];
    if (!tracebacks.flat().some(isFrame)) {
      const last = lines.slice(-linesWithout);
      if (line === undefined || !last.length || line >= last[0].number) kept = [];
      return [...kept, ...leftOut(lines.length - last.length, "line"), ...last.map(printed)].join("\n");
    }
    const chained = tracebacks.length - mostChained;
    for (const [number, parts] of tracebacks.entries()) {
      if (chained > 0 && number >= 1 && number <= chained) {
        if (number === 1) kept.push(...leftOut(chained, "exception", " of this chain"));
      } else {
        for (const part of shortened(parts)) kept.push(part);
      }
    }
    return kept.join("\n");
  }

  function tracebacksOf(lines, at) {
    const mine = parse.linesOfFailure(lines, at);
    const tracebacks = [[]];
    for (const [number, line] of mine.entries()) {
      const frame = parse.frameAt(mine, number);
      const last = tracebacks.at(-1);
      if (frame) {
        if (!last.length) last.push(heading);
        last.push(frame);
      } else if (isHeader.test(line.text)) {
        if (last.some(isFrame)) tracebacks.push([]);
        tracebacks.at(-1).push(line.text.includes("Original ") ? `Original ${heading}` : heading);
      } else if (isChain.test(line.text)) {
        tracebacks.push(["", printed(line), ""]);
      } else if (![roles.code, roles.loose].includes(line.role) || isRepeated.test(line.text) || isNested.test(line.text)) {
        last.push(printed(line));
      }
    }
    return tracebacks;
  }

  const printed = (line) => (line.number === line.last ? parse.inside(line.raw) : line.text);

  function* shortened(parts) {
    const frames = parts.filter(isFrame);
    const surplus = Math.max(0, frames.length - 2 * outerFrames);
    let [number, message] = [0, 0];
    let skipped = [];
    for (const part of parts) {
      if (!isFrame(part)) {
        yield* skippedText(skipped);
        skipped = [];
        message += Number(number > 0);
        if (message <= linesAfter) yield part;
        continue;
      }
      number += 1;
      const isSurplus = number > outerFrames && number <= outerFrames + surplus;
      if (isSurplus || (part.package !== null && number <= frames.length - innermost)) {
        skipped.push(part);
        continue;
      }
      yield* skippedText(skipped);
      skipped = [];
      const inside = part.function ? `, in ${part.function}` : "";
      yield `  File "${part.file.replace(packages, "")}", line ${part.line}${inside}`;
      if (part.code) yield `    ${part.code}`;
    }
    yield* skippedText(skipped);
    yield* leftOut(message - linesAfter, "line");
  }

  function skippedText(frames) {
    if (!frames.length) return [];
    const names = [...new Set(frames.map((frame) => frame.package).filter(Boolean))];
    const own = frames.some((frame) => frame.package === null);
    return leftOut(frames.length, "frame", names.length && !own ? ` inside ${names.join(", ")}` : "");
  }

  const isUnfilled = (text) => text.replace(colours, "").split(ends).every((line) => isNothing.test(line));

  return { trim, isUnfilled };
}

function leftOut(count, what, where = "") {
  return count > 0 ? [`  [... ${count} ${what}${count === 1 ? "" : "s"}${where} left out ...]`] : [];
}
