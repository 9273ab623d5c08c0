/**
 * The paste box of the home page: what is pasted is answered here, in the browser.
 *
 * What readers paste is theirs and may be hostile: it reaches the page as text only (`textContent`), no request holds it,
 * and nothing is stored. A link `#q=…` opens with an answer; the fragment of an address is not sent to the server either.
 * The engine and its data are fetched when the box is first used.
 */
import { copiedPrompt } from "./copied-prompt.js";
import { diagnosed } from "./doctor-answer.js";
import { element, withCode } from "./page-parts.js";
import { textsFor } from "./paste-box-texts.js";
import { shapePicture } from "./shape-picture.js";

/** Longest link that is made, in characters: chats and mail programs cut longer ones off. */
const LONGEST_LINK = 8000;
/** Longest text that goes along to the other language, as it is in the address. */
const LONGEST_SWITCH = 100_000;
/** How long after the last key the text is answered, in milliseconds. */
const PAUSE = 200;
/** Longest error message that is shown, and how many words of a guess. */
const LONGEST_MESSAGE = 300;
const MOST_WORDS = 4;
/** How many causes of a symptom are shown; its page has all. */
const MOST_CAUSES = 3;
const WORKFLOWS = "troubleshooting-workflows/";
const OTHER_PLATFORMS = "other-accelerators"; // as in torch_errors/catalog/circumstances.py
const CHECKLIST = "five-minute-checklist";
const FRAGMENT = "#q=";
/** A text that comes from the page in the other language. Unlike a link, it is not for others and leaves the address. */
const CARRIED = "#text=";
/** A file of a traceback, and the part of its path that shows a library, by which frames are told apart. */
const PATH = /File "([^"\n]*[/\\])([^"/\\\n]+)"/gu;
const LIBRARY = /(?:(?:site|dist)-packages|lib[/\\]python[\d.]+)[/\\].*$/u;
/** How long the data may take before the reader is told that they are on their way, in milliseconds. */
const PATIENCE = 400;

const texts = textsFor(document.documentElement.lang);
const root = new URL("..", import.meta.url);

// Parts of the page ------------------------------------------------------------------------------------------------

function link(page, ...children) {
  return element("a", { href: new URL(page, root).href }, ...children);
}

function shortened(text) {
  const characters = [...text];
  return characters.length > LONGEST_MESSAGE ? `${characters.slice(0, LONGEST_MESSAGE - 1).join("")}…` : text;
}

// The answer ---------------------------------------------------------------------------------------------------------

/** The error to fix first in full, each of the others below it, folded. @returns {Node[]}
 * @param {import("./explain.js").Match[]} matches */
function matched([best, ...others]) {
  const line = others.length || best.line > 1 ? best.line : 0;
  const parts = [element("h2", {}, link(best.entry.page, ...withCode(best.entry.title))), ...explained(best, line)];
  if (others.length) {
    const items = others.map((match) => {
      const summary = element("summary", {}, texts.other(match.line), element("code", {}, shortened(match.message)));
      return element("li", {}, element("details", {}, summary, ...explained(match, 0)));
    });
    parts.push(element("p", { id: "paste-others" }, texts.others));
    parts.push(element("ul", { class: "paste-box-others", "aria-labelledby": "paste-others" }, ...items));
  }
  return parts;
}

/** What is said of one error. @param {import("./explain.js").Match} match @returns {Node[]}
 * @param {number} line where it is, 0 where that is known */
function explained({ entry, ranks, message, frame, says, fix, because, needs, platform, alternatives, picture }, line) {
  const drawn = picture && shapePicture(picture, texts.shapes);
  const others = alternatives.flatMap((other) => [", ", link(other.entry.page, ...withCode(other.entry.title))]);
  return [
    element(
      "dl",
      {},
      element("dt", {}, texts.error(line, ranks)),
      placed(shortened(message)),
      ...(frame ? [element("dt", {}, texts.read.frame), placed(placeText(frame))] : []),
      element("dt", {}, texts.happened),
      element("dd", {}, ...withCode(says ?? entry.summary)),
      ...(fix ? [element("dt", {}, texts.fix), element("dd", {}, ...withCode(fix))] : []),
      ...(because.length ? [element("dd", {}, texts.because(because))] : []),
      ...(needs ? [element("dd", {}, texts.needs(needs))] : []),
    ),
    ...(drawn ? [element("p", {}, drawn)] : []), // below the fix, which stays in sight on a phone
    element("p", {}, link(entry.page, texts.page)),
    ...(platform ? [element("p", {}, link(`${WORKFLOWS}${OTHER_PLATFORMS}/`, texts.platform(platform)))] : []),
    ...(others.length ? [element("p", {}, texts.also, ...others.slice(1))] : []),
  ];
}

/** A line of the reader's program. @param {import("./explain.js").UserLine} frame */
function placeText(frame) {
  return joined(": ", joined(", ", `${frame.file}:${frame.line}`, frame.function), frame.code);
}

function placed(text) {
  return element("dd", { class: "paste-box-message", translate: "no" }, element("code", {}, text));
}

/** Parts that are there, joined. */
function joined(separator, ...parts) {
  return parts.filter(Boolean).join(separator);
}

/** What a report of an installation shows. @param {string} text @param {import("./explain.js").Match[]} matches */
async function diagnose(text, matches) {
  doctor ??= import("./doctor.js").then(({ load }) => load(new URL("doctor.json", import.meta.url)));
  doctor.catch(() => (doctor = undefined)); // the next attempt loads again
  return (await doctor)(text, matches);
}

/** @type {ReturnType<typeof import("./doctor.js").load> | undefined} */
let doctor;

/** What was read from a text that no entry matches, and what is nearest to it by words. @returns {Node[]}
 * @param {import("./explain.js").Facts} facts @param {import("./explain.js").Nearest} near */
function unknown({ exception, message, operation, shapes, dtypes, devices, frame }, { entries, symptoms, described, entriesFirst }) {
  const told = Object.entries({
    error: joined(": ", exception, shortened(message ?? "")),
    operation,
    shapes: shapes.join("; "),
    dtypes: dtypes.join("; "),
    devices: devices.join("; "),
    frame: frame && placeText(frame),
  }).filter(([, value]) => value);
  const sentence = described && (entries.length || symptoms.length);
  const parts = [element("h2", {}, sentence ? texts.described : described ? texts.nothingNear : texts.unknown)];
  if (told.length && !sentence) {
    const rows = told.flatMap(([name, value]) => [element("dt", {}, texts.read[name]), placed(value)]);
    parts.push(element("dl", {}, ...rows));
  }
  const found = symptoms.map(symptomPart);
  const causes = new Set(symptoms.flatMap((symptom) => symptom.causes.slice(0, MOST_CAUSES).map(({ id }) => id)));
  const others = entries.filter(({ entry }) => entriesFirst || !causes.has(entry.id)); // the causes are above them
  if (others.length) {
    const items = others.map(({ entry, words }) =>
      element("li", {}, link(entry.page, ...withCode(entry.title)), ` (${texts.shares(words.slice(0, MOST_WORDS))})`),
    );
    const listed = element("div", {}, element("p", {}, texts.nearest), element("ul", {}, ...items));
    found.splice(entriesFirst ? 0 : found.length, 0, listed);
  }
  if (!symptoms.length) found.push(element("p", {}, texts.checklist, link(`${WORKFLOWS}${CHECKLIST}/`, texts.toChecklist)));
  return [...parts, ...found];
}

/** A symptom, its most likely causes, and the workflow. @param {import("./guess.js").Symptom} symptom */
function symptomPart({ id, title, summary, workflow, causes }) {
  const items = causes
    .slice(0, MOST_CAUSES)
    .map((cause) => element("li", {}, link(cause.page, ...withCode(cause.title))));
  return element(
    "div",
    {},
    element("p", {}, texts.symptom, link(`symptoms/${id}/`, ...withCode(title))),
    element("p", {}, ...withCode(summary)),
    element("p", {}, texts.causes),
    element("ol", {}, ...items),
    element("p", {}, link(`${WORKFLOWS}${workflow}/`, texts.workflow)),
  );
}

// The box ------------------------------------------------------------------------------------------------------------

/** @param {HTMLElement} place where the box goes; with `data-prompts` if the guide has prompts */
function build(place) {
  const field = /** @type {HTMLTextAreaElement} */ (
    element("textarea", {
      id: "paste",
      rows: "5",
      placeholder: texts.placeholder,
      "aria-describedby": "paste-private",
      // Browsers remember fields, and some send what is typed to a service that checks spelling.
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      translate: "no",
    })
  );
  const button = (text, name) => element("button", { type: "button", class: `paste-box-${name}` }, text);
  const [explain, example, share, clear] = ["explain", "example", "link", "clear"].map((name) =>
    button(texts[name], name),
  );
  const status = element("p", { class: "paste-box-status", role: "status" });
  const answer = element("div", { class: "paste-box-answer", "aria-live": "polite" });
  // Not part of the answer: the prompt changes with every key, and a live region would be read again.
  const prompt = copiedPrompt(texts.prompt);
  // No form: without a script that works it would put the text into an address, and send it.
  place.replaceChildren(
    element("label", { for: "paste" }, texts.label),
    field,
    element("div", { class: "paste-box-buttons" }, explain, example, share, clear),
    element("p", { id: "paste-private" }, texts.private),
    status,
    answer,
    prompt.part,
  );

  /** @type {ReturnType<typeof import("./explain.js").load> | undefined} */
  let loading;
  let timer = 0;
  let shownExamples = 0;
  let shown = element("div", {});

  function engine() {
    loading ??= import("./explain.js").then(({ load }) => load(new URL("explain.json", import.meta.url)));
    loading.catch(() => (loading = undefined)); // the next attempt loads again
    return loading;
  }

  /** What is loaded; a reader on a slow network is told that it is on its way. @template T @param {Promise<T>} loaded */
  async function waitFor(loaded) {
    const waiting = setTimeout(() => (status.textContent ||= texts.loading), PATIENCE);
    try {
      return await loaded;
    } finally {
      clearTimeout(waiting);
      if (status.textContent === texts.loading) status.textContent = "";
    }
  }

  /** Show parts, unless they are shown already: a live region reads aloud whatever is put into it, and folds it. */
  function show(...parts) {
    const next = element("div", {}, ...parts);
    if (next.isEqualNode(shown)) return;
    shown = /** @type {HTMLElement} */ (next.cloneNode(true));
    answer.replaceChildren(...next.childNodes);
  }

  async function answerNow() {
    clearTimeout(timer);
    prompt.hide();
    if (!field.value.trim()) return show();
    try {
      const { explain, nearest, facts, log: readLog, trim, isUnfilled, isReport } = await waitFor(engine());
      const text = field.value; // while the data were on their way it may have changed
      if (!text.trim()) return show();
      const matches = await waitFor(explain(text));
      const diagnosis = isReport(text) && (await diagnose(text, matches));
      const log = readLog(text);
      const isAnswered = log && (log.findings.length || !(matches.length || facts(text).exception));
      const parts = matches.length ? matched(matches) : diagnosis || isAnswered ? [] : unknown(facts(text), nearest(text));
      if (diagnosis) parts.push(...diagnosed(diagnosis, matches, texts, link));
      if (isAnswered) parts.push(...(await import("./log-answer.js")).logged(log, texts.log, link));
      if (text !== field.value) return; // another answer is on its way
      show(...parts);
      if (!("prompts" in place.dataset) || isUnfilled(text)) return;
      prompt.offer(trim(text, matches[0]?.line), matches[0]).catch(console.error);
    } catch (error) {
      failed(error);
    }
  }

  function failed(error) {
    console.error(error);
    show(element("p", {}, texts.failed));
  }

  function answerSoon() {
    clearTimeout(timer);
    timer = setTimeout(answerNow, PAUSE);
  }

  /** Once the text is another, neither the address nor what was said of its link may name the old one. */
  function forgetLink() {
    status.textContent = "";
    if (location.hash.startsWith(FRAGMENT)) history.replaceState(null, "", location.pathname + location.search);
  }

  function openFragment() {
    const start = [FRAGMENT, CARRIED].find((one) => location.hash.startsWith(one));
    if (!start) return;
    status.textContent = "";
    const { hash } = location;
    if (start === CARRIED) history.replaceState(null, "", location.pathname + location.search);
    try {
      field.value = decodeURIComponent(hash.slice(start.length));
    } catch {
      status.textContent = texts.badLink;
      return;
    }
    answerNow();
  }

  /** What a link to the text shows to others: neither secrets nor names nor where their files lie. */
  async function shared(text) {
    const told = "prompts" in place.dataset ? await prompt.withoutSecrets(text) : text;
    return told.replace(PATH, (_, folders, name) => `File "${folders.match(LIBRARY)?.[0] ?? ""}${name}"`);
  }

  async function copyLink() {
    const text = (await shared(field.value)).replace(/\p{Surrogate}/gu, "\ufffd"); // half a character has no address
    const address = new URL(FRAGMENT + encodeURIComponent(text), location.href).href;
    if (!text.trim()) status.textContent = texts.nothing;
    else if (address.length > LONGEST_LINK) status.textContent = texts.tooLong(LONGEST_LINK);
    else {
      try {
        await navigator.clipboard.writeText(address);
        status.textContent = texts.copied;
      } catch {
        history.replaceState(null, "", address);
        status.textContent = texts.notCopied;
      }
    }
  }

  field.addEventListener("focus", () => engine().catch(() => {}), { once: true });
  field.addEventListener("input", () => {
    forgetLink();
    answerSoon();
  });
  field.addEventListener("paste", () => setTimeout(answerNow)); // after the text has arrived
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) answerNow();
  });
  explain.addEventListener("click", async () => {
    if (!field.value.trim()) return show(element("p", {}, texts.empty));
    await answerNow();
    answer.scrollIntoView({ block: "nearest" });
  });
  example.addEventListener("click", async () => {
    try {
      const { examples } = await waitFor(engine());
      field.value = examples[shownExamples++ % examples.length] ?? "";
      field.scrollTop = field.scrollHeight; // the message is the last line
      forgetLink();
      await answerNow();
    } catch (error) {
      failed(error);
    }
  });
  share.addEventListener("click", copyLink);
  clear.addEventListener("click", () => {
    field.value = "";
    forgetLink();
    answerNow();
    field.focus();
  });
  // The page in the other language opens with the same text, which the fragment does not send.
  for (const event of ["pointerdown", "focusin", "click"]) {
    addEventListener(
      event,
      ({ target }) => {
        const other = target instanceof Element && target.closest("a[hreflang]");
        if (!(other instanceof HTMLAnchorElement)) return;
        const text = field.value.replace(/\p{Surrogate}/gu, "\ufffd");
        const hash = text.trim() ? CARRIED + encodeURIComponent(text) : "";
        other.hash = hash.length > LONGEST_SWITCH ? "" : hash;
      },
      { capture: true },
    );
  }
  addEventListener("hashchange", openFragment);
  openFragment();
}

const place = document.getElementById("paste-box");
if (place) build(place);
