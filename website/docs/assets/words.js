/** JavaScript version of `torch_errors/explaining/words.py`, which explains each step. */

/** @param {string} text @returns {Set<string>} */
export function words(text, { word, path, stop }) {
  const plain = text.split(" ").filter((part) => ![...path].some((sign) => part.includes(sign)));
  const found = plain.join(" ").matchAll(new RegExp(word, "gu"));
  return new Set([...found].map(([one]) => one.toLowerCase()).filter((one) => !stop.includes(one)));
}
