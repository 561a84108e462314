/** The two translations, one above the other: what is gone of the first, what is new in the second. */

import { glossed } from "../../files/gloss.js";
import { h } from "../../kit/dom.js";
import { rove } from "../../kit/rove.js";

/**
 * The tokens of a translation, put together into words, with their English under them.
 * @param {string[]} tokens
 * @param {import("../../files/gloss.js").Glosses} gloss
 * @param {(k: number) => HTMLElement} show makes the element of token k
 * @returns {HTMLElement}
 */
function glossedList(tokens, gloss, show) {
  let k = 0;
  return h("ol", {}, ...glossed(tokens, gloss).map(({ length, english }) => h("li", {},
    h("span", { class: "tb-chips" }, ...Array.from({ length }, () => show(k++))),
    h("small", { lang: "en" }, english))));
}

export class Lines {
  /**
   * @param {object} words what the reader sees
   * @param {import("../../files/gloss.js").Glosses} gloss
   * @param {(step: number) => void} onStep from 1
   */
  constructor(words, gloss, onStep) {
    this.words = words;
    this.gloss = gloss;
    this.onStep = onStep;
    const line = (tabindex) => h("div", { class: "tb-line", role: "group", lang: "zh", tabindex });
    this.before = line(null);
    this.after = line(0); // it scrolls, and holds nothing else that Tab reaches
    this.names = [h("p", { class: "tb-where" }), h("p", { class: "tb-where" })];
    // Where the parts stand below, the second line stays in sight above them.
    this.element = h("div", { class: "tb-both" }, h("div", {}, this.names[0], this.before),
      h("div", { class: "tb-after" }, this.names[1], this.after));
  }

  /**
   * @param {string[]} before tokens
   * @param {string[]} after
   * @param {{gone: boolean[], fresh: boolean[]}} marks
   * @param {{before: string, after: string}} names of the two lines
   */
  set(before, after, { gone, fresh }, names) {
    const { words, gloss } = this;
    const had = this.chips?.findIndex((one) => one === document.activeElement) ?? -1;
    this.chips = before.map((piece, k) => h("button", {
      type: "button", "aria-label": gone[k] ? words.gone(piece) : null,
      onclick: () => this.onStep(k + 1),
    }, gone[k] ? h("del", {}, piece) : piece));
    const list = glossedList(before, gloss, (k) => this.chips[k]);
    rove(list, [this.chips]);
    this.before.replaceChildren(list);
    this.after.replaceChildren(glossedList(after, gloss, (k) => (fresh[k]
      ? h("ins", {}, after[k]) : h("span", {}, after[k]))));
    [names.before, names.after].forEach((name, k) => {
      [this.before, this.after][k].setAttribute("aria-label", name);
      this.names[k].replaceChildren(name);
    });
    this.chips[had]?.focus();
  }

  /** Mark the step whose probabilities are shown. */
  mark(step) {
    this.chips.forEach((chip, k) => {
      if (k + 1 === step) chip.setAttribute("aria-current", "step");
      else chip.removeAttribute("aria-current");
    });
  }
}
