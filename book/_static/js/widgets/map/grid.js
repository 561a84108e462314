/**
 * A matrix as a table: the whole grid of an attention where it finds room, of a larger matrix a part
 * around the number that is chosen, which moves with that.
 */

import { h } from "../../kit/dom.js";
import { Table } from "../../kit/table.js";

export const ROWS = 17; // as many as the page's own sentence has tokens
const LABELS = 100; // px beside the numbers: the rows' labels, and the brackets
const NUMBER = 46.75; // px, the width of a number of any matrix
/** px, of a whole grid: the least, and the least with a number in it */
const SQUARE = { wide: 22, narrow: 11, written: 27 };
const WIDE = 480; // px of the table
const FAR = { PageUp: [-ROWS, 0], PageDown: [ROWS, 0] };
const NEAR = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Where a window of so many begins, so that it holds `at` and moves no further than it must. */
export function begins(at, size, all, was) {
  const low = Math.max(0, at - size + 1);
  return Math.min(Math.max(low, Math.min(was, at)), Math.max(0, all - size));
}

export class Grid {
  /**
   * @param {(i: number, j: number) => void} onPick a number of the matrix was chosen
   * @param {() => void} onResize there is room for more columns, or for fewer
   */
  constructor(onPick, onResize) {
    this.onPick = onPick;
    this.onResize = onResize;
    this.top = 0;
    this.left = 0;
    this.element = h("div", { class: "tb-window tb-fades" });
    new ResizeObserver(() => {
      if (this.about && this.#columns() !== this.columns) this.onResize();
    }).observe(this.element);
    // Before the table itself: it knows no more than its window.
    this.element.addEventListener("keydown", (event) => this.#press(event), true);
  }

  /**
   * @param {object} about
   * @param {string} about.name for screen readers
   * @param {string|Node} about.label
   * @param {import("../../by_hand/matrix.js").Matrix} about.matrix
   * @param {string} about.role
   * @param {(i: number) => string|Node} about.row the label of a row
   * @param {(j: number) => string|Node} about.column
   * @param {(i: number, j: number) => boolean} about.hidden whether a mask hides it
   * @param {number} [about.digits] decimals
   * @param {boolean} about.whole whether rows and columns are tokens, so that all belong in sight
   * @param {number} i
   * @param {number} j the chosen number
   */
  show(about, i, j) {
    const { matrix } = about;
    const focused = this.element.contains(document.activeElement);
    this.about = about;
    this.columns = this.#columns();
    this.rows = Math.min(ROWS, matrix.rows);
    this.top = begins(i, this.rows, matrix.rows, this.top);
    this.left = begins(j, this.columns, matrix.cols, this.left);
    const { top, left } = this;
    const rows = range(top, this.rows);
    const columns = range(left, this.columns);
    this.at = [i, j];
    this.quiet = true;
    this.table = new Table({
      name: about.name, label: about.label, role: about.role,
      values: rows.map((r) => columns.map((c) => matrix.at(r, c))),
      most: matrix.data.reduce((most, value) => Math.max(most, Math.abs(value)), 0),
      signed: matrix.data.some((value) => value < 0), // though none is in the window
      rows: rows.map(about.row), columns: columns.map(about.column),
      showRows: true, showColumns: true, digits: about.digits,
      onPick: (r, c) => this.#pick(top + r, left + c),
    });
    const { table } = this;
    table.grid.setAttribute("aria-rowcount", String(matrix.rows + 1));
    table.grid.setAttribute("aria-colcount", String(matrix.cols + 1));
    this.element.replaceChildren(table.element);
    table.cells.forEach((cells, r) => cells.forEach((cell, c) =>
      cell.classList.toggle("tb-hidden", about.hidden(top + r, left + c))));
    table.mark((r, c) => top + r === i && left + c === j);
    if (focused) this.focus();
    else table.rove(i - top, j - left);
    this.quiet = false;
  }

  /** How many columns find room; how wide those of a whole grid are. */
  #columns() {
    const { matrix: { cols }, whole } = this.about;
    const width = this.element.clientWidth;
    const wide = width >= WIDE;
    const room = width - LABELS;
    const least = wide ? SQUARE.wide : SQUARE.narrow;
    const fit = Math.max(1, Math.floor(room / (whole ? least : NUMBER)));
    const columns = Math.min(cols, whole ? fit : Math.max(fit, 5));
    const square = Math.max(least, Math.min(Math.floor(10 * room / columns) / 10, NUMBER));
    this.element.classList.toggle("tb-whole", whole);
    this.element.classList.toggle("tb-wordless", whole && square < SQUARE.written);
    this.element.style.setProperty("--square", `${square}px`);
    return columns;
  }

  /** Put the focus on the chosen number; the page moves no further than shows it. */
  focus() {
    const [i, j] = [this.at[0] - this.top, this.at[1] - this.left];
    this.table.focus(i, j, { preventScroll: true });
    this.table.cells[i][j].scrollIntoView({ behavior: "instant", block: "nearest", inline: "nearest" });
  }

  #pick(i, j) {
    if (this.quiet || (i === this.at[0] && j === this.at[1])) return;
    this.onPick(i, j);
  }

  /** What leads out of the window moves it. */
  #press(event) {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (metaKey || altKey || !this.table) return;
    const [i, j] = this.at;
    const { rows, cols } = this.about.matrix;
    const ends = { Home: [ctrlKey ? 0 : i, 0], End: [ctrlKey ? rows - 1 : i, cols - 1] };
    const step = ctrlKey ? null : NEAR[key] ?? FAR[key];
    const to = ends[key] ?? (step && [i + step[0], j + step[1]]);
    if (!to) return;
    event.preventDefault();
    event.stopPropagation();
    const inside = (at, all) => Math.max(0, Math.min(at, all - 1));
    const [r, c] = [inside(to[0], rows), inside(to[1], cols)];
    if (r !== i || c !== j) this.onPick(r, c);
  }
}

const range = (start, length) => Array.from({ length }, (_, k) => start + k);
