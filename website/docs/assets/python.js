/**
 * What Python has and JavaScript has not. Where Python counts characters, JavaScript counts UTF-16 units: these count
 * characters, and give offsets in units.
 */

export function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function compareLists(a, b) {
  const differs = a.findIndex((value, i) => value !== b[i]);
  return differs < 0 ? 0 : a[differs] - b[differs];
}

/** The first `count` characters. */
export function head(text, count) {
  return text.slice(0, step(text, 0, count));
}

/** The last `count` characters. */
export function tail(text, count) {
  return text.slice(step(text, text.length, -count));
}

/** How many characters a text has. */
export function size(text) {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The offset that lies `count` characters (code points) from another, at most the end of the text. */
export function step(text, offset, count) {
  const isPair = (at) => text.codePointAt(at) > 0xffff;
  for (; count < 0 && offset > 0; count++) offset -= offset > 1 && isPair(offset - 2) ? 2 : 1;
  for (; count > 0 && offset < text.length; count--) offset += isPair(offset) ? 2 : 1;
  return offset;
}

/** A text without the characters `around` at its ends; `both`: or at its second one only. */
export function stripped(text, around = " ", both = true) {
  let [first, last] = [0, text.length];
  while (both && first < last && around.includes(text[first])) first++;
  while (last > first && around.includes(text[last - 1])) last--;
  return text.slice(first, last);
}

/** A character by its number, nothing where there is none. */
export function codePoint(code) {
  return code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : "";
}

/** `re.sub` with a function. @param {(match: RegExpExecArray) => string} put */
export function substitute(regex, text, put) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(regex)) {
    parts.push(text.slice(end, match.index), put(match));
    end = match.index + match[0].length;
  }
  return parts.length ? parts.join("") + text.slice(end) : text;
}

// What `str.strip` takes away; JavaScript's `trim` has another list.
const SPACES = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const LEADING = new RegExp(`^${SPACES}*`, "u");
const NOT_SPACE = new RegExp(SPACES.replace("[", "[^"), "u");

/** How many white spaces a line begins with. */
export function indentation(line) {
  return LEADING.exec(line)[0].length;
}

/** `str.rstrip`. */
export function withoutEnd(line) {
  let end = line.length;
  while (end > 0 && !NOT_SPACE.test(line[end - 1])) end--;
  return line.slice(0, end);
}

/** Whether a text holds nothing but white space. */
export function isBlank(text) {
  return !NOT_SPACE.test(text);
}
