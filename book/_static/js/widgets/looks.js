/** Who looks at whom: choose a layer, a head and a word, and see where its weight goes. */

import { announce } from "../kit/announce.js";
import { choice } from "../kit/controls.js";
import { h } from "../kit/dom.js";
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
    element.append(
      h("div", { class: "tb-looks-knobs" }, this.layer.element, this.head.element),
      this.prompt,
      h("ul", { class: "tb-looks" }, ...this.places.map(({ item }) => item)));
    this.#show();
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
  }
}
