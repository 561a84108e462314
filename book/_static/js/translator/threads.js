/** Attention as lines between words: queries at the left, keys at the right. */

import { h, svg } from "../kit/dom.js";
import { labelled } from "./labelled.js";

const ROW = 24; // px
const FAINT = 0.02; // a weight below is not drawn
const MOVES = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0],
  Home: [0, -Infinity], End: [0, Infinity] };

export class Threads {
  /**
   * @param {import("./views.js").Sides & {name: string, height: number}} about words at both sides,
   *   and what stands above them; height in rows
   * @param {(side: number, i: number) => string} tell what a word's lines say, for screen readers
   * @param {(at: ?[number, number]) => void} onLook the pointer or the focus came to a word, or left
   */
  constructor({ queries, keys, heads, langs, english, name, height }, tell, onLook) {
    this.names = [queries, keys];
    this.tell = tell;
    this.onLook = onLook;
    this.at = null;
    this.focused = null;
    const column = (words, side) => words.map((text, i) => h("button", {
      type: "button", tabindex: -1,
      onpointerenter: (event) => event.pointerType === "mouse" && this.#look([side, i]),
      onpointerleave: (event) => event.pointerType === "mouse" && this.#look(this.focused),
      onfocus: () => { this.#rove(side, i); this.focused = [side, i]; this.#look([side, i]); },
      onblur: () => { this.focused = null; this.#look(null); },
      onclick: (event) => event.currentTarget.focus(), // not all browsers focus what is clicked
      onkeydown: (event) => this.#press(event, side, i),
    }, ...labelled(text, langs[side], english[side]?.[i])));
    this.sides = [column(queries, 0), column(keys, 1)];
    const box = { viewBox: `0 0 100 ${height * ROW}`, preserveAspectRatio: "none" };
    this.lines = svg("svg", { ...box, "aria-hidden": "true", style: `height: ${height * ROW}px` });
    const list = (side) => h("div", { class: "tb-words" }, ...this.sides[side]);
    const top = h("p", {}, h("span", { class: "tb-q" }, heads[0]),
      h("span", { class: "tb-k" }, heads[1]));
    this.element = h("div", { class: "tb-threads", role: "group", "aria-label": name },
      top, list(0), this.lines, list(1));
  }

  #rove(side, i) {
    for (const one of this.sides.flat()) one.tabIndex = -1;
    this.sides[side][i].tabIndex = 0;
  }

  #press(event, side, i) {
    if (event.key === "Escape") { // all lines again; the focus stays
      this.focused = null;
      this.#look(null);
    }
    const move = MOVES[event.key];
    if (!move) return;
    const to = this.sides[side + move[0]] ?? this.sides[side];
    const open = to.filter((one) => !one.disabled);
    open[Math.max(0, Math.min(i + move[1], open.length - 1))].focus();
    event.preventDefault();
  }

  #look(at) {
    this.at = at;
    this.#draw();
    this.onLook(at);
  }

  /**
   * @param {number[][]} A (queries, keys)
   * @param {?number} row of the word that is being written; null where all are there at once
   * @param {number} keys how many keys can be read
   */
  set(A, row, keys) {
    this.A = A;
    this.row = row;
    const open = [row === null ? A.length : row + 1, keys];
    this.sides.forEach((words, side) => words.forEach((word, i) => {
      word.disabled = i >= open[side];
      word.setAttribute("aria-label", word.disabled ? this.names[side][i] : this.tell(side, i));
      word.setAttribute("aria-current", side === 0 && i === row);
    }));
    const all = this.sides.flat();
    const reached = all.find((one) => one.tabIndex === 0 && !one.disabled);
    if (!reached) this.#rove(0, row ?? 0);
    this.#draw();
  }

  /** Where it scrolls by itself: show the query that is being written. */
  reveal(row) {
    if (row === null || row === this.revealed) return; // else it stays where the reader left it
    this.revealed = row;
    const { element, sides: [queries] } = this;
    element.scrollTop = queries[row].offsetTop - (element.clientHeight - ROW) / 2;
  }

  #draw() {
    const { A, row, sides } = this;
    const at = this.at && !sides[this.at[0]][this.at[1]]?.disabled ? this.at : null;
    const paths = [];
    const open = row === null ? A : A.slice(0, row + 1);
    open.forEach((weights, i) => weights.forEach((w, j) => {
      const own = at ? (at[0] === 0 ? i : j) === at[1] : row === null || i === row;
      if (w < FAINT || (at && !own)) return;
      const [from, to] = [i, j].map((k) => (k + 0.5) * ROW);
      const alone = own && (at || row !== null); // else it lies among many
      const opacity = alone ? 0.15 + 0.85 * w : own ? w : w / 5;
      const look = { "stroke-width": 0.75 + 5 * w, "stroke-opacity": opacity };
      const d = `M 0 ${from} C 45 ${from} 55 ${to} 100 ${to}`;
      paths.push(svg("path", { d, ...look, "data-query": i, "data-key": j }));
    }));
    this.lines.replaceChildren(...paths);
    const [side, i] = at ?? (row === null ? [] : [0, row]);
    const share = (k) => (side === 0 ? A[i][k] : A[k]?.[i]) ?? 0;
    sides.forEach((words, s) => words.forEach((word, k) => {
      const there = side !== undefined && s !== side && !word.disabled;
      word.style.setProperty("--w", there ? share(k) : 0);
      word.classList.toggle("tb-at", s === side && k === i);
    }));
  }
}
