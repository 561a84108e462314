/** The translator of real sentences: any English in, Chinese out, character by character. */

import { folderOf } from "../files/folder.js";
import { loadGlosses } from "../files/load.js";
import { ROOM } from "../decode/sequences.js";
import { restored } from "../files/placeholders.js";
import { EOS } from "../files/vocabulary.js";
import { announce } from "../kit/announce.js";
import { h } from "../kit/dom.js";
import { pageState } from "../kit/state.js";
import { readAbout } from "../translator/about.js";
import { Ask, ASKING } from "../translator/ask.js";
import { Desk } from "../translator/desk.js";
import { fieldsOf } from "../translator/fields.js";
import { foreign, leftOut, withoutEmoji } from "../translator/foreign.js";
import { beginning, weightsOf } from "../translator/translation.js";
import { careOf } from "./real_translator/care.js";
import { Engine } from "./real_translator/engine.js";
import { sentenceArea } from "./real_translator/line.js";
import { isSeveral, reading } from "./real_translator/reading.js";
import { Sure } from "./real_translator/sure.js";
import { WORDS } from "./real_translator/words.js";

const FOLDER = folderOf("tatoeba");
const LONGEST = 400; // characters of a sentence
const STEPS = 128; // tokens of a translation
const REWRITES = ["sentence", "mode", "temperature", "seed", "begin"];
const OWN = ["begin", "beam", "step"]; // what a new sentence starts afresh

export async function mount(element) {
  element.setAttribute("aria-label", WORDS.widget);
  new RealTranslator(element, await readAbout(FOLDER, ({ dictionary }) => Boolean(dictionary)));
}

class RealTranslator {
  constructor(element, about) {
    this.about = about;
    this.engine = new Engine(FOLDER, about.sha256);
    const fields = fieldsOf(about, LONGEST, STEPS);
    this.state = pageState("real_translator", fields, (changed) => this.#update(changed));
    this.round = 0; // which translation was asked for last
    this.fresh = true; // whether the line was read anew for it
    this.now = /** @type {any} */ (null); // what is shown
    this.shown = /** @type {?string} */ (null); // the sentence that stands below, or is being read
    this.desk = /** @type {?Desk} */ (null);
    this.#build(element);
  }

  #build(element) {
    this.line = sentenceArea(ASKING.sentence, this.state.values.sentence, {
      onEnter: () => this.#go(), onInput: () => this.#dim(),
    });
    const onTake = (text) => {
      this.line.text = text;
      this.#dim();
      if (this.desk) this.#go();
    };
    const onPress = () => (this.writing ? this.engine.stop() : this.#go());
    this.ask = new Ask(this.line.element, this.about, { onPress, onTake });
    this.read = h("p", { class: "tb-reading" });
    this.wrote = h("p", { class: "tb-reading" });
    this.place = h("div", { class: "tb-desk" });
    this.sure = new Sure(WORDS, this.place);
    const [corpus, authors, dictionary] = WORDS.credits(this.about);
    const credits = h("p", { class: "tb-credits" }, corpus,
      h("a", { href: new URL("authors.txt", FOLDER) }, authors), dictionary);
    element.append(...this.ask.elements, this.read, this.wrote, this.sure.element, this.place,
      h("p", { class: "tb-about" }, WORDS.about), credits);
  }

  /** Dim what is translated where it is not what stands in the line, and say what it is for. */
  #dim() {
    const { text } = this.line;
    const stale = this.shown !== null && text !== this.shown;
    for (const part of [this.read, this.wrote, this.sure.element, this.place])
      part.classList.toggle("tb-stale", stale);
    this.ask.still(stale ? this.shown : null);
    if (text.length > LONGEST) this.ask.refuse(ASKING.characters(text.length, LONGEST));
  }

  /** Why a text cannot be translated, whatever the model; empty where it can. */
  #wrong(text) {
    if (!text) return ASKING.empty;
    if (text.length > LONGEST) return ASKING.characters(text.length, LONGEST);
    return foreign(withoutEmoji(text).text);
  }

  /** Say why this is not translated; what is below is for the sentence before. */
  #refuse(why) {
    this.#dim();
    this.ask.refuse(why);
  }

  /** Translate what stands in the line; load the model first if it is not there yet. */
  async #go() {
    if (this.ask.busy) return; // the model is on its way
    const { text } = this.line;
    const wrong = this.#wrong(text);
    if (wrong) return this.#refuse(wrong);
    if (!(this.desk && this.engine.ready) && !await this.#load()) return;
    const { state } = this;
    const now = this.line.text || text; // what stands in the line by now
    await this.#translate(now, () => this.#quietly(() => {
      // A state that came with the address stands as long as its sentence does.
      if (this.now || state.values.sentence !== now) state.reset(OWN);
      state.set({ sentence: now });
      this.fresh = true;
    }));
  }

  #quietly(change) {
    this.quiet = true;
    change();
    this.quiet = false;
  }

  /** @returns {Promise<boolean>} whether the model is there */
  async #load() {
    const loaded = await this.ask.loading(async (progress) => {
      const [model, gloss] = await Promise.all([
        this.engine.load(progress), loadGlosses(FOLDER, this.about.sha256)]);
      return { ...model, gloss };
    });
    if (!loaded) return false;
    this.model = loaded;
    const about = { ...this.about, gloss: loaded.gloss, copied: loaded.copied };
    this.desk ??= new Desk(this.place, this.state, about, (id) => this.#force(id));
    return true;
  }

  /**
   * @param {string} sentence
   * @param {() => void} take called where it is not too long
   */
  async #translate(sentence = this.state.values.sentence, take = () => {}) {
    const round = (this.round += 1);
    const over = () => round !== this.round; // another sentence has come
    this.#busy(true);
    try {
      const read = await this.#read(sentence);
      if (over()) return;
      if (read) take();
      const found = read && await this.#found(sentence, read, over);
      if (over()) return;
      this.#busy(false);
      if (found) {
        this.#set(found);
        this.desk.tell(found.heard);
      } else if (this.now) this.#set(this.now);
    } catch (error) {
      if (over()) return;
      this.#busy(false);
      if (this.now) this.#set(this.now);
      this.ask.refuse(ASKING.failed(/** @type {Error} */ (error).message));
    }
  }

  /** What the model reads of a sentence; null where it cannot, which is then said. */
  async #read(sentence) {
    const wrong = this.#wrong(sentence);
    if (wrong) return this.#refuse(wrong);
    const { text, emoji } = withoutEmoji(sentence);
    const read = { ...await this.engine.read(text), emoji };
    const { longest } = this.model;
    const n = read.ids.length + 1;
    return n <= longest ? read : this.#refuse(WORDS.long(n, longest));
  }

  /** All that there is to show of the sentence; null where there is nothing. */
  async #found(sentence, read, over) {
    const { state: { values }, engine, model: { longest } } = this;
    const names = restored(this.model.names, read.texts); // of this sentence's marks, what they say
    const heard = this.#tell(read, sentence);
    const ids = [...read.ids, EOS];
    const { mode, temperature, seed } = values;
    const begin = beginning(values.begin, this.model.names).slice(0, Math.min(ids.length + ROOM, longest));
    const hear = (tokens) => over() || this.#draft(tokens, names);
    const all = await engine.translate(ids, { mode, temperature, seed, begin }, hear);
    if (!all || over()) return null; // stopped before the first
    return {
      all, names, ids, heard, sentence, read, source: [...read.pieces, "<eos>"],
      begun: begin.length, stopped: false, ...await this.#seen(all, ids),
    };
  }

  /** Which of the translations is shown, and what the model thought at each of its steps. */
  async #seen(all, ids) {
    const beam = Math.min(this.state.values.beam, all.length) - 1;
    const { tokens, halted } = all[beam];
    return { beam, tokens, halted, ...await this.engine.look(ids, tokens, this.#heat()) };
  }

  /** What the logits are divided by before softmax. */
  #heat() {
    const { mode, temperature } = this.state.values;
    return mode === "sample" ? temperature : 1;
  }

  /** Say what the model reads; what was written of another sentence is gone with that. */
  #tell(read, sentence) {
    const { element, unseen } = reading(read, WORDS);
    this.read.replaceChildren(element);
    this.#hold();
    this.wrote.replaceChildren();
    this.sure.set(null);
    this.shown = sentence;
    this.#dim();
    const said = [isSeveral(sentence) ? WORDS.several : "",
      unseen.length ? WORDS.unseen(unseen) : "", leftOut(read.emoji)].filter(Boolean).join(" ");
    this.ask.said.replaceChildren(said);
    announce(said);
    return said;
  }

  /** Keep the room of what is written until there is the next. */
  #hold() {
    for (const part of [this.wrote, this.sure.element])
      part.style.minHeight = `${part.getBoundingClientRect().height}px`;
  }

  #busy(on) {
    this.writing = on;
    this.ask.start.replaceChildren(on ? WORDS.stop : ASKING.go);
    this.place.setAttribute("aria-busy", String(on));
    if (!on) this.desk.writing(false);
  }

  /** Show a beginning with the next picture; there may be several of them between two. */
  #draft(tokens, names) {
    this.drafted = [tokens, names];
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      if (!this.writing) return;
      this.place.classList.remove("tb-stale");
      this.#write(...this.drafted);
      this.desk.draft(...this.drafted);
    });
  }

  /** Write the translation as one line of text. */
  #write(tokens, names) {
    const text = tokens.filter((id) => id !== EOS).map((id) => names[id]).join("");
    this.wrote.replaceChildren(h("span", { class: "tb-where" }, WORDS.writes), " ",
      h("span", { lang: "zh" }, text));
  }

  #set(now) {
    const { state } = this;
    // A sentence is shown at its end, or where the address says; who was at the end stays there.
    const atEnd = this.now?.sentence === now.sentence && !this.fresh
      ? state.values.step >= this.now.tokens.length : !state.moved(["step"]);
    this.fresh = false;
    if (atEnd) this.#quietly(() => state.set({ step: now.tokens.length }));
    const { tokens, names, read } = now;
    const [marked, target] = [this.model.names, names].map((all) => tokens.map((id) => all[id]));
    const ended = target.at(-1) === "<eos>" ? target.slice(0, -1) : target;
    const care = careOf(read, marked, ended, WORDS);
    this.desk.translated({ ...now, care });
    this.now = now;
    this.#show();
    if (atEnd) this.desk.toTop();
    for (const part of [this.wrote, this.sure.element]) part.style.minHeight = "";
    this.#write(tokens, names);
    this.sure.set(now, target, care);
    if (this.shown !== now.sentence) this.read.replaceChildren(reading(read, WORDS).element);
    this.shown = now.sentence;
    this.#dim();
  }

  #force(id) {
    const begin = [...this.now.tokens.slice(0, this.desk.step - 1), id];
    const text = begin.map((one) => this.model.names[one]).join(" ");
    this.state.set({ begin: text, beam: 1, step: this.desk.step });
  }

  #show() {
    const { kind, layer, head } = this.state.values;
    this.desk.show(weightsOf(this.now.weights, kind, layer, head));
  }

  async #update(changed) {
    if (changed.includes("sentence")) this.line.text = this.state.values.sentence;
    if (this.quiet || !this.desk) return;
    if (!this.now || changed.some((name) => REWRITES.includes(name))) await this.#translate();
    else if (this.writing) return; // it is shown with what comes
    else if (changed.includes("beam")) await this.#pick();
    else this.#show();
    if (this.now) this.desk.changed(changed);
  }

  /** Show another of the beams. */
  async #pick() {
    const { round, now } = this;
    const seen = await this.#seen(now.all, now.ids);
    if (round === this.round) this.#set({ ...now, ...seen });
  }
}
