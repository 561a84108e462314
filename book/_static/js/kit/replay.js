/** A figure that appears step after step: it can be played again, and pointed at. */

import { h } from "./dom.js";

const WORDS = { again: "Play again" };

/** @param {Element} figure whose parts have the class tb-step and say their step in their style */
export function replayable(figure) {
  const parts = [...figure.querySelectorAll(".tb-step")];
  const stepOf = (/** @type {Element|null} */ part) => part?.getAttribute("style");
  /** Let all but the parts of one step be pale; without a step, none. */
  const point = (/** @type {string|undefined} */ step) => {
    for (const part of parts) part.classList.toggle("tb-pale", Boolean(step) && stepOf(part) !== step);
  };
  figure.addEventListener("pointerover", ({ target }) =>
    point(stepOf(/** @type {Element} */ (target).closest(".tb-step"))));
  figure.addEventListener("pointerleave", () => point(undefined));
  const onclick = () => figure.getAnimations({ subtree: true }).forEach((appearing) => {
    appearing.cancel();
    appearing.play();
  });
  // Beside the line that unfolds the code: an output cuts off what stands below its figure.
  const place = figure.closest(".cell") ?? figure;
  place.append(h("button", { type: "button", class: "tb-again", onclick }, WORDS.again));
}
