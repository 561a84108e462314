/** How a number was made: a sentence, its terms, each a button that leads on, and the way here. */

import { h } from "../../kit/dom.js";
import { show } from "./follow.js";
import { typeset, typesetCell } from "./typeset.js";

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export class Calculation {
  /**
   * @param {object} words what the reader sees
   * @param {(cell: import("./sheets.js").Cell) => void} onFollow a term was pressed
   * @param {(k: number) => void} onReturn a number of the way here was pressed, from 0
   */
  constructor(words, onFollow, onReturn) {
    this.words = words;
    this.onFollow = onFollow;
    this.onReturn = onReturn;
    this.trail = h("ol", { class: "tb-trail", "aria-label": words.trail });
    this.number = h("p", { class: "tb-number" });
    this.text = h("p", { class: "tb-how" });
    this.lines = h("p", { class: "tb-lines" });
    this.terms = h("div", { class: "tb-terms" });
    this.terms.addEventListener("keydown", (event) => this.#press(event));
    this.element = h("div", { class: "tb-calculation" }, this.trail, this.number, this.text,
      this.lines, this.terms);
  }

  /**
   * @param {string} name of the number
   * @param {number} value
   * @param {import("./follow.js").Made} made
   * @param {Array<{where: string, name: string}>} way the numbers that led here, and this one
   * @param {(cell: import("./sheets.js").Cell) => string} nameOf
   */
  show(name, value, { text, given = [], columns = [], rows = [], lines = [] }, way, nameOf) {
    const { words } = this;
    const steps = way.map((each, k) => {
      const about = [h("small", {}, each.where), h("span", {}, ...typesetCell(each.name))];
      if (k === way.length - 1) return h("li", { "aria-current": "step" }, h("span", {}, ...about));
      return h("li", {},
        h("button", { type: "button", onclick: () => this.onReturn(k) }, ...about));
    });
    this.trail.replaceChildren(...steps);
    this.trail.scrollLeft = this.trail.scrollWidth; // one sees where one is
    this.number.replaceChildren(h("b", {}, ...typesetCell(name)), ` = ${show(value)}`);
    this.text.replaceChildren(...typeset(words.made[text](...given)));
    this.lines.replaceChildren(...lines.map((line) => h("span", {}, line)));
    this.buttons = rows.map(() => []);
    const cell = ({ value: number, to = null }, r) => {
      if (!to) return h("td", {}, show(number));
      const about = { type: "button", tabindex: -1, title: words.follow(nameOf(to)) };
      const button = h("button", { ...about, onclick: () => this.onFollow(to) }, show(number));
      this.buttons[r].push(button);
      return h("td", {}, button);
    };
    const head = [h("td", {}), ...columns.map((label) => h("th", { scope: "col" }, ...typeset(label)))];
    const body = rows.map(({ label, cells, own }, r) => h("tr",
      { class: own ? "tb-own" : null, "aria-current": own ? "true" : null },
      h("th", { scope: "row" }, ...typeset(label)),
      ...cells.map((one) => cell(one, r)),
      ...Array.from({ length: columns.length - cells.length }, () => h("td", {}))));
    this.terms.replaceChildren(...(rows.length ? [h("table", { "aria-label": words.terms(name) },
      h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body))] : []));
    this.own = rows.findIndex(({ own }) => own);
    /** @type {HTMLElement} */
    const line = this.terms.querySelector(".tb-own");
    this.terms.scrollTop = line ? line.offsetTop - this.terms.clientHeight / 2 : 0;
    if (this.#first) this.#first.tabIndex = 0;
  }

  /** The term that the number is about, or the first that can be followed. */
  get #first() {
    return (this.buttons[this.own] ?? this.buttons.find((row) => row.length))?.[0];
  }

  /** Put the focus on the first term; where a number has none, on the way back. */
  focus() {
    const back = [...this.trail.querySelectorAll("button")].at(-1);
    (this.#first ?? back)?.focus({ preventScroll: true });
  }

  /** One term at a time is reached with Tab; arrows lead to the others. */
  #press(event) {
    const i = this.buttons.findIndex((row) => row.includes(event.target));
    if (i < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const j = this.buttons[i].indexOf(event.target);
    const ends = { Home: [-i, 0], End: [this.buttons.length, 0] };
    const step = STEPS[event.key] ?? ends[event.key];
    if (!step) return;
    const [down, right] = step;
    event.preventDefault();
    const row = this.buttons[Math.max(0, Math.min(i + down, this.buttons.length - 1))];
    const to = row[Math.max(0, Math.min(j + right, row.length - 1))] ?? event.target;
    event.target.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }
}
