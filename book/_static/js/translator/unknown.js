/** The words that the model does not know, each with a button for the nearest that it knows. */

import { button } from "../kit/controls.js";
import { h } from "../kit/dom.js";

/**
 * @param {Array<{word: string, nearest: ?string}>} odd see strangers
 * @param {{stranger: Function, instead: Function}} words what the reader sees
 * @param {(word: string, nearest: string) => void} onTake
 * @returns {{lines: HTMLElement[], heard: string}} heard is what screen readers say: all of them
 */
export function unknownWords(odd, words, onTake) {
  const lines = odd.map(({ word, nearest }) => {
    const line = h("span", { class: "tb-stranger" }, words.stranger(word));
    const take = () => onTake(word, nearest);
    if (nearest) line.append(" ", button(words.instead(nearest), take).element);
    return line;
  });
  return { lines, heard: odd.map(({ word }) => words.stranger(word)).join(" ") };
}
