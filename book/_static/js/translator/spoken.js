/** What screen readers say of a translation. */

import { announce } from "../kit/announce.js";
import { h } from "../kit/dom.js";

/** Whether a translation was cut at its greatest length. */
export const isCut = (target) => target.at(-1) !== "<eos>";

/**
 * Say all of it.
 * @param {string[]} target tokens
 * @param {{whole: string}} words
 * @param {string} before what must be heard first
 * @param {string} after why it has no end
 */
export function sayAll(target, words, before, after) {
  const text = isCut(target) ? target : target.slice(0, -1);
  const said = h("span", { lang: "zh" }, text.join(""));
  announce(h("span", {}, `${before} ${words.whole} `, said, ` ${after}`));
}
