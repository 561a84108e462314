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
   * @param {(places: number[]) => void} onSwap two places from 1; none to put the words back
   */
  constructor(words, onSwap) {
    this.words = words;
    this.onSwap = onSwap;
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
    this.places = places;
    this.chosen = null;
    this.tokens = swapped(tokens, places);
    this.buttons = this.tokens.map((word, k) => h("button", {
      type: "button", "aria-pressed": String(places.includes(k + 1)),
      onclick: () => this.#press(k + 1),
    }, word));
    this.hint.replaceChildren(places.length ? this.words.swapped : this.words.swap);
    const list = h("ul", { lang: "en" }, ...this.buttons.map((one) => h("li", {}, one)));
    this.list.replaceWith(list);
    this.list = list;
    rove(list, [this.buttons]);
    this.buttons[had]?.focus();
  }

  #press(place) {
    const { words, places, chosen } = this;
    if (places.length) {
      if (!places.includes(place)) return;
      this.onSwap([]);
      announce(words.back);
    } else if (chosen === null) {
      this.chosen = place;
      this.buttons[place - 1].setAttribute("aria-pressed", "true");
      announce(words.chosen(this.tokens[place - 1]));
    } else if (chosen === place) {
      this.chosen = null;
      this.buttons[place - 1].setAttribute("aria-pressed", "false");
    } else this.onSwap([chosen, place].sort((a, b) => a - b));
  }
}
