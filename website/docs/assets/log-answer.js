/** What the paste box shows of a training log: its findings, with curves, and the causes of their symptoms. */
import { heights } from "./log-rules.js";
import { element, withCode } from "./page-parts.js";

const SVG = "http://www.w3.org/2000/svg";
/** Size of a curve in CSS pixels, its margin, and how many points it has at most. */
const [WIDTH, HEIGHT, MARGIN, POINTS] = [240, 48, 4, 60];
/** How many causes are listed; the page of the symptom has all. */
const CAUSES = 5;

/**
 * @param {any} log what `log` of explain.js made of the text
 * @param {any} texts those of the paste box for logs
 * @param {(page: string, ...children: (string | Node)[]) => HTMLElement} link
 * @returns {Node[]}
 */
export function logged({ findings, count }, texts, link) {
  if (!findings.length) return [element("h2", {}, texts.healthy(count)), element("p", {}, texts.noSymptom)];
  return findings.flatMap(({ symptom, evidence, series }) => {
    const causes = symptom.causes.slice(0, CAUSES).map(({ page, title }) => element("li", {}, link(page, ...withCode(title))));
    return [
      element("h2", {}, link(symptom.page, ...withCode(symptom.title))),
      element("p", {}, evidence),
      curve(series, texts.curve(series.name, series.values.length)),
      element("p", {}, texts.causes),
      element("ol", {}, ...causes),
      element("p", {}, link(symptom.page, texts.page)),
      element("p", {}, texts.watch, element("code", {}, "python -m torch_errors --watch train.py")),
    ];
  });
}

/** A series as a line that is interrupted where there is no number, which a cross marks. */
function curve({ values }, label) {
  const points = heights(values, HEIGHT - 2 * MARGIN, POINTS);
  const x = (at) => MARGIN + (at * (WIDTH - 2 * MARGIN)) / Math.max(1, points.length - 1);
  const drawing = drawn("svg", { class: "paste-box-curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "img", "aria-label": label });
  let path = "";
  for (const [at, height] of points.entries()) {
    if (height !== null) path += `${at && points[at - 1] !== null ? "L" : "M"}${x(at).toFixed(1)} ${HEIGHT - MARGIN - height}`;
    else drawing.append(drawn("path", { class: "paste-box-odd", d: `M${x(at).toFixed(1)} ${MARGIN}v${HEIGHT - 2 * MARGIN}` }));
  }
  drawing.append(drawn("path", { d: path }));
  return element("p", {}, drawing);
}

function drawn(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, String(value));
  return made;
}
