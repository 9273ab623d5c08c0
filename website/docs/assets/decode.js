/**
 * JavaScript version of `torch_errors/explaining/decode.py`, which explains each step.
 *
 * Numbers are exact up to 2 ** 53. Larger captured numbers are printed as captured; larger results are approximate.
 *
 * @typedef {number | boolean | string} Value
 * @typedef {number | string | any[]} Tree `["name", name]`, `[operation, operand, ...]` or a value
 * @typedef {string | Tree[]} Text
 */

/** Thrown in place of Python's exceptions: a text that needs this value is not shown. */
class Unsaid extends Error {}

function attempt(compute, otherwise) {
  try {
    return compute();
  } catch (error) {
    if (error instanceof Unsaid) return otherwise;
    throw error;
  }
}

/** @param {number} digits maximum number of digits in a number; longer values are treated as texts */
export function decoder(digits) {
  const isNumber = new RegExp(`^-?[0-9]{1,${digits}}$`, "u");

  /** @param {Text} text @param {Record<string, string>} captures @returns {string | null} */
  function render(text, captures) {
    if (typeof text === "string") return text;
    const said = (piece) => (piece[0] === "name" ? captured(piece[1], captures) : written(evaluate(piece, captures)));
    return attempt(() => text.map(said).join(""), null);
  }

  /** @param {Tree | null} condition @param {Record<string, string>} captures */
  function holds(condition, captures) {
    return condition === null || attempt(() => Boolean(evaluate(condition, captures)), false);
  }

  /** @param {Tree} tree @param {Record<string, string>} captures @returns {Value} */
  function evaluate(tree, captures) {
    if (!Array.isArray(tree)) return tree;
    const [operation, ...operands] = tree;
    if (operation === "name") {
      const text = captured(operands[0], captures);
      return isNumber.test(text) ? Number(text) : text;
    }
    if (operation === "and") return operands.every((operand) => evaluate(operand, captures));
    if (operation === "or") return operands.some((operand) => evaluate(operand, captures));
    return OPERATIONS[operation](...operands.map((operand) => evaluate(operand, captures)));
  }

  return { render, holds };
}

function captured(name, captures) {
  if (!Object.hasOwn(captures, name)) throw new Unsaid(name);
  return captures[name];
}

/** @type {Record<string, (...values: any[]) => Value>} */
const OPERATIONS = {
  "+": (a, b) => (typeof a === "string" && typeof b === "string" ? a + b : number(a) + number(b)),
  "-": (a, b) => number(a) - number(b),
  "*": (a, b) => number(a) * number(b),
  "//": (a, b) => (number(a) - remainder(a, b)) / b,
  "%": (a, b) => remainder(a, b),
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "<": (a, b) => number(a) < number(b),
  "<=": (a, b) => number(a) <= number(b),
  ">": (a, b) => number(a) > number(b),
  ">=": (a, b) => number(a) >= number(b),
  not: (a) => !a,
  negative: (a) => -number(a),
  product: (shape) => product(sizes(shape)),
  known_product: (shape) => product(sizes(shape).filter((size) => size >= 0)),
  count: (shape) => sizes(shape).length,
  first: (shape) => item(sizes(shape), 0),
  last: (shape) => item(sizes(shape), -1),
  item: (shape, index) => item(sizes(shape), number(index)),
  marked: (shape, index) => marked(numbers(shape), number(index)),
  unlike: (shape, other) => unlike(numbers(shape), numbers(other)),
  plural: (count, singular, plural) => `${written(count)} ${written(count === 1 ? singular : plural)}`,
  bytes: (count) => bytes(number(count)),
  contains: (text, parts) => written(parts).split("|").some((part) => written(text).includes(part)),
};

function number(value) {
  if (typeof value === "number") return value;
  throw new Unsaid("needs a whole number");
}

/** The remainder, which has the sign of the divisor as in Python. */
function remainder(a, b) {
  if (number(b) === 0) throw new Unsaid("division by zero");
  return ((number(a) % b) + b) % b;
}

/** The same as Python's `str(value)`. */
function written(value) {
  return typeof value === "boolean" ? (value ? "True" : "False") : String(value);
}

function sizes(value) {
  return numbers(value).map(Number);
}

/** @returns {string[]} */
function numbers(value) {
  return written(value).match(/-?[0-9]+/gu) ?? [];
}

function product(list) {
  return list.reduce((total, size) => total * size, 1);
}

function item(list, index) {
  const size = list.at(index);
  if (size === undefined) throw new Unsaid("no such size");
  return size;
}

function marked(list, index) {
  item(list, index); // there must be one
  const at = index < 0 ? index + list.length : index;
  return list.map((size, i) => (i === at ? `*${size}*` : size)).join(", ");
}

function unlike(list, others) {
  const counterpart = (i) => others.at(i - list.length);
  return list.map((size, i) => (size === (counterpart(i) ?? size) ? size : `*${size}*`)).join(", ");
}

function bytes(count) {
  if (Math.abs(count) < 1024) return `${count} bytes`;
  let size = count;
  for (const unit of ["KiB", "MiB", "GiB", "TiB"]) {
    size /= 1024;
    // Python rounds 1.25 to 1.2, JavaScript to 1.3.
    if (Math.abs(size) < 1024 || unit === "TiB") return `${(size % 1 === 0.25 ? size - 0.05 : size).toFixed(1)} ${unit}`;
  }
}
