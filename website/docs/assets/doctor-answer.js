/** What the paste box shows of a report of an installation: the causes, what is fine, and what is not known. */
import { element, withCode } from "./page-parts.js";

/** How many lines of evidence are shown. */
const EVIDENCE = 4;

/**
 * @param {import("./doctor.js").Diagnosis} diagnosis @param {import("./explain.js").Match[]} matches what is shown above
 * @param {any} texts those of the paste box @param {(page: string, ...children: any[]) => Node} link
 * @returns {Node[]}
 */
export function diagnosed({ findings, fine, unknown }, matches, texts, link) {
  const { report } = texts;
  const others = findings.filter(({ entry }) => matches.every((match) => match.entry.id !== entry));
  if (matches.length && !others.length) return [];
  const parts = others.flatMap(({ entry, certainty, says, fix, evidence, page }) => [
    element(
      "dl",
      {},
      element("dt", {}, report[certainty]),
      element("dd", {}, ...withCode(says)),
      ...(evidence.length ? [element("dt", {}, report.evidence)] : []),
      ...evidence.slice(0, EVIDENCE).map((line) => element("dd", { translate: "no" }, element("code", {}, line))),
      ...(fix ? [element("dt", {}, texts.fix), element("dd", {}, ...withCode(fix))] : []),
    ),
    ...(page ? [element("p", {}, link(page, texts.page))] : []),
  ]);
  const list = fine.map((text) => element("li", {}, text));
  return [
    element("h2", {}, others.length ? report.found : report.nothing),
    ...parts,
    ...(list.length ? [element("p", {}, report.fine), element("ul", {}, ...list)] : []),
    ...(unknown.length ? [element("p", {}, report.unknown(unknown))] : []),
  ];
}
