/** What screen readers say of a translation. */

import { announce } from "../../kit/announce.js";
import { h } from "../../kit/dom.js";

/** Whether a translation was cut at its greatest length. */
export const isCut = (target) => target.at(-1) !== "<eos>";

/**
 * Say all of it.
 * @param {string[]} target tokens
 * @param {{whole: string, cut: Function}} words
 * @param {string} before what must be heard first
 */
export function sayAll(target, words, before) {
  const [text, end] = isCut(target) ? [target, words.cut(target.length)] : [target.slice(0, -1), ""];
  const said = h("span", { lang: "zh" }, text.join(""));
  announce(h("span", {}, `${before} ${words.whole} `, said, ` ${end}`));
}
