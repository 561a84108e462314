/** What changed, said to screen readers: one polite live region for the page. */

import { h } from "./dom.js";

const QUIET = 400; // ms; while a slider moves, only where it comes to rest is said
let region;
let waiting;

/**
 * Say a sentence once the reader has paused; a later one replaces it.
 * @param {string|Node} sentence
 */
export function announce(sentence) {
  if (!region) {
    region = h("div", { role: "status", class: "tb-announce" });
    (document.querySelector("main") ?? document.body).append(region);
  }
  clearTimeout(waiting);
  waiting = setTimeout(() => region.replaceChildren(sentence), QUIET);
}
