/**
 * The search of the theme, answered by Pagefind (https://pagefind.app). Nothing is loaded before the first query, and
 * then only the parts of the index that its words need, whatever the size of the guide.
 *
 * The theme takes any worker that answers its messages. website/search.py makes the index; both split text alike.
 * A pasted message is not searched for: one line leads to the paste box, which explains it.
 */
const [SETUP, READY, QUERY, RESULT] = [0, 1, 2, 3];
const INDEX = new URL("../pagefind/", self.location.href);

/** How long no key must have been pressed before a query is answered, in ms. */
const QUIET = 120;
/** How many words of a query are looked up: each may load a part of the index, some 15 KB. */
const MOST_WORDS = 5;
/** How many pages are read, to see which are symptoms: each loads 1 to 3 KB. */
const MOST_PAGES = 12;
const MOST_SHOWN = 10;
/** Up to how many words a query is a description, of which the nearest page comes first; a longer one is a message. */
const MOST_OF_NEAREST = 4;
const MOST_SECTIONS = 4;

const HAN = "\\u3400-\\u4dbf\\u4e00-\\u9fff";
const RUN = new RegExp(`[${HAN}]+|(?:(?![${HAN}])[\\p{L}\\p{N}_])+`, "gu");
const IS_HAN = new RegExp(`^[${HAN}]`, "u");
/** The beginning of a message as Python prints it. */
const RAISED = /(?:Error|Exception|Warning|Interrupt): /;
/** A query with more characters than a line is no question. */
const LINE = 100;
/** How much of a pasted text is handed to the paste box, in characters: addresses are limited. */
const MOST_HANDED_OVER = 20_000;
const IN_CHINESE = self.location.pathname.endsWith("/zh/assets/search.js");
const EXPLAIN_IT = IN_CHINESE ? "在首页的粘贴框中解释这段文本" : "Explain this text in the paste box of the home page";
const NUMBER = /^\d|^[\dx_]+$/;
/** Words that tell no page from another. */
const STOP = new Set(
  ("a all an and any are as at be but by can could do does for from had has have how i if in is it its may my no not " +
    "of on one or should so than that the their then there these this to was were what when which while why will with " +
    "you your error runtimeerror valueerror typeerror userwarning").split(" "),
);
const PARTICLES = /[的了是在和与就也都被把这那而及其个]/u;
/** Who describes a failure gets the page of its symptom before those of single causes, which say similar words. */
const SYMPTOM = /(^|\/)symptoms\/[^/]/;
const [FAVOR, FAVOR_NEAR] = [1.5, 1.25];
/** Pages are documents of distinct words: their length says little. */
const RANKING = { pageLength: 0.2, termFrequency: 0.9, termSaturation: 1.6, termSimilarity: 4 };

/** @type {Promise<object> | undefined} */
let starting;
/** @type {Error | undefined} what could not be loaded: Pagefind only logs it, and answers with what it has */
let missing;
const load = self.fetch;
self.fetch = async (...given) => {
  try {
    const response = await load(...given);
    if (response.ok) return response;
    throw new Error(`${response.url}: status ${response.status}`);
  } catch (error) {
    missing = error;
    throw error;
  }
};

let attempts = 0;
let latest = 0;
/** @type {Promise<(query: string) => {page: string, title?: string} | undefined> | undefined} */
let nearing;

/** The function that finds the page nearest to a query, as the paste box and the command do: a symptom or an entry. */
async function startNearest() {
  const [{ guesser }, response] = await Promise.all([
    import(new URL("guess.js", self.location.href).href),
    load(new URL("nearest.json", self.location.href)),
  ]);
  if (!response.ok) throw new Error(`${response.url}: status ${response.status}`);
  const data = await response.json();
  const near = guesser(data, data.pages);
  return (query) => {
    const { entries, symptoms } = near(query, { exception: null, message: "", frames: [], place: null });
    const [entry, symptom] = [entries[0], symptoms[0]];
    if (!symptom || FAVOR_NEAR * symptom.score < (entry?.score ?? 0)) return entry && { page: entry.entry };
    const [title, text] = [symptom.title, symptom.summary].map((told) => told.replaceAll("`", "")); // marks of code
    return { page: `symptoms/${symptom.id}/`, title, text, sections: [] };
  };
}

/** The page nearest to a query; without the data of the measure the other results are shown. @param {string} query */
async function nearestPage(query) {
  nearing ??= startNearest();
  nearing.catch(() => (nearing = undefined)); // the next query tries again
  return nearing.then((near) => near(query)).catch(() => undefined);
}

/** Pagefind, ready to search. Each attempt has an address of its own: browsers remember modules that did not load. */
async function start() {
  missing = undefined;
  const file = new URL(attempts ? `pagefind.js?attempt=${attempts}` : "pagefind.js", INDEX);
  attempts += 1;
  const pagefind = await import(file);
  const engine = pagefind.createInstance({ basePath: INDEX.pathname, baseUrl: "/", ranking: RANKING });
  await engine.init();
  return engine;
}

/** Whether a query is a pasted message or traceback, and not a question. @param {string} query */
const isPasted = (query) => query.includes("\n") || query.length > LINE || RAISED.test(query);

/** The result that leads to the paste box, which takes the text from the fragment of its address. @param {string} query */
function toPasteBox(query) {
  const text = query.slice(-MOST_HANDED_OVER).replace(/\p{Surrogate}/gu, "\ufffd"); // half a character has no address
  return [{ location: `#q=${encodeURIComponent(text)}`, title: EXPLAIN_IT, text: "", score: 0, terms: {} }];
}

/** How telling a word is: by its length, and less where digits are part of it, as in the names of dtypes. */
function weightOf(word) {
  if (STOP.has(word) || word.length === 1) return 0;
  if (NUMBER.test(word)) return 1;
  return 1 + (/\d/.test(word) ? word.length / 2 : word.length);
}

/**
 * The words to look up, most telling first: words before numbers, which are the reader's own, and long ones before
 * short ones.
 *
 * @param {string} query
 * @returns {string[]}
 */
function chosen(query) {
  /** @type {Map<string, number>} */
  const telling = new Map();
  const add = (word, weight) => telling.set(word, Math.max(weight, telling.get(word) ?? 0));
  for (const [run] of query.toLowerCase().matchAll(RUN)) {
    if (!IS_HAN.test(run)) add(run, weightOf(run));
    else if (run.length === 1) add(run, 0);
    for (let at = 0; IS_HAN.test(run) && at < run.length - 1; at += 1) {
      const pair = run.slice(at, at + 2);
      add(pair, PARTICLES.test(pair) ? 0 : at % 2 ? 7 : 8); // every other pair has all characters
    }
  }
  const most = Math.max(...telling.values());
  const least = Math.min(most, 2); // numbers only where there are no words, grammar only where there is nothing else
  return [...telling.keys()]
    .filter((word) => telling.get(word) >= least)
    .sort((a, b) => telling.get(b) - telling.get(a))
    .slice(0, MOST_WORDS);
}

/**
 * Pagefind ranks pages for one word or phrase. Asked for several words, it leaves out each page that lacks one of them,
 * and whoever describes a failure uses other words than its page. So each word is looked up, and then all as a phrase.
 *
 * @param {string} query
 * @returns {Promise<object[][]>} as the theme shows them: for each page the page, then sections of it
 */
async function find(query) {
  const engine = await (starting ??= start());
  const words = chosen(query);
  const phrase = `"${[...query.matchAll(RUN)].map(([run]) => run).join(" ")}"`;
  const answers = await Promise.all([...words, phrase].map((text) => engine.search(text)));
  if (missing) throw missing;
  const pages = new Map();
  for (const [at, { results }] of answers.entries()) {
    for (const result of results) {
      const page = pages.get(result.id) ?? { score: 0, words: [], result };
      page.score += result.score;
      if (at < words.length) page.words.push(words[at]);
      pages.set(result.id, page);
    }
  }
  for (const page of pages.values()) page.score *= page.words.length / words.length;
  const byScore = (a, b) => b.score - a.score;
  const best = [...pages.values()].sort(byScore).slice(0, MOST_PAGES);
  await Promise.all(best.map(async (page) => (page.data = await page.result.data())));
  const symptom = best.find(({ data }) => SYMPTOM.test(data.url)); // the best of them
  if (symptom) symptom.score *= FAVOR;
  const near = words.length <= MOST_OF_NEAREST ? await nearestPage(query) : undefined;
  let first = near && best.find(({ data }) => data.url.endsWith(`/${near.page}`));
  if (near?.title && !first) {
    const said = words.filter((word) => `${near.title} ${near.text}`.toLowerCase().includes(word));
    first = { score: 0, words: said, data: { url: `/${near.page}`, filters: { shown: [JSON.stringify(near)] } } };
    best.push(first);
  }
  if (first) first.score = 1 + 2 * Math.max(...best.map(({ score }) => score));
  return best
    .sort(byScore)
    .slice(0, MOST_SHOWN)
    .map((page) => shown(page, words));
}

/** A page and its sections as the theme expects them: its HTML is made of these strings. */
function shown({ score, words, data }, asked) {
  const { title, text, message, sections } = JSON.parse(data.filters.shown[0]);
  const location = data.url.replace(/^\//, "");
  const terms = Object.fromEntries(
    asked.filter((word) => words.includes(word) || !IS_HAN.test(word)).map((word) => [word, words.includes(word)]),
  );
  const mark = marker(words);
  const named = sections.filter(([, heading]) => words.some((word) => heading.toLowerCase().includes(word)));
  const paragraphs = [mark(text), message && `<code>${mark(message)}</code>`].filter(Boolean);
  const page = { location, title: mark(title), text: paragraphs.map((html) => `<p>${html}</p>`).join(""), score, terms };
  const section = ([id, heading]) => ({ location: `${location}#${id}`, title: mark(heading), text: "", score: 0, terms });
  return [page, ...named.slice(0, MOST_SECTIONS).map(section)];
}

/** Function that writes text as HTML, with these words marked. */
function marker(words) {
  const escaped = (text) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
  if (!words.length) return escaped;
  const begin = words.map((word) => (IS_HAN.test(word) ? word : `(?<![\\p{L}\\p{N}])${word}`));
  const pattern = new RegExp(`(${begin.join("|")})`, "giu");
  const marked = (part, at) => (at % 2 ? `<mark>${escaped(part)}</mark>` : escaped(part));
  return (text) => text.split(pattern).map(marked).join("");
}

async function answer(query) {
  latest += 1;
  const number = latest;
  let items = isPasted(query) ? [toPasteBox(query)] : [];
  if (query.trim() && !items.length) {
    await new Promise((done) => setTimeout(done, QUIET));
    if (number !== latest) return;
    try {
      items = await find(query);
    } catch (error) {
      starting = undefined; // the next query tries again
      console.error(error);
      return;
    }
  }
  if (number === latest) self.postMessage({ type: RESULT, data: { items } });
}

self.addEventListener("message", ({ data: { type, data } }) => {
  if (type === SETUP) self.postMessage({ type: READY });
  else if (type === QUERY) answer(data);
});
