/** A mask to make oneself: hide a score, or show it again, and the weights of its row follow. */

import { announce } from "../kit/announce.js";
import { line } from "../kit/arithmetic.js";
import { button, choice, toggle } from "../kit/controls.js";
import { h, symbol } from "../kit/dom.js";
import { cell, flag, matrix, oneOf, pageState, whole } from "../kit/state.js";
import { ofScore, ofWeight } from "./masks/arithmetic.js";
import { calculate } from "./masks/calculation.js";
import { Tables, written } from "./masks/tables.js";

const WORDS = {
  widget: "Masks, live",
  title: "Who may attend to whom",
  scores: "Scores with the mask",
  weights: "Weights",
  sums: "Sum of each row",
  sum: "sum",
  head: "Which head is shown",
  heads: ["head 1", "head 2"],
  causal: "causal mask",
  filling: "Filling at the end",
  fillings: ["none", "1 token", "2 tokens"],
  pad: "<pad>",
  place: (word, place) => `${word} (token ${place})`,
  kept: "A <pad> keeps the scores of the word it replaced: they should not matter.",
  built: "How the mask is built",
  ways: { right: "right", sign: "plus for minus", way: "rows for columns" },
  about: {
    right: "−∞ is written over each hidden score.",
    sign: "Each hidden score gets +10,000, not −10,000.",
    way: "Rows and columns of the mask are exchanged.",
  },
  raised: "+10⁴",
  use: "Click a score, or press Space on it, to hide it or to show it.",
  yours: "hidden or shown by you",
  reset: "Reset",
  resetDone: "The mask is the causal one again.",
  allOne: "Every row sums to 1.",
  none: (words) => `${words} may attend to nothing: all 0.`,
  leaks: (leaks, meant) => (leaks === meant
    ? `All ${meant} cells to hide have a weight.`
    : `${leaks} of ${meant} cells to hide ${leaks === 1 ? "has" : "have"} a weight.`),
  oneLeak: "The one cell to hide has a weight.",
  shown: (shown, covered, mask) => (shown === covered
    ? `You show all that ${mask} hides.`
    : `You show ${shown} of ${covered} cells hidden by ${mask}.`),
  masks: { causal: "the causal mask", padding: "the padding mask", both: "the mask" },
  flipped: (query, key, may) => `${query} may ${may ? "" : "not "}attend to ${key}.`,
  now: (query, weights) => `Weights of ${query}: ${weights}.`,
  weight: (key, weight) => `${key} ${weight}`,
  nothing: "nothing is left to attend to",
  drowned: "others of its row are 10,000 larger",
  cancels: "the 10,000 of each cancel",
};

const LINE = "masks-line";

export function mount(element, { data }) {
  element.setAttribute("aria-label", WORDS.widget);
  new Masks(element, data);
}

class Masks {
  constructor(element, { words, scores }) {
    this.words = words;
    this.scores = scores;
    this.pointed = null;
    this.fields = {
      head: oneOf("1", ["1", "2"]), causal: flag(true), filling: whole(0, 0, 2),
      built: oneOf("right", Object.keys(WORDS.ways)), own: matrix(scores[0].map((row) =>
        row.map(() => 0)), -1, 1), cell: cell(["A", 1, 0]),
    };
    this.state = pageState("masks", this.fields, (changed) => this.#update(changed));
    this.#build(element);
    this.#layOut();
  }

  #build(element) {
    const { state } = this;
    const { values } = state;
    const set = (key) => (value) => state.set({ [key]: value });
    const numbered = (labels, first) => labels.map((label, k) => [String(k + first), label]);
    const fill = (value) => state.set({ filling: Number(value) });
    const ways = Object.entries(WORDS.ways);
    this.controls = {
      head: choice(WORDS.head, numbered(WORDS.heads, 1), values.head, set("head")),
      causal: toggle(WORDS.causal, values.causal, set("causal")),
      filling: choice(WORDS.filling, numbered(WORDS.fillings, 0), String(values.filling), fill),
      built: choice(WORDS.built, ways, values.built, set("built")),
    };
    const { head, causal, filling, built } = this.controls;
    const named = (name, control) => h("div", { class: "tb-named" },
      h("span", { "aria-hidden": "true" }, name), control.element);
    this.reset = button(WORDS.reset, () => {
      state.reset(Object.keys(this.fields).filter((key) => key !== "cell"));
      announce(WORDS.resetDone);
    });
    this.stand = h("div", { class: "tb-stage tb-row tb-masks" });
    this.about = h("p", { class: "tb-about" });
    this.sum = h("p", { class: "tb-readout", id: LINE });
    this.verdict = h("p", { class: "tb-verdict" });
    this.legend = h("p", { class: "tb-legend" });
    const undo = h("div", { class: "tb-undo" }, this.legend, this.reset.element);
    element.append(
      h("div", { class: "tb-top" }, this.#title(), head.element),
      h("div", { class: "tb-options" }, causal.element, named(WORDS.filling, filling),
        named(WORDS.built, built)),
      this.about, this.stand, this.verdict, this.sum,
      h("div", { class: "tb-foot" }, h("p", { class: "tb-hint" }, WORDS.use), undo));
  }

  #title() {
    const [S, A] = [symbol("S"), symbol("A", "attention")];
    const equation = h("span", {}, A, " = softmax(", S, " + ", symbol("M"), ")");
    const below = h("span", { class: "tb-equations" }, equation);
    return h("p", { class: "tb-title" }, WORDS.title, below);
  }

  /** The tables: made anew where their labels change. */
  #layOut() {
    const { filling } = this.state.values;
    const real = this.words.length - filling;
    this.labels = this.words.map((word, k) => (k < real ? word : WORDS.pad));
    const twice = (word) => this.labels.indexOf(word) !== this.labels.lastIndexOf(word);
    this.places = this.labels.map((word, k) => (twice(word) ? WORDS.place(word, k + 1) : word));
    this.tables = new Tables(this.labels, WORDS, {
      point: (at) => this.#point(at), pick: (...at) => this.#pick(...at),
      flip: (i, j) => this.#flip(i, j),
    }, LINE);
    this.stand.replaceChildren(...this.tables.elements);
    this.#calculate();
    this.#fill();
  }

  #calculate() {
    const { head, causal, filling, built, own } = this.state.values;
    this.S = this.scores[head - 1];
    this.all = calculate(this.S, { causal, filling, built, own });
  }

  #fill() {
    const { values } = this.state;
    this.tables.fill(this.S, this.all, values.built === "sign", values.own);
    const kept = `tb-kept${values.filling ? "" : " tb-away"}`; // its line stays, so that nothing moves
    this.about.replaceChildren(WORDS.about[values.built], " ", h("span", { class: kept }, WORDS.kept));
    this.verdict.replaceChildren(...this.#judge());
    const { moved } = this.state;
    const key = [h("span", { class: "tb-changed" }), WORDS.yours];
    this.legend.replaceChildren(...(moved(["own"]) ? key : []));
    this.reset.set(moved(["own", "built", "causal", "filling", "head"]));
    this.#look();
  }

  /** What to say of all rows together. */
  #judge() {
    const { weights, leaks, meant, shown, covered } = this.all;
    const empty = this.labels.filter((_, i) => !weights[i].some((weight) => weight));
    const quoted = [...new Set(empty)].map((word) => `“${word}”`).join(", ");
    const { causal, filling } = this.state.values;
    const mask = WORDS.masks[!filling ? "causal" : causal ? "both" : "padding"];
    const rows = [empty.length ? WORDS.none(quoted) : WORDS.allOne,
      ...(shown ? [WORDS.shown(shown, covered, mask)] : [])].join(" ");
    if (!leaks) return [rows];
    const leak = meant === 1 ? WORDS.oneLeak : WORDS.leaks(leaks, meant);
    return [rows, " ", h("strong", { class: "tb-wrong" }, leak)];
  }

  /** Outline what the current cell is made of, or goes into, and write out its arithmetic. */
  #look() {
    const [name, i, j] = this.#current();
    this.tables.mark(name, i, j);
    const wrongSign = this.state.values.built === "sign";
    const { mask, weights } = this.all;
    const pieces = name === "S" ? ofScore(this.S[i][j], mask[i][j], wrongSign)
      : ofWeight(this.S[i], mask[i], j, weights[i][j], wrongSign, WORDS);
    const sign = name === "S" ? symbol("S") : symbol("A", "attention");
    const where = `[${this.places[i]}, ${this.places[j]}]`;
    const row = name === "S" ? [". ", this.#weightsOf(i)] : [];
    this.sum.replaceChildren(sign, where, line(pieces), ...row);
  }

  #weightsOf(i) {
    const weights = this.all.weights[i].map((weight, j) =>
      WORDS.weight(this.places[j], written(weight)));
    return WORDS.now(this.places[i], weights.join(", "));
  }

  /** @returns {[string, number, number]} */
  #current() {
    const [name, i, j] = this.pointed ?? this.state.values.cell;
    const last = this.words.length - 1;
    return [name === "S" ? "S" : "A", Math.min(i, last), Math.min(j, last)];
  }

  #point(at) {
    this.pointed = at;
    this.#look();
  }

  #pick(name, i, j) {
    this.pointed = null;
    this.state.set({ cell: [name, i, j] });
    this.#look();
  }

  #flip(i, j) {
    const own = this.state.values.own.map((row) => [...row]);
    const may = !this.all.mask[i][j];
    own[i][j] = Boolean(this.all.given[i][j]) === may ? 0 : may ? 1 : -1;
    this.state.set({ own });
    const said = WORDS.flipped(this.places[i], this.places[j], may);
    announce(`${said} ${this.#weightsOf(i)}`);
  }

  #update(changed) {
    const { head, causal, filling, built } = this.controls;
    const { values } = this.state;
    head.set(values.head);
    causal.set(values.causal);
    filling.set(String(values.filling));
    built.set(values.built);
    this.#calculate();
    if (changed.includes("filling")) this.#layOut();
    else this.#fill();
    if (!changed.includes("own") && !changed.includes("cell")) {
      announce(this.verdict.textContent);
    }
  }
}
