/** A sentence for the book's own model: its words are suggested, and those it lacks are named. */

import { loadModel } from "../files/load.js";
import { wordTokens } from "../files/tokens.js";
import { announce } from "../kit/announce.js";
import { Ask, ASKING } from "./ask.js";
import { combobox } from "./combobox.js";
import { LONGEST } from "./fields.js";
import { accept, replaceWord, strangers, suggestions } from "./suggest.js";
import { unknownWords } from "./unknown.js";

const WORDS = {
  list: "Words that may come next",
  several: "The model translates one sentence at a time. Leave one, with its full stop at the end.",
  long: (n, most) => `This sentence has ${n} tokens, and at most ${most} find room here.`,
  stranger: (word) => `The model does not know “${word}” and reads it as <unk>.`,
  instead: (word) => `Take “${word}”`,
};
const MOST = 32; // tokens of a sentence; the grammar's longest has 20

export class AskGrammar {
  /** @type {?import("../files/load.js").Model} */
  model = null;
  /** @type {?string} the sentence that was handed on last */
  asked = null;

  /**
   * @param {HTMLElement} element where it stands
   * @param {{sentences: string[], follows: import("./suggest.js").Follows, bytes: number,
   *   sha256: Object<string, string>}} about the model, see about.js
   * @param {string} sentence that stands in the line
   * @param {object} act
   * @param {(model: import("../files/load.js").Model) => void|Promise<void>} act.onModel it has
   *   arrived
   * @param {(text: string, heard: string) => void} act.onSentence heard is what screen readers must
   *   hear of it before all else
   * @param {(stale: boolean) => void} act.onEdit whether the line says something else by now
   */
  constructor(element, about, sentence, act) {
    this.about = about;
    this.act = act;
    const names = { name: ASKING.sentence, list: WORDS.list, longest: LONGEST };
    this.line = combobox(names, sentence, {
      suggest: (text) => suggestions(text, about.follows),
      accept,
      onInput: (text) => this.#notice(/\s$/.test(text) ? text : text.replace(/\S+$/, "")),
      onEnter: () => this.go(),
    });
    const onTake = (text) => {
      this.line.set(text);
      this.#notice("");
      if (this.model) this.go();
    };
    this.ask = new Ask(this.line.element, about, { onPress: () => this.go(), onTake });
    element.append(...this.ask.elements);
  }

  /** Say which words of a text the model does not know, each with a button for the nearest. */
  #notice(text) {
    const odd = strangers(wordTokens(text), this.about.follows);
    const { lines, heard } = unknownWords(odd, WORDS, (...both) => this.#instead(...both));
    this.ask.said.replaceChildren(...lines);
    if (heard) announce(heard);
    this.#dim();
    return heard;
  }

  #instead(word, nearest) {
    const { input } = this.line;
    const typing = this.#stale(); // then the reader says when to translate
    this.line.set(replaceWord(input.value, word, nearest));
    this.#notice(input.value);
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

  /** Put a sentence into the line that somebody else has asked for. */
  show(sentence) {
    this.line.set(sentence);
    if (this.asked !== null) this.asked = sentence;
    this.#notice(sentence);
  }

  /** Read the sentence, load the model if it is not there yet, and hand the sentence on. */
  async go() {
    if (this.ask.busy) return; // the model is on its way
    const text = this.line.input.value.trim().replace(/\s+\.$/, ".");
    const tokens = wordTokens(text);
    if (!tokens.length) return this.ask.refuse(ASKING.empty);
    if (tokens.some((word) => word.length > 1 && word.endsWith("."))) {
      return this.ask.refuse(WORDS.several);
    }
    if (tokens.length > MOST) return this.ask.refuse(WORDS.long(tokens.length, MOST));
    this.line.set(text);
    if (!this.model) {
      if (await this.#load()) this.go(); // what stands in the line by now
      return;
    }
    const heard = this.#notice(text);
    if (!heard) announce(""); // what was wrong with the sentence before
    this.asked = text;
    this.act.onSentence(text, heard);
    this.#dim();
  }

  async #load() {
    const { sha256 } = this.about;
    this.model = await this.ask.loading(async (progress) => {
      const model = await loadModel(progress, undefined, sha256);
      await this.act.onModel(model);
      return model;
    });
    return Boolean(this.model);
  }
}
