/** The tables of scores, weights and sums; a click, or Space or Enter, on a score flips it. */

import { h, symbol } from "../../kit/dom.js";
import { fixed } from "../../kit/format.js";
import { Table } from "../../kit/table.js";

export const DIGITS = 4; // decimals of a weight

/** Write a weight: exactly 0 and 1 look it, and others show that two keep their ratio. */
export const written = (weight) =>
  (Number.isInteger(weight) ? String(weight) : fixed(weight, DIGITS));

export class Tables {
  /**
   * @param {string[]} labels a word for each row and column
   * @param {object} words the widget's
   * @param {{point: Function, pick: Function, flip: Function}} on point(null) when the pointer left
   * @param {string} line the id of the line about a cell
   */
  constructor(labels, words, on, line) {
    this.words = words;
    const zeros = labels.map(() => labels.map(() => 0));
    const both = { rows: labels, columns: labels, showRows: true, showColumns: true };
    const look = (name) => ({
      onPoint: (i, j) => on.point([name, i, j]), onLeave: () => on.point(null),
      onPick: (i, j) => on.pick(name, i, j), line,
    });
    const label = h("span", {}, symbol("S"), " + ", symbol("M"));
    const square = { ...both, values: zeros };
    this.S = new Table({ ...square, ...look("S"), name: words.scores, label, role: "ink" });
    this.A = new Table({ ...square, ...look("A"), name: words.weights, label: symbol("A"),
      role: "attention" });
    this.sums = new Table({ name: words.sums, label: words.sum, values: zeros.map(() => [0]),
      role: "quiet", rows: labels, columns: [words.sum] });
    this.sums.element.classList.add("tb-sums");
    listen(this.S, on.flip);
    const beside = h("div", { class: "tb-summed" }, this.A.element, this.sums.element);
    this.elements = [this.S.element, beside];
  }

  /** Show the scores with their mask, the weights, and what each row sums to. */
  fill(scores, { mask, weights }, wrongSign, own) {
    const { S, A, sums, words } = this;
    const totals = weights.map((row) => [row.reduce((sum, weight) => sum + weight, 0)]);
    S.set(scores, (i, j) => own[i][j] !== 0);
    A.set(weights);
    sums.set(totals);
    mask.forEach((row, i) => {
      sums.cells[i][0].textContent = String(Number(totals[i][0].toFixed(12)));
      row.forEach((may, j) => {
        S.cells[i][j].classList.toggle("tb-hidden", !may);
        if (!may) S.cells[i][j].textContent = wrongSign ? words.raised : "−∞";
        A.cells[i][j].textContent = written(weights[i][j]);
      });
    });
  }

  /** Outline a weight and the scores it is made of, or a score and the weights it goes into. */
  mark(name, i, j) {
    this.S.mark((r, c) => r === i && (name === "A" || c === j));
    this.A.mark((r, c) => r === i && (name === "S" || c === j));
  }
}

function listen({ grid, cells }, onFlip) {
  grid.classList.add("tb-flips");
  for (const one of cells.flat()) one.removeAttribute("aria-readonly");
  const flip = (event) => {
    const at = cells.flat().indexOf(event.target.closest("td[tabindex]"));
    if (at < 0) return;
    event.preventDefault();
    onFlip(Math.floor(at / cells.length), at % cells.length);
  };
  grid.addEventListener("click", flip);
  grid.addEventListener("keydown", (event) => {
    if (event.key === " " || event.key === "Enter") flip(event);
  });
}
