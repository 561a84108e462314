/** The book's own translator: type a sentence, and watch the model write and look. */

import { folderOf, loadModel } from "../files/load.js";
import { readSentence, wordTokens } from "../files/tokens.js";
import { EOS } from "../files/vocabulary.js";
import { announce } from "../kit/announce.js";
import { h } from "../kit/dom.js";
import { pageState } from "../kit/state.js";
import { readAbout } from "./translator/about.js";
import { Ask } from "./translator/ask.js";
import { combobox } from "./translator/combobox.js";
import { Desk } from "./translator/desk.js";
import { LONGEST, fieldsOf } from "./translator/fields.js";
import { accept, replaceWord, strangers, suggestions } from "./translator/suggest.js";
import { beginning, look, translations, weightsOf } from "./translator/translation.js";
import { unknownWords } from "./translator/unknown.js";

const WORDS = {
  widget: "The translator",
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
const INPUTS = ["sentence", "mode", "temperature", "seed", "begin"];
const OWN = ["begin", "beam", "step"]; // what a new sentence starts afresh

export async function mount(element) {
  element.setAttribute("aria-label", WORDS.widget);
  const fits = ({ follows, gloss }) => Boolean(follows?.[""] && gloss);
  new Translator(element, await readAbout(folderOf("model"), fits));
}

class Translator {
  constructor(element, about) {
    this.about = about;
    this.state = pageState("translator", fieldsOf(about), (changed) => this.#update(changed));
    this.#build(element);
  }

  #build(element) {
    const { follows } = this.about;
    const names = { name: WORDS.sentence, list: WORDS.list, longest: LONGEST };
    this.line = combobox(names, this.state.values.sentence, {
      suggest: (text) => suggestions(text, follows),
      accept,
      onInput: (text) => this.#notice(/\s$/.test(text) ? text : text.replace(/\S+$/, "")),
      onEnter: () => this.#go(),
    });
    const onTake = (text) => {
      this.line.set(text);
      this.#notice("");
      if (this.model) this.#go();
    };
    this.ask = new Ask(this.line.element, this.about, WORDS, { onPress: () => this.#go(), onTake });
    this.place = h("div", { class: "tb-desk" });
    element.append(...this.ask.elements, this.place);
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
    if (this.now && !typing) this.#go();
  }

  /** Whether what is translated is not what stands in the line. */
  #stale() {
    return this.now && this.line.input.value.trim() !== this.state.values.sentence;
  }

  #dim() {
    this.place.classList.toggle("tb-stale", Boolean(this.#stale()));
  }

  /** Read the sentence, load the model if it is not there yet, and translate. */
  async #go() {
    if (this.ask.busy) return; // the model is on its way
    const text = this.line.input.value.trim().replace(/\s+\.$/, ".");
    const tokens = wordTokens(text);
    if (!tokens.length) return this.ask.refuse(WORDS.empty);
    if (tokens.some((word) => word.length > 1 && word.endsWith("."))) {
      return this.ask.refuse(WORDS.several);
    }
    if (tokens.length > MOST) return this.ask.refuse(WORDS.long(tokens.length, MOST));
    this.line.set(text);
    if (!this.model) {
      if (await this.#load()) this.#go(); // what stands in the line by now
      return;
    }
    const first = !this.now;
    const heard = this.#notice(text);
    if (!heard) announce(""); // what was wrong with the sentence before
    const { values } = this.state;
    // A state that came with the address stands as long as its sentence does.
    if (!first || values.sentence !== text) this.#anew(text);
    else this.#translate();
    if (this.state.moved(["step"])) this.desk.tell(heard);
    else this.desk.run(heard);
  }

  #anew(sentence) {
    const { state } = this;
    if (state.moved(OWN) || state.values.sentence !== sentence) {
      this.quiet = true; // the state changes at once, and the rest once
      state.reset(OWN);
      state.set({ sentence });
      this.quiet = false;
    }
    this.#translate();
  }

  async #load() {
    const { sha256 } = this.about;
    this.model = await this.ask.loading((progress) => loadModel(progress, undefined, sha256));
    if (!this.model) return false;
    this.desk = new Desk(this.place, this.state, this.about, (id) => this.#force(id));
    return true;
  }

  #translate() {
    const { model, state: { values } } = this;
    const { tokens, ids } = readSentence(values.sentence, model.source);
    const source = [...ids, EOS];
    const { mode, temperature: heat, seed } = values;
    const way = { mode, temperature: heat, seed, begin: this.#begin() };
    const all = translations(model, source, way);
    const beam = Math.min(values.beam, all.length) - 1;
    const temperature = mode === "sample" ? heat : 1;
    const seen = look(model, source, all[beam].tokens, temperature);
    this.now = { all, beam, tokens: all[beam].tokens, ...seen };
    const names = model.target.tokens;
    this.desk.translated({
      ...this.now, names, begun: this.#begin().length,
      stopped: wordTokens(values.sentence).at(-1) !== ".",
      source: [...tokens.map((word, k) => (ids[k] === 1 ? "<unk>" : word)), "<eos>"],
    });
    this.#show();
    this.#dim();
  }

  #begin() {
    return beginning(this.state.values.begin, this.model.target.tokens);
  }

  #force(id) {
    const { tokens } = this.now;
    const begin = [...tokens.slice(0, this.desk.step - 1), id];
    const text = begin.map((one) => this.model.target.tokens[one]).join(" ");
    this.state.set({ begin: text, beam: 1, step: this.desk.step });
  }

  #show() {
    const { kind, layer, head } = this.state.values;
    this.desk.show(weightsOf(this.now.weights, kind, layer, head));
  }

  #update(changed) {
    if (!this.desk || this.quiet) return;
    if (changed.some((name) => INPUTS.includes(name) || name === "beam")) this.#translate();
    else this.#show();
    this.desk.changed(changed);
  }
}
