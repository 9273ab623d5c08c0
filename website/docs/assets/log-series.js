/**
 * JavaScript version of `torch_errors/logs/series.py`, which explains each step.
 *
 * @typedef {{epoch: string | null, step: string | null, row: number}} Place
 * @typedef {{text: string, kind: string, words: Set<string>, split: string}} Name
 * @typedef {{name: string, kind: string, split: string, average: boolean, words: Set<string>, values: number[],
 *   raws: string[], places: Place[], overflows: number, isMain: boolean}} Series
 */
const [TRAIN, VALIDATION, TEST] = ["train", "validation", "test"];
const PLACES = ["epoch", "step"];
/** How many names are remembered. */
const REMEMBERED = 4096;

/** A function that reads the series of a text. @param {any} data @returns {(text: string) => {series: Series[], alarm: string}} */
export function seriesReader({ expressions, styles, signs, up, units, known }) {
  const { limits, kinds, chinese, table } = known;
  const somewhere = (name) => new RegExp(expressions[name], "u");
  const [isAlarm, isOverflow, isBar, isPath] = ["alarm", "overflow", "bar", "path"].map(somewhere);
  const [wrapped, inBrackets, beforeName, afterName] = ["wrapped", "inBrackets", "beforeName", "afterName"].map(somewhere);
  const [barBehind, camel, ordinal] = ["barBehind", "camel", "ordinal"].map((name) => new RegExp(expressions[name], "gu"));
  const [numbers, word, splitWord] = ["number", "word", "split"].map((name) => new RegExp(expressions[name], "gu"));
  const atStart = (name) => new RegExp(`^(?:${expressions[name]})`, "u");
  const [isAverage, isEpoch, isTag, isRuler, cellOf] = ["average", "epoch", "tag", "ruler", "cell"].map(atStart);
  const sign = new RegExp(`[${Object.keys(signs).join("")}]`, "gu");
  const [ansi, lineEnd] = ["ansi", "lineEnd"].map((name) => new RegExp(expressions[name], "gu"));
  const style = new Map(styles.map(([name, expression]) => [name, new RegExp(expression, "u")]));
  const lists = Object.fromEntries(Object.entries(known.names).map(([name, words]) => [name, new Set(words.split(" "))]));
  const ordinary = new Set(["ordinary", TRAIN, VALIDATION, TEST].flatMap((name) => [...lists[name]]));
  const alternatives = kinds.map(({ kind, words }) => [kind, words.split(" ").map((all) => all.split("+"))]);

  const nameOf = remembering((text) => {
    if (text.length > limits.name || isPath.test(text)) return null;
    const english = Object.entries(chinese).reduce((one, [from, to]) => one.replaceAll(from, to), text);
    const words = new Set(english.replace(camel, " ").toLowerCase().match(word) ?? []);
    const found = alternatives.find(([, any]) => any.some((all) => all.every((one) => words.has(one))));
    if (!found) return null;
    const split = [VALIDATION, TEST, TRAIN].find((part) => [...lists[part]].some((one) => words.has(one)));
    return { text, kind: found[0], words, split: split ?? "" };
  });

  /** The name at the end of a text before a number, and whether a list of numbers begins there. */
  const named = remembering((gap) => {
    gap = gap.replace(/ +$/u, "");
    let text = gap.replace(/[[ ]+$/u, "").replace(wrapped, "").replace(afterName, "");
    const separated = [":", "=", "|"].includes(text.slice(-1));
    text = text.replace(/[:=| ]+$/u, "").replace(afterName, "").replace(inBrackets, "");
    let words = text.split(beforeName).at(-1).split(/\s+/u).filter(Boolean);
    while (words.length && lists.filling.has(words.at(-1).toLowerCase())) words.pop();
    words = words.slice(words.findLastIndex((one) => lists.links.has(one.toLowerCase())) + 1);
    words = words.slice(separated ? -limits.words : -2);
    let name = nameOf(words.join(" "));
    const last = name && words.length > 1 && !separated ? nameOf(words.at(-1)) : null;
    if (name && last && last.kind === name.kind && last.split === name.split) name = last;
    return { name, begins: gap.endsWith("[") };
  });

  function lastSplit(text) {
    const groups = [...text.matchAll(splitWord)].at(-1)?.groups ?? {};
    return Object.keys(groups).find((name) => groups[name] !== undefined) ?? "";
  }

  function cut(line, name) {
    line = line.split(barBehind)[0].trim();
    if (name === "|") line = line.replace(/^\|+|\|+$/gu, "");
    return line.split(style.get(name)).map((cell) => cell.replace(/^[ \t"'*]+|[ \t"'*]+$/gu, ""));
  }

  return (text) => {
    const series = new Map();
    const at = { epoch: null, step: null };
    let [count, heading, head, columns, overflows, alarm] = [0, "", [], "", 0, ""];

    function read(line) {
      if (!line.trim()) {
        heading = "";
        return;
      }
      if (isOverflow.test(line)) overflows++;
      if (!alarm && isAlarm.test(line)) alarm = line.trim();
      if (head.length && isRow(line)) return;
      const found = [...line.matchAll(numbers)];
      const hasBar = line.search(barBehind) >= 0;
      if (!found.length || hasBar) maybeHead(line);
      if (found.length) pairs(line, found);
      else if (line.length < limits.gap) heading = lastSplit(line) || heading;
    }

    function pairs(line, found) {
      let [split, end, listing, before] = ["", 0, false, null];
      const [epochs, unnamed, told] = [[], [], []];
      let steps = [];
      for (const { 0: whole, index, groups } of found) {
        const gap = line.slice(end, index);
        const { name, begins } = named(gap.slice(-limits.gap));
        let raw = groups.number ?? groups.odd;
        if (groups.odd && (!name?.kind || PLACES.includes(name.kind))) continue;
        split = lastSplit(gap) || split;
        end = index + whole.length;
        if (listing && !name && gap.trim() === ",") {
          told.push({ ...told.at(-1), raw, average: false, unit: "" });
          continue;
        }
        const average = !name && !groups.unit && isAverage.test(gap) ? before : null;
        before = null;
        listing = false;
        if (average) told.push({ ...average, raw, average: true, unit: "" });
        else if (!name && !told.length && isEpoch.test(gap)) epochs.push(raw);
        else if (!name) {
          if (groups.total && !told.length) unnamed.push(raw);
        } else if (name.kind === "epoch") epochs.push(raw);
        else if (name.kind === "step") {
          if (/^\d+$/u.test(raw) || !steps.length) steps.push(raw);
        } else if (name.kind && !(gap.endsWith(" ") && isTag.test(raw))) {
          if (groups.total && name.kind === "accuracy") {
            const of = Math.max(1, Number(groups.total.replace(/[ \t/]+/gu, "")));
            const share = Math.floor(Math.min(Number(raw) / of, 1000) * 10000 + 0.5);
            raw = `${Math.floor(share / 10000)}.${String(share % 10000).padStart(4, "0")}`;
          }
          before = { name, part: name.split || split, raw, average: false, unit: groups.unit ?? "" };
          listing = begins;
          told.push(before);
        }
      }
      if (unnamed.length > 1 && !epochs.length) epochs.push(unnamed.shift());
      if (!steps.length) steps = unnamed.slice(0, 1);
      const placed = epochs.length + steps.length > 0;
      if (placed) {
        heading = "";
        at.epoch = epochs.at(-1) ?? at.epoch;
        at.step = steps.at(-1) ?? null;
      }
      const bar = isBar.test(line);
      for (const one of told) add(one.name, one.part || heading, one.raw, one.average, one.unit.trim(), placed, bar);
    }

    function add(name, split, raw, average, unit, placed, bar) {
      const key = JSON.stringify([name.text.toLowerCase(), split, average]);
      if (count === limits.values || (!series.has(key) && series.size === limits.series)) return;
      if (!series.has(key)) {
        const isMain = [...name.words].every((one) => ordinary.has(one));
        const made = { name: name.text, kind: name.kind, split, average, words: name.words, isMain, overflows: 0 };
        series.set(key, { ...made, values: [], raws: [], places: [] });
      }
      const one = series.get(key);
      let place = { ...at, row: one.values.length + 1 };
      if (one.values.length) {
        const last = one.places.at(-1);
        const same = one.raws.at(-1) === raw;
        const again = placed && last.epoch === place.epoch && last.step === place.step;
        const within = bar && last.epoch === place.epoch && (split === VALIDATION || one.kind === "accuracy");
        if (same && (again || within)) return;
        if (again && bar) {
          place = one.places.pop();
          one.values.pop();
          one.raws.pop();
        }
      }
      count++;
      const factor = name.kind === "memory" ? units[unit.slice(0, 1)] : undefined;
      one.values.push(numberOf(raw) * (factor ?? 1));
      one.raws.push(factor ? raw + unit.slice(0, 1) : raw);
      one.places.push(place);
      one.overflows = overflows;
    }

    function maybeHead(line) {
      for (const name of style.keys()) {
        const names = cut(line, name).map((cell) => nameOf(cell.slice(0, limits.name + 1).replaceAll("(", " ")));
        if (names.filter((one) => one?.kind).length > 1 && !line.includes("=")) {
          [head, columns] = [names, name];
          return;
        }
      }
    }

    function isRow(line) {
      if (isRuler.test(line)) return true;
      let cells = cut(line, columns);
      if (columns === "wide" && cells.length !== head.length) cells = cut(line, " ");
      if (cells.length === head.length + 1 && ["wide", " "].includes(columns)) cells.pop();
      const matches = cells.map((cell) => cellOf.exec(cell)?.groups);
      const named = head.map((name, i) => ({ name, match: matches[i] })).filter(({ name, match }) => name && match);
      const places = Object.fromEntries(named.map(({ name, match }) => [name.kind, match.number]));
      const observed = named.filter(({ name }) => name.kind && !PLACES.includes(name.kind));
      const filled = cells.filter((cell) => !table.gaps.includes(cell)).length;
      const enough = 2 * matches.filter(Boolean).length >= filled;
      if (cells.length !== head.length || !observed.length || !enough) return false;
      const placed = "epoch" in places || "step" in places;
      if (placed) {
        heading = "";
        at.epoch = places.epoch ?? null;
        at.step = places.step ?? null;
      }
      for (const { name, match } of observed) add(name, name.split, match.number, false, match.unit, placed, false);
      return true;
    }

    const plain = text.replace(ansi, (match) => (match === up ? "\n" : "")).replace(sign, (one) => signs[one]);
    for (const line of plain.split(lineEnd)) {
      const placed = line.replace(ordinal, (_, number, unit) => `${unit === "步" ? "step" : "epoch"} ${number};`);
      read(placed.slice(0, limits.line));
    }
    return { series: [...series.values()], alarm };
  };
}

/** A number as it is printed, also `nan` and `-inf`. */
function numberOf(raw) {
  const sign = raw.startsWith("-") ? -1 : 1;
  return /inf/iu.test(raw) ? sign * Infinity : Number(raw);
}

/** A function that remembers what it made of texts. */
function remembering(make) {
  const made = new Map();
  return (text) => {
    if (!made.has(text)) {
      if (made.size === REMEMBERED) made.clear();
      made.set(text, make(text));
    }
    return made.get(text);
  };
}
