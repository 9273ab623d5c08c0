/**
 * Below an answer of the paste box: a button that copies the error as a prompt for a language model, how many secrets
 * were taken out, and a folded preview of what is copied.
 */
import { element } from "./page-parts.js";

/** @param {ReturnType<typeof import("./paste-box-texts.js").textsFor>["prompt"]} texts */
export function copiedPrompt(texts) {
  const copy = element("button", { type: "button", class: "paste-box-copy", "aria-describedby": "paste-redacted" }, texts.copy);
  const redacted = element("span", { id: "paste-redacted" });
  const status = element("span", { class: "paste-box-status", role: "status" });
  const summary = element("summary");
  const text = element("pre", { translate: "no" });
  const shown = element("div", { class: "paste-box-preview", role: "region", tabindex: "0", "aria-label": texts.shown }, text);
  const preview = /** @type {HTMLDetailsElement} */ (element("details", {}, summary, shown));
  const part = element("div", { class: "paste-box-prompt", hidden: "" }, element("p", {}, copy, " ", status, " ", redacted), preview);

  /** @type {ReturnType<typeof import("./prompting.js").load> | undefined} */
  let loading;
  let latest = 0;

  function prompting() {
    loading ??= import("./prompting.js").then(({ load }) => load(new URL("prompts.json", import.meta.url)));
    loading.catch(() => (loading = undefined)); // the next attempt loads again
    return loading;
  }

  function hide() {
    latest += 1;
    part.hidden = true;
    status.textContent = "";
  }

  /**
   * Make the prompt at once, although few will copy it: a browser refuses to copy if the click was too long ago.
   *
   * @param {string} trimmed what matters of the pasted text
   * @param {import("./explain.js").Match} [match] the entry that answers it
   */
  async function offer(trimmed, match) {
    hide();
    const mine = latest;
    const { compose } = await prompting();
    if (mine !== latest) return; // the text has changed
    const composed = compose(trimmed, match);
    const kinds = Object.entries(composed.redacted).map(([kind, count]) => texts.kinds[kind](count));
    text.textContent = composed.text;
    summary.textContent = texts.preview(composed.title);
    redacted.textContent = kinds.length ? texts.redacted(kinds) : texts.nothingRedacted;
    part.hidden = false;
  }

  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent ?? "");
      status.textContent = texts.copied;
    } catch {
      preview.open = true;
      shown.focus();
      getSelection()?.selectAllChildren(text);
      status.textContent = texts.notCopied;
    }
  });

  /** A text without secrets and names, for a link to it. @param {string} text */
  async function withoutSecrets(text) {
    return (await prompting()).redact(text)[0];
  }

  return { part, hide, offer, withoutSecrets };
}
