/**
 * JavaScript version of `torch_errors/explaining/circumstances.py`, which explains each step.
 *
 * @typedef {Map<string, string>} Found circumstances with the words that show them
 * @typedef {string | [string, string, number[]]} Part
 * @typedef {{parts: Part[]}} Variant
 */

export function circumstancesReader({ within, reading, versions, features, statesVersions, names, programs, interface: any, kinds, others }) {
  const speaksOfVersions = new RegExp(statesVersions, "u");

  /** @param {string} whole @returns {Found} */
  function readText(whole) {
    const text = whole.slice(-within);
    const found = new Map();
    for (const [name, expressions] of Object.entries(reading)) {
      const kind = kinds.find((one) => one.includes(name)) ?? [];
      if (kind.some((other) => found.has(other))) continue;
      const match = first(expressions, text, (source) => new RegExp(source, "u").exec(text)?.[0]);
      if (match === undefined) continue;
      const isProgram = programs.includes(name);
      found.set(name, isProgram ? name : match.replace(/^[ '"]+|[ '"]+$/gu, ""));
      if (isProgram && !found.has(any)) found.set(any, name);
    }
    for (const [name, forms] of Object.entries(versions)) {
      const version = first(forms, text, (source) => stated(new RegExp(source, "gu"), text));
      if (version) found.set(name, version);
    }
    return found;
  }

  /** @param {Found} shown @param {string[]} frameworks @returns {Found} */
  function circumstances(shown, frameworks) {
    const packages = frameworks.filter((name) => names.includes(name)).map((name) => [name, name]);
    return new Map([...[...shown].filter(([name]) => programs.includes(name)), ...packages, ...shown]);
  }

  /** @param {Variant[]} variants @param {Found} found */
  function chosen(variants, found) {
    const order = [...found.keys()];
    const rank = ({ parts }) => [-parts.length, Math.min(...parts.map((part) => order.indexOf(nameOf(part))))];
    const applying = variants.filter(({ parts }) => parts.every((part) => applies(part, found)));
    return applying.reduce((best, one) => (best && compare(rank(best), rank(one)) <= 0 ? best : one), undefined);
  }

  /** @param {Part[]} parts @param {Found} found */
  function reasons(parts, found) {
    return parts.map(nameOf).map((name) => {
      const words = found.get(name);
      if (name === any || name === words) return words;
      return Object.hasOwn(versions, name) ? `${name} ${words}` : `${name} (${words})`;
    });
  }

  /** The platform other than NVIDIA GPUs that an answer is about. @param {Part[]} parts @param {string} message */
  function otherPlatform(parts, message) {
    const named = new Set([...parts.map(nameOf), ...readText(message).keys()]);
    return others.find((name) => named.has(name)) ?? null;
  }

  /** @param {string} fix @param {Found} found @returns {string | null} */
  function lacking(fix, found) {
    const version = found.get("torch");
    if (!version || speaksOfVersions.test(fix)) return null;
    const sinces = Object.entries(features).flatMap(([name, since]) => (fix.includes(name) ? since : []));
    const needed = sinces.reduce((most, since) => (compare(numbers(most), numbers(since)) < 0 ? since : most), "0.0");
    return compare(numbers(version), numbers(needed)) < 0 ? needed : null;
  }

  return { readText, circumstances, chosen, reasons, otherPlatform, lacking };
}

/** What the first expression finds whose literal text occurs. */
function first(expressions, text, search) {
  for (const [literal, source] of expressions) {
    const found = text.includes(literal) ? search(source) : undefined;
    if (found) return found;
  }
}

function stated(form, text) {
  const found = [...text.matchAll(form)].map(({ groups }) => Object.values(groups).find(Boolean));
  return found.every((version) => compare(numbers(version), numbers(found[0])) === 0) ? found[0] : undefined;
}

function numbers(version) {
  if (!version.includes(".")) return [Number(version[0]), Number(version.slice(1))];
  return version.split(".").slice(0, 2).map(Number);
}

/** Major version, then minor version. */
function compare(left, right) {
  return left[0] - right[0] || left[1] - right[1];
}

const nameOf = (part) => (typeof part === "string" ? part : part[0]);

function applies(part, found) {
  if (typeof part === "string") return found.has(part);
  const [name, comparison, limit] = part;
  return found.has(name) && compare(numbers(found.get(name)), limit) < 0 === (comparison === "<");
}
