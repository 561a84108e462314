/** Attention tile by tile: the largest score so far, the total, and what must shrink. */

import { scaledDotProductAttention } from "../by_hand/attention.js";
import { causalMask } from "../by_hand/masks.js";
import { Matrix } from "../by_hand/matrix.js";
import { announce } from "../kit/announce.js";
import { line } from "../kit/arithmetic.js";
import { button, choice, toggle } from "../kit/controls.js";
import { h, symbol } from "../kit/dom.js";
import { fixed } from "../kit/format.js";
import { flag, oneOf, pageState, whole } from "../kit/state.js";
import { Table } from "../kit/table.js";
import { ROWS, finished, run, visible } from "./flash/calculation.js";
import { ofRow } from "./flash/readout.js";

const WORDS = {
  widget: "Attention in tiles, live",
  scores: "Scores",
  kept: "What each row keeps",
  keptLabel: "kept",
  output: "Output",
  outputLabel: () => [symbol("Z", "attention"), " / total"],
  columns: ["largest", "total", "Z₁", "Z₂"],
  outputs: ["1", "2"],
  keys: "Keys in a tile",
  causal: "causal mask",
  shrink: "shrink",
  back: "← tile",
  forward: "tile →",
  backName: "Back one tile",
  forwardName: "On to the next tile",
  reset: "Reset",
  resetDone: "The first tile, two keys in each.",
  place: (step, all, skipped) =>
    `Tile ${step} of ${all}${skipped ? `; ${skipped} in the future skipped` : ""}`,
  start: (all) => `No tile yet, of ${all}`,
  nothing: "Nothing is read yet. Press “tile →”.",
  row: { largest: "largest", total: "total", none: "sees no key of this tile." },
  right: (rows) => `Finished, and equal to attention: ${rows}.`,
  wrong: (rows) => `Finished, and not equal to attention: ${rows}.`,
  open: "No row has met all its keys yet.",
};
const EMPTY = "·";
const SIZES = ["1", "2", "4"];
const MOST = 8; // tiles, with one key in each
const FIELDS = {
  step: whole(1, 0, MOST), columns: oneOf("2", SIZES), causal: flag(false), shrink: flag(true),
};

export function mount(element, { data }) {
  element.setAttribute("aria-label", WORDS.widget);
  new Flash(element, data);
}

class Flash {
  /** @param {HTMLElement} element
   * @param {{words: string[], scores: number[][], values: number[][]}} data */
  constructor(element, { words, scores, values }) {
    this.words = words;
    this.scores = scores;
    this.values = values;
    this.state = pageState("flash", FIELDS, () => this.#update());
    this.#build(element);
    this.#show();
  }

  #build(element) {
    const { state, words, scores } = this;
    const { columns, causal, shrink } = state.values;
    const go = (by) => () => state.set({ step: this.step + by });
    this.back = button(WORDS.back, go(-1), WORDS.backName);
    this.forward = button(WORDS.forward, go(1), WORDS.forwardName);
    this.columns = choice(WORDS.keys, SIZES.map((size) => [size, size]), columns,
      (size) => state.set({ columns: size }));
    this.causal = toggle(WORDS.causal, causal, (on) => state.set({ causal: on }));
    this.shrink = toggle(WORDS.shrink, shrink, (on) => state.set({ shrink: on }));
    this.reset = button(WORDS.reset, () => {
      state.reset(Object.keys(FIELDS));
      announce(WORDS.resetDone);
    });
    this.place = h("p", { class: "tb-heading" });
    this.lines = Array.from({ length: ROWS }, () => h("p", { class: "tb-readout" }));
    this.verdict = h("p", { class: "tb-verdict" });
    const blank = (width) => words.map(() => Array(width).fill(0));
    const about = { rows: words, showRows: true, showColumns: true };
    this.S = new Table({ ...about, name: WORDS.scores, label: symbol("S"), role: "ink",
      values: scores, columns: words });
    this.kept = new Table({ ...about, name: WORDS.kept, label: WORDS.keptLabel, role: "quiet",
      values: blank(4), columns: WORDS.columns });
    this.Z = new Table({ ...about, showRows: false, name: WORDS.output, role: "attention",
      label: h("span", {}, ...WORDS.outputLabel()), values: blank(2), columns: WORDS.outputs });
    const named = h("div", { class: "tb-named" },
      h("span", { "aria-hidden": "true" }, WORDS.keys), this.columns.element);
    const pair = h("div", { class: "tb-pair" }, this.back.element, this.forward.element);
    element.append(
      h("div", { class: "tb-options" }, named, this.causal.element, this.shrink.element),
      h("div", { class: "tb-top" }, this.place, pair),
      h("div", { class: "tb-stage tb-row tb-flash" },
        this.S.element, this.kept.element, this.Z.element),
      h("div", { class: "tb-tile-lines" }, ...this.lines), this.verdict,
      h("div", { class: "tb-foot" }, this.reset.element));
  }

  #update() {
    const { columns, causal, shrink } = this.state.values;
    this.columns.set(columns);
    this.causal.set(causal);
    this.shrink.set(shrink);
    this.#show();
    const lines = this.lines.map((one) => one.textContent).join(" ");
    announce(`${this.place.textContent}. ${lines} ${this.verdict.textContent}`);
  }

  #show() {
    const { columns, causal, shrink, step } = this.state.values;
    const how = { columns: Number(columns), causal, shrink };
    this.steps = run(this.scores, this.values, how);
    this.step = Math.min(step, this.steps.length);
    const now = this.steps[this.step - 1];
    const n = this.words.length;
    const all = Math.ceil(n / ROWS) * Math.ceil(n / how.columns);
    this.place.replaceChildren(this.step
      ? WORDS.place(this.step, this.steps.length, all - this.steps.length)
      : WORDS.start(this.steps.length));
    this.#showScores(now, causal);
    this.#showKept(now);
    this.lines.forEach((one, k) => one.replaceChildren(...this.#line(now, k, how)));
    this.back.set(this.step > 0);
    this.forward.set(this.step < this.steps.length);
    this.reset.set(this.state.moved(Object.keys(FIELDS)));
  }

  #showScores(now, causal) {
    const inside = ({ i, j, rows, columns }, r, c) =>
      r >= i && r < i + rows && c >= j && c < j + columns;
    const done = this.steps.slice(0, this.step);
    this.S.set(this.scores);
    this.S.mark((r, c) => now !== undefined && inside(now, r, c));
    this.S.cells.forEach((row, r) => row.forEach((cell, c) => {
      const read = done.some((step) => inside(step, r, c));
      const hidden = !visible(causal, r, c);
      cell.classList.toggle("tb-later", !read);
      cell.classList.toggle("tb-hidden", hidden);
      if (hidden) cell.textContent = read ? "−∞" : "";
    }));
  }

  #showKept(now) {
    const rows = now?.after ?? this.steps[0].before;
    const fresh = rows.map(({ total }) => total === 0);
    this.kept.set(rows.map(({ largest, total, Z }) => [Math.max(largest, 0), total, ...Z]),
      (r) => now !== undefined && now.after[r] !== now.before[r]);
    rows.forEach(({ largest, total, Z }, r) => [largest, total, ...Z].forEach((value, k) => {
      const text = k ? fixed(value, 2) : fixed(largest, 0);
      this.kept.cells[r][k].textContent = fresh[r] ? EMPTY : text;
    }));
    const ends = rows.map((_, r) => this.step > 0 && finished(this.steps, this.step, r));
    const outputs = rows.map(({ total, Z }, r) => Z.map((z) => (ends[r] ? z / total : 0)));
    this.Z.set(outputs);
    outputs.forEach((row, r) => row.forEach((value, k) => {
      this.Z.cells[r][k].textContent = ends[r] ? fixed(value, 2) : EMPTY;
    }));
    this.#judge(outputs, ends);
  }

  /** Compare the finished rows with attention as it was before. */
  #judge(outputs, ends) {
    const { scores, values, words } = this;
    const keys = Matrix.of(words.map((_, k) => words.map((_, c) => Number(k === c))));
    const root = Math.sqrt(words.length);
    const queries = Matrix.of(scores.map((row) => row.map((score) => score * root)));
    const mask = this.state.values.causal ? causalMask(words.length) : undefined;
    const [output] = scaledDotProductAttention(queries, keys, Matrix.of(values), mask);
    const same = (r) => outputs[r].every((z, k) => Math.abs(z - output.at(r, k)) < 1e-9);
    const named = (has) => words.filter((_, r) => ends[r] && has(r)).join(", ");
    const [right, wrong] = [named(same), named((r) => !same(r))];
    const bad = wrong && h("strong", { class: "tb-wrong" }, WORDS.wrong(wrong));
    const said = [right && WORDS.right(right), bad].filter(Boolean);
    this.verdict.replaceChildren(...(said.length ? said.flatMap((one) => [one, " "]) : [WORDS.open]));
  }

  #line(now, k, how) {
    if (!now) return k ? [] : [WORDS.nothing];
    const r = now.i + k;
    const about = ofRow(now, r, this.scores[r], how, WORDS.row);
    return [h("b", {}, `${this.words[r]}:`), line(about)];
  }
}
