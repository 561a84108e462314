/** The book's own translator: type a sentence, and watch the model write and look. */

import { EOS } from "../files/vocabulary.js";
import { readSentence, wordTokens } from "../files/tokens.js";
import { h } from "../kit/dom.js";
import { pageState } from "../kit/state.js";
import { readOwnAbout } from "../translator/about.js";
import { AskGrammar } from "../translator/ask_grammar.js";
import { fieldsOf } from "../translator/fields.js";
import { beginning, look, translations, weightsOf } from "../translator/translation.js";

const WORDS = {
  widget: "The translator",
  part: "A part of the page did not arrive; reload it.",
};
const INPUTS = ["sentence", "mode", "temperature", "seed", "begin"];
const OWN = ["begin", "beam", "step"]; // what a new sentence starts afresh
const LEAST_SEEN = 160; // px of a result, where a press leaves the page as it stands

export async function mount(element) {
  element.setAttribute("aria-label", WORDS.widget);
  new Translator(element, await readOwnAbout());
}

class Translator {
  constructor(element, about) {
    this.element = element;
    this.state = pageState("translator", fieldsOf(about), (changed) => this.#update(changed));
    this.place = h("div", { class: "tb-desk" });
    this.ask = new AskGrammar(element, about, this.state.values.sentence, {
      onModel: async (model) => {
        // It comes with the model: a page that is only read stays light.
        const { Desk } = await import("../translator/desk.js").catch(() => {
          throw new Error(WORDS.part);
        });
        this.model = model;
        this.desk = new Desk(this.place, this.state, about, (id) => this.#force(id));
      },
      onSentence: (...both) => this.#go(...both),
      onEdit: (stale) => this.place.classList.toggle("tb-stale", stale),
    });
    element.append(this.place);
  }

  /** Translate the sentence that stands in the line. */
  #go(text, heard) {
    // A state that came with the address stands as long as its sentence does.
    if (this.now || this.state.values.sentence !== text) this.#anew(text);
    else this.#translate();
    if (this.state.moved(["step"])) this.desk.tell(heard);
    else this.desk.run(heard);
    this.#bringIntoView();
  }

  /** Whoever presses below the fold sees what comes of it; whoever sees it already stays where they are. */
  #bringIntoView() {
    if (this.place.getBoundingClientRect().top > innerHeight - LEAST_SEEN) this.element.scrollIntoView();
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
    const typed = wordTokens(values.sentence);
    this.desk.translated({
      ...this.now, names, begun: this.#begin().length, stopped: typed.at(-1) !== ".",
      recased: typed.map((word, k) => [word, tokens[k]]).filter(([word, read]) => word !== read),
      source: [...tokens.map((word, k) => (ids[k] === 1 ? "<unk>" : word)), "<eos>"],
    });
    this.#show();
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
    if (this.quiet) return;
    if (changed.includes("sentence")) this.ask.show(this.state.values.sentence);
    if (!this.now) return;
    if (changed.some((name) => INPUTS.includes(name) || name === "beam")) this.#translate();
    else this.#show();
    this.desk.changed(changed);
  }
}
