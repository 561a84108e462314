/** The shapes' side of the map: two sentences of any words, and the sizes of a model. */

import { announce } from "../../kit/announce.js";
import { button, slider } from "../../kit/controls.js";
import { h, symbol } from "../../kit/dom.js";
import { oneOf, whole, words } from "../../kit/state.js";
import { WORDS } from "./words.js";
import { wordTokens } from "../../files/treebank.js";

export const LONGEST = 300; // characters
const WIDTHS = ["64", "128", "256", "512", "1024"];
const HEADS = ["1", "2", "4", "8", "16"];

const named = (key) => h("span", {}, symbol(key), WORDS.sliders[key]);

/** What the address keeps of them. */
export const sizing = (data) => ({
  source: words(data.source, LONGEST), target: words(data.target, LONGEST),
  d_model: oneOf(String(data.d_model), WIDTHS), h: oneOf(String(data.h), HEADS),
  N: whole(data.N, 1, 12),
});

export class Sizes {
  /**
   * @param {object} data the widget's
   * @param {object} state the map's
   */
  constructor(data, state) {
    this.data = data;
    this.state = state;
    this.keys = Object.keys(sizing(data));
    const { values } = state;
    const text = (key) => {
      const oninput = (event) => state.set({ [key]: event.target.value });
      const about = { rows: key === "source" ? 3 : 2, maxlength: LONGEST, spellcheck: "false" };
      const input = h("textarea", { ...about, oninput });
      if (key === "target") input.lang = "zh";
      return { input, count: h("span", { class: "tb-count" }) };
    };
    const power = (key, options) => slider(named(key), {
      low: 0, high: options.length - 1, step: 1, value: options.indexOf(values[key]),
      write: (k) => options[k] }, (k) => state.set({ [key]: options[k] }));
    this.texts = { source: text("source"), target: text("target") };
    const layers = { low: 1, high: 12, step: 1, value: values.N };
    this.sliders = {
      d_model: power("d_model", WIDTHS), h: power("h", HEADS),
      N: slider(named("N"), layers, (N) => state.set({ N })),
    };
    this.undo = button(WORDS.reset, () => {
      state.reset(this.keys);
      announce(WORDS.resetDone);
    });
    const asked = Object.entries(this.texts).map(([key, { input, count }]) =>
      h("label", { class: "tb-phrase" }, WORDS[key], input, count));
    const sliders = Object.values(this.sliders).map((one) => one.element);
    this.element = h("div", { class: "tb-sizes" }, ...asked, ...sliders, this.undo.element);
    this.measure();
  }

  /**
   * How long the sentences are; one without a word leaves the length that was.
   * @returns {import("./places.js").Sizes}
   */
  measure() {
    const { source, target, d_model, h: heads, N } = this.state.values;
    const characters = [...target.trim()];
    this.empty = { source: !wordTokens(source).length, target: !characters.length };
    const { data } = this;
    const n = (text) => wordTokens(text).length + 1; // <eos>
    const was = this.all ?? { n: n(data.source), m: [...data.target].length + 1 };
    this.all = {
      n: this.empty.source ? was.n : n(source),
      m: this.empty.target ? was.m : characters.length + 1, // <bos>
      d_model: Number(d_model), h: Number(heads), d_k: d_model / heads, d_ff: 4 * d_model,
      N, vocabulary: data.vocabulary,
    };
    return this.all;
  }

  /** Show what the state says. */
  show() {
    const { all, empty, texts, state: { values } } = this;
    const say = (key, text) => {
      const { input, count } = texts[key];
      if (input.value !== values[key]) input.value = values[key];
      const full = values[key].length >= LONGEST ? `. ${WORDS.full(LONGEST)}` : "";
      count.replaceChildren(empty[key] ? WORDS.empty : text + full);
      count.classList.toggle("tb-wrong", empty[key]);
      input.setAttribute("aria-invalid", String(empty[key]));
    };
    say("source", WORDS.count("n", all.n, WORDS.end));
    say("target", WORDS.count("m", all.m, WORDS.begin));
    this.sliders.d_model.set(WIDTHS.indexOf(values.d_model));
    this.sliders.h.set(HEADS.indexOf(values.h));
    this.sliders.N.set(values.N);
    this.undo.set(this.state.moved(this.keys));
  }
}
