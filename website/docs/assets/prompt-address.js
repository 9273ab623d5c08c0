/**
 * How a text gets from the paste box to the prompt builder: in the fragment of the address, which no server sees.
 * The builder takes it out of the address as soon as it has read it.
 */

/** Longest fragment that is made, in characters: the shortest limit of a browser for a whole address is 80 000. */
export const LONGEST_FRAGMENT = 60_000;

/**
 * The fragment that carries a text, or as much of its end as fits: there the message stands.
 *
 * @param {string} text
 * @returns {string}
 */
export function fragmentWith(text) {
  let fragment = encoded(text);
  for (let length = LONGEST_FRAGMENT; fragment.length > LONGEST_FRAGMENT; length = Math.floor(length / 2)) {
    fragment = encoded(text.slice(-length));
  }
  return fragment;
}

/** Whether a fragment can carry all of a text. */
export function fits(text) {
  return text.length < LONGEST_FRAGMENT && encoded(text).length <= LONGEST_FRAGMENT;
}

/** @param {string} hash of an address @returns {{template: string | null, traceback: string | null}} */
export function readFragment(hash) {
  const fields = new URLSearchParams(hash.slice(1));
  return { template: fields.get("template"), traceback: fields.get("traceback") };
}

function encoded(text) {
  const whole = text.replace(/\p{Surrogate}/gu, "\ufffd"); // half a character has no address
  return `#${new URLSearchParams({ traceback: whole })}`;
}
