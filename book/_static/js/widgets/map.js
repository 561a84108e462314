/** The map: a sentence goes through the architecture, and every place tells its shapes. */

import { wordTokens } from "../files/treebank.js";
import { announce } from "../kit/announce.js";
import { button, slider } from "../kit/controls.js";
import { h, symbol } from "../kit/dom.js";
import { oneOf, pageState, whole, words } from "../kit/state.js";
import { Drawing } from "./map/drawing.js";
import { ARROWS, PLACES, STACKS, outOf, touched, written } from "./map/places.js";
import { Panel } from "./map/panel.js";
import { WORDS } from "./map/words.js";

const WIDTHS = ["64", "128", "256", "512", "1024"];
const HEADS = ["1", "2", "4", "8", "16"];
const PACE = 4000; // ms at each box
const LONGEST = 300; // characters
const CROSS = "Multi-head cross-attention, decoder";
const JUMPS = ["Positional encoding", "Outputs"]; // no arrow leads there from the box before

const named = (key) => h("span", {}, symbol(key), WORDS.sliders[key]);

export function mount(element, { data }) {
  const figure = document.querySelector("figure.tb-figure:has(.tb-link)");
  if (!figure) throw new Error(WORDS.lost);
  element.setAttribute("aria-label", WORDS.widget);
  const map = new TheMap(element, figure, data);
  if (location.hash !== `#${element.parentNode.id}`) return;
  // Whoever opens a shared address sees the box; first the page scrolls to the widget.
  const uncover = () => setTimeout(() => map.uncover());
  if (document.readyState === "complete") uncover();
  else addEventListener("load", uncover, { once: true });
}

class TheMap {
  constructor(element, figure, data) {
    this.data = data;
    this.playing = null;
    this.sizing = {
      source: words(data.source, LONGEST), target: words(data.target, LONGEST),
      d_model: oneOf(String(data.d_model), WIDTHS), h: oneOf(String(data.h), HEADS),
      N: whole(data.N, 1, 12),
    };
    const fields = { ...this.sizing, at: whole(1, 1, PLACES.length) };
    this.state = pageState("map", fields, (changed) => this.#update(changed));
    this.drawing = new Drawing(figure.querySelector("svg"), ARROWS);
    this.#measure();
    this.panel = new Panel(WORDS, (by) => this.#go(by), () => this.#toggle());
    element.append(h("div", { class: "tb-map" }, this.panel.element, this.#sizes()));
    this.#showSizes();
    this.#listen(figure);
    this.#open(null);
    element.firstChild.prepend(figure); // last, so that it stays where it was if anything failed
  }

  #listen(figure) {
    figure.addEventListener("click", (event) => {
      const box = event.target.closest("[aria-label].tb-link");
      const at = PLACES.findIndex((one) => one.box === box?.getAttribute("aria-label")) + 1;
      const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
      if (!at || !plain) return; // a new tab or window gets the chapter
      event.preventDefault();
      this.#pause();
      this.state.set({ at });
    });
  }

  /** The two sentences and the sizes of the model. */
  #sizes() {
    const { state } = this;
    const { values } = state;
    const text = (key) => {
      const oninput = (event) => state.set({ [key]: event.target.value });
      const about = { rows: key === "source" ? 3 : 2, maxlength: LONGEST, spellcheck: "false" };
      const input = h("textarea", { ...about, oninput });
      if (key === "target") input.lang = "zh";
      input.value = values[key];
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
    this.undo = button(WORDS.reset, () => this.#reset());
    const asked = Object.entries(this.texts).map(([key, { input, count }]) =>
      h("label", { class: "tb-phrase" }, WORDS[key], input, count));
    const sliders = Object.values(this.sliders).map((one) => one.element);
    return h("div", { class: "tb-sizes" }, ...asked, ...sliders, this.undo.element);
  }

  #reset() {
    const { state } = this;
    state.reset(Object.keys(this.sizing));
    const { source, target, d_model, h: heads, N } = state.values;
    this.texts.source.input.value = source;
    this.texts.target.input.value = target;
    this.sliders.d_model.set(WIDTHS.indexOf(d_model));
    this.sliders.h.set(HEADS.indexOf(heads));
    this.sliders.N.set(N);
    announce(WORDS.resetDone);
  }

  /** How long the sentences are; one without a word leaves the length that was. */
  #measure() {
    const { source, target, d_model, h: heads, N } = this.state.values;
    const characters = [...target.trim()];
    this.empty = { source: !wordTokens(source).length, target: !characters.length };
    const { data } = this;
    const was = this.all
      ?? { n: wordTokens(data.source).length, m: [...data.target].length + 1 };
    this.all = {
      n: this.empty.source ? was.n : wordTokens(source).length,
      m: this.empty.target ? was.m : characters.length + 1, // <bos>
      d_model: Number(d_model), h: Number(heads), d_k: d_model / heads, d_ff: 4 * d_model,
      N, vocabulary: this.data.vocabulary,
    };
  }

  #showSizes() {
    const { all, empty, texts } = this;
    const { source, target } = texts;
    this.drawing.write(ARROWS.map(([lower]) => written(outOf(lower), all)), all.N);
    const say = (one, missing, text) => {
      const full = one.input.value.length >= LONGEST ? `. ${WORDS.full(LONGEST)}` : "";
      one.count.replaceChildren(missing ? WORDS.empty : text + full);
      one.count.classList.toggle("tb-wrong", missing);
      one.input.setAttribute("aria-invalid", missing);
    };
    say(source, empty.source, WORDS.count("n", all.n, ""));
    say(target, empty.target, WORDS.count("m", all.m, WORDS.begin));
    this.undo.set(this.state.moved(Object.keys(this.sizing)));
  }

  /** Show the box that is open; from another, if the shapes are to run here. */
  #open(before) {
    const { at } = this.state.values;
    const { box } = PLACES[at - 1];
    const memory = box === CROSS ? STACKS.Encoder : null;
    const from = JUMPS.includes(box) ? null : before;
    this.drawing.open(box, written(outOf(box), this.all), from, memory);
    this.panel.show(at, this.drawing.boxes.get(box).getAttribute("href"), this.all);
  }

  /** Bring the open box out from under the panel. */
  uncover() {
    this.panel.uncover(this.drawing.boxes.get(PLACES[this.state.values.at - 1].box));
  }

  #go(by) {
    this.#pause();
    const at = this.state.values.at + by;
    if (at >= 1 && at <= PLACES.length) this.state.set({ at });
  }

  #toggle() {
    if (this.playing) this.#pause();
    else this.#play();
  }

  #play() {
    if (this.state.values.at === PLACES.length) this.state.set({ at: 1 });
    this.playing = setInterval(() => {
      const at = this.state.values.at + 1;
      this.state.set({ at });
      if (at === PLACES.length) this.#pause();
    }, PACE);
    this.panel.play.replaceChildren(WORDS.pause);
  }

  #pause() {
    clearInterval(this.playing);
    this.playing = null;
    this.panel.play.replaceChildren(WORDS.play);
  }

  #update(changed) {
    const { at } = this.state.values;
    const moved = changed.includes("at");
    const before = moved && at > 1 ? PLACES[at - 2].box : null;
    const was = this.all;
    this.#measure();
    if (!moved) this.#showSizes();
    this.#open(before);
    if (moved) this.uncover();
    announce(moved ? this.#said() : this.#resized(changed, touched(was, this.all)));
  }

  /** The open box and its shapes, in a sentence. */
  #said() {
    const { box, passes } = PLACES[this.state.values.at - 1];
    const shapes = passes.map(([what, shape]) =>
      `${WORDS.what[what] ?? what} ${written(shape, this.all)}`);
    return `${box}: ${shapes.join(", ")}.`;
  }

  /** Mark the boxes with other shapes; return what there is to say. */
  #resized(changed, boxes) {
    this.drawing.mark(boxes);
    const { values } = this.state;
    const empty = changed.filter((key) => this.empty[key]);
    if (empty.length) return `${WORDS[empty[0]]}: ${WORDS.empty}`;
    const full = changed.some((key) => WORDS[key] && values[key].length >= LONGEST);
    return WORDS.sizes(this.all) + WORDS.touched(boxes, PLACES.length)
      + (full ? ` ${WORDS.full(LONGEST)}` : "");
  }
}
