/** The eight steps on a line, each with a small picture of what it makes. */

import { steps } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { miniature } from "../../kit/heat.js";
import { resultsOf, roleOf, stageOf } from "./stages.js";

/**
 * @param {{steps: string, short: string[], back: string, forward: string}} words
 * @param {number} step the current one
 * @param {(step: number) => void} onStep
 * @returns {{element: HTMLElement, pair: HTMLElement, set: Function, draw: Function}}
 *   draw(head, all, differs) draws the matrices of a head; differs(name)(i, j) flags a cell
 */
export function strip(words, step, onStep) {
  const thumbs = words.short.map(() => h("span", { class: "tb-thumb" }));
  const labels = words.short.map((name, k) => h("span", { class: "tb-step" },
    h("b", {}, k + 1), thumbs[k], h("span", { class: "tb-name" }, name)));
  const draw = (head, all, differs) => thumbs.forEach((thumb, k) => {
    const items = resultsOf(stageOf(k + 1, head)).map((name) => (
      { values: all[name], role: roleOf(name), changed: differs(name) }));
    thumb.replaceChildren(miniature(items));
  });
  return { ...steps(words.steps, labels, step, onStep, words), draw };
}
