/**
 * The search of the theme, answered by Pagefind (https://pagefind.app). Nothing is loaded before the first query, and
 * then only the parts of the index that its words need, whatever the size of the guide.
 *
 * The theme takes any worker that answers its messages. website/search.py makes the index; both split text alike.
 */
const [SETUP, READY, QUERY, RESULT] = [0, 1, 2, 3];
const INDEX = new URL("../pagefind/", self.location.href);

/** How long no key must have been pressed before a query is answered, in ms. */
const QUIET = 120;
/** How many words of a query are looked up: each may load a part of the index, some 15 KB. */
const MOST_WORDS = 5;
/** How many pages are read, to see whether their message or title is what was pasted: each loads 1 to 3 KB. */
const MOST_PAGES = 12;
const MOST_SHOWN = 10;
/** A query of so few telling words is looked up as a phrase, too: "Ran out of input" is not "input" and "ran". */
const FEW = 3;
/** Share of the pairs of words of a page's message or title that a query must hold to be taken for it. */
const SAME = 0.6;
const MOST_SECTIONS = 4;

const HAN = "\\u3400-\\u4dbf\\u4e00-\\u9fff";
const RUN = new RegExp(`[${HAN}]+|(?:(?![${HAN}])[\\p{L}\\p{N}_])+`, "gu");
const IS_HAN = new RegExp(`^[${HAN}]`, "u");
/** What an exception or a warning begins with in a traceback; what follows the last one is its message. */
const RAISED = /[\w.]*(?:Error|Exception|Warning|Interrupt): /g;
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
const FAVOR = 1.5;
/** Workflows have symptoms as titles, too: words that are one of them ask for the page of the symptom. */
const WORKFLOW = /(^|\/)troubleshooting-workflows\//;
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

/**
 * What a query holds of the last exception or warning in it; all of a query without one. That a program which the
 * script started has failed says nothing: its own exception stands before.
 *
 * @param {string} query
 */
function lastMessage(query) {
  const raised = [...query.matchAll(RAISED)];
  const at = raised.findLastIndex(([name]) => !name.endsWith("CalledProcessError: "));
  return at < 0 ? query : query.slice(raised[at].index, raised[at + 1]?.index);
}

/** Each two words in a row, without numbers, which are the reader's own, and names of exceptions. @returns {Set<string>} */
function pairs(text) {
  const runs = [...text.replace(RAISED, "").toLowerCase().matchAll(RUN)].map(([run]) => run).filter((run) => !NUMBER.test(run));
  return new Set(runs.slice(1).map((run, at) => `${runs[at]} ${run}`));
}

/** A query as a phrase of Pagefind: its words in this order. */
const phrase = (query) => `"${[...lastMessage(query).matchAll(RUN)].map(([run]) => run).join(" ")}"`;

/** How many pairs of words a message shares with a query; 0 where most of the message is not in the query. */
function shared(asked, message) {
  const own = [...pairs(message ?? "")];
  const common = own.filter((pair) => asked.has(pair)).length;
  return common >= SAME * own.length ? common : 0;
}

/** How telling a word is: by its length, and less where digits are part of it, as in the names of dtypes. */
function weightOf(word) {
  if (STOP.has(word) || word.length === 1) return 0;
  if (NUMBER.test(word)) return 1;
  return 1 + (/\d/.test(word) ? word.length / 2 : word.length);
}

/**
 * The words to look up, most telling first: words before numbers, which are the reader's own, and long ones before
 * short ones. Of a pasted traceback those of its last message.
 *
 * @param {string} query
 * @returns {string[]}
 */
function chosen(query) {
  const text = lastMessage(query);
  /** @type {Map<string, number>} */
  const telling = new Map();
  const add = (word, weight) => telling.set(word, Math.max(weight, telling.get(word) ?? 0));
  for (const [run] of text.toLowerCase().matchAll(RUN)) {
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
 * @param {string} query
 * @returns {Promise<object[][]>} as the theme shows them: for each page the page, then sections of it
 */
async function find(query) {
  const engine = await (starting ??= start());
  const words = chosen(query);
  const lookups = words.length <= FEW ? [...words, phrase(query)] : words;
  const answers = await Promise.all(lookups.map((text) => engine.search(text)));
  if (missing) throw missing;
  const pages = new Map();
  lookups.forEach((word, at) => {
    for (const result of answers[at].results) {
      const page = pages.get(result.id) ?? { score: 0, words: [], result };
      page.score += result.score;
      if (words.includes(word)) page.words.push(word);
      pages.set(result.id, page);
    }
  });
  for (const page of pages.values()) page.score *= page.words.length / words.length;
  const best = [...pages.values()].sort((a, b) => b.score - a.score).slice(0, MOST_PAGES);
  const read = await Promise.all(
    best.map(async (page) => {
      const { url, filters } = await page.result.data();
      return { page, url, texts: JSON.parse(filters.shown[0]) };
    }),
  );
  // Words alone do not tell a pasted message or a title from one that has the same words in another order.
  const asked = pairs(lastMessage(query));
  const order = new Map(read.map((one) => [one, shared(asked, one.texts.message)]));
  const titled = new Map(read.map((one) => [one, WORKFLOW.test(one.url) ? 0 : shared(asked, one.texts.title)]));
  const described = read.find((one) => SYMPTOM.test(one.url)); // the best of them
  if (described) described.page.score *= FAVOR;
  const by = (a, b) => order.get(b) - order.get(a) || titled.get(b) - titled.get(a) || b.page.score - a.page.score;
  read.sort(by);
  return read.slice(0, MOST_SHOWN).map(({ page, url, texts }) => shown(page, words, url, texts));
}

/** A page and its sections as the theme expects them: its HTML is made of these strings. */
function shown({ score, words }, asked, url, { title, text, message, sections }) {
  const location = url.replace(/^\//, "");
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
  const begin = words.map((word) => (IS_HAN.test(word) ? word : `(?<![\\p{L}\\p{N}])${word}`));
  const pattern = new RegExp(`(${begin.join("|")})`, "giu");
  const marked = (part, at) => (at % 2 ? `<mark>${escaped(part)}</mark>` : escaped(part));
  return (text) => text.split(pattern).map(marked).join("");
}

async function answer(query) {
  latest += 1;
  const number = latest;
  let items = [];
  if (query.trim()) {
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
