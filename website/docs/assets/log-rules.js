/**
 * JavaScript version of `torch_errors/logs/rules.py`, which explains each step, and of the curves in `answer.py`.
 *
 * @typedef {import("./log-series.js").Series} Series
 * @typedef {{id: string, symptom: string, entry: string | null, evidence: string, series: Series, since: number}} Finding
 * @typedef {{series: Series[], findings: Finding[], count: number}} Log
 */
import { decoder } from "./decode.js";
import { seriesReader } from "./log-series.js";

const [TRAIN, VALIDATION, TEST] = ["train", "validation", "test"];
/** Values that differ by less than this share of the largest are drawn as almost flat. */
const FLAT = 0.05;
const KINDS = ["loss", "accuracy", "error", "norm", "scale", "lr", "memory", "time", "entropy", "reward"];

/** A function that reads a training log, or returns null for another text. @returns {(text: string) => Log | null} */
export function logReader(data, digits) {
  const { known, classes: classCounts, most } = data;
  const read = seriesReader(data);
  const { holds } = decoder(digits);
  const number = new RegExp(data.expressions.shown, "u");
  const muted = new RegExp(`(?<![a-z])(?:${known.muted.words.split(" ").join("|")})(?![a-z])`, "u");
  const listed = (...names) => new Set(names.flatMap((name) => known.names[name].split(" ")));
  const splits = listed(TRAIN, VALIDATION, TEST);
  const each = listed("each");
  const say = (text, values) => text.replace(/\{(\w+)\}/gu, (_, name) => String(values[name]));
  const milli = (value) => Math.floor(Math.max(-most, Math.min(most, value)) * 1000 + 0.5);
  const withoutSplits = (words) => [...words].filter((word) => !splits.has(word)).sort().join(" ");

  function findings(series, text, alarm) {
    const measured = new Map(series.map((one) => [one, measures(one)]));
    const select = selections(series);
    const log = ofLog(select, measured, text, alarm);
    const found = [];
    for (const rule of known.rules) {
      if (found.some((other) => other.symptom === rule.symptom || !rule.beside)) continue;
      const ok = [];
      for (const one of select[rule.of]) {
        const others = !rule.with ? [null] : rule.with === "counterpart" ? counterparts(one, select) : select[rule.with];
        for (const other of others) {
          const values = { ...log, ...measured.get(one) };
          if (other) for (const [name, value] of Object.entries(measured.get(other))) values[`o_${name}`] = value;
          const texts = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
          if (holds(rule.when, texts)) {
            ok.push([one, values]);
            break;
          }
        }
      }
      if (!ok.length || (rule.all && ok.length !== select[rule.of].length)) continue;
      const [one, values] = ok[0];
      const { id, symptom, entry = null } = rule;
      found.push({ id, symptom, entry, evidence: say(rule.say, values), series: one, since: rule.since ? values[rule.since] : 0 });
    }
    return found;
  }

  function selections(series) {
    const of = Object.fromEntries(KINDS.map((kind) => [kind, series.filter((one) => one.kind === kind)]));
    const isHeldOut = ({ split }) => [VALIDATION, TEST].includes(split);
    const isTrain = ({ split }) => ["", TRAIN].includes(split);
    const rank = (one) => Number(!one.isMain) * 2 + Number(isHeldOut(one));
    of.loss.sort((a, b) => rank(a) - rank(b));
    const main = (split) => {
      for (const kind of ["loss", "error"]) {
        const losses = of[kind].filter((one) => one.split === split && one.isMain);
        const worth = (one) => 2 * one.values.length - Number(one.average);
        if (losses.length) return [losses.reduce((best, one) => (worth(one) > worth(best) ? one : best))];
      }
      return [];
    };
    const smoothed = (one) => {
      const average = series.find((other) => other.average && other.name === one.name && other.split === one.split);
      return average && 2 * average.values.length >= one.values.length ? average : one;
    };
    const [training, known] = [main(TRAIN), main(VALIDATION)];
    of.train = training.length ? training : main("");
    of.validation = known.length ? known : main(TEST);
    of.main = [...of.train, ...of.validation];
    const parts = of.loss.filter((one) => isTrain(one) && !one.average);
    of.losses = (of.train.length ? of.train : parts).map(smoothed);
    of.evaluated = [...of.loss.filter(isHeldOut), ...of.accuracy, ...of.error].filter((one) => !one.average);
    of.discriminator = of.loss.filter((one) => one.words.has("d"));
    of.generator = of.loss.filter((one) => one.words.has("g"));
    of.improvable = [...of.accuracy, ...of.reward].map(smoothed);
    const validated = of.accuracy.filter(isHeldOut);
    of.validated = validated.length ? validated : of.accuracy.filter((one) => !one.split);
    return of;
  }

  function counterparts(series, select) {
    if (![VALIDATION, TEST].includes(series.split)) return [];
    const same = (one) => one.average === series.average && withoutSplits(one.words) === withoutSplits(series.words);
    return select.accuracy.filter((one) => ["", TRAIN].includes(one.split) && same(one));
  }

  function ofLog(select, measured, text, alarm) {
    const some = (name, key) => Number(select[name].some((one) => measured.get(one)[key]));
    const isFrozen = (one) => measured.get(one).distinct === 1 && measured.get(one).telling && one.values.length > 3;
    const frozen = select.evaluated.filter(isFrozen);
    const moving = select.evaluated.some((one) => one.kind === "loss" && !isFrozen(one) && one.values.length > 3);
    const characters = [...alarm];
    return {
      muted: Number(muted.test(text.toLowerCase())),
      negative: some("loss", "negative"),
      warming: some("lr", "warms"),
      rates_zero: Number(select.lr.every((one) => one.values.every((value) => value === 0))),
      falling: some("losses", "lowers"),
      improving: some("improvable", "climbing"),
      validated: Number(some("validated", "climbs_on") || some("validated", "best_last")),
      holding: some("validated", "holds"),
      good: Number(select.accuracy.some((one) => measured.get(one).share_end > 900)),
      frozen: moving ? 0 : frozen.length,
      frozen_names: frozen.slice(0, 4).map((one) => measured.get(one).name).join(", "),
      alarm: characters.length <= 120 ? alarm : `${characters.slice(0, 119).join("")}…`,
    };
  }

  function measures({ name, split, average, kind, words, values, raws, places, overflows }) {
    const rows = values.length;
    const where = (is) => values.flatMap((value, at) => (is(value) ? [at] : []));
    const [odd, zeros] = [where((value) => !Number.isFinite(value)), where((value) => value === 0)];
    const [oddEnd, zerosEnd] = [endOf(odd, rows), endOf(zeros, rows)];
    const isNamed = [...words].some((word) => splits.has(word));
    const lastRaw = raws.at(-1);
    const told = {
      name: split && !isNamed ? `${split} ${name}` : name,
      rows, average: Number(average), overflows, first: shown(raws[0]), last: shown(lastRaw),
      odd: odd.length, odd_end: oddEnd, zeros: zeros.length, zeros_end: zerosEnd, last_zero: Number(zerosEnd > 0),
      zeros_at: rows - zerosEnd, zeros_place: placeText(places[Math.min(rows - zerosEnd, rows - 1)]),
      distinct: new Set(raws).size, telling: Number(![0, 1, 100].includes(values[0]) && raws[0].length > 3),
      exact: Number(["0", "0.0"].includes(lastRaw) || lastRaw.toLowerCase().includes("e") || lastRaw.length > 7),
      digits: lastRaw.length, is_accuracy: Number(words.has("acc") || words.has("accuracy")),
      is_each: Number([...words].some((word) => each.has(word))), negative: Number(values.some((value) => value < 0)),
      begin: Number(hasBegin(places)), long: Number(isLong(places)),
      epochs: Number(new Set(places.map(({ epoch }) => epoch)).size === rows && places[0].epoch !== null),
    }; // prettier-ignore
    if (odd.length) {
      const first = odd[0];
      Object.assign(told, { odd_at: first, odd_raw: raws[first], odd_place: placeText(places[first]) });
      if (first) told.odd_before = shown(raws[first - 1]);
      const since = Math.max(0, first - 20);
      if (first - since > 2 && values[since] > 0 && values[first - 1] > 0) {
        const grown = Math.floor(Math.min(values[first - 1] / values[since], most) + 0.5);
        Object.assign(told, { grown, grown_at: since, grown_rows: first - since });
      }
      return told;
    }
    const third = Math.floor((rows + 2) / 3);
    const [early, late, middle, end] = [values.slice(0, third), values.slice(-third), values, values.slice(-3)].map(median);
    const [lowest, highest] = [Math.min, Math.max].map((of) => values.reduce((a, b) => of(a, b)));
    const [low, high] = [values.indexOf(lowest), values.indexOf(highest)];
    const steps = values.slice(1).map((value, at) => value - values[at]);
    const rising = Math.floor((1000 * steps.filter((step) => step > 0).length) / Math.max(1, steps.length));
    const part = highest > 1.5 ? 100 : 1;
    const least = kind === "accuracy" ? 0.03 : 0;
    const isNear = (value, other, apart) => Math.abs(value - other) <= apart;
    const climbing = rows > 2 && late - early > Math.max(0.05 * Math.max(Math.abs(early), Math.abs(late)), least * part);
    Object.assign(told, {
      first_milli: milli(values[0]), last_milli: milli(values.at(-1)), middle_milli: milli(middle),
      min_milli: milli(lowest), max_milli: milli(highest),
      min_end_milli: milli(Math.min(...values.slice(-5))), max_end_milli: milli(Math.max(...values.slice(-5))),
      falls: Number(values.at(-1) < values[0]), climbs: Number(late > early),
      climbing: Number(climbing), climbs_on: Number(climbing && high >= rows - third),
      lowers: Number(rows > 3 && late < 0.9 * early),
      best_last: Number(rows > 3 && Math.max(...values.slice(-2)) === highest && highest > lowest),
      warms: Number(rows > 1 && ((values.at(-1) > 1.2 * values[0] && rising > 500) || (highest > 0 && highest < 1e-7))),
      rising, rising_end: steps.slice(-2).filter((step) => step > 0).length, drops: steps.filter((step) => step < 0).length,
      low_at: low, low: Math.floor((1000 * low) / Math.max(1, rows - 1)), least: shown(raws[low]), low_place: placeText(places[low]),
      high_at: high, high: shown(raws[high]), high_place: placeText(places[high]),
      holds: Number(rows > 2 && end >= highest - 0.02 * part), share: milli(middle / part), share_end: milli(end / part),
      chance: Number(classCounts.some((classes) => classes <= 20 && Math.abs(middle / part - 1 / classes) < 0.005)),
    }); // prettier-ignore
    if (Math.min(early, values[0]) > 0 && lowest > 0) {
      const ordered = [...values].sort((a, b) => a - b);
      const quartile = (of) => ordered[Math.floor((rows * of) / 4)];
      Object.assign(told, {
        course: milli(late / early), jump: milli(Math.min(end, values.at(-1)) / early), start: milli(values[0] / late),
        spread: milli((quartile(3) - quartile(1)) / middle),
        rise: milli(Math.min(rows > 5 ? end : values.at(-1), values.at(-1)) / lowest),
        growth: milli(values.at(-1) / values[Math.min(1, rows - 1)]), pace: milli(Math.min(...values.slice(-2)) / values[0]),
      }); // prettier-ignore
      const near = classCounts.find((classes) => isNear(middle, Math.log(classes), 0.004 * Math.log(classes)));
      const isFlat = told.spread <= 10 && isNear(late, early, 0.02 * middle) && isNear(values.at(-1), middle, 0.02 * middle);
      if (near && isFlat) Object.assign(told, { classes: near, log: Math.log(near).toFixed(3) });
    }
    return told;
  }

  function shown(raw) {
    const match = raw.length > 7 ? number.exec(raw) : null;
    return match ? match.slice(1).map((part) => part ?? "").join("") : raw;
  }

  function placeText({ epoch, step, row }) {
    const plain = (text) => text && (/^\d+$/u.test(text) ? text.replace(/^0+(?=\d)/u, "") : shown(text));
    const values = { epoch: plain(epoch), step: plain(step), row };
    return say(known.places[epoch && step ? "both" : epoch ? "epoch" : step ? "step" : "row"], values);
  }

  return (text) => {
    const { series, alarm } = read(text);
    const lengths = series.map(({ values }) => values.length);
    const count = lengths.reduce((sum, length) => sum + length, 0);
    if (count < known.limits.shortest || !lengths.some((length) => length > 2)) return null;
    return { series, findings: findings(series, text, alarm), count };
  };
}

function endOf(indices, rows) {
  let count = 0;
  while (count < indices.length && indices.at(-1 - count) === rows - 1 - count) count++;
  return count;
}

function median(values) {
  const ordered = [...values].sort((a, b) => a - b);
  const middle = Math.floor(ordered.length / 2);
  return ordered.length % 2 ? ordered[middle] : (ordered[middle - 1] + ordered[middle]) / 2;
}

function hasBegin(places) {
  const [{ epoch, step }, { step: after }] = [places[0], places[Math.min(1, places.length - 1)]].map(numbersOf);
  if ((epoch === null && step === null) || (epoch ?? 0) > 1) return false;
  if (step === null || step <= 10) return true;
  const withinEpoch = epoch !== null && after !== null && after <= step && places.length > 1;
  return after !== null && (withinEpoch || step <= 1.5 * (after - step));
}

function isLong(places) {
  const [first, last] = [places[0], places.at(-1)].map(numbersOf);
  return (last.epoch ?? 0) - (first.epoch ?? 0) >= 1 || (last.step ?? 0) >= 200 || places.length >= 20;
}

function numbersOf({ epoch, step }) {
  const [inEpochs, inSteps] = [epoch, step].map((text) => (text && !/[fnyFNY]$/u.test(text) ? Number(text) : null));
  return { epoch: inEpochs, step: inSteps };
}

/** The points of a curve as whole numbers up to `most`, null where there is no number. @param {number[]} values */
export function heights(values, most, points) {
  const thin = thinned(values, points);
  const finite = thin.filter(Number.isFinite);
  let [low, high] = finite.length ? [Math.min(...finite), Math.max(...finite)] : [0, 0];
  const isLogarithmic = low > 0 && high / low > 100;
  const scale = isLogarithmic ? Math.log : (value) => value;
  let span = scale(high) - scale(low);
  const least = isLogarithmic ? 0 : FLAT * Math.max(Math.abs(low), Math.abs(high));
  if (span > 0 && span < least) [low, span] = [(low + high) / 2 - (least * Math.floor(most / 2)) / most, least];
  const isDrawn = span > 0 && span < Infinity;
  const height = (value) => (isDrawn ? Math.floor(((scale(value) - scale(low)) / span) * most + 0.5) : Math.floor(most / 2));
  return thin.map((value) => (Number.isFinite(value) ? height(value) : null));
}

function thinned(values, most) {
  if (values.length <= most) return values;
  const finite = values.filter(Number.isFinite).sort((a, b) => a - b);
  const middle = finite.length ? finite[Math.floor(finite.length / 2)] : 0;
  const bound = (at) => Math.floor((at * values.length) / most);
  return Array.from({ length: most }, (_, at) => {
    const part = values.slice(bound(at), bound(at + 1));
    if (!part.every(Number.isFinite)) return NaN;
    const [low, high] = [part.reduce((a, b) => Math.min(a, b)), part.reduce((a, b) => Math.max(a, b))];
    return high - middle >= middle - low ? high : low;
  });
}
