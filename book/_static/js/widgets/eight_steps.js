/** The worked example live: edit a number, step, and see which row and column made each cell. */

import { announce } from "../kit/announce.js";
import { line } from "../kit/arithmetic.js";
import { button, choice, slider } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { trimmed } from "../kit/format.js";
import { glide } from "../kit/motion.js";
import { cell, matrix, oneOf, pageState, whole } from "../kit/state.js";
import { Table } from "../kit/table.js";
import { calculate } from "./eight_steps/calculation.js";
import { equations, labelsOf, sign } from "./eight_steps/notation.js";
import {
  arithmeticOf, equationsOf, namesOf, related, roleOf, stageOf, widthOf,
} from "./eight_steps/stages.js";
import { strip } from "./eight_steps/strip.js";

const WORDS = {
  widget: "The eight steps, live",
  steps: "The eight steps",
  names: ["a row for each word", "the learned matrices",
    "a query, a key and a value for each word", "a score for every pair of words",
    "softmax turns scores into weights", "a weighted average for each word",
    "a second head, side by side with the first", "a last matrix mixes the heads"],
  short: ["input", "matrices", "Q, K, V", "scores", "weights", "averages", "side by side",
    "output"],
  title: (step, name) => `Step ${step}: ${name}`,
  back: "One step back",
  forward: "One step forward",
  head: "Which head is shown",
  heads: ["head 1", "head 2"],
  ofHead: (head, title) => `Now ${head}. ${title}`,
  shifted: (largest) => `the largest score of the row, ${largest}, is subtracted from each`,
  row: (i) => `row ${i}`,
  column: (j) => `column ${j}`,
  refusal: (low, high) => `Type a number from ${low} to ${high}, such as 2 or −0.5.`,
  underlined: "Underlined numbers are yours to change.",
  yours: "Drag the slider or type: this number is yours to change.",
  book: (value) => `In the book’s example: ${value}.`,
  changed: "differs from the book",
  reset: "Reset the numbers",
  resetDone: "All numbers are those of the book again.",
  edited: (where, value, changed, of) =>
    `${where} is ${value}. ${changed} of ${of} numbers of the output differ from the book’s.`,
};
const [LOW, HIGH] = [-100, 100];
const LINE = "eight_steps-line";
const REFUSED = "eight_steps-refused";
const START = ["", 0, 1]; // the cell looked at; "" stands for what the step makes
const DRAG = { low: -4, high: 4, step: 0.5, value: 0, write: (value) => trimmed(value, 4) };

export function mount(element, { data }) {
  element.setAttribute("aria-label", WORDS.widget);
  new EightSteps(element, data);
}

class EightSteps {
  /** @param data the words, the step it opens at, and matrices by their names */
  constructor(element, { words, step, ...given }) {
    this.words = words;
    this.given = given;
    this.book = calculate(given);
    this.pointed = null;
    const numbers = Object.entries(given).map(([name, M]) => [name, matrix(M, LOW, HIGH)]);
    const fields = { step: whole(step, 1, 8), head: oneOf("1", ["1", "2"]) };
    const all = { ...fields, cell: cell(START), ...Object.fromEntries(numbers) };
    this.state = pageState("eight_steps", all, (changed) => this.#update(changed));
    this.#build(element);
    this.#calculate();
    this.#layOut();
    this.#look();
  }

  #build(element) {
    const { state, given } = this;
    const { step, head } = state.values;
    this.strip = strip(WORDS, step, (to) => state.set({ step: to }));
    this.heads = choice(WORDS.head, WORDS.heads.map((name, k) => [String(k + 1), name]), head,
      (value) => state.set({ head: value }));
    this.knob = slider("", DRAG, (value) => this.#edit(...this.#current(), value));
    this.reset = button(WORDS.reset, () => {
      state.reset(Object.keys(given));
      announce(WORDS.resetDone);
    });
    this.title = h("p", { class: "tb-title" });
    this.stand = h("div", { class: "tb-stage" });
    this.sum = h("p", { class: "tb-readout", id: LINE });
    this.refused = h("span", { class: "tb-wrong", id: REFUSED });
    this.hint = h("span", {});
    const flag = h("span", { class: "tb-changed" });
    this.legend = h("p", { class: "tb-legend" }, flag, WORDS.changed);
    const undo = h("div", { class: "tb-undo" }, this.legend, this.reset.element);
    element.append(this.strip.element,
      h("div", { class: "tb-top" }, this.title, this.heads.element, this.strip.pair),
      h("div", { class: "tb-body" }, this.stand, this.sum,
        h("p", { class: "tb-hint" }, this.refused, " ", this.hint),
        h("div", { class: "tb-foot" }, this.knob.element, undo)));
  }

  #calculate() {
    const { state, given } = this;
    const inputs = Object.keys(given);
    this.all = calculate(Object.fromEntries(inputs.map((name) => [name, state.values[name]])));
    this.strip.draw(state.values.head, this.all, (name) => this.#differs(name));
    this.legend.classList.toggle("tb-away", !state.moved(inputs));
    this.reset.set(state.moved(inputs));
  }

  /** Whether a cell of a matrix is not what it is in the book. */
  #differs(name) {
    return (i, j) => Math.abs(this.all[name][i][j] - this.book[name][i][j]) > 1e-9;
  }

  #layOut() {
    const { values } = this.state;
    this.stage = stageOf(values.step, values.head);
    const names = namesOf(this.stage);
    this.tables = new Map(names.map((name) => [name, this.#table(name, name === names[0])]));
    const parts = this.stage.row ?? names;
    this.stand.replaceChildren(...parts.map((name) =>
      this.tables.get(name)?.element ?? h("span", { class: "tb-arrow" }, name)));
    this.stand.className = `tb-stage ${this.stage.row ? "tb-row" : "tb-falk"}`;
    this.stand.style.setProperty("--columns", widthOf(this.stage, this.all));
    this.title.replaceChildren(WORDS.title(values.step, WORDS.names[values.step - 1]),
      equations(equationsOf(values.step, values.head)));
    this.heads.element.classList.toggle("tb-away", [1, 7, 8].includes(values.step));
    this.strip.set(values.step);
    this.#fill();
  }

  #table(name, first) {
    const labels = labelsOf(name, this.all[name], this.words, WORDS);
    const onTop = this.stage.row || name.endsWith("T"); // below, the labels above serve too
    return new Table({
      name, label: sign(name), values: this.all[name], role: roleOf(name), ...labels,
      showRows: (first || name === "Z") && labels.rows === this.words,
      showColumns: onTop && labels.columns === this.words,
      line: LINE, editable: name in this.given,
      range: [LOW, HIGH], refusal: WORDS.refusal(trimmed(LOW), trimmed(HIGH)), refused: REFUSED,
      onPoint: (i, j) => this.#point([name, i, j]),
      onLeave: () => this.#point(null),
      onPick: (i, j) => this.#pick(name, i, j),
      onEdit: (i, j, value) => this.#edit(name, i, j, value),
      onRefuse: (sentence) => {
        this.refused.replaceChildren(sentence);
        if (sentence) announce(sentence);
      },
    });
  }

  #fill() {
    for (const [name, table] of this.tables) table.set(this.all[name], this.#differs(name));
  }

  /** The cell under the pointer, or else the one picked; in this stage, if it has it. */
  #current() {
    if (this.pointed) return this.pointed;
    const [name, i, j] = this.state.values.cell;
    const shown = this.tables.has(name) ? name : this.stage.main;
    const M = this.all[shown];
    return [shown, Math.min(i, M.length - 1), Math.min(j, M[0].length - 1)];
  }

  /** Outline what made the current cell, and write out its arithmetic. */
  #look() {
    const [name, i, j] = this.#current();
    const marks = related(this.stage, name, i, j, this.all.Z1[0].length);
    for (const [shown, table] of this.tables) {
      table.mark((r, c) => marks.some(([other, row, column]) =>
        other === shown && (row ?? r) === r && (column ?? c) === c));
    }
    const { rows, columns } = labelsOf(name, this.all[name], this.words, WORDS);
    const where = `[${rows[i]}, ${columns[j]}]`;
    const pieces = arithmeticOf(this.stage, name, i, j, this.all, WORDS);
    this.sum.replaceChildren(sign(name), where, line(pieces));
    const editable = name in this.given;
    this.knob.element.classList.toggle("tb-away", !editable);
    if (editable) this.knob.set(this.all[name][i][j], h("span", {}, sign(name), where));
    const was = this.#differs(name)(i, j) ? WORDS.book(trimmed(this.book[name][i][j])) : "";
    const open = [...this.tables.keys()].some((shown) => shown in this.given);
    this.hint.replaceChildren(was || (editable ? WORDS.yours : open ? WORDS.underlined : ""));
  }

  #point(at) {
    this.pointed = at;
    this.#look();
  }

  #pick(name, i, j) {
    this.pointed = null;
    this.state.set({ cell: [name === this.stage.main ? "" : name, i, j] });
    this.#look();
  }

  #edit(name, i, j, value) {
    const rows = this.state.values[name].map((row) => [...row]);
    rows[i][j] = value;
    this.state.set({ [name]: rows });
    const output = this.book.H.flatMap((row, r) => row.map((_, c) => this.#differs("H")(r, c)));
    const labels = labelsOf(name, rows, this.words, WORDS);
    const where = `${name}, ${labels.rows[i]}, ${labels.columns[j]}`;
    const changed = output.filter(Boolean).length;
    announce(WORDS.edited(where, trimmed(value), changed, output.length));
  }

  #update(changed) {
    const { step, head } = this.state.values;
    this.#calculate();
    if (changed.includes("step") || changed.includes("head")) {
      this.pointed = null;
      this.refused.replaceChildren();
      this.heads.set(head);
      glide(this.stand, () => this.#layOut());
      const title = WORDS.title(step, WORDS.names[step - 1]);
      announce(changed.includes("head") ? WORDS.ofHead(WORDS.heads[head - 1], title) : title);
    } else this.#fill();
    this.#look();
  }
}
