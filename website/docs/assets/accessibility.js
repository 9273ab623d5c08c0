/**
 * What the theme's script leaves out for people who hear a page or use the keyboard. The rest is in
 * website/accessibility.py.
 */

/**
 * Each copy button of a code block stands in a `<nav>`: dozens of landmarks without a name, which readers of screens list
 * among the parts of the page. They lead nowhere, so they are no landmarks.
 */
function mendBlocks(article) {
  for (const nav of article.querySelectorAll("nav.md-code__nav:not([role])")) nav.setAttribute("role", "none");
}

const article = document.querySelector("article");
if (article) {
  mendBlocks(article);
  // The theme makes them when it is ready, and again when a tab with blocks is opened.
  new MutationObserver(() => mendBlocks(article)).observe(article, { childList: true, subtree: true });
}

// Labels that act as buttons: the theme listens to the enter key only.
document.addEventListener("keydown", (event) => {
  if (event.key === " " && event.target instanceof HTMLLabelElement) {
    event.preventDefault(); // no scrolling
    event.target.click();
  }
});

// The theme searches when a key is released. Text that is pasted with the mouse, dictated or dropped comes without one.
document.addEventListener("input", ({ target }) => {
  if (target instanceof HTMLInputElement && target.dataset.mdComponent === "search-query") {
    target.dispatchEvent(new KeyboardEvent("keyup"));
  }
});
