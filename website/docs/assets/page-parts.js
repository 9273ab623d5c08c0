/** Parts of a page, made without HTML: text stays text. */

/**
 * @param {string} name
 * @param {Record<string, string>} attributes
 * @param {...(string | Node)} children
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

/** A text of the catalog, with what stands between backticks as code. @returns {(string | Node)[]} */
export function withCode(text) {
  return text.split("`").map((part, i) => (i % 2 ? element("code", {}, part) : part));
}
