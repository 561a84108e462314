/** How sure the model was of what it wrote, by its own probabilities. */

import { h } from "../../kit/dom.js";
import { fixed } from "../../kit/format.js";
import { chance } from "../../translator/odds.js";
import { loops } from "./care.js";

// From where a translation counts as sure, and as half sure. Of 200 test sentences 55 were sure and
// 53 unsure; tests/browser/test_real_translator_care.py counts them.
export const LEVELS = { sure: 0.8, half: 0.6 };
const LIKELIER = 0.5; // below it all other pieces together were likelier

/**
 * @param {number[]} tokens
 * @param {Float64Array[]} odds for each the distribution that it was taken from
 * @param {number} begun how many of the first are the reader's, which say nothing of the model
 * @returns {{each: number[], mean: number, least: number}} the probability of each; of those of the
 *   model their geometric mean, and the place of the least
 */
export function sureness(tokens, odds, begun = 0) {
  const each = tokens.map((id, j) => odds[j][id]);
  const own = each.slice(begun);
  const logs = own.reduce((sum, p) => sum + Math.log(p), 0);
  return { each, mean: own.length ? Math.exp(logs / own.length) : NaN,
    least: begun + own.indexOf(Math.min(...own)) };
}

export class Sure {
  /**
   * @param {object} words what the reader sees
   * @param {HTMLElement} place where the written pieces are
   */
  constructor(words, place) {
    this.words = words;
    this.place = place;
    this.measure = h("p", { class: "tb-sure" });
    this.care = h("p", { class: "tb-care" });
    this.element = h("div", { class: "tb-judged" }, this.measure, this.care);
    const point = (event) => this.#point(this.#chips().indexOf(event.target.closest("button")));
    for (const name of ["pointerover", "focusin"]) place.addEventListener(name, point);
    for (const name of ["pointerleave", "focusout"])
      place.addEventListener(name, () => this.#point(-1));
  }

  /**
   * @param {?{tokens: number[], odds: Float64Array[], begun: number}} now null while there is none
   * @param {string[]} target the tokens in words
   * @param {string} care see careOf
   */
  set(now, target = [], care = "") {
    this.now = now && { ...sureness(now.tokens, now.odds, now.begun), target };
    this.care.replaceChildren(care);
    this.#point(-1);
    if (this.now) this.#mark(this.now);
  }

  /** @returns {string} what screen readers hear of it */
  get heard() {
    return `${this.measure.innerText} ${this.care.textContent}`;
  }

  #chips() {
    return [...this.place.querySelectorAll(".tb-written button")];
  }

  /** Mark the pieces that were hardly likely, and what goes round. */
  #mark({ each, target }) {
    const round = new Set(loops(target).flatMap(({ start, size, times }) =>
      Array.from({ length: size * times }, (_, k) => start + k)));
    this.#chips().forEach((chip, j) => {
      chip.classList.toggle("tb-doubt", each[j] < LIKELIER);
      chip.classList.toggle("tb-round", round.has(j));
    });
  }

  /** Say how likely a piece was; without one, the whole. */
  #point(j) {
    const { words, now } = this;
    if (!now || Number.isNaN(now.mean)) return this.measure.replaceChildren();
    const { each, mean, least, target } = now;
    const level = mean >= LEVELS.sure ? "sure" : mean >= LEVELS.half ? "half" : "unsure";
    const meter = h("span", { class: "tb-meter", style: `--p:${j < 0 ? mean : each[j]}` });
    const zh = (name) => h("span", { lang: "zh" }, name);
    this.measure.replaceChildren(meter, ...(j < 0
      ? [h("b", {}, words.levels[level]), words.mean(fixed(mean, 2)), zh(target[least]),
        words.least(chance(each[least]))]
      : [words.piece, zh(target[j]), words.likely(chance(each[j]), each[j] < LIKELIER)]));
  }
}
