/** What if a part were not there: take it away, and see what becomes of the translation. */

import { changedOdds, changedSteps } from "../decode/changed.js";
import { steps } from "../decode/steps.js";
import { glossed } from "../files/gloss.js";
import { EOS } from "../files/vocabulary.js";
import { readSentence } from "../files/tokens.js";
import { announce } from "../kit/announce.js";
import { button, toggle } from "../kit/controls.js";
import { h, symbol } from "../kit/dom.js";
import { pageState } from "../kit/state.js";
import { readOwnAbout } from "../translator/about.js";
import { AskGrammar } from "../translator/ask_grammar.js";
import { differences, parting } from "./what_if/differences.js";
import { partsGrid } from "./what_if/grid.js";
import { Lines } from "./what_if/lines.js";
import { twoOdds } from "./what_if/odds.js";
import { SWITCHES, changesOf, fieldsOf, subLayers } from "./what_if/parts.js";
import { saidOf } from "./what_if/said.js";
import { SwapLine, swapped } from "./what_if/sentence.js";
import { WORDS } from "./what_if/words.js";

const ROOM = 8; // pieces that a changed translation may have more than it had
const SLICE = 12; // ms of work between two looks at what the reader does
const MOVED = 0.01; // a probability that moves less is not worth a word

export async function mount(element) {
  element.setAttribute("aria-label", WORDS.widget);
  new WhatIf(element, await readOwnAbout());
}

class WhatIf {
  constructor(element, about) {
    this.about = about;
    this.subs = subLayers(about);
    this.state = pageState("what_if", fieldsOf(about), (changed) => this.#update(changed));
    this.ask = new AskGrammar(element, about, this.state.values.sentence, {
      onModel: (model) => {
        this.model = model;
        this.result.hidden = this.chances.hidden = false;
      },
      onSentence: (...both) => this.#take(...both),
      onEdit: (stale) => this.desk.classList.toggle("tb-stale", stale),
    });
    this.#build(element);
    this.#showParts();
    if (this.state.moved(Object.keys(this.state.fields))) this.ask.go(); // the address asks for it
  }

  #build(element) {
    const { state, subs, about: { gloss, follows } } = this;
    const residuals = subs.map((sub) => sub.residual);
    const names = { ...WORDS.switches,
      scale: h("span", {}, WORDS.switches.scale, symbol(WORDS.width)) };
    this.toggles = [...Object.entries(names).map(([part, name]) => ({ parts: [part], name })),
      { parts: residuals, name: WORDS.residuals }].map(({ parts, name }) => ({
      parts, ...toggle(name, true, (on) => this.#press(parts, !on)),
    }));
    this.grid = partsGrid(subs, WORDS, (parts, off) => this.#press(parts, off));
    this.reset = button(WORDS.reset, () => state.reset(["off", "swap", "step"]));
    this.swap = new SwapLine(WORDS, (swap, heard) => {
      this.heard = heard;
      state.set({ swap, step: 0 });
    });
    this.lines = new Lines(WORDS, gloss, (step) =>
      state.set({ step: step === state.values.step ? 0 : step }));
    this.said = h("p", { class: "tb-said" });
    this.title = h("p", { class: "tb-title" });
    this.odds = twoOdds(WORDS, gloss);
    this.result = h("div", { class: "tb-what-result", hidden: true },
      h("p", { class: "tb-where" }, WORDS.limits(Object.keys(follows).length - 1)),
      this.swap.element, this.lines.element, this.said);
    this.chances = h("div", { class: "tb-what-odds", hidden: true }, this.title,
      this.odds.element);
    this.desk = h("div", { class: "tb-what" }, this.result,
      h("fieldset", { class: "tb-what-parts" }, h("legend", {}, WORDS.parts),
        ...this.toggles.map((one) => one.element),
        h("p", { class: "tb-where" }, WORDS.press), this.grid.element,
        h("p", {}, this.reset.element)),
      this.chances);
    element.append(this.desk);
  }

  #press(parts, gone) {
    const kept = this.state.values.off.filter((part) => !parts.includes(part));
    const { fields } = this.state;
    const off = fields.off.read([...kept, ...(gone ? parts : [])].join(","));
    this.state.set({ off });
  }

  #showParts() {
    const { off, swap } = this.state.values;
    for (const { parts, set } of this.toggles) set(!parts.some((part) => off.includes(part)));
    this.grid.set(off);
    this.reset.set(off.length + swap.length > 0);
  }

  /** Translate the sentence that stands in the line, as it is and with the changes. */
  #take(sentence, heard) {
    const { state } = this;
    this.quiet = true; // the state changes at once, and the rest once
    if (state.values.sentence !== sentence) state.reset(["swap", "step"]);
    state.set({ sentence });
    const { tokens, ids } = readSentence(sentence, this.model.source);
    if (Math.max(0, ...state.values.swap) > ids.length) state.reset(["swap"]);
    this.quiet = false;
    this.tokens = tokens.map((word, k) => (ids[k] === 1 ? "<unk>" : word));
    this.ids = ids;
    this.plain = steps(this.model, [...ids, EOS]);
    this.heard = heard;
    this.#showParts();
    this.#run();
  }

  #update(changed) {
    if (this.quiet) return;
    this.#showParts();
    if (changed.includes("sentence")) this.ask.show(this.state.values.sentence);
    if (!this.plain || changed.includes("sentence")) this.ask.go();
    else if (changed.some((name) => name !== "step")) this.#run();
    else {
      this.#showStep();
      announce(this.title.cloneNode(true));
    }
  }

  /** Let the changed model translate. What a swap does, it shows beside the same model before it. */
  async #run() {
    const { ids, plain, state: { values: { off, swap } } } = this;
    const run = { changes: changesOf(off, this.subs), source: [...swapped(ids, swap), EOS] };
    this.running = run; // a later one puts an end to it
    this.swap.set(this.tokens, swap);
    this.result.setAttribute("aria-busy", "true");
    const before = swap.length && off.length
      ? await this.#write({ ...run, source: [...ids, EOS] }, run) : plain;
    const after = await this.#write(run, run);
    if (this.running !== run) return;
    this.result.setAttribute("aria-busy", "false");
    this.#show(before, after, run);
  }

  /** Write a few steps at a time, so that the page is never frozen, until another run begins. */
  async #write({ source, changes }, run) {
    const { model, plain } = this;
    const maxLength = Math.min(plain.length + ROOM, model.config.max_length);
    const written = [];
    let began = performance.now();
    for (const step of changedSteps(model, source, changes, { maxLength })) {
      written.push(step);
      if (performance.now() - began < SLICE) continue;
      await new Promise((go) => { setTimeout(go); });
      if (this.running !== run) break;
      began = performance.now();
    }
    return written;
  }

  /** Show two translations, and what each gives the next piece after what the first has written. */
  #show(first, second, { source, changes }) {
    const { model, about: { gloss }, state: { values: { off, swap } } } = this;
    const [before, after] = [first, second].map((all) => all.map(({ token }) => token));
    const part = parting(before, after);
    /** @type {import("./what_if/said.js").Result["odds"]} */
    const odds = (step) => [first[step].probabilities, part < 0 || step <= part
      ? second[step].probabilities : changedOdds(model, source, before.slice(0, step), changes)];
    /** @type {import("./what_if/said.js").Result} */
    this.now = {
      untouched: !off.length && !swap.length, swapped: swap.length > 0, before, after, part, odds,
      marks: differences(before, after), moved: part < 0 ? movedMost(first, second) : null,
    };
    const names = model.target.tokens;
    const [was, is] = [before, after].map((ids) => ids.map((id) => names[id]));
    this.names = was;
    this.compared = WORDS.compared[swap.length ? (off.length ? "both" : "swap") : "parts"];
    this.lines.set(was, is, this.now.marks, this.compared);
    this.said.replaceChildren(...saidOf(this.now, { names, gloss, words: WORDS }));
    this.#showStep();
    announce(h("span", {}, this.heard, " ", ...[...this.said.childNodes].map((one) =>
      one.cloneNode(true))));
    this.heard = "";
  }

  /** The step that is shown, from 1: the reader's, or where most has changed. */
  get step() {
    const { now: { part, moved, before }, state: { values: { step } } } = this;
    return Math.min(step || Math.max(part, moved ?? 0) + 1, before.length);
  }

  #showStep() {
    if (!this.now) return;
    const { step, names, compared, about: { gloss } } = this;
    const begun = names.slice(0, step - 1);
    const english = glossed(begun, gloss).map((one) => one.english).filter(Boolean).join(" ");
    const behind = step === 1 ? [] : [WORDS.behind, h("span", { lang: "zh" }, begun.join("")),
      ` (${english})`];
    this.title.replaceChildren(WORDS.step(step, names.length), ...behind,
      WORDS.likely(step === 1, compared));
    this.lines.mark(step);
    this.odds.set(...this.now.odds(step - 1), this.model.target.tokens, compared);
  }
}

/** Of two runs that wrote the same: the step whose piece lost or won most; null if none did. */
function movedMost(plain, written) {
  const moves = plain.map(({ token, probabilities }, k) =>
    Math.abs(probabilities[token] - written[k].probabilities[token]));
  const most = Math.max(...moves);
  return most < MOVED ? null : moves.indexOf(most);
}
