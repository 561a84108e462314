/** A matrix as a table of numbers: labelled, pointed at, walked through with arrows, edited. */

import { h } from "./dom.js";
import { Entry, beginsNumber } from "./entry.js";
import { significant, trimmed, usual } from "./format.js";
import { heat } from "./heat.js";

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
/**
 * A cell's neighbour, and the edge that is drawn where the neighbour is not outlined too.
 * @type {Array<[number, number, string]>}
 */
const SIDES = [[-1, 0, "0 2px"], [1, 0, "0 -2px"], [0, -1, "2px 0"], [0, 1, "-2px 0"]];

/**
 * @typedef {object} About
 * @property {string} name for screen readers
 * @property {string|Node} [label] what stands above it; the name, if missing
 * @property {number[][]} values
 * @property {string} role whose colour it has
 * @property {Array<string|Node>} rows a label for each row
 * @property {Array<string|Node>} columns a label for each column
 * @property {boolean} [showRows] whether the labels of the rows are seen
 * @property {boolean} [showColumns]
 * @property {number} [most] the number with the full colour, if it is not the largest of values
 * @property {boolean} [signed] whether minuses stand beside values, where these have none
 * @property {number} [digits] decimals; as many as is usual, if missing
 * @property {boolean} [editable]
 * @property {string} [line] the id of the line about the cell that has the focus
 * @property {[number, number]} [range] what a number may be
 * @property {string} [refusal] the sentence for what is no number in the range
 * @property {string} [refused] the id of where that sentence is shown
 * @property {(i: number, j: number) => void} [onPoint] the pointer came to a cell
 * @property {() => void} [onLeave] the pointer left the table
 * @property {(i: number, j: number) => void} [onPick] a cell got the focus
 * @property {(i: number, j: number, value: number) => void} [onEdit] with each number typed
 * @property {(sentence: string) => void} [onRefuse] "" when there is nothing to refuse any more
 */

export class Table {
  /** @param {About} about */
  constructor(about) {
    this.about = about;
    this.entry = null; // while someone types
    const { rows, columns, editable = false, line } = about;
    const said = { "aria-readonly": String(!editable), "aria-describedby": line };
    const cell = () => h("td", { tabindex: -1, ...said });
    this.cells = rows.map(() => columns.map(cell));
    this.grid = this.#grid();
    const box = `tb-matrix${editable ? " tb-editable" : ""}`;
    this.element = h("div", { class: box, "data-thing": about.name }, this.grid);
    this.#listen();
    this.set(about.values);
    this.rove(0, 0);
  }

  #grid() {
    const { name, label = name, role, rows, columns, showRows, showColumns } = this.about;
    const seen = (shown) => (shown ? null : "tb-unseen");
    const heads = columns.map((text) => h("th", { scope: "col", class: seen(showColumns) }, text));
    const lines = this.cells.map((cells, i) =>
      h("tr", {}, h("th", { scope: "row", class: seen(showRows) }, rows[i]), ...cells));
    return h("table", { role: "grid", "aria-label": name },
      h("caption", { class: `tb-${role}` }, label),
      h("thead", {}, h("tr", {}, h("td", { class: "tb-unseen" }), ...heads)),
      h("tbody", {}, ...lines));
  }

  #listen() {
    const { about, grid } = this;
    let before = null; // the cell that had the focus when the pointer went down
    /**
     * @template {keyof HTMLElementEventMap} Name
     * @param {Name} name
     * @param {(event: HTMLElementEventMap[Name], at: ?[number, number]) => void} act
     */
    const on = (name, act) => grid.addEventListener(name, (e) => act(e, this.#place(e.target)));
    on("keydown", (event, at) => at && this.#press(event, at));
    on("pointerdown", () => { before = grid.querySelector("td:focus"); });
    on("click", (_, at) => at && !this.entry && this.#click(...at, before));
    on("focusin", (_, at) => {
      if (!at) return;
      this.rove(...at);
      about.onPick?.(...at);
    });
    on("focusout", (event) => this.entry?.input === event.target && this.#end(true));
    on("pointerover", (event, at) => at && event.pointerType === "mouse" && about.onPoint?.(...at));
    on("pointerleave", () => about.onLeave?.());
  }

  /** @returns {?[number, number]} */
  #place(node) {
    const cell = node.closest("td[tabindex]");
    const i = this.cells.findIndex((row) => row.includes(cell));
    return i < 0 ? null : [i, this.cells[i].indexOf(cell)];
  }

  /** One cell at a time is reached with Tab; arrows lead to the others. */
  rove(i, j) {
    for (const cell of this.cells.flat()) cell.tabIndex = cell === this.cells[i][j] ? 0 : -1;
  }

  /** A first click, or tap, looks at a cell; a second one types. */
  #click(i, j, before) {
    if (this.about.editable && before === this.cells[i][j]) this.#begin(i, j);
    else this.focus(i, j);
  }

  #press(event, at) {
    const { key } = event;
    const ends = !this.entry && (key === "Home" || key === "End");
    if (event.metaKey || event.altKey || (event.ctrlKey && !ends)) return;
    if (this.entry) {
      if (key !== "Enter" && key !== "Escape") return;
      if (key === "Escape" || this.entry.check()) {
        this.#end(key === "Enter");
        this.focus(at[0], at[1]);
      }
    } else if (ends) {
      const row = event.ctrlKey ? this.cells.at(key === "Home" ? 0 : -1) : this.cells[at[0]];
      this.focus(this.cells.indexOf(row), key === "Home" ? 0 : row.length - 1);
    } else if (ARROWS[key]) {
      const [i, j] = at.map((index, axis) => index + ARROWS[key][axis]);
      if (this.cells[i]?.[j]) this.focus(i, j);
    } else if (this.about.editable && (key === "Enter" || key === "F2" || beginsNumber(key))) {
      this.#begin(...at, beginsNumber(key) ? key : null);
    } else return;
    event.preventDefault();
  }

  #begin(i, j, typed = null) {
    const { name, rows, columns } = this.about;
    const where = `${name}, ${rows[i]}, ${columns[j]}`;
    this.entry = new Entry(this.about, i, j, this.values[i][j], where);
    this.entry.open(this.cells[i][j], typed);
  }

  #end(keep) {
    const { entry } = this;
    this.entry = null;
    entry.close(keep);
    this.#show(entry.i, entry.j);
  }

  #show(i, j) {
    const value = this.values[i][j];
    const { editable, digits = usual(this.values) } = this.about;
    const text = editable ? trimmed(value, 4) : significant(value, digits);
    this.cells[i][j].textContent = text;
  }

  /**
   * Show these numbers.
   * @param {number[][]} values
   * @param {(i: number, j: number) => boolean} [changed] tells which to flag
   */
  set(values, changed = () => false) {
    this.values = values;
    const { role, most, signed } = this.about;
    heat(values, role, 1, most, signed).forEach((row, i) => row.forEach((colour, j) => {
      const cell = this.cells[i][j];
      cell.style.setProperty("--fill", colour);
      cell.classList.toggle("tb-changed", changed(i, j));
      if (this.entry?.i !== i || this.entry.j !== j) this.#show(i, j);
    }));
  }

  /** Outline the cells of which has(i, j) is true, one line around those that touch. */
  mark(has) {
    const inside = (i, j) => this.cells[i]?.[j] && has(i, j);
    this.cells.forEach((row, i) => row.forEach((cell, j) => {
      const open = SIDES.filter(([di, dj]) => !inside(i + di, j + dj));
      const edges = open.map(([, , offset]) => `inset ${offset} var(--tb-ink)`).join();
      cell.style.boxShadow = has(i, j) ? edges : "";
    }));
  }

  /**
   * Go to a cell.
   * @param {number} i
   * @param {number} j
   * @param {FocusOptions} [options]
   */
  focus(i, j, options) {
    this.rove(i, j);
    this.cells[i][j].focus(options);
  }
}
