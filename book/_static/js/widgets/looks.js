/** Who looks at whom: choose a layer, a head and a word, and see where its weight goes. */

import { announce } from "../kit/announce.js";
import { choice } from "../kit/controls.js";
import { h, svg } from "../kit/dom.js";
import { fixed } from "../kit/format.js";
import { pageState, whole } from "../kit/state.js";

const WORDS = {
  widget: "Who looks at whom",
  layer: "Layer",
  head: "Head",
  layerName: (layer) => `layer ${layer}`,
  headName: (head) => `head ${head}`,
  prompt: (word) => `“${word}” spreads its weight like this:`,
  asks: (word) => `Let “${word}” look`,
  said: (word, most, weight) => `${word} gives most to ${most}: ${weight}.`,
};
const DIGITS = 2;
const WIDEST = 9; // px of an arc that carries all the weight; others in proportion
const LEAST = 0.004; // of the weight: what would be thinner is not drawn
const LOOP = 26; // px, of the arc from a word to itself

/**
 * @param {number} n
 * @param {(k: number) => string} name
 * @returns {Array<[string, string]>}
 */
const numbered = (n, name) => Array.from({ length: n }, (_, k) => [String(k + 1), name(k + 1)]);

export function mount(element, { data }) {
  element.setAttribute("aria-label", WORDS.widget);
  new Looks(element, data);
}

class Looks {
  /** @param {{words: string[], layers: number[][][][], layer: number, head: number, word: number}} data */
  constructor(element, data) {
    this.data = data;
    const { words, layers } = data;
    this.state = pageState("looks", {
      layer: whole(data.layer, 1, layers.length),
      head: whole(data.head, 1, layers[0].length),
      word: whole(data.word, 1, words.length),
    }, () => this.#show());
    const { state } = this;
    this.layer = choice(WORDS.layer, numbered(layers.length, WORDS.layerName),
      String(state.values.layer), (value) => state.set({ layer: Number(value) }));
    this.head = choice(WORDS.head, numbered(layers[0].length, WORDS.headName),
      String(state.values.head), (value) => state.set({ head: Number(value) }));
    this.prompt = h("p", {});
    this.places = words.map((word, k) => this.#place(word, k));
    this.arcs = svg("svg", { class: "tb-arcs", "aria-hidden": "true" });
    this.list = h("ul", { class: "tb-looks" }, ...this.places.map(({ item }) => item));
    element.append(
      h("div", { class: "tb-looks-knobs" }, this.layer.element, this.head.element),
      this.prompt, h("div", { class: "tb-arched" }, this.arcs, this.list));
    this.#show();
    new ResizeObserver(() => this.#draw()).observe(this.list);
  }

  #place(word, k) {
    const weight = h("span", { class: "tb-looks-weight" });
    const press = h("button", {
      type: "button", title: WORDS.asks(word), onclick: () => this.#look(k),
    }, word);
    return { press, weight, item: h("li", {}, press, weight) };
  }

  #look(k) {
    this.state.set({ word: k + 1 });
    const row = this.#row();
    const most = row.indexOf(Math.max(...row));
    announce(WORDS.said(this.data.words[k], this.data.words[most], fixed(row[most], DIGITS)));
  }

  #row() {
    const { layer, head, word } = this.state.values;
    return this.data.layers[layer - 1][head - 1][word - 1];
  }

  #show() {
    const { layer, head, word } = this.state.values;
    this.layer.set(String(layer));
    this.head.set(String(head));
    this.prompt.replaceChildren(WORDS.prompt(this.data.words[word - 1]));
    const row = this.#row();
    this.places.forEach(({ item, press, weight }, k) => {
      press.setAttribute("aria-pressed", String(k === word - 1));
      item.style.setProperty("--weight", String(row[k]));
      weight.textContent = fixed(row[k], DIGITS);
    });
    this.#draw();
  }

  /** An arc from the chosen word to each other, as wide as the weight: above a line, beside a column. */
  #draw() {
    const { left, top } = this.arcs.parentElement.getBoundingClientRect();
    const boxes = this.places.map(({ press }) => press.getBoundingClientRect());
    if (!boxes[0].width) return; // not laid out yet
    const inLine = boxes[0].top === boxes.at(-1).top;
    const feet = boxes.map((box) => (inLine ? { along: box.left + box.width / 2 - left, edge: box.top - top }
      : { along: box.top + box.height / 2 - top, edge: this.#edge(boxes) - left }));
    const room = inLine ? feet[0].edge : this.arcs.clientWidth - feet[0].edge;
    const from = this.state.values.word - 1;
    this.arcs.replaceChildren(...this.#row().flatMap((weight, k) => (weight < LEAST ? []
      : [svg("path", { d: arc(feet[from], feet[k], inLine, room, feet), "data-to": k + 1,
        "stroke-width": (WIDEST * weight).toFixed(2) })])));
  }

  /** Beside a column the arcs begin where its longest word ends. */
  #edge(boxes) {
    return Math.max(...boxes.map(({ right }) => right));
  }
}

/**
 * The way of an arc, in the order of words along a line or down a column.
 * @param {{along: number, edge: number}} from
 * @param {{along: number, edge: number}} to
 * @param {boolean} inLine
 * @param {number} room how far an arc may swing out
 * @param {Array<{along: number}>} all
 */
function arc(from, to, inLine, room, all) {
  const own = from === to;
  const [a, b] = own ? [from.along - 7, from.along + 7] : [from.along, to.along];
  const whole = all.at(-1).along - all[0].along;
  // A curve of this kind swings out three quarters as far as its two handles.
  const out = own ? LOOP : (0.25 + 0.75 * (Math.abs(b - a) / whole)) * (room - WIDEST) / 0.75;
  const point = (along, far) => (inLine ? `${along} ${from.edge - far}` : `${from.edge + far} ${along}`);
  const spread = own ? 8 : 0;
  return `M${point(a, 2)}C${point(a - spread, out)} ${point(b + spread, out)} ${point(b, 2)}`;
}
