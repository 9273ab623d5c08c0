/**
 * The search of the theme, started with the first query: the index is larger than any page, and most readers never search.
 *
 * The theme takes any worker that answers its messages. This one says that it is ready at once, and with the first
 * letters of a query starts the theme's own (`?theme=`, its file; through javascripts/workers/search-engine.js) on the
 * pages that the build has put aside (website/search.py).
 */
const [SETUP, READY, QUERY, RESULT] = [0, 1, 2, 3];
const here = new URL(self.location.href);

/** @type {{config: object, docs: object[], options: object}} what the theme knows, without the pages */
let known;
/** @type {Promise<Worker> | undefined} */
let starting;

async function start() {
  const response = await fetch(new URL("../search/pages.json", here));
  if (!response.ok) throw new Error(`${response.url}: status ${response.status}`);
  const docs = await response.json();
  const worker = new Worker(new URL(`javascripts/workers/search-engine.js${here.search}`, here));
  await new Promise((resolve, reject) => {
    worker.onmessage = resolve;
    worker.onerror = reject;
    worker.postMessage({ type: SETUP, data: { ...known, docs } });
  });
  worker.onmessage = ({ data }) => self.postMessage(data);
  return worker;
}

self.addEventListener("message", async ({ data: { type, data } }) => {
  if (type === SETUP) {
    known = data;
    self.postMessage({ type: READY });
  } else if (type === QUERY && !data.trim() && !starting) {
    self.postMessage({ type: RESULT, data: { items: [] } });
  } else if (type === QUERY) {
    try {
      starting ??= start();
      (await starting).postMessage({ type, data });
    } catch (error) {
      starting = undefined; // the next query tries again
      console.error(error);
    }
  }
});
