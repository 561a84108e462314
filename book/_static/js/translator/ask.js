/** Where a sentence is asked for: the line, the button, sentences to take, what is said of it. */

import { announce } from "../kit/announce.js";
import { button } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { fixed } from "../kit/format.js";

export const ASKING = {
  sentence: "An English sentence",
  load: (size) => `Load the model (${size}) and translate`,
  go: "Translate",
  ready: "Or take one of these:",
  loading: (percent) => `The model is on its way: ${percent}%.`,
  progress: "Loading the model",
  loaded: "The model is here.",
  failed: (reason) => `${reason} Nothing was lost; you may try again.`,
  empty: "Type a sentence first, or take one of those under the line.",
  characters: (n, most) => `This text has ${n.toLocaleString("en")} characters, and at most `
    + `${most} find room here. Nothing was cut: shorten it.`,
  still: (sentence) => `What stands below is still for “${sentence}”`,
};
const SHOWN = 44; // characters of a sentence that is only named

export class Ask {
  /**
   * @param {HTMLElement} line to type in
   * @param {{bytes: number, sentences: string[]}} about the model, see about.js
   * @param {{onPress: () => void, onTake: (text: string) => void}} act the button was pressed; a
   *   sentence was chosen
   */
  constructor(line, { bytes, sentences }, { onPress, onTake }) {
    this.bytes = bytes;
    const { element, set } = button(ASKING.load(`${fixed(bytes / 1e6, 1)} MB`), onPress);
    this.start = element;
    this.enable = set; // it rests and keeps the focus
    this.busy = false; // whether the model is on its way
    this.start.classList.add("tb-main");
    const ready = sentences.map((text) => h("li", {},
      h("button", { type: "button", lang: "en", onclick: () => onTake(text) }, text)));
    this.said = h("span", {});
    this.whose = h("span", { class: "tb-still" });
    const notice = h("p", { class: "tb-notice" }, this.said, " ", this.whose);
    this.elements = [
      h("div", { class: "tb-ask" }, line, this.start),
      h("div", { class: "tb-ready" }, h("p", {}, ASKING.ready), h("ul", {}, ...ready)),
      notice,
    ];
  }

  /**
   * Say for which sentence the translation below is, where it is not the one in the line.
   * @param {?string} sentence null where it is
   */
  still(sentence) {
    const all = [...sentence ?? ""];
    const shown = all.length > SHOWN ? `${all.slice(0, SHOWN - 1).join("").trimEnd()}…` : sentence;
    this.whose.replaceChildren(sentence === null ? "" : ASKING.still(shown));
  }

  refuse(sentence) {
    this.said.replaceChildren(h("span", { class: "tb-wrong" }, sentence));
    announce(sentence);
  }

  /**
   * Show how far the model is, or why it did not come.
   * @template T
   * @param {(progress: (received: number) => void) => Promise<T>} load
   * @returns {Promise<?T>} null where it did not come
   */
  async loading(load) {
    const { start } = this;
    const bar = h("progress", { max: 1, value: 0, "aria-label": ASKING.progress });
    const percent = h("span", {});
    this.said.replaceChildren(bar, " ", percent);
    this.#rest(true);
    const progress = (received) => {
      const share = Math.min(received / this.bytes, 1);
      bar.value = share;
      percent.replaceChildren(ASKING.loading(Math.round(100 * share)));
    };
    progress(0);
    try {
      const loaded = await load(progress);
      start.replaceChildren(ASKING.go);
      announce(ASKING.loaded);
      return loaded;
    } catch (error) {
      this.refuse(ASKING.failed(/** @type {Error} */ (error).message));
      return null;
    } finally {
      this.#rest(false);
    }
  }

  #rest(busy) {
    this.busy = busy;
    this.enable(!busy);
  }
}
