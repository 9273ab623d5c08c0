/**
 * The prompt builder: fields on one side, on the other the prompt that they make, to be copied whole.
 *
 * What readers paste is theirs and may be hostile: it reaches the page as text only (`textContent`), no request holds it,
 * and nothing is stored. What the paste box carries over comes in the fragment of the address and is taken out of it.
 */
import { element, withCode } from "./page-parts.js";
import { readFragment } from "./prompt-address.js";
import { textsFor } from "./prompt-builder-texts.js";
import { FILLED, load } from "./prompting.js";

/** How long after the last key the prompt is made anew, in milliseconds. */
const PAUSE = 200;
/** Blanks whose fields are high, in lines. */
const ROWS = { traceback: 8, code: 8 };

const texts = textsFor(document.documentElement.lang);
const root = new URL("..", import.meta.url);

/** Parts of a page, unless it shows the same already: a live region reads aloud whatever is put into it. */
function show(place, ...parts) {
  const next = /** @type {Element} */ (place.cloneNode(false));
  next.append(...parts);
  if (!next.isEqualNode(place)) place.replaceChildren(...next.childNodes);
}

function button(text, name) {
  return element("button", { type: "button", class: `prompt-builder-${name}` }, text);
}

/** Copy a text. @returns {Promise<boolean>} whether the browser let it */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Select all of an element's text, so that one key copies it. */
function select(place) {
  const range = document.createRange();
  range.selectNodeContents(place);
  getSelection()?.removeAllRanges();
  getSelection()?.addRange(range);
}

/**
 * @param {HTMLElement} place where the builder goes; `data-prompts` is the address of the prompts below the root
 * @param {Awaited<ReturnType<typeof load>>} prompting
 */
function build(place, prompting) {
  const byName = new Map(prompting.prompts.map((prompt) => [prompt.name, prompt]));
  let prompt = /** @type {import("./prompting.js").Prompt} */ (byName.get(prompting.promptFor(undefined)));

  // Fields ------------------------------------------------------------------------------------------------------------

  const templates = /** @type {HTMLSelectElement} */ (
    element(
      "select",
      { id: "prompt-template", "aria-describedby": "prompt-summary", autocomplete: "off" },
      ...prompting.prompts.map(({ name, title }) => element("option", { value: name }, title)),
    )
  );
  const summary = element("p", { id: "prompt-summary", class: "prompt-builder-hint" });
  const about = element("a", {}, texts.about);
  const fields = element("div");
  const answer = element("div", { class: "prompt-builder-answer", "aria-live": "polite" });
  const environmentCommand = commandOf(prompting.environmentCommand);

  /** Fields by the names of their blanks. They stay when another prompt is chosen, and so does what they hold. */
  const areas = new Map();

  function areaOf(name) {
    if (!areas.has(name)) {
      const area = element("textarea", {
        id: `blank-${name}`,
        rows: String(ROWS[name] ?? 2),
        "aria-describedby": `hint-${name}`,
        // Browsers remember fields, and some send what is typed to a service that checks spelling.
        autocomplete: "off",
        autocapitalize: "off",
        spellcheck: "false",
        translate: "no",
      });
      area.addEventListener("input", composeSoon);
      areas.set(name, area);
    }
    return areas.get(name);
  }

  /** @param {import("./prompting.js").Blank} blank */
  function fieldOf({ name, label, hint }) {
    return element(
      "div",
      { class: "prompt-builder-field" },
      element("label", { for: `blank-${name}` }, label),
      element("p", { id: `hint-${name}`, class: "prompt-builder-hint" }, ...withCode(hint)),
      areaOf(name),
      ...(name === "traceback" ? [answer] : name === "environment" ? [environmentCommand] : []),
    );
  }

  const ticked = new Set();

  function optionsOf({ heading, options }) {
    return element(
      "fieldset",
      { class: "prompt-builder-field" },
      element("legend", {}, heading),
      ...options.map((option) => {
        const box = /** @type {HTMLInputElement} */ (element("input", { type: "checkbox", autocomplete: "off" }));
        box.checked = ticked.has(option);
        box.addEventListener("change", () => {
          if (box.checked) ticked.add(option);
          else ticked.delete(option);
          composeNow();
        });
        return element("label", {}, box, " ", ...withCode(option));
      }),
    );
  }

  function choose(name) {
    prompt = byName.get(name) ?? prompt;
    templates.value = prompt.name;
    summary.replaceChildren(...withCode(prompt.summary));
    about.setAttribute("href", new URL(`${place.dataset.prompts}${prompt.name}/`, root).href);
    const first = ["traceback", "code", "environment"];
    const blanks = prompt.blanks.filter(({ name }) => name !== "explanation");
    fields.replaceChildren(
      ...first.flatMap((name) => blanks.filter((blank) => blank.name === name)).map(fieldOf),
      ...prompt.options.map(optionsOf),
      ...blanks.filter(({ name }) => !FILLED.includes(name)).map(fieldOf),
    );
  }

  // The prompt --------------------------------------------------------------------------------------------------------

  const text = element("pre", { translate: "no" });
  const shown = element("div", { class: "prompt-builder-text", role: "region", tabindex: "0", "aria-label": texts.shown }, text);
  const taken = element("p", { "aria-live": "polite" });
  const open = element("div", { class: "prompt-builder-open", "aria-live": "polite" });
  const hide = /** @type {HTMLInputElement} */ (element("input", { type: "checkbox", autocomplete: "off" }));
  const status = element("p", { class: "prompt-builder-status", role: "status" });
  const [copy, clear] = [button(texts.copy, "copy"), button(texts.clear, "clear")];
  hide.checked = true;

  /** @type {Awaited<ReturnType<typeof import("./explain.js").load>> | undefined} */
  let engine;
  let compose = prompting.composer({ trim: (text) => text, isUnfilled: () => false }); // until it is there
  let loading;
  let timer = 0;
  let lastExplained = { text: "", match: /** @type {import("./explain.js").Match | undefined} */ (undefined) };

  /** Load the engine: the prompt is made anew once it is there. */
  function loadEngine() {
    loading ??= import("./explain.js")
      .then(({ load }) => load(new URL("explain.json", import.meta.url)))
      .then((loaded) => {
        engine = loaded;
        compose = prompting.composer(loaded);
        composeNow();
      })
      .catch((error) => {
        loading = undefined; // the next attempt loads again
        console.error(error);
      });
    return loading;
  }

  function matchOf(traceback) {
    if (!traceback.trim()) return undefined;
    if (!engine) {
      loadEngine();
      return undefined;
    }
    if (lastExplained.text !== traceback) lastExplained = { text: traceback, match: engine.explain(traceback)[0] };
    return lastExplained.match;
  }

  function composeSoon() {
    clearTimeout(timer);
    status.textContent = "";
    timer = setTimeout(composeNow, PAUSE);
  }

  function composeNow() {
    clearTimeout(timer);
    const values = Object.fromEntries([...areas].map(([name, area]) => [name, area.value]));
    const traceback = prompt.blanks.some(({ name }) => name === "traceback") ? (values.traceback ?? "") : "";
    const match = matchOf(traceback);
    const composed = compose(prompt, values, { match, ticked, hide: hide.checked });
    if (text.textContent !== composed.text) text.textContent = composed.text;
    show(answer, ...(engine && traceback.trim() ? answered(match) : []));
    show(taken, hide.checked ? takenOut(composed.redacted) : texts.notHidden);
    taken.classList.toggle("prompt-builder-warning", !hide.checked);
    show(open, ...shortened(composed.shortened), ...left(composed.openBlanks));
    return composed.text;
  }

  /** @param {import("./explain.js").Match | undefined} match @returns {Node[]} */
  function answered(match) {
    if (!match) return [element("p", {}, texts.unknown)];
    const [before, after] = texts.answered;
    const link = element("a", { href: new URL(match.entry.page, root).href }, ...withCode(match.entry.title));
    const parts = [element("p", {}, before, link, after)];
    const better = byName.get(prompting.promptFor(match));
    if (better && better !== prompt) {
      parts.push(element("p", {}, texts.better(better.title), " ", button(texts.useBetter, "better")));
    }
    return parts;
  }

  function takenOut(counts) {
    const kinds = Object.entries(counts).map(([what, count]) => texts.kinds[what](count));
    return kinds.length ? texts.taken(kinds) : texts.nothingTaken;
  }

  /** @param {Record<string, number>} excess by the names of blanks @returns {Node[]} */
  function shortened(excess) {
    const labels = new Map(prompt.blanks.map(({ name, label }) => [name, label]));
    return Object.entries(excess).map(([name, count]) => element("p", {}, texts.shortened(labels.get(name), count)));
  }

  /** @param {string[]} names of blanks @returns {Node[]} */
  function left(names) {
    if (!names.length) return [element("p", {}, texts.complete)];
    const labels = new Map(prompt.blanks.map(({ name, label }) => [name, label]));
    const items = names.map((name) => element("li", {}, element("button", { type: "button", value: name }, labels.get(name))));
    return [element("p", {}, texts.open(names.length)), element("ul", {}, ...items)];
  }

  // What the reader does ----------------------------------------------------------------------------------------------

  /** Choose as the reader does: the address names the prompt, so that it can be passed on. */
  function chooseNamed(name) {
    choose(name);
    composeNow();
    history.replaceState(null, "", `#template=${prompt.name}`);
  }

  /** Take over what the address holds. A text does not stay in it. */
  async function readAddress() {
    const { template, traceback } = readFragment(location.hash);
    if (traceback === null) {
      if (template !== null && template !== prompt.name) choose(template);
      return composeNow();
    }
    history.replaceState(null, "", location.pathname + location.search);
    areaOf("traceback").value = traceback;
    await loadEngine();
    const name = template ?? prompting.promptFor(matchOf(traceback));
    if (name !== prompt.name && byName.has(name)) choose(name); // else a field that is being typed in would lose the focus
    composeNow();
  }

  templates.addEventListener("change", () => chooseNamed(templates.value));
  answer.addEventListener("click", (event) => {
    if (!(event.target instanceof HTMLButtonElement)) return;
    chooseNamed(prompting.promptFor(lastExplained.match));
    templates.focus();
  });
  open.addEventListener("click", (event) => {
    if (event.target instanceof HTMLButtonElement) areaOf(event.target.value).focus();
  });
  hide.addEventListener("change", composeNow);
  copy.addEventListener("click", async () => {
    await loading; // else the reference would be missing
    const done = await copied(composeNow());
    if (!done) {
      shown.focus();
      select(text);
    }
    status.textContent = done ? texts.copied : texts.notCopied;
  });
  clear.addEventListener("click", () => {
    for (const area of areas.values()) area.value = "";
    ticked.clear();
    choose(prompt.name);
    composeNow();
    status.textContent = texts.cleared;
    areaOf("traceback").focus();
  });
  addEventListener("hashchange", readAddress);

  // No form: without a script that works it would put the text into an address, and send it.
  choose(prompt.name);
  place.replaceChildren(
    element(
      "div",
      { class: "prompt-builder-fields" },
      element("h2", {}, texts.have),
      element("div", { class: "prompt-builder-field" }, element("label", { for: "prompt-template" }, texts.template), templates, summary, about),
      fields,
      element("p", { class: "prompt-builder-hint" }, texts.gone),
    ),
    element(
      "div",
      { class: "prompt-builder-result" },
      element("h2", {}, texts.prompt),
      shown,
      element("div", { class: "prompt-builder-notes" }, open, element("label", { class: "prompt-builder-hide" }, hide, " ", texts.hide), taken),
      element("div", { class: "prompt-builder-actions" }, copy, clear, status),
    ),
  );
  readAddress();
}

/** The command that prints an environment, folded, with a button that copies it. */
function commandOf(command) {
  const copy = button(texts.copyCommand, "copy-command");
  const status = element("span", { role: "status" });
  const code = element("pre", { translate: "no", tabindex: "0" }, command);
  copy.addEventListener("click", async () => {
    const done = await copied(command);
    if (!done) select(code);
    status.textContent = done ? texts.commandCopied : "";
  });
  return element("details", {}, element("summary", {}, texts.environmentCommand), code, copy, " ", status);
}

async function start(place) {
  try {
    build(place, await load(new URL("prompts.json", import.meta.url)));
  } catch (error) {
    console.error(error);
    const [before, what, after] = texts.failed;
    const link = element("a", { href: new URL(place.dataset.prompts, root).href }, what);
    place.replaceChildren(element("p", { role: "alert" }, before, link, after));
  }
}

const place = document.querySelector(".prompt-builder");
if (place) start(/** @type {HTMLElement} */ (place));
