/** The words of the sentence, of which a reader may swap two. */

import { announce } from "../../kit/announce.js";
import { h } from "../../kit/dom.js";
import { rove } from "../../kit/rove.js";

/**
 * A list with two of its entries swapped, at places from 1; itself where there are none.
 * @template T
 * @param {T[]} list
 * @param {number[]} places
 * @returns {T[]}
 */
export function swapped(list, places) {
  const [i, j] = places;
  if (!i || i > list.length || j > list.length) return list;
  const made = [...list];
  [made[i - 1], made[j - 1]] = [list[j - 1], list[i - 1]];
  return made;
}

export class SwapLine {
  /**
   * @param {object} words what the reader sees
   * @param {(places: number[], heard: string) => void} onSwap two places from 1, none to put the
   *   words back; and what screen readers must hear of it
   */
  constructor(words, onSwap) {
    this.words = words;
    this.onSwap = onSwap;
    /** @type {?number} the place of the first word to swap */
    this.chosen = null;
    this.hint = h("p", { class: "tb-where" });
    this.list = h("ul", { lang: "en" });
    this.element = h("div", { class: "tb-swap" }, this.hint, this.list);
  }

  /**
   * @param {string[]} tokens as they were typed, without `<eos>`
   * @param {number[]} places of those that are swapped
   */
  set(tokens, places) {
    const had = this.buttons?.findIndex((one) => one === document.activeElement) ?? -1;
    if (places.length || String(tokens) !== String(this.given)) this.chosen = null;
    this.given = tokens;
    this.places = places;
    this.tokens = swapped(tokens, places);
    this.buttons = this.tokens.map((word, k) => h("button", {
      type: "button", "aria-pressed": "false",
      onclick: () => this.#press(k + 1),
    }, word));
    this.#mark();
    const list = h("ul", { lang: "en" }, ...this.buttons.map((one) => h("li", {}, one)));
    this.list.replaceWith(list);
    this.list = list;
    rove(list, [this.buttons]);
    this.buttons[had]?.focus();
  }

  /** Say what a press does next, and mark the words that are swapped or chosen. */
  #mark() {
    const { words, places, chosen, tokens } = this;
    const waits = chosen === null ? words.swap : words.chosen(tokens[chosen - 1]);
    this.hint.replaceChildren(places.length ? words.swapped : waits);
    this.buttons.forEach((one, k) => one.setAttribute("aria-pressed",
      String(places.includes(k + 1) || chosen === k + 1)));
  }

  #press(place) {
    const { words, places, chosen } = this;
    if (places.includes(place)) this.onSwap([], words.back);
    else if (places.length || chosen === null) {
      this.chosen = place;
      const heard = words.chosen(this.given[place - 1]);
      if (places.length) this.onSwap([], `${words.back} ${heard}`);
      else {
        this.#mark();
        announce(heard);
      }
    } else if (chosen === place) {
      this.chosen = null;
      this.#mark();
    } else this.onSwap([chosen, place].sort((a, b) => a - b), "");
  }
}
