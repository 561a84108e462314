/** Two readings with a bar each, and the Jacobian as a picture in which full colour is always 1/4. */

import { h, svg } from "../../kit/dom.js";
import { fixed, tiny } from "../../kit/format.js";
import { heat } from "../../kit/heat.js";

const CELL = 20; // px
const MOST = 0.25; // no cell is larger: a (1 - a) at a = 1/2

/** Write a number from 0 to 1: 0.171, or 2.7 × 10⁻⁵ where three decimals would show nothing. */
export function small(value) {
  return value >= 0.001 || value === 0 ? fixed(value, 3) : tiny(value, 1);
}

export class Reading {
  /** @param {string} name @param {number} most where the bar ends */
  constructor(name, most) {
    this.most = most;
    this.value = h("b", {});
    this.more = h("span", { class: "tb-more" });
    this.bar = h("div", { class: "tb-meter", "aria-hidden": "true" }, h("i", {}), h("u", {}));
    this.element = h("div", { class: "tb-reading" },
      h("p", {}, name, " ", this.value), this.bar, h("p", {}, this.more));
  }

  /**
   * @param {number} value
   * @param {string} text the value as it is written
   * @param {number} other where the tick stands: what it is with the other setting
   * @param {[string, string]} more two lines below; the second tells what the tick is
   */
  set(value, text, other, more) {
    this.value.replaceChildren(text);
    this.more.replaceChildren(more[0], h("br", {}), more[1]);
    this.bar.style.setProperty("--size", String(value / this.most));
    this.bar.style.setProperty("--other", String(other / this.most));
  }
}

/**
 * Draw the Jacobian: blue where a weight rises with a score, orange where it falls. A cell is as
 * full as the root of its size, for most are small and would not be seen on dark paper.
 * @param {string} label for screen readers
 * @param {import("../../by_hand/matrix.js").Matrix} J
 */
export function picture(label, J) {
  const roots = J.toLists().map((row) => row.map((x) => Math.sign(x) * Math.sqrt(Math.abs(x))));
  const colours = heat(roots, "q", 1.9, Math.sqrt(MOST)); // the largest there can be
  const cells = colours.flatMap((row, i) => row.map((colour, j) => svg("rect", {
    x: j * CELL + 0.5, y: i * CELL + 0.5, width: CELL, height: CELL, style: `fill: ${colour}`,
  })));
  const size = J.rows * CELL + 1;
  const box = { width: size, height: size, viewBox: `0 0 ${size} ${size}` };
  return svg("svg", { class: "tb-jacobian", role: "img", "aria-label": label, ...box }, ...cells);
}
