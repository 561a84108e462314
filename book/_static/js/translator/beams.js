/** The translations that a beam search found, with their scores; one of them is shown. */

import { h } from "../kit/dom.js";
import { fixed } from "../kit/format.js";

/**
 * @param {{beams: string, score: string}} words above the list
 * @param {(k: number) => void} onPick from 1
 * @returns {{element: HTMLElement, set: Function}} set(all, shown, write) lists them
 */
export function beamList(words, onPick) {
  const list = h("ol", {});
  const element = h("div", { class: "tb-beams" }, h("p", { class: "tb-where" }, words.beams),
    h("p", { class: "tb-where" }, words.score), list);
  const set = (all, shown, write) => {
    const focused = [...list.children].findIndex((li) => li.contains(document.activeElement));
    element.hidden = !all.length;
    list.replaceChildren(...all.map(({ tokens, score }, k) => h("li", {}, h("button", {
      type: "button", "aria-pressed": String(k === shown), onclick: () => onPick(k + 1),
    }, h("b", {}, fixed(score, 3)), h("span", { lang: "zh" }, write(tokens))))));
    list.children[focused]?.querySelector("button").focus();
  };
  return { element, set };
}
