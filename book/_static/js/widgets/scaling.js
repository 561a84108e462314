/** Softmax and its scale live: scores, weights, how hard the choice is, how much still responds. */

import { softmax } from "../by_hand/softmax.js";
import { announce } from "../kit/announce.js";
import { button, slider, toggle } from "../kit/controls.js";
import { h, symbol } from "../kit/dom.js";
import { fixed, grouped } from "../kit/format.js";
import { flag, oneOf, pageState, whole } from "../kit/state.js";
import { KEYS, dotProducts, draw } from "./scaling/draws.js";
import { entropy, jacobian, largest } from "./scaling/measures.js";
import { Reading, picture, small } from "./scaling/readings.js";
import { Rows, product } from "./scaling/rows.js";

const WORDS = {
  widget: "Softmax and its scale, live",
  temperature: "temperature",
  scale: () => ["divide by √", symbol("d_k")],
  again: "Draw again",
  reset: "Reset",
  resetDone: "The first draw at 64, temperature 1, with the scale.",
  table: "Dot products, scores and weights of eight keys",
  key: (j) => `key ${j + 1}`,
  score: "score",
  weight: "weight",
  scores: (drawn) => `Draw ${grouped(drawn)}: `,
  by: "scores divided by ",
  entropy: "entropy of the weights",
  bits: (value) => `${fixed(value, 2)} bits`,
  spread: (keys) => `as over ${fixed(keys, 1)} keys of ${KEYS}`,
  gradient: "largest cell of J",
  most: "at most 0.25",
  beside: (scaled, value) => `${scaled ? "with" : "without"} the scale, T = 1: ${value}`,
  map: "Jacobian J",
  mapPicture: (value) =>
    `The Jacobian, ${KEYS} by ${KEYS}: positive on the diagonal, negative beside it. ` +
    `Its largest cell is ${value}.`,
  legend: "Row: the weight that responds as the column's score grows. Blue: it rises. " +
    "Orange: it falls. Full colour: 0.25; half: 0.06.",
  said: (d_k, T, scaled, top, weight, bits, cell) =>
    `d_k ${d_k}, temperature ${T}, ${scaled ? "with" : "without"} the scale: ${top} has ` +
    `${fixed(weight, 3)} of the weight, entropy ${bits}, largest cell of J ${cell}.`,
};
const SIZES = ["4", "16", "64", "256", "1024"];
const TEMPERATURES = [-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5].map((power) => String(2 ** power));
const DRAWS = 999999; // more than anybody presses for
const SEED = 12; // in the draw after it the choice hardens with each d_k; others take their ways
const FIELDS = {
  d_k: oneOf("64", SIZES), T: oneOf("1", TEMPERATURES), scale: flag(true), draw: whole(1, 1, DRAWS),
};

const fraction = (value) => (value < 1 ? `1/${1 / value}` : grouped(value));
/** A root with its line: what stands under it, and no more. */
const root = (d_k) => h("span", {}, "√", h("span", { class: "tb-under" }, grouped(d_k)));

export function mount(element) {
  element.setAttribute("aria-label", WORDS.widget);
  new Scaling(element);
}

class Scaling {
  constructor(element) {
    this.state = pageState("scaling", FIELDS, (changed) => this.#update(changed));
    this.vectors = this.#draw();
    this.#build(element);
    this.#show();
  }

  #draw() {
    return draw(SEED + this.state.values.draw);
  }

  #build(element) {
    const { state } = this;
    const { d_k, T, scale } = state.values;
    const stops = (label, list, chosen, write, onStop) => slider(label,
      { low: 0, high: list.length - 1, step: 1, value: list.indexOf(chosen),
        write: (k) => write(list[k]) }, (k) => onStop(list[k]));
    this.d_k = stops(symbol("d_k"), SIZES, d_k, grouped, (to) => state.set({ d_k: to }));
    this.T = stops(h("span", {}, WORDS.temperature, " ", symbol("T")), TEMPERATURES, T,
      (to) => fraction(Number(to)), (to) => state.set({ T: to }));
    this.scale = toggle(h("span", {}, ...WORDS.scale()), scale, (on) => state.set({ scale: on }));
    const again = button(WORDS.again, () => state.set({ draw: state.values.draw % DRAWS + 1 }));
    this.reset = button(WORDS.reset, () => {
      state.reset(Object.keys(FIELDS));
      announce(WORDS.resetDone);
    });
    const columns = [product(), WORDS.score, WORDS.weight];
    this.rows = new Rows({ key: WORDS.key, columns, name: WORDS.table }, KEYS);
    this.title = h("p", { class: "tb-heading" });
    this.map = h("div", {});
    this.entropy = new Reading(WORDS.entropy, Math.log2(KEYS));
    this.gradient = new Reading(WORDS.gradient, 0.25);
    const stage = h("div", { class: "tb-softmax" },
      h("div", {}, this.title, this.rows.element),
      h("div", { class: "tb-side" }, h("p", { class: "tb-heading" }, WORDS.map), this.map,
        h("p", { class: "tb-word" }, WORDS.legend)));
    element.append(h("div", { class: "tb-knobs tb-long" }, this.d_k.element, this.T.element),
      h("div", { class: "tb-foot tb-last" }, this.scale.element,
        h("div", { class: "tb-pair" }, this.reset.element, again.element)), stage,
      h("div", { class: "tb-readings" }, this.entropy.element, this.gradient.element));
  }

  #update(changed) {
    const { d_k, T, scale } = this.state.values;
    if (changed.includes("draw")) this.vectors = this.#draw();
    this.d_k.set(SIZES.indexOf(d_k));
    this.T.set(TEMPERATURES.indexOf(T));
    this.scale.set(scale);
    this.#show();
    announce(this.sentence);
  }

  /**
   * What softmax makes of the dot products, with the scale or without.
   * @param {Float64Array} dots
   * @param {boolean} scale
   * @param {number} T
   */
  #measure(dots, scale, T) {
    const divisor = T * (scale ? Math.sqrt(this.state.values.d_k) : 1);
    const scores = dots.map((dot) => dot / divisor);
    const weights = softmax(scores);
    const J = jacobian(weights);
    return { divisor, scores, weights, J, bits: entropy(weights), cell: largest(J) };
  }

  #show() {
    const { d_k, T, scale, draw: drawn } = this.state.values;
    const dots = dotProducts(this.vectors, Number(d_k));
    const now = this.#measure(dots, scale, Number(T));
    // The paper's own setting stands beside every other, and beside it what comes without a scale.
    const paper = !(scale && T === "1");
    const other = this.#measure(dots, paper, 1);
    const by = fraction(Number(T));
    const divisor = scale ? [root(d_k), ` · ${by} = ${fraction(now.divisor)}`] : [by];
    this.title.replaceChildren(WORDS.scores(drawn), h("span", {}, WORDS.by, ...divisor));
    this.rows.set(dots, now.scores, now.weights);
    const [bits, cell] = [WORDS.bits(now.bits), small(now.cell)];
    this.entropy.set(now.bits, bits, other.bits,
      [WORDS.spread(2 ** now.bits), WORDS.beside(paper, WORDS.bits(other.bits))]);
    this.gradient.set(now.cell, cell, other.cell,
      [WORDS.most, WORDS.beside(paper, small(other.cell))]);
    this.map.replaceChildren(picture(WORDS.mapPicture(cell), now.J));
    this.reset.set(this.state.moved(Object.keys(FIELDS)));
    const top = now.weights.indexOf(Math.max(...now.weights));
    this.sentence = WORDS.said(grouped(d_k), fraction(Number(T)), scale, WORDS.key(top),
      now.weights[top], bits, cell);
  }
}
