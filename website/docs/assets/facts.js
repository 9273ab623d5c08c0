/**
 * JavaScript version of `torch_errors/paste/facts.py`, which explains each step.
 *
 * @typedef {import("./frames.js").UserLine} UserLine
 * @typedef {{exception: string | null, message: string | null, operation: string | null, shapes: string[],
 *   dtypes: string[], devices: string[], frame: UserLine | null}} Facts
 * @typedef {{exception: string | null, message: string, frames: import("./frames.js").Frame[],
 *   place: UserLine | null, line: number}} DecidingError
 */

/** @returns {{read: (text: string) => DecidingError, facts: (text: string) => Facts, deciding: (lines: any[]) => number}} */
export function reader({ expressions, within, message: longest, items, before, around }, roles, parse) {
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

  /** @returns {DecidingError} */
  function read(text) {
    let lines = parse.linesOf(parse.readings(text.slice(-within)).find(({ likely }) => likely));
    if (lines.every(({ text, role }) => role === roles.code && !parse.isFrame(text))) {
      lines = lines.map((line) => ({ ...line, role: roles.loose }));
    }
    const found = exception(lines);
    const at = found?.at ?? lines.length - 1;
    const [frames, place] = lines.length ? [parse.tracebackOf(lines, at), parse.userLine(lines, at)] : [[], null];
    const line = lines[at]?.number ?? 1;
    if (found) return { exception: found.type, message: found.message, frames, place, line };
    const loose = lines.filter(({ role }) => role !== roles.code).map(({ text }) => text);
    return { exception: null, message: loose.join(" ").slice(-longest), frames, place, line };
  }

  /** Index of the line of the deciding exception; without an exception the last line, and -1 without lines. */
  const deciding = (lines) => exception(lines)?.at ?? lines.length - 1;

  function exception(lines) {
    let warned = null;
    for (let at = lines.length - 1; at >= 0; at--) {
      const found = lines[at].role !== roles.code ? findException(lines[at].text.slice(0, 2 * longest)) : null;
      if (!found) continue;
      const { type } = found.groups;
      const told = () => ({ at, type, message: message(lines, at, found) });
      if (!type.endsWith("Warning")) return told();
      warned ??= told;
    }
    return warned?.();
  }

  function message(lines, at, found) {
    const end = found.index + found[0].length;
    const parts = [lines[at].text.slice(end, end + longest)];
    for (const line of lines.slice(at + 1, at + 1 + longest)) {
      if (!roles.raised.includes(line.role) || line.block !== lines[at].block) break;
      if (parts.reduce((sum, part) => sum + part.length, 0) >= longest) break;
      parts.push(line.text);
    }
    return parts.join(" ").slice(0, longest).trim();
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
      const left = text.slice(0, found.index).slice(-before);
      const sizes = found.groups.sizes;
      const isShape = sizes === undefined || isSized(left) || (/[,x]/u.test(sizes) && !isNoShape(left));
      if (isShape) yield found;
    }
  }

  function labelled(values, text) {
    const told = new Set();
    let end = 0;
    for (const { 0: value, index } of values) {
      const label = findLabel(text.slice(end, index).slice(-before));
      const words = stripped(label?.groups.words ?? "");
      told.add(words.endsWith("=") || !words ? words + value : `${words} ${value}`);
      end = index + value.length;
      if (told.size === items) break;
    }
    return [...told];
  }

  /** A label without brackets and quotes at its ends. */
  function stripped(label) {
    let [first, last] = [0, label.length];
    while (first < last && around.includes(label[first])) first++;
    while (last > first && around.includes(label[last - 1])) last--;
    return label.slice(first, last);
  }

  return { read, facts, deciding };
}
