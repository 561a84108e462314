/** The map's numbers: each box's own, in the trained model, for the reader's sentence. */

import { trace } from "../../decode/trace.js";
import { greedy } from "../../decode/greedy.js";
import { englishOf, glossOf } from "../../files/gloss.js";
import { readSentence, wordTokens } from "../../files/tokens.js";
import { BOS, EOS, UNK } from "../../files/vocabulary.js";
import { announce } from "../../kit/announce.js";
import { choice, slider } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { fixed } from "../../kit/format.js";
import { Calculation } from "./calculation.js";
import { madeOf, valueOf } from "./follow.js";
import { Grid } from "./grid.js";
import { WORDS } from "./live_words.js";
import { PLACES } from "./places.js";
import { firstOf, homeOf, layered, matrixOf, sheetsOf } from "./sheets.js";
import { typeset } from "./typeset.js";

const PLACE = ["at", "layer", "head", "part", "word", "column"];
const LIKELY = 2; // next tokens that are listed
const BEFORE = 2; // tokens that they are said to come after
const SOFTMAX = "Softmax";

/** @returns {Array<[string, string]>} */
const numbered = (n) => Array.from({ length: n }, (_, k) => [String(k + 1), String(k + 1)]);
const within = (value, most) => Math.max(1, Math.min(value, most));

export class Live {
  /**
   * @param {import("../../files/load.js").Model} model
   * @param {Object<string, string>} gloss the English of each Chinese word
   * @param {{values: Object<string, *>, set: (changes: Object<string, *>) => void}} state the map's
   */
  constructor(model, gloss, state) {
    this.model = model;
    this.gloss = gloss;
    this.state = state;
    this.following = false; // while a number is followed, and the way to it stays
    this.way = []; // the numbers that were followed to the one that is shown
    const { config: { N, h: heads } } = model;
    const set = (key) => (value) => state.set({ [key]: Number(value) });
    this.layer = choice(WORDS.layer, numbered(N), "1", set("layer"));
    this.head = choice(WORDS.head, numbered(heads), "1", set("head"));
    this.which = [this.layer, this.head].map(({ element }, k) =>
      h("div", {}, h("span", { "aria-hidden": "true" }, k ? WORDS.head : WORDS.layer), element));
    this.parts = h("div", {});
    this.grid = new Grid((i, j) => state.set({ word: i + 1, column: j + 1 }), () => this.show());
    this.window = h("p", { class: "tb-count" });
    this.sliders = h("div", {});
    this.far = h("div", { class: "tb-far" }, this.window, this.sliders);
    this.likely = h("p", { class: "tb-likely" });
    this.calculation = new Calculation(WORDS, (cell) => this.#follow(cell), (k) => this.#back(k));
    this.before = h("p", { class: "tb-before", hidden: true });
    this.element = h("div", { class: "tb-numbers" }, this.before,
      h("div", { class: "tb-which" }, ...this.which),
      h("div", { class: "tb-parts" }, this.parts, this.likely),
      this.grid.element, this.far, this.calculation.element);
  }

  /**
   * Run the model on a sentence; what is wrong with it, if anything.
   * @param {string} text
   * @param {string} forced what the decoder reads; empty: what the model translates
   * @returns {string} a sentence for the reader; empty if the numbers are there
   */
  read(text, forced) {
    const typed = wordTokens(text);
    if (!typed.length) return WORDS.empty;
    if (typed.some((word) => word.length > 1 && word.endsWith("."))) return WORDS.several;
    if (typed.length > WORDS.longest) return WORDS.long(typed.length, WORDS.longest);
    const { model } = this;
    const { tokens, ids } = readSentence(text, model.source);
    const source = [...ids, EOS];
    const own = [...forced.replace(/\s/g, "")];
    const pieces = own.length ? model.target.ids(own) : greedy(model, source);
    const target = [BOS, ...pieces];
    const [english, chinese] = [model.source.tokens, model.target.tokens];
    this.text = text.trim();
    this.now = {
      ...model, own: !own.length, trace: trace(model, source, target), ids: { source, target },
      names: {
        source: [...tokens.map((word, k) => (ids[k] === UNK ? "<unk>" : word)), "<eos>"],
        target: target.map((id) => chinese[id]), english, chinese,
      },
    };
    this.written = pieces.map((id) => chinese[id]).join("");
    this.english = englishOf(this.now.names.target, this.gloss);
    return "";
  }

  /** Say that the numbers are still those of the sentence before. */
  stale(whether) {
    this.element.classList.toggle("tb-past", whether);
    this.before.hidden = !whether;
    this.before.replaceChildren(WORDS.stale(this.text));
  }

  get sizes() {
    const { config: { d_model, d_ff, h: heads, N }, ids, names } = this.now;
    return { n: ids.source.length, m: ids.target.length, d_model, h: heads, d_k: d_model / heads,
      d_ff, N, vocabulary: names.chinese.length };
  }

  /** The box, the matrix and the number that are chosen, within what there is. */
  #chosen() {
    const { values } = this.state;
    const { N, h: heads } = this.now.config;
    const { box } = PLACES[values.at - 1];
    const layer = within(values.layer, N) - 1;
    const sheets = sheetsOf(box, layer, N);
    const sheet = sheets.find(({ part }) => part === values.part) ?? firstOf(sheets);
    const head = within(values.head, heads) - 1;
    const matrix = matrixOf(this.now, sheet.key, head);
    const i = within(values.word, matrix.rows) - 1;
    const j = values.column ? within(values.column, matrix.cols) - 1
      : this.#telling(sheet, matrix.row(i));
    const cell = { key: sheet.key, head: sheet.heads ? head : null, i, j };
    return { box, layer, sheets, sheet, head, matrix, cell };
  }

  /** Where no column is chosen: the largest, where columns are tokens. */
  #telling({ columns }, row) {
    return columns ? row.indexOf(Math.max(...row)) : 0;
  }

  /** Show what the state chooses. */
  show() {
    const { now } = this;
    const { box, layer, sheets, sheet, head, matrix, cell } = this.#chosen();
    const { i, j } = cell;
    this.layer.set(String(layer + 1));
    this.head.set(String(head + 1));
    this.which[0].classList.toggle("tb-away", !layered(box));
    this.which[1].classList.toggle("tb-away", !sheet.heads);
    this.#showParts(box, sheets, sheet);
    const mask = sheet.part === "weights" ? matrixOf(now, sheet.key.replace(/\w+$/, "mask")) : null;
    const hides = Boolean(mask?.data.some((one) => !one));
    const caption = WORDS.caption(sheet.part, cell.head, hides);
    const label = h("span", {}, ...typeset(sheet.part), caption.slice(sheet.part.length));
    const tokens = sheet.columns === "source" || sheet.columns === "target";
    this.grid.show({ name: caption, label, matrix, role: sheet.role,
      whole: tokens, digits: sheet.part === "scores" ? 1 : undefined,
      hidden: (r, c) => hides && !mask.at(r, c),
      row: (r) => this.#label(sheet.rows, r), column: (c) => this.#label(sheet.columns, c),
    }, i, j);
    const { top, left, rows, columns } = this.grid;
    const range = (from, size, all) => `${from + 1}–${Math.min(from + size, all)}`;
    // All in sight, and each large enough to be pressed: there is nothing to slide.
    const all = rows === matrix.rows && columns === matrix.cols
      && !this.grid.element.classList.contains("tb-wordless");
    this.window.replaceChildren(all ? WORDS.press : WORDS.of(range(top, rows, matrix.rows),
      matrix.rows, range(left, columns, matrix.cols), matrix.cols));
    this.sliders.classList.toggle("tb-away", all);
    this.#showSliders(sheet, matrix, i, j);
    const name = this.#nameOf(sheet, i, j);
    const way = [...this.way, { where: this.#where(box, layer, cell.head), name }];
    this.calculation.show(name, valueOf(now, cell), madeOf(now, cell), way, (to) => {
      const home = homeOf(to.key, now.config.N);
      const where = this.#where(PLACES[home.at - 1].box, home.layer, to.head);
      return WORDS.at(this.#nameOf(home.sheet, to.i, to.j), where);
    });
    this.#showLikely(box, i);
  }

  #showParts(box, sheets, sheet) {
    const all = `${box} ${sheets.length}`;
    if (this.partsOf !== all) {
      const options = sheets.map(({ part }) =>
        /** @type {[string, Node]} */ ([part, h("span", {}, ...typeset(part))]));
      this.part = choice(WORDS.part, options, sheet.part,
        (part) => this.state.set({ part: part === firstOf(sheets).part ? "" : part, column: 0 }));
      this.parts.replaceChildren(this.part.element);
      this.partsOf = all;
    }
    this.part.set(sheet.part);
  }

  /** One slider for the rows, one for the columns. */
  #showSliders(sheet, { rows, cols }, i, j) {
    const key = `${sheet.key} ${rows} ${cols}`;
    if (this.slidersOf !== key) {
      const make = (label, high, field, value) => slider(label,
        { low: 1, high, step: 1, value }, (to) => this.state.set({ [field]: to }));
      this.to = {
        word: make(WORDS.row, Math.max(rows, 2), "word", i + 1),
        column: make(WORDS.column, Math.max(cols, 2), "column", j + 1),
      };
      this.to.word.element.classList.toggle("tb-away", rows === 1);
      this.to.column.element.classList.toggle("tb-away", cols === 1);
      this.sliders.replaceChildren(this.to.word.element, this.to.column.element);
      this.slidersOf = key;
    }
    this.to.word.set(i + 1);
    this.to.column.set(j + 1);
  }

  /** In the last box: which tokens may come after the chosen one. */
  #showLikely(box, i) {
    this.likely.hidden = box !== SOFTMAX;
    if (this.likely.hidden) return;
    const { ids, names: { chinese, target }, trace: made } = this.now;
    const p = made.probabilities.row(i);
    const order = [...p.keys()].sort((a, b) => p[b] - p[a]).slice(0, LIKELY);
    const read = target.slice(i ? 1 : 0, i + 1); // <bos> alone, or what is written
    const before = `${read.length > BEFORE ? "…" : ""}${read.slice(-BEFORE).join("")}`;
    const after = h("span", {}, WORDS.after, " ", h("span", { lang: "zh" }, before), ":");
    this.likely.replaceChildren(after, ...order.map((id) =>
      h("button", { type: "button", class: "tb-button",
        onclick: () => this.state.set({ part: "", column: id + 1 }) },
        ...this.#chinese(chinese[id], id === ids.target[i + 1] ? this.english[i + 1] : undefined),
        ` ${fixed(p[id], 3)}`)));
  }

  /** A token, with the English of its word, or where no sentence has it with its own. */
  #chinese(token, english = glossOf(token, this.gloss)) {
    return [h("span", { lang: "zh" }, token), ...(english && token[0] !== "<"
      ? [h("small", { class: "tb-gloss" }, english)] : [])];
  }

  /** The label of a row or column: a token, a word of a vocabulary, or a number. */
  #label(kind, k) {
    if (!kind) return String(k + 1);
    const name = this.now.names[kind][k];
    const english = kind === "target" ? this.english[k] : undefined;
    return kind === "target" || kind === "chinese"
      ? h("span", { class: "tb-chinese" }, ...this.#chinese(name, english)) : name;
  }

  #nameOf({ part, rows, columns }, i, j) {
    const of = (kind, k) => {
      if (!kind) return String(k + 1);
      const names = this.now.names[kind];
      const twice = names.some((name, other) => name === names[k] && other !== k);
      return twice ? WORDS.twice(names[k], k + 1) : names[k];
    };
    return WORDS.cell(part, of(rows, i), of(columns, j));
  }

  /** A box, and which layer and head of it. */
  #where(box, layer, head) {
    return WORDS.where(box, layered(box) ? layer + 1 : null, head === null ? null : head + 1);
  }

  #follow(cell) {
    const { N } = this.now.config;
    const { at, layer, sheet } = homeOf(cell.key, N);
    const { values } = this.state;
    const from = this.#chosen();
    const here = Object.fromEntries(PLACE.map((key) => [key, values[key]]));
    this.way.push({ here, where: this.#where(from.box, from.layer, from.cell.head),
      name: this.#nameOf(from.sheet, from.cell.i, from.cell.j) });
    const first = firstOf(sheetsOf(PLACES[at - 1].box, layer, N)).part;
    this.#go({
      at, layer: /coder\.\d/.test(cell.key) ? layer + 1 : values.layer,
      head: cell.head === null ? values.head : cell.head + 1,
      part: sheet.part === first ? "" : sheet.part, word: cell.i + 1, column: cell.j + 1,
    });
  }

  #back(k) {
    const { here } = this.way[k];
    this.way.length = k;
    this.#go(here);
  }

  #go(place) {
    const { element } = this.calculation;
    const { top } = element.getBoundingClientRect();
    this.following = true;
    this.state.set(place);
    this.following = false;
    this.calculation.focus();
    const by = element.getBoundingClientRect().top - top;
    if (by) scrollBy({ top: by, behavior: "instant" }); // it stays where the reader looks
  }

  /** Scroll to the matrix and the calculation. */
  reveal() {
    this.element.scrollIntoView({ behavior: "instant" });
    this.calculation.lines.scrollIntoView({ behavior: "instant", block: "nearest" });
  }

  /** The state has changed: show it, and say where the reader is. */
  changed(changed) {
    if (!this.following) this.way = [];
    this.show();
    if (!changed.some((key) => PLACE.includes(key))) return;
    const { box, sheet, cell } = this.#chosen();
    announce(WORDS.said(box, this.#nameOf(sheet, cell.i, cell.j),
      fixed(valueOf(this.now, cell), 4)));
  }
}
