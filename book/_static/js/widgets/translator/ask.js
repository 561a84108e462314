/** The sentence that a reader gives the model: typed, looked over, and handed on once that is here. */

import { loadModel } from "../../files/load.js";
import { wordTokens } from "../../files/tokens.js";
import { announce } from "../../kit/announce.js";
import { button } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { fixed } from "../../kit/format.js";
import { combobox } from "./combobox.js";
import { LONGEST } from "./fields.js";
import { accept, replaceWord, strangers, suggestions } from "./suggest.js";
import { unknownWords } from "./unknown.js";

const WORDS = {
  sentence: "An English sentence",
  list: "Words that may come next",
  load: (size) => `Load the model (${size}) and translate`,
  go: "Translate",
  ready: "Or take one of these:",
  loading: (percent) => `The model is on its way: ${percent} %.`,
  progress: "Loading the model",
  loaded: "The model is here.",
  failed: (reason) => `${reason} Nothing was lost; you may try again.`,
  empty: "Type a sentence first, or take one of those under the line.",
  several: "The model translates one sentence at a time. Leave one, with its full stop at the end.",
  long: (n, most) => `This sentence has ${n} tokens, and at most ${most} find room here.`,
  stranger: (word) => `The model does not know “${word}” and reads it as <unk>.`,
  instead: (word) => `Take “${word}”`,
};
const MOST = 32; // tokens of a sentence; the grammar's longest has 20

export class Ask {
  /** @type {?import("../../files/load.js").Model} */
  model = null;
  /** @type {?string} the sentence that was handed on last */
  asked = null;

  /**
   * @param {HTMLElement} element where it stands
   * @param {{sentences: string[], follows: import("./suggest.js").Follows, bytes: number,
   *   sha256: Object<string, string>}} about the model, see about.js
   * @param {string} sentence that stands in the line
   * @param {object} act
   * @param {(model: import("../../files/load.js").Model) => void} act.onModel it has arrived
   * @param {(text: string, heard: string) => void} act.onSentence heard is what screen readers must
   *   hear of it before all else
   * @param {(stale: boolean) => void} act.onEdit whether the line says something else by now
   */
  constructor(element, about, sentence, act) {
    this.about = about;
    this.act = act;
    const { sentences, follows, bytes } = about;
    const names = { name: WORDS.sentence, list: WORDS.list, longest: LONGEST };
    this.line = combobox(names, sentence, {
      suggest: (text) => suggestions(text, follows),
      accept,
      onInput: (text) => this.notice(/\s$/.test(text) ? text : text.replace(/\S+$/, "")),
      onEnter: () => this.go(),
    });
    const size = `${fixed(bytes / 1e6, 1)} MB`;
    this.start = button(WORDS.load(size), () => this.go()).element;
    this.start.classList.add("tb-main");
    const take = (text) => () => {
      this.line.set(text);
      this.notice("");
      if (this.model) this.go();
    };
    const ready = sentences.map((text) =>
      h("li", {}, h("button", { type: "button", lang: "en", onclick: take(text) }, text)));
    this.said = h("p", { class: "tb-notice" });
    element.append(
      h("div", { class: "tb-ask" }, this.line.element, this.start),
      h("div", { class: "tb-ready" }, h("p", {}, WORDS.ready), h("ul", {}, ...ready)),
      this.said);
  }

  /** Say which words of a text the model does not know, each with a button for the nearest. */
  notice(text) {
    const odd = strangers(wordTokens(text), this.about.follows);
    const { lines, heard } = unknownWords(odd, WORDS, (...both) => this.#instead(...both));
    this.said.replaceChildren(...lines);
    if (heard) announce(heard);
    this.#dim();
    return heard;
  }

  #instead(word, nearest) {
    const { input } = this.line;
    const typing = this.#stale(); // then the reader says when to translate
    this.line.set(replaceWord(input.value, word, nearest));
    this.notice(input.value);
    input.focus();
    if (this.asked !== null && !typing) this.go();
  }

  /** Whether what was handed on is not what stands in the line. */
  #stale() {
    return this.asked !== null && this.line.input.value.trim() !== this.asked;
  }

  #dim() {
    this.act.onEdit(this.#stale());
  }

  #refuse(sentence) {
    this.said.replaceChildren(h("span", { class: "tb-wrong" }, sentence));
    announce(sentence);
  }

  /** Put a sentence into the line that somebody else has asked for. */
  show(sentence) {
    this.line.set(sentence);
    if (this.asked !== null) this.asked = sentence;
    this.notice(sentence);
  }

  /** Read the sentence, load the model if it is not there yet, and hand the sentence on. */
  async go() {
    if (this.start.disabled) return; // the model is on its way
    const text = this.line.input.value.trim().replace(/\s+\.$/, ".");
    const tokens = wordTokens(text);
    if (!tokens.length) return this.#refuse(WORDS.empty);
    if (tokens.some((word) => word.length > 1 && word.endsWith("."))) {
      return this.#refuse(WORDS.several);
    }
    if (tokens.length > MOST) return this.#refuse(WORDS.long(tokens.length, MOST));
    this.line.set(text);
    if (!this.model) {
      if (await this.#load()) this.go(); // what stands in the line by now
      return;
    }
    const heard = this.notice(text);
    if (!heard) announce(""); // what was wrong with the sentence before
    this.asked = text;
    this.act.onSentence(text, heard);
    this.#dim();
  }

  async #load() {
    const bar = h("progress", { max: 1, value: 0, "aria-label": WORDS.progress });
    const percent = h("span", {});
    this.said.replaceChildren(bar, " ", percent);
    this.start.disabled = true;
    const progress = (received) => {
      const share = Math.min(received / this.about.bytes, 1);
      bar.value = share;
      percent.replaceChildren(WORDS.loading(Math.round(100 * share)));
    };
    progress(0);
    try {
      this.model = await loadModel(progress, undefined, this.about.sha256);
    } catch (error) {
      this.#refuse(WORDS.failed(/** @type {Error} */ (error).message));
      return false;
    } finally {
      this.start.disabled = false;
    }
    this.start.replaceChildren(WORDS.go);
    this.act.onModel(this.model);
    announce(WORDS.loaded);
    return true;
  }
}
