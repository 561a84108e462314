/** Where a sentence is asked for: the line, the button, sentences to take, what is said of it. */

import { announce } from "../../kit/announce.js";
import { button } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { fixed } from "../../kit/format.js";

export class Ask {
  /**
   * @param {HTMLElement} line to type in
   * @param {{bytes: number, sentences: string[]}} about the model, see about.js
   * @param {object} words what the reader sees
   * @param {{onPress: () => void, onTake: (text: string) => void}} act the button was pressed; a
   *   sentence was chosen
   */
  constructor(line, { bytes, sentences }, words, { onPress, onTake }) {
    this.bytes = bytes;
    this.words = words;
    this.start = button(words.load(`${fixed(bytes / 1e6, 1)} MB`), onPress).element;
    this.start.classList.add("tb-main");
    const ready = sentences.map((text) => h("li", {},
      h("button", { type: "button", lang: "en", onclick: () => onTake(text) }, text)));
    this.said = h("p", { class: "tb-notice" });
    this.elements = [
      h("div", { class: "tb-ask" }, line, this.start),
      h("div", { class: "tb-ready" }, h("p", {}, words.ready), h("ul", {}, ...ready)),
      this.said,
    ];
  }

  /** @returns {boolean} whether the model is on its way */
  get busy() {
    return this.start.disabled;
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
    const { words, start } = this;
    const bar = h("progress", { max: 1, value: 0, "aria-label": words.progress });
    const percent = h("span", {});
    this.said.replaceChildren(bar, " ", percent);
    start.disabled = true;
    const progress = (received) => {
      const share = Math.min(received / this.bytes, 1);
      bar.value = share;
      percent.replaceChildren(words.loading(Math.round(100 * share)));
    };
    progress(0);
    try {
      const loaded = await load(progress);
      start.replaceChildren(words.go);
      announce(words.loaded);
      return loaded;
    } catch (error) {
      this.refuse(words.failed(/** @type {Error} */ (error).message));
      return null;
    } finally {
      start.disabled = false;
    }
  }
}
