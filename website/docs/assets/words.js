/** JavaScript version of `torch_errors/explaining/words.py`, which explains each step. */

/**
 * The function that finds the terms of a text: term -> its place among all terms, and how the text writes it.
 *
 * @returns {(text: string) => Map<string, {place: number, written: string}>}
 */
export function reader({ expressions, accented, plain: unaccented, path, particles, stop, doubled, han, most, longest }, synonyms) {
  const [token, negation, space] = ["token", "negation", "space"].map((name) => new RegExp(expressions[name], "gu"));
  const accents = new RegExp(`[${accented}]`, "gu");
  const [stops, known] = [new Set(stop), new Map(Object.entries(synonyms))];

  function stem(word) {
    if (word.length > 3 && word.endsWith("s") && !word.endsWith("ss")) word = word.slice(0, -1);
    const ending = word.length > 5 && word.endsWith("ing") ? 3 : word.length > 4 && word.endsWith("ed") ? 2 : 0;
    if (ending) {
      word = word.slice(0, -ending);
      if (word.at(-1) === word.at(-2) && doubled.includes(word.at(-1))) word = word.slice(0, -1);
    }
    return word.length > 3 && word.endsWith("e") ? word.slice(0, -1) : word;
  }

  return (text) => {
    const parts = text.split(space).filter((part) => ![...path].some((sign) => part.includes(sign)));
    const lowered = parts.join(" ").toLowerCase();
    const plain = lowered.replace(accents, (letter) => unaccented[accented.indexOf(letter)]).replace(negation, " not");
    const found = [];
    for (const match of plain.matchAll(token)) {
      if (found.length === most) break;
      found.push({ stem: stem(match[0]), begin: match.index, end: match.index + match[0].length });
    }
    const named = new Map();
    let [at, place, before] = [0, 0, ""];
    const key = (size) => {
      const tokens = found.slice(at, at + size);
      return tokens.map((one) => one.stem).join(" ");
    };
    while (at < found.length) {
      let size = Math.min(longest, found.length - at);
      while (size && !known.has(key(size))) size--;
      const { stem: word, begin: first } = found[at];
      let [term, begin] = ["", first];
      if (size) [term, before] = [known.get(key(size)), ""];
      else if (word >= han) {
        if (before && ![before, word].some((one) => particles.includes(one))) term = before + word;
        if (term) begin -= 1;
        before = word;
      } else [term, before] = [word.length > 1 && !stops.has(word) ? word : "", ""];
      at += Math.max(size, 1);
      if (!term) continue;
      if (!named.has(term)) named.set(term, { place, written: plain.slice(begin, found[at - 1].end) });
      place++;
    }
    return named;
  };
}
