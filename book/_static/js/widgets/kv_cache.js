/** The cache filling: what each pass computes, what it keeps, and what it computes again without. */

import { announce } from "../kit/announce.js";
import { button, choice, toggle } from "../kit/controls.js";
import { h, symbol } from "../kit/dom.js";
import { grouped } from "../kit/format.js";
import { flag, oneOf, pageState, whole } from "../kit/state.js";
import { MODELS, bytesOf, computed, read, rows } from "./kv_cache/calculation.js";

const WORDS = {
  widget: "The cache of keys and values, live",
  prompt: ["the", "black", "cat", "sat", "on", "the"],
  written: ["couch", "and", "the", "brown", "dog", "slept"],
  cache: "cache",
  model: "Model",
  models: { book: "the book’s", gpt2: "GPT-2", "70b": "Llama-2-70B" },
  bytes: "Bytes a number",
  back: "← pass",
  forward: "pass →",
  backName: "Back one pass",
  forwardName: "On to the next pass",
  reset: "Reset",
  resetDone: "The first pass, with the cache.",
  place: (pass, all, part) => `Pass ${pass} of ${all}, ${part}. `,
  parts: ["prefill", "decode"],
  reads: "Reads ",
  writes: ", writes ",
  several: (count) => `all ${count} words`,
  rows: "Keys and values of one layer",
  states: {
    now: "computed", kept: "kept", again: "computed again", writes: "written", later: "",
  },
  counts: "Rows of keys computed in one layer",
  columns: ["this pass", "so far"],
  ways: { on: "with the cache", off: "without" },
  layers: (count) => `${count} layers`,
  heads: (count) => `${count} heads`,
  words: (count) => `${count} words`,
  each: (bytes) => `${bytes} ${bytes === "1" ? "byte" : "bytes"}`,
  kept: "Kept in all layers: ",
  nothing: "Kept: nothing. The cache would hold ",
  numbers: (count) => `${count} numbers`,
  total: (bytes) => `${bytes} bytes`,
  further: (bytes) => `Each further word adds ${bytes}.`,
  shared: "In this model 64 heads of queries share 8 heads of keys.",
};
const SIZES = ["4", "2", "1"];
const PASSES = WORDS.written.length; // the last word is written, and not read
const FIELDS = {
  step: whole(1, 1, PASSES), cache: flag(true),
  model: oneOf("book", Object.keys(MODELS)), bytes: oneOf("4", SIZES),
};

export function mount(element) {
  element.setAttribute("aria-label", WORDS.widget);
  new KeyValueCache(element);
}

class KeyValueCache {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.words = [...WORDS.prompt, ...WORDS.written];
    this.state = pageState("kv_cache", FIELDS, () => this.#update());
    this.#build(element);
    this.#show();
  }

  #build(element) {
    const { state } = this;
    const { cache, model, bytes } = state.values;
    const go = (by) => () => state.set({ step: state.values.step + by });
    this.back = button(WORDS.back, go(-1), WORDS.backName);
    this.forward = button(WORDS.forward, go(1), WORDS.forwardName);
    this.cache = toggle(WORDS.cache, cache, (on) => state.set({ cache: on }));
    this.model = choice(WORDS.model, Object.entries(WORDS.models), model,
      (name) => state.set({ model: name }));
    this.bytes = choice(WORDS.bytes, SIZES.map((size) => [size, size]), bytes,
      (size) => state.set({ bytes: size }));
    this.reset = button(WORDS.reset, () => {
      state.reset(Object.keys(FIELDS));
      announce(WORDS.resetDone);
    });
    this.place = h("p", { class: "tb-heading" });
    this.lines = this.words.map(() => h("li", {}));
    this.kept = h("p", { class: "tb-readout tb-kept-bytes" });
    const named = (name, control) => h("div", { class: "tb-named" },
      h("span", { "aria-hidden": "true" }, name), control.element);
    const pair = h("div", { class: "tb-pair" }, this.back.element, this.forward.element);
    const head = h("div", { class: "tb-head", "aria-hidden": "true" },
      h("span", {}), symbol("K", "k"), symbol("V", "v"), h("span", {}));
    element.append(h("div", { class: "tb-cache" },
      h("div", { class: "tb-options" }, this.cache.element,
        named(WORDS.model, this.model), named(WORDS.bytes, this.bytes)),
      h("div", { class: "tb-top" }, this.place, pair),
      h("div", { class: "tb-kv" }, head, h("ol", { "aria-label": WORDS.rows }, ...this.lines)),
      h("div", { class: "tb-cost" }, this.#counts(), this.kept,
        h("div", { class: "tb-foot" }, this.reset.element))));
  }

  /** The table of what is computed, with the cache and without. */
  #counts() {
    const cells = () => WORDS.columns.map(() => h("td", {}));
    this.ways = Object.entries(WORDS.ways).map(([way, name]) => {
      const own = cells();
      return { on: way === "on", cells: own, row: h("tr", {}, h("th", { scope: "row" }, name), ...own) };
    });
    const columns = WORDS.columns.map((name) => h("th", { scope: "col" }, name));
    return h("table", { class: "tb-counts" }, h("caption", {}, WORDS.counts),
      h("thead", {}, h("tr", {}, h("td", {}), ...columns)),
      h("tbody", {}, ...this.ways.map(({ row }) => row)));
  }

  #update() {
    const { cache, model, bytes } = this.state.values;
    this.cache.set(cache);
    this.model.set(model);
    this.bytes.set(bytes);
    this.#show();
    const counts = this.ways.find(({ on }) => on === cache).row;
    const said = [...counts.children].map((cell) => cell.textContent).join(" ");
    announce(`${this.place.textContent} ${WORDS.counts}: ${said}. ${this.kept.textContent}`);
  }

  #show() {
    const { step, cache } = this.state.values;
    const n = WORDS.prompt.length;
    const next = read(n, step); // the place of the word that this pass writes
    const fresh = computed(n, step, cache).now;
    const words = fresh === 1 ? h("b", {}, this.words[next - 1]) : WORDS.several(fresh);
    this.place.replaceChildren(WORDS.place(step, PASSES, WORDS.parts[Number(step > 1)]),
      WORDS.reads, words, WORDS.writes, h("b", {}, this.words[next]), ".");
    this.#showRows([...rows(n, step, cache), "writes"]);
    for (const { on, cells, row } of this.ways) {
      const { now, all } = computed(n, step, on);
      [now, all].forEach((count, k) => cells[k].replaceChildren(grouped(count)));
      row.classList.toggle("tb-chosen", on === cache);
    }
    this.kept.replaceChildren(...this.#bytes(next));
    this.back.set(step > 1);
    this.forward.set(step < PASSES);
    this.reset.set(this.state.moved(Object.keys(FIELDS)));
  }

  #showRows(states) {
    const { heads } = MODELS[this.state.values.model];
    this.lines.forEach((line, k) => {
      const state = states[k] ?? "later";
      line.className = `tb-row-${state}`;
      line.style.setProperty("--heads", String(heads));
      // Room that is still free: it is seen, and there is nothing to say of it.
      line.ariaHidden = state === "later" ? "true" : null;
      line.replaceChildren(h("span", { class: "tb-word" }, state === "later" ? "" : this.words[k]),
        h("span", { class: "tb-bar tb-bar-k" }), h("span", { class: "tb-bar tb-bar-v" }),
        h("span", { class: "tb-state" }, WORDS.states[state]));
    });
  }

  /** 2 · 2 layers · 6 words · 4 heads · 32 numbers · 4 bytes = 12,288 bytes */
  #bytes(n) {
    const { cache, model, bytes } = this.state.values;
    const size = MODELS[model];
    const { layers, heads, d_k } = size;
    const factors = ["2", WORDS.layers(layers), WORDS.words(n), WORDS.heads(heads),
      WORDS.numbers(d_k), WORDS.each(bytes)];
    const total = (words) => grouped(bytesOf(size, words, Number(bytes)));
    return [
      cache ? WORDS.kept : WORDS.nothing,
      h("span", { class: "tb-arithmetic" }, `${factors.join(" · ")} = `,
        h("span", { class: "tb-result" }, WORDS.total(total(n)))), ". ",
      h("span", {}, WORDS.further(total(1)), size.sharing ? ` ${WORDS.shared}` : ""),
    ];
  }
}
