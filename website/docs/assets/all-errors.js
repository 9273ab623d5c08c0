/**
 * The filters on the page of all errors. website/all_errors.py writes the table; this module hides rows of it.
 *
 * The chosen filters are in the fragment of the address, such as `#q=nan&kind=silent`, so that readers can link to a
 * filtered table and the Back button works. Values in a fragment that the table does not have are ignored.
 */
import { element } from "./page-parts.js";
import { textsFor } from "./all-errors-texts.js";

/** Delay in milliseconds between the last key and the change of the address: browsers limit how often it may change. */
const PAUSE = 300;
const WORDS = "q";

const texts = textsFor(document.documentElement.lang);

/** @typedef {{ row: HTMLTableRowElement, words: string, category: string[], kind: string[], needs: string[] }} Row */

/** @param {HTMLTableRowElement} row @returns {Row} */
function prepared(row) {
  const [title, seen] = row.cells;
  const { category = "", kind = "", needs = "", words = "" } = row.dataset;
  return {
    row,
    words: `${title.textContent} ${seen.textContent} ${words}`.toLowerCase(),
    category: [category],
    kind: [kind],
    needs: needs.split(" ").map((need) => need || "anywhere"),
  };
}

/**
 * @param {HTMLElement} place element in which the filters are shown
 * @param {HTMLTableElement} table
 */
function build(place, table) {
  const rows = [...table.tBodies[0].rows].map(prepared);
  const columns = /** @type {const} */ (["category", "kind", "needs"]);
  // All other requirements of entries are packages.
  const others = rows.flatMap(({ needs }) => needs).filter((need) => !(need in texts.needs));
  const packages = Object.fromEntries(others.sort().map((name) => [name, texts.package(name)]));
  /** The text for each value of a column. The texts of categories are taken from the table, in its order. */
  const names = {
    category: Object.fromEntries(rows.map(({ row, category }) => [category[0], row.cells[2].textContent ?? ""])),
    kind: texts.kinds,
    needs: { ...texts.needs, ...packages },
  };

  const field = /** @type {HTMLInputElement} */ (
    element("input", {
      id: "filter-words",
      type: "search",
      placeholder: texts.hint,
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      translate: "no",
    })
  );
  const selects = columns.map((column) => {
    const options = Object.entries(names[column]).flatMap(([value, name]) => {
      const count = rows.filter((row) => row[column].includes(value)).length;
      return count ? [element("option", { value }, texts.option(name, String(count)))] : [];
    });
    const select = element("select", { id: `filter-${column}` }, element("option", { value: "" }, texts.all), ...options);
    return /** @type {HTMLSelectElement} */ (select);
  });
  const labelled = (control, label, name) =>
    element("div", { class: `error-filter error-filter-${name}` }, element("label", { for: control.id }, label), control);
  const clear = element("button", { type: "button" }, texts.reset);
  const status = element("p", { class: "error-filters-status", role: "status" });
  const link = /** @type {HTMLAnchorElement} */ (element("a", {}, texts.ask[1]));
  const none = element(
    "div",
    { class: "error-filters-none", hidden: "" },
    element("p", {}, element("strong", {}, texts.none), " ", texts.ask[0], link, texts.ask[2]),
  );
  // Not a `<form>`: nothing is sent.
  place.setAttribute("role", "search");
  place.setAttribute("aria-label", texts.filters);
  place.replaceChildren(
    labelled(field, texts.words, "words"),
    ...selects.map((select, i) => labelled(select, [texts.category, texts.kind, texts.hardware][i], columns[i])),
    clear,
    status,
  );
  table.before(none);

  let timer = 0;

  /** Show the matching rows and hide the others. */
  function filter() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = columns.flatMap((column, i) => (selects[i].value ? [{ column, value: selects[i].value }] : []));
    let shown = 0;
    for (const row of rows) {
      const matches =
        wanted.every(({ column, value }) => row[column].includes(value)) &&
        words.every((word) => row.words.includes(word));
      if (row.row.hidden === matches) row.row.hidden = !matches;
      shown += Number(matches);
    }
    status.textContent = texts.shown(shown, rows.length);
    table.hidden = shown === 0;
    none.hidden = shown > 0;
    // The paste box explains the text in its fragment. It also finds messages whose numbers are in no row.
    link.href = words.length ? `../#q=${encodeURIComponent(field.value)}` : "../";
  }

  /** The fragment with the chosen filters, or an empty string if there are none. */
  function fragment() {
    const chosen = new URLSearchParams();
    if (field.value.trim()) chosen.set(WORDS, field.value.trim());
    columns.forEach((column, i) => selects[i].value && chosen.set(column, selects[i].value));
    const written = chosen.toString();
    return written && `#${written}`;
  }

  /** @param {"pushState" | "replaceState"} how `pushState` if Back should undo the change, not for typed words */
  function toAddress(how) {
    clearTimeout(timer);
    if (fragment() !== location.hash) history[how](null, "", location.pathname + location.search + fragment());
  }

  function fromAddress() {
    clearTimeout(timer);
    const chosen = new URLSearchParams(location.hash.slice(1));
    field.value = chosen.get(WORDS) ?? "";
    columns.forEach((column, i) => {
      selects[i].value = chosen.get(column) ?? "";
      if (selects[i].selectedIndex < 0) selects[i].value = "";
    });
    filter();
  }

  function reset() {
    field.value = "";
    for (const select of selects) select.value = "";
    filter();
    toAddress("pushState");
    field.focus();
  }

  field.addEventListener("input", () => {
    filter();
    clearTimeout(timer);
    timer = setTimeout(() => toAddress("replaceState"), PAUSE);
  });
  for (const select of selects) {
    select.addEventListener("change", () => {
      filter();
      toAddress("pushState");
    });
  }
  clear.addEventListener("click", reset);
  // Save the typed words before the reader follows a link, so that Back restores them.
  addEventListener("pagehide", () => toAddress("replaceState"));
  addEventListener("hashchange", fromAddress);
  fromAddress();
}

const place = document.getElementById("error-filters");
const table = document.getElementById("error-table");
if (place && table instanceof HTMLTableElement) build(place, table);
