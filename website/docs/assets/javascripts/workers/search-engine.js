/**
 * The theme's search worker (`?theme=`, its name in this folder, from which it loads the rules of a language) with a
 * fault of lunr.js 2.3.9 mended: it tells the nodes of its word tree apart by labels and numbers in a row, `1` `23` as
 * `12` `3`. In an index full of numbers it merges nodes that differ, finds words that no page holds, and answers
 * "no matching documents" to the rest of the query.
 */
importScripts(new URLSearchParams(self.location.search).get("theme"));

lunr.TokenSet.prototype.toString = function () {
  const edges = Object.keys(this.edges).sort();
  return (this.final ? "1" : "0") + edges.map((label) => `${label}${this.edges[label].id},`).join("");
};
