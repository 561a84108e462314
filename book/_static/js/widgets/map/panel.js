/** What the open box does, its shapes, and the buttons that lead from box to box. */

import { button } from "../../kit/controls.js";
import { h, symbol } from "../../kit/dom.js";
import { still } from "../../kit/motion.js";
import { PLACES, written } from "./places.js";

const HEADER = 64; // px of the window that the site's own header covers

export class Panel {
  /**
   * @param {object} words the widget's
   * @param {(by: number) => void} onGo one box back or forward
   * @param {() => void} onPlay play or pause
   */
  constructor(words, onGo, onPlay) {
    this.words = words;
    this.name = h("p", { class: "tb-title" });
    this.about = h("p", { class: "tb-about" });
    this.shapes = h("dl", { class: "tb-shapes" });
    this.link = h("a", {}, words.chapter);
    this.count = h("span", { class: "tb-count" });
    this.back = button("←", () => onGo(-1), words.back).element;
    this.play = button(words.play, onPlay).element;
    this.forward = button("→", () => onGo(1), words.forward).element;
    this.element = h("div", { class: "tb-panel" },
      h("div", { class: "tb-player" }, this.back, this.play, this.forward, this.count),
      this.name, this.about, this.shapes, h("p", {}, this.link));
  }

  get #pinned() {
    return getComputedStyle(this.element).position === "sticky";
  }

  /**
   * @param {number} at which place, from 1
   * @param {string} href its chapter
   * @param {import("./places.js").Sizes} sizes
   */
  show(at, href, sizes) {
    const { words } = this;
    const { box, text, passes } = PLACES[at - 1];
    this.name.replaceChildren(box);
    this.about.replaceChildren(words.about[text]);
    this.shapes.replaceChildren(...passes.flatMap(([what, shape]) => [
      h("dt", {}, words.what[what] ?? what),
      h("dd", {}, h("b", {}, written(shape, sizes)), " ", inSymbols(shape))]));
    this.link.href = href;
    this.count.replaceChildren(words.of(at, PLACES.length));
    // aria-disabled, not disabled: the button that was just pressed keeps the focus.
    this.back.setAttribute("aria-disabled", String(at === 1));
    this.forward.setAttribute("aria-disabled", String(at === PLACES.length));
  }

  /** On a phone the panel lies over the foot of the map: bring a box out from under it. */
  uncover(box) {
    if (!this.#pinned) return;
    const { top, bottom } = box.getBoundingClientRect();
    const foot = this.element.getBoundingClientRect().top;
    if (top > HEADER && bottom < foot) return;
    scrollBy({ top: (top + bottom - HEADER - foot) / 2, behavior: still() ? "auto" : "smooth" });
  }
}

function inSymbols(shape) {
  const parts = shape.split(" ").flatMap((name, k) => [k ? ", " : "(", symbol(name)]);
  return h("span", { class: "tb-general" }, ...parts, ")");
}
