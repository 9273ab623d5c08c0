/**
 * Draws the shapes of a message: `[64 x *400*] @ [*512* x 10]` as two rectangles, whose inner sizes are marked.
 *
 * A shape is a list of sizes in brackets, of which `?` is unknown; sizes between asterisks disagree. Words and signs
 * between shapes are written between them. The last two sizes of a shape are height and width, those before them
 * sheets behind it; a shape of one size is a bar, upright after `@` (a vector) and `loss` (the labels of a batch).
 * The patterns of the catalog declare pictures; their numbers are filled in by the engine.
 */
const SVG = "http://www.w3.org/2000/svg";
/** Lengths of sides, in units of the drawing, and sizes of what is around them. */
const SHORTEST = 16;
const LONGEST = 76;
const BAR = 12;
const SHEET = 6;
const LETTER = 7.5;
const LINE = 15;
const GAP = 10;
/** @type {unknown[]} */
const UPRIGHT_AFTER = ["@", "loss"];

/** @typedef {{text: string, marked: boolean}} Size */

/** @param {string} text @returns {(Size[] | string)[]} the shapes, as lists of sizes, and what is between them */
export function parsed(text) {
  return (text.match(/\[[^\]]*\]|[^\s[\]]+/gu) ?? []).map((part) => (part.startsWith("[") ? sizesIn(part) : part));
}

function sizesIn(text) {
  const found = text.matchAll(/(\*?)(-?[0-9]+|\?)/gu);
  return [...found].map(([, mark, size]) => ({ text: size, marked: mark !== "" }));
}

/** What is read aloud and shown as text: without marks. @param {string} text */
export function plain(text) {
  return text.replaceAll("*", "");
}

/**
 * @param {string} text the picture @param {{title: (shapes: string) => string, marked: (sizes: string) => string}} words
 * @returns {SVGElement | null} null if there is no shape to draw
 */
export function shapePicture(text, words) {
  const parts = parsed(text);
  const sizes = parts.flatMap((part) => (typeof part === "string" ? [] : part));
  if (!sizes.length) return null;
  const most = Math.max(...sizes.map(({ text }) => Number(text)).filter((size) => size > 0), 2);
  const boxes = parts.map((part, i) => (typeof part === "string" ? word(part) : box(part, most, UPRIGHT_AFTER.includes(parts[i - 1]))));
  const above = Math.max(...boxes.map((one) => one.above));
  const height = above + Math.max(...boxes.map((one) => one.below));
  const drawing = svg("svg", { class: "shape-picture", role: "img" });
  const disagree = sizes.filter(({ marked }) => marked).map((size) => size.text);
  drawing.append(svg("title", {}, words.title(plain(text))));
  if (disagree.length) drawing.append(svg("desc", {}, words.marked(disagree.join(", "))));
  let x = 1;
  for (const one of boxes) {
    drawing.append(...one.draw(x, above));
    x += one.width + GAP;
  }
  const width = Math.ceil(x - GAP + 1);
  drawing.setAttribute("viewBox", `0 0 ${width} ${Math.ceil(height)}`);
  drawing.setAttribute("width", `${width}`);
  return drawing;
}

/** What is between two shapes, at the height of their middle. */
function word(text) {
  const width = text.length * LETTER;
  return { width, above: LINE, below: LINE, draw: (x, middle) => [label(text, x, middle + 4, false)] };
}

/** A shape. Its middle is at the same height as that of the others. @param {Size[]} sizes */
function box(sizes, most, upright) {
  const side = ({ text }) => (Number(text) > 0 ? SHORTEST + ((LONGEST - SHORTEST) * Math.log(Number(text))) / Math.log(most) : 40);
  const [rows, columns] = sizes.length > 1 ? sizes.slice(-2) : upright ? [sizes[0], null] : [null, sizes[0] ?? null];
  const w = columns ? side(columns) : BAR;
  const h = rows ? side(rows) : BAR;
  const sheets = sizes.slice(0, -2);
  const off = SHEET * Math.min(sheets.length, 3);
  const left = rows ? rows.text.length * LETTER + 4 : 0;
  const wide = columns ? columns.text.length * LETTER : 0;
  const indent = Math.max(left, (wide - w) / 2);
  const names = sheets.map(({ text }) => `${text}\u00d7`);
  return {
    width: indent + Math.max(w + off, off + names.join("").length * LETTER, (w + wide) / 2),
    above: h / 2 + off + (names.length ? LINE : 2),
    below: h / 2 + (columns ? LINE + 2 : 2),
    draw(x, middle) {
      const [x1, y1, x2, y2] = [x + indent, middle - h / 2, x + indent + w, middle + h / 2];
      const drawn = sheets.slice(0, 3).map((_, i) => rectangle(x1 + SHEET * (i + 1), y1 - SHEET * (i + 1), w, h)).reverse();
      drawn.push(rectangle(x1, y1, w, h));
      if (rows) drawn.push(...edge(rows, `M${x1} ${y1}V${y2}`, x1 - 4 - rows.text.length * LETTER, middle + 4));
      if (columns) drawn.push(...edge(columns, `M${x1} ${y2}H${x2}`, (x1 + x2 - wide) / 2, y2 + LINE - 2));
      let at = x1 + off;
      sheets.forEach((size, i) => {
        const behind = SHEET * Math.min(i, 2);
        const corner = `M${x2 + behind} ${y1 - behind}l${SHEET} ${-SHEET}`;
        drawn.push(...edge(size, corner, at, y1 - off - 4, names[i]));
        at += names[i].length * LETTER;
      });
      return drawn;
    },
  };
}

/** The label of a side, and the side itself if it is marked. */
function edge(size, path, x, y, text = size.text) {
  const line = size.marked ? [svg("path", { class: "odd", d: path })] : [];
  return [...line, label(text, x, y, size.marked)];
}

function rectangle(x, y, width, height) {
  return svg("rect", { x: `${x}`, y: `${y}`, width: `${width}`, height: `${height}` });
}

function label(text, x, y, marked) {
  return svg("text", { x: `${x}`, y: `${y}`, ...(marked ? { class: "odd" } : {}) }, text);
}

/** @returns {SVGElement} */
function svg(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return /** @type {SVGElement} */ (made);
}
