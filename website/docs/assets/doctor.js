/**
 * JavaScript version of `torch_errors/doctor/`, which explains each step, for reports that are pasted.
 *
 * Both give the same diagnosis (tests/doctor/test_javascript.py). The rules come as data (website/doctor.py), and are
 * fetched only for a text that is a report. The time is linear in the length of the text.
 *
 * @typedef {{id: string, entry: string | null, certainty: string, says: string, fix: string | null,
 *   evidence: string[], page?: string | null}} Finding
 * @typedef {{findings: Finding[], fine: string[], unknown: string[]}} Diagnosis
 * @typedef {{values: Record<string, string>, places: Record<string, string>}} Facts
 */
import { decoder } from "./decode.js";

/** @param {string | URL} url address of `doctor.json` @returns {Promise<ReturnType<typeof doctor>>} */
export async function load(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: status ${response.status}`);
  return doctor(await response.json());
}

/** @param {any} data @returns {(text: string, errors: import("./explain.js").Match[]) => Diagnosis} */
export function doctor({ rules, reading, digits, pages }) {
  const { render, holds } = decoder(digits);
  const { longest, within, quoted: longestLine, variant, byPip, copied } = reading;
  const expressions = Object.fromEntries(
    Object.entries(reading.expressions).map(([name, source]) => [name, new RegExp(String(source), "gu")]),
  );
  const all = (name, text) => [...text.matchAll(expressions[name])];
  for (const step of rules.facts) if (step.match) step.regex = new RegExp(step.match, "u");

  return (text, errors) => {
    const { findings, ...rest } = diagnose(readReport(text.slice(0, within).replaceAll("\r\n", "\n")), errors);
    return { findings: findings.map((finding) => ({ ...finding, page: pages[finding.entry] ?? null })), ...rest };
  };

  // Facts --------------------------------------------------------------------------------------------------------------

  /** @param {Facts} facts */
  function put({ values, places }, name, text, place) {
    const value = [...stripped(text).slice(0, 2 * longest)].slice(0, longest).join("");
    if (name in values || !value) return;
    const told = { [name]: value };
    const version = all("version", value).find(({ index }) => index === 0);
    if (version) {
      const [major, minor, patch] = version.slice(1, 4).map((part) => Number(part ?? 0));
      told[`${name}_number`] = String(major * 1e6 + minor * 1e3 + patch);
      told[`${name}_minor`] = `${major}.${minor}`;
    }
    for (const [known, value] of Object.entries(told)) {
      values[known] = value;
      if (place) places[known] = place;
    }
  }

  /** @returns {Facts} */
  function readReport(text) {
    const facts = { values: Object.create(null), places: Object.create(null) };
    const [own] = all("title", text);
    if (own) {
      for (const line of all("ownLine", text)) {
        if (line.index > own.index) put(facts, line.groups.name, line.groups.value, quoted(text, line.index));
      }
    } else {
      packages(facts, text);
      numbered(facts, text);
    }
    conclude(facts, own ? "" : text);
    return facts;
  }

  function packages(facts, text) {
    const by = new Map();
    for (const { index, groups } of all("package", text)) {
      const name = groups.name.replaceAll("-", "_");
      const place = quoted(text, index);
      put(facts, `listed_${name}`, groups.version, place);
      if (!groups.build) continue;
      put(facts, `listed_${name}_build`, groups.build, place);
      put(facts, `listed_${name}_channel`, groups.channel ?? "defaults", place);
      if (!Object.hasOwn(copied, name)) continue;
      const versions = by.get(copied[name]) ?? {};
      by.set(copied[name], versions);
      versions[byPip.some((begin) => groups.build.startsWith(begin)) ? "pip" : "conda"] ??= groups.version;
    }
    for (const [name, { pip, conda }] of by) {
      if (pip && conda) put(facts, "copies", `${name} ${conda} (conda), ${pip} (pip)`, null);
    }
  }

  function numbered(facts, text) {
    let most = { number: -1, index: 0 };
    for (const { index, groups } of all("numbered", text)) {
      if (Number(groups.number) >= most.number) most = { number: Number(groups.number), index };
    }
    if (most.number >= 0) put(facts, "gpu_count", String(most.number + 1), quoted(text, most.index));
  }

  function conclude(facts, text) {
    const { values, places } = facts;
    for (const step of rules.facts) {
      if (step.match) {
        const match = step.regex.exec(step.in ? (values[step.in] ?? "") : text);
        if (!match) continue;
        const place = (step.in && places[step.in]) || quoted(match.input, match.index);
        for (const [name, value] of Object.entries(match.groups ?? {})) {
          if (value !== undefined) put(facts, name.split(variant)[0], value, place);
        }
        putAll(facts, step.set ?? {}, place);
      } else if (step.when) {
        if (holds(step.when, values)) putAll(facts, step.set, placesOf(step.when, places)[0]);
      } else {
        const key = step.lookup && render(step.lookup, values);
        const row = step.lookup ? (key !== null && Object.hasOwn(step.rows, key) ? step.rows[key] : {}) : step.default;
        for (const [name, value] of Object.entries(row)) put(facts, name, value, null);
      }
    }
    fits(facts);
  }

  function putAll(facts, texts, place) {
    for (const [name, text] of Object.entries(texts)) {
      const value = render(text, facts.values);
      if (value !== null) put(facts, name, value, place);
    }
  }

  function fits(facts) {
    const built = facts.values.architectures ?? "";
    const wanted = all("amd", facts.values.gfx ?? "").map(([one]) => one);
    const capabilities = (facts.values.capability ?? "").match(/\d{2,3}/gu) ?? [];
    if (built.includes("gfx") && wanted.length) {
      const code = all("amd", built).map(([one]) => one);
      put(facts, "fits", wanted.every((one) => code.includes(one)) ? "yes" : "no", null);
      put(facts, "devices", wanted.join(" "), null);
    } else if (built.includes("sm_") && capabilities.length) {
      const code = all("architecture", built);
      const good = capabilities.every((one) => code.some((part) => runs(part, Number(one))));
      put(facts, "fits", good ? "yes" : "no", null);
      put(facts, "devices", capabilities.map((one) => `sm_${one}`).join(" "), null);
    }
  }

  function runs([, kind, major, minor, only], capability) {
    const number = 10 * Number(major) + Number(minor);
    if (only === "a") return number === capability;
    return number <= capability && (kind === "compute" || Math.floor(capability / 10) === Number(major));
  }

  /** The line at a position of a text, shortened, with its number. */
  function quoted(text, at) {
    const start = text.lastIndexOf("\n", at - 1) + 1;
    const line = stripped(text.slice(at ? start : 0).split("\n", 1)[0]);
    return `${text.slice(0, at).split("\n").length}: ${[...line.slice(0, 2 * longestLine)].slice(0, longestLine).join("")}`;
  }

  // Diagnosis ----------------------------------------------------------------------------------------------------------

  /** @param {Facts} facts @returns {Diagnosis} */
  function diagnose(facts, errors) {
    const { values } = facts;
    const findings = [];
    const topics = new Set();
    for (const check of rules.checks) {
      const condition = check.when.find((condition) => holds(condition, values));
      const finding = condition && found(check, condition, facts);
      if (!finding) continue;
      topics.add(check.topic);
      if (findings.every(({ id }) => id !== finding.id)) findings.push(finding);
    }
    for (const { entry, line, message, says, fix } of errors) {
      if (!Object.hasOwn(rules.messages, entry.id)) continue;
      const refuted = rules.messages[entry.id];
      if (refuted !== null && holds(refuted, values)) continue;
      if (findings.some((finding) => finding.entry === entry.id)) continue;
      const evidence = [`${line}: ${[...message].slice(0, longestLine).join("")}`];
      const told = { id: entry.id, entry: entry.id, certainty: "certain", says: says ?? entry.summary };
      findings.push({ ...told, fix, evidence });
    }
    const others = rules.topics.filter(({ id }) => !topics.has(id));
    const said = others.map(({ when, fine }) => (when.every((one) => holds(one, values)) ? render(fine, values) : null));
    const unknown = others.filter((topic, number) => !said[number]).map(({ name }) => name);
    return { findings, fine: said.filter((text) => text), unknown };
  }

  /** @returns {Finding | null} */
  function found(check, condition, { values, places }) {
    const commands = rules.commands[check.command] ?? {};
    const command = commands[values.manager] ?? commands.pip;
    const told = command ? Object.assign(Object.create(null), values, { command: render(command, values) ?? "" }) : values;
    const says = render(check.says, told);
    if (says === null) return null;
    return {
      id: check.kind ?? check.id,
      entry: check.entry ?? null,
      certainty: check.likely ? "likely" : "certain",
      says,
      fix: render(check.fix, told),
      evidence: [...new Set(placesOf(condition, places))],
    };
  }
}

function stripped(text) {
  return text.replace(/^[ \t\r\n]+|(?<![ \t\r\n])[ \t\r\n]+$/gu, "");
}

/** The places of the facts that a condition names, in order. */
function placesOf(tree, places) {
  if (!Array.isArray(tree)) return [];
  if (tree[0] === "name") return tree[1] in places ? [places[tree[1]]] : [];
  return tree.slice(1).flatMap((part) => placesOf(part, places));
}
