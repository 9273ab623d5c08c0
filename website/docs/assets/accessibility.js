/**
 * Corrects what the theme's script does wrong for readers with a screen reader or a keyboard. The other corrections are
 * in website/accessibility.py.
 */

/**
 * Remove the role of the `<nav>` around each copy button: otherwise screen readers list dozens of navigation landmarks
 * without a name, none of which is for navigation.
 */
function mendBlocks(article) {
  for (const nav of article.querySelectorAll("nav.md-code__nav:not([role])")) nav.setAttribute("role", "none");
}

const article = document.querySelector("article");
if (article) {
  mendBlocks(article);
  // The theme creates these elements after it has loaded, and again when a tab with code blocks is opened.
  new MutationObserver(() => mendBlocks(article)).observe(article, { childList: true, subtree: true });
}

// For labels that act as buttons, the theme handles only the enter key. This handles the space key.
document.addEventListener("keydown", (event) => {
  if (event.key === " " && event.target instanceof HTMLLabelElement) {
    event.preventDefault(); // prevent scrolling
    event.target.click();
  }
});

// The theme starts a search when a key is released, which pasted, dropped or dictated text does not cause.
document.addEventListener("input", ({ target }) => {
  if (target instanceof HTMLInputElement && target.dataset.mdComponent === "search-query") {
    target.dispatchEvent(new KeyboardEvent("keyup"));
  }
});
