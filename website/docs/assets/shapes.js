/** Draws the shapes of a page, which it has as text. */
import { shapePicture } from "./shape-picture.js";

for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-shapes]"))) {
  const { shapes = "", title = "", marked = "" } = place.dataset;
  const picture = shapePicture(shapes, { title: () => title, marked: () => marked });
  if (picture) place.replaceChildren(picture);
}
