/** Creates elements of a page without parsing HTML, so that text can't become markup. */

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

/** A text of the catalog, in which the parts between backticks become code elements. @returns {(string | Node)[]} */
export function withCode(text) {
  return text.split("`").map((part, i) => (i % 2 ? element("code", {}, part) : part));
}
