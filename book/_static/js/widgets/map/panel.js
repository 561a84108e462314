/** What the open box does, its shapes, and the buttons that lead from box to box. */

import { announce } from "../../kit/announce.js";
import { button } from "../../kit/controls.js";
import { h, symbol } from "../../kit/dom.js";
import { fixed } from "../../kit/format.js";
import { still } from "../../kit/motion.js";
import { PLACES, written } from "./places.js";

const HEADER = 64; // px of the window that the site's own header covers
const MARGIN = 8; // px
const SPEEDS = ["0.5", "1", "2"];

export class Panel {
  /**
   * @param {object} words the widget's
   * @param {object} act
   * @param {(by: number) => void} act.go one box back or forward
   * @param {() => void} act.play play or pause
   * @param {(speed: string) => void} act.pace
   * @param {() => void} act.numbers show the numbers of the box
   */
  constructor(words, act) {
    this.words = words;
    this.numbered = false;
    this.name = h("p", { class: "tb-title" });
    this.about = h("p", { class: "tb-about" });
    this.shapes = h("dl", { class: "tb-shapes" });
    this.link = h("a", {}, words.chapter);
    this.count = h("span", { class: "tb-count" });
    this.back = button("←", () => act.go(-1), words.back).element;
    this.play = button(words.play, act.play).element;
    this.forward = button("→", () => act.go(1), words.forward).element;
    const speeds = SPEEDS.map((speed) => h("option", { value: speed, selected: speed === "1" },
      `${speed}×`));
    this.speed = h("select", { class: "tb-speed", "aria-label": words.speed,
      onchange: () => act.pace(this.speed.value) }, ...speeds);
    this.player = h("div", { class: "tb-player" }, this.back, this.play, this.forward, this.speed,
      this.count);
    this.toOpen = words.open("");
    this.open = button(this.toOpen, act.numbers);
    this.said = h("p", { class: "tb-said" });
    // On a phone the first part lies over the foot of the map, so it holds no more than it must.
    this.element = h("div", { class: "tb-panel" }, this.player, this.name, this.about);
    this.rest = h("div", { class: "tb-rest" }, this.shapes,
      h("p", { class: "tb-leads" }, this.link, " ", this.open.element), this.said);
  }

  /** How much there is to load, in bytes. */
  size(bytes) {
    this.toOpen = this.words.open(` (${fixed(bytes / 1e6, 1)} MB)`);
    if (!this.numbered) this.open.element.replaceChildren(this.toOpen);
  }

  /** Whether the numbers of the box stand elsewhere. */
  number(numbers) {
    this.numbered = numbers;
    this.shapes.hidden = numbers;
    this.open.element.replaceChildren(numbers ? this.words.below : this.toOpen);
  }

  /** Say what goes on. */
  say(sentence, wrong = false) {
    this.said.replaceChildren(sentence);
    this.said.classList.toggle("tb-wrong", wrong);
    if (wrong) announce(sentence);
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
    const about = words.about[text];
    this.about.replaceChildren(about instanceof Function ? about(sizes, this.numbered) : about);
    this.shapes.replaceChildren(...passes.flatMap(([what, shape]) => [
      h("dt", {}, words.what[what] ?? what),
      h("dd", {}, h("b", {}, written(shape, sizes)), " ", inSymbols(shape))]));
    this.link.href = href;
    this.count.replaceChildren(words.of(at, PLACES.length));
    // aria-disabled, not disabled: the button that was just pressed keeps the focus.
    this.back.setAttribute("aria-disabled", String(at === 1));
    this.forward.setAttribute("aria-disabled", String(at === PLACES.length));
  }

  /**
   * On a phone the panel lies over the foot of the map: bring a box out from under it.
   * @param {SVGGraphicsElement} box
   * @param {boolean} [always] elsewhere too, with what is said of it if both find room
   * @returns {number} where the page then stands
   */
  uncover(box, always = false) {
    const pinned = this.#pinned;
    const own = this.element.getBoundingClientRect();
    if (pinned ? own.bottom <= HEADER : !always) return scrollY;
    const { top, bottom } = box.getBoundingClientRect();
    const foot = pinned ? innerHeight - own.height : innerHeight;
    const by = pinned ? null
      : reach(Math.min(top, own.top), Math.max(bottom, this.about.getBoundingClientRect().bottom));
    const seen = top > HEADER && bottom < foot;
    return scrolled(by ?? (seen ? 0 : (top + bottom - HEADER - foot) / 2));
  }
}

/** How far to scroll, and no further, so that all from top to bottom is seen; null: no room. */
function reach(top, bottom) {
  const [head, foot] = [HEADER + MARGIN, innerHeight - MARGIN];
  if (bottom - top > foot - head) return null;
  return Math.min(0, top - head) + Math.max(0, bottom - foot);
}

/** @returns {number} where the page stands when it has scrolled by so much */
function scrolled(by) {
  const to = Math.max(0, Math.min(scrollY + by, document.documentElement.scrollHeight - innerHeight));
  if (by) scrollTo({ top: to, behavior: still() ? "instant" : "smooth" });
  return to;
}

function inSymbols(shape) {
  const parts = shape.split(" ").flatMap((name, k) => [k ? ", " : "(", symbol(name)]);
  return h("span", { class: "tb-general" }, ...parts, ")");
}
