/**
 * Typing a number into a cell: each number counts at once, Escape undoes, nonsense is refused;
 * while it stands there, the number from before the entry counts.
 */

import { h } from "./dom.js";
import { parse, trimmed } from "./format.js";

const BEGUN = /^[-+\u2212]?[.,]?$/; // not a number yet

/** Whether a key begins a number. */
export const beginsNumber = (key) => /^[-+\u2212\d.,]$/.test(key);

export class Entry {
  /**
   * @param {import("./table.js").About} about range, refusal, refused, onEdit and
   *   onRefuse
   * @param {number} i
   * @param {number} j the cell
   * @param {number} before its number
   * @param {string} name for screen readers
   */
  constructor(about, i, j, before, name) {
    this.about = about;
    this.i = i;
    this.j = j;
    this.before = before;
    this.input = h("input", {
      class: "tb-entry", "aria-label": name, "aria-describedby": about.refused,
      autocomplete: "off", oninput: () => this.#typed(),
    });
  }

  /** Stand in a cell, with the key that was typed there or with the number there was. */
  open(cell, typed) {
    this.input.value = typed ?? trimmed(this.before);
    cell.replaceChildren(this.input);
    this.input.focus();
    if (typed === null) this.input.select();
    else this.#typed();
  }

  get #valid() {
    const [low, high] = this.about.range ?? [-Infinity, Infinity];
    const value = parse(this.input.value);
    return value >= low && value <= high;
  }

  #typed() {
    const valid = this.#valid;
    this.input.setAttribute("aria-invalid", String(!valid));
    this.about.onEdit?.(this.i, this.j, valid ? parse(this.input.value) : this.before);
    // Of what both calls say, screen readers get the last: the refusal, if there is one.
    this.about.onRefuse?.(valid || BEGUN.test(this.input.value) ? "" : this.about.refusal);
  }

  /** Whether what is typed can stay; says why not. */
  check() {
    if (!this.#valid) this.about.onRefuse?.(this.about.refusal);
    return this.#valid;
  }

  /** Leave: keep the number if it is one; what is none, or undone, gives way to the one before. */
  close(keep) {
    if (keep && this.#valid) return;
    this.about.onEdit?.(this.i, this.j, this.before);
    this.about.onRefuse?.("");
  }
}
