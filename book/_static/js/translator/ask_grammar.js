/** A sentence for the book's own model: its words are suggested, and those it lacks are named. */

import { loadModel } from "../files/load.js";
import { wordTokens } from "../files/tokens.js";
import { announce } from "../kit/announce.js";
import { Ask, ASKING } from "./ask.js";
import { combobox } from "./combobox.js";
import { LONGEST } from "./fields.js";
import { foreign } from "./foreign.js";
import { accept, replaceWord, strangers, suggestions } from "./suggest.js";
import { unknownWords } from "./unknown.js";

const WORDS = {
  list: "Words that may come next",
  several: (n) => `The model translates one sentence at a time, and this has ${n}. Leave one, with `
    + "its full stop at the end.",
  long: (n, most) => `This sentence has ${n} tokens, and at most ${most} find room here.`,
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
    const names = { name: ASKING.sentence, list: WORDS.list };
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

  /** Say that a text is too long, or which of its words the model does not know. */
  #notice(text) {
    this.#dim();
    if (text.length > LONGEST) {
      this.ask.refuse(ASKING.characters(text.length, LONGEST));
      return "";
    }
    const odd = strangers(wordTokens(text), this.about.follows);
    const { line, heard } = unknownWords(odd, (...both) => this.#instead(...both));
    this.ask.said.replaceChildren(...(line ? [line] : []));
    if (heard) announce(heard);
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

  /** Dim what is below where it is for another sentence, and name that. */
  #dim() {
    const stale = this.#stale();
    this.ask.still(stale ? this.asked : null);
    this.act.onEdit(stale);
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
    const wrong = this.#wrong(text);
    if (wrong) {
      this.#dim();
      return this.ask.refuse(wrong);
    }
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

  /** Why this cannot be translated: what there is too much of, and how much; empty where it can. */
  #wrong(text) {
    if (!text) return ASKING.empty;
    if (text.length > LONGEST) return ASKING.characters(text.length, LONGEST);
    const unread = foreign(text);
    if (unread) return unread;
    const tokens = wordTokens(text);
    const stops = tokens.filter((word) => word.length > 1 && word.endsWith(".")).length;
    if (stops) return WORDS.several(stops + 1);
    return tokens.length > MOST ? WORDS.long(tokens.length, MOST) : "";
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
