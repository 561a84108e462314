/** Where the translation is written: how words are chosen, the steps, the odds, the attention. */

import { announce } from "../kit/announce.js";
import { button, choice, slider, steps } from "../kit/controls.js";
import { englishOf, glossOf, glossed } from "../files/gloss.js";
import { spaced } from "../files/placeholders.js";
import { h } from "../kit/dom.js";
import { fixed } from "../kit/format.js";
import { still } from "../kit/motion.js";
import { beamList } from "./beams.js";
import { chance, oddsPanel } from "./odds.js";
import { isCut, sayAll } from "./spoken.js";
import { View } from "./views.js";
import { WORDS } from "./words.js";

const REWRITES = ["sentence", "begin", "beam", "mode", "temperature", "seed"];
const PAUSE = 480; // ms between two words

export class Desk {
  /**
   * @param {HTMLElement} place
   * @param {object} state of the page
   * @param {{N: number, h: number, gloss: import("../files/gloss.js").Glosses,
   *   copied?: number[]}} about with the ids of marks for what is copied, if the model has them
   * @param {(id: number) => void} onForce
   */
  constructor(place, state, { N, h: heads, gloss, copied = [] }, onForce) {
    this.element = place;
    place.classList.add("tb-empty"); // until the first translation
    this.gloss = gloss;
    this.copied = copied;
    this.state = state;
    this.running = null;
    this.busy = false; // whether a translation is being written
    const { values } = state;
    const set = (name) => (value) => state.set({ [name]: value });
    /** @type {(texts: Object<string, string>) => Array<[string, string]>} */
    const listed = (texts) => Object.entries(texts);
    this.mode = choice(WORDS.mode, listed(WORDS.modes), values.mode, (mode) => {
      this.stop();
      state.set({ mode, beam: 1 });
    });
    this.play = button("", this.#ready(() => (this.running ? this.stop() : this.run()))).element;
    this.play.classList.add("tb-run");
    const turn = (event) => {
      const { key } = event;
      const { step, now: { target: { length } } } = this;
      const to = { ArrowLeft: step - 1, ArrowRight: step + 1, Home: 1, End: length }[key];
      if (to === undefined) return;
      event.preventDefault();
      this.stop();
      if (to >= 1 && to <= length) this.#go(to);
    };
    this.strip = h("div", { class: "tb-written", lang: "zh", onkeydown: turn });
    this.note = h("p", { class: "tb-note" });
    /** @type {HTMLElement} */
    this.pair = h("div", {});
    this.title = h("p", { class: "tb-title tb-now" });
    this.odds = oddsPanel(WORDS, (token) => glossOf(token, gloss),
      this.#ready((id) => { this.stop(); onForce(id); }));
    this.undo = button(WORDS.undo,
      this.#ready(() => state.set({ begin: "", beam: 1 }))).element;
    this.hint = h("span", {}, WORDS.force);
    this.beams = beamList(WORDS, this.#ready((k) => { this.stop(); state.set({ beam: k }); }));
    // In tenths: the slider's least and most are then whole, as it wants them.
    const warm = { low: 1, high: 20, step: 1, value: Math.round(10 * values.temperature),
      write: (tenths) => fixed(tenths / 10, 1) };
    this.heat = slider(WORDS.temperature, warm, (t) => state.set({ temperature: t / 10 }));
    this.seed = h("output", {});
    const again = button(WORDS.again, () => state.set({ seed: (values.seed % 999) + 1 })).element;
    this.sampling = h("div", { class: "tb-sampling" }, this.heat.element,
      h("div", {}, this.seed, again));
    /** @type {(n: number) => Array<[string, string]>} */
    const numbers = (n) => Array.from({ length: n }, (_, i) => [String(i + 1), String(i + 1)]);
    this.kind = choice(WORDS.kind, listed(WORDS.short), values.kind, set("kind"));
    this.layer = choice(WORDS.layer, numbers(N), String(values.layer),
      (layer) => state.set({ layer: Number(layer) }));
    this.head = choice(WORDS.head, [["mean", WORDS.mean], ...numbers(heads)], values.head,
      set("head"));
    this.drawn = choice(WORDS.view, [["lines", WORDS.lines], ["matrix", WORDS.matrix]],
      values.view, set("view"));
    this.view = new View(WORDS);
    this.#layOut();
    this.stop();
  }

  #layOut() {
    const rest = h("p", { class: "tb-mine" }, this.hint, this.undo);
    this.halves = h("div", { class: "tb-halves" },
      h("div", {}, this.title, this.odds.element, rest, this.sampling, this.beams.element),
      h("div", {},
        h("div", { class: "tb-which" }, this.kind.element, this.layer.element,
          this.head.element, this.drawn.element),
        this.view.element));
    this.element.replaceChildren(
      h("div", { class: "tb-top" }, this.mode.element, this.play, this.pair), this.strip,
      this.note, this.halves);
  }

  /** The step that is shown, from 1. */
  get step() {
    return Math.min(this.state.values.step, this.now.tokens.length);
  }

  /**
   * Show another translation.
   * @param {{all: Array<{tokens: number[], score?: number}>, beam: number, tokens: number[],
   *   odds: Float64Array[], names: string[], begun: number, source: string[],
   *   stopped: boolean, recased?: string[][], halted?: boolean, care?: string}} now stopped where a
   *   full stop was added, recased: words as typed and as they are read; halted where the reader
   *   put an end to it; care: what speaks against it, said to screen readers
   */
  translated(now) {
    const { names, tokens, odds, all, beam, begun } = now;
    const { values } = this.state;
    this.stop(); // it ran through another translation
    this.writing(false);
    this.element.classList.remove("tb-empty");
    const target = spaced(tokens, names, this.copied);
    const why = now.halted ? WORDS.halted : WORDS.cut;
    this.now = { ...now, target, cut: isCut(target) ? why(tokens.length) : "" };
    this.steps = steps(WORDS.steps, target, this.step, this.#ready((step) => {
      this.stop();
      this.#go(step);
    }), WORDS);
    const had = this.pair.contains(document.activeElement);
    this.pair.replaceWith(this.steps.pair);
    this.pair = this.steps.pair;
    if (had) this.steps.forward.focus();
    this.strip.replaceChildren(this.steps.element);
    this.#gloss(target, this.#chips());
    this.#chips().forEach((chip, j) => {
      // Only what would have been another word is the reader's own.
      const own = j < begun && odds[j].indexOf(Math.max(...odds[j])) !== tokens[j];
      chip.classList.toggle("tb-own", own);
    });
    // Only a beam search scores, and not what was stopped.
    this.beams.set(all.filter(({ score }) => score !== undefined), beam, (ids) =>
      spaced(ids.filter((id) => names[id] !== "<eos>"), names, this.copied).join(""));
    this.note.replaceChildren(WORDS.given(now.source.length, now.stopped, now.recased), " ",
      h("b", {}, this.now.cut));
    this.sampling.hidden = values.mode !== "sample";
    this.seed.value = WORDS.seed(values.seed);
    if (!begun && document.activeElement === this.undo) this.#chips()[this.step - 1].focus();
    this.undo.classList.toggle("tb-away", !begun);
    this.hint.classList.toggle("tb-away", begun > 0);
    this.#lay();
  }

  /** Show the tokens of a translation that is still being written; the rest waits. */
  draft(tokens, names) {
    this.stop();
    this.writing(true);
    const target = spaced(tokens, names, this.copied);
    const chips = target.map((name) => h("button", { type: "button", disabled: true }, name));
    this.strip.replaceChildren(h("div", { class: "tb-steps" }, h("ol", {})));
    this.#gloss(target, chips);
    this.strip.scrollTop = this.strip.scrollHeight;
  }

  /** Whether a translation is being written: until it is there, nothing can be chosen in it. */
  writing(on) {
    this.busy = on;
    this.element.classList.toggle("tb-writing", on);
    // Not inert, which would drop the focus.
    for (const one of this.halves.querySelectorAll(".tb-odds, .tb-beams, .tb-mine"))
      one.querySelectorAll("button").forEach((each) => each.setAttribute("aria-disabled", String(on)));
  }

  /** Do it, but not while a translation is being written. */
  #ready(act) {
    return (...given) => { if (!this.busy) act(...given); };
  }

  #chips() {
    return [...this.strip.querySelectorAll("button")];
  }

  /** Put the tokens of a word together, with its English under them. */
  #gloss(target, chips) {
    this.strip.querySelector("ol").replaceChildren(
      ...glossed(target, this.gloss).map(({ length, english }) =>
        h("li", {}, h("span", { class: "tb-chips" }, ...chips.splice(0, length)),
          h("small", { lang: "en" }, english))));
  }

  #lay() {
    const { kind, view } = this.state.values;
    this.shown = `${kind} ${view}`;
    const { source, target } = this.now;
    this.view.layOut({ kind, view, source, target, english: englishOf(target, this.gloss) });
  }

  /** What changed in the state, after `show`. */
  changed(names) {
    const { values } = this.state;
    if (names.includes("mode")) this.mode.set(values.mode);
    if (names.includes("temperature")) this.heat.set(Math.round(10 * values.temperature));
    if (names.some((name) => REWRITES.includes(name))) this.tell();
    else if (names.includes("step") && !this.running) this.#announce();
  }

  /** Say the whole translation to screen readers, behind what they must hear first. */
  tell(before = "") {
    const { target, cut, care = "" } = this.now;
    sayAll(target, WORDS, before, `${cut} ${care}`.trim());
  }

  #announce() {
    const { step, now: { tokens, odds, target } } = this;
    announce(WORDS.said(step, target[step - 1], chance(odds[step - 1][tokens[step - 1]])));
  }

  /** Show the current step with these weights. */
  show(A) {
    const { step, now: { tokens, odds, names } } = this;
    const { kind, view, layer, head } = this.state.values;
    if (this.shown !== `${kind} ${view}`) this.#lay();
    this.steps.set(step);
    this.#chips().forEach((chip, j) => {
      chip.tabIndex = j + 1 === step ? 0 : -1;
      chip.classList.toggle("tb-later", j + 1 > step);
    });
    this.#reveal(this.#chips()[step - 1].closest("li"));
    this.title.replaceChildren(WORDS.title(step, tokens.length));
    this.odds.set(odds[step - 1], tokens[step - 1], names);
    this.view.set(A, step, WORDS.where(WORDS.kinds[kind], layer, head));
  }

  /** Show the beginning of the written line. */
  toTop() {
    this.strip.scrollTop = 0;
  }

  /** Scroll the written line, and not the page, to the word of the step. */
  #reveal({ offsetTop, offsetHeight }) {
    const { strip } = this;
    const most = Math.min(strip.scrollTop, offsetTop - 4);
    strip.scrollTop = Math.max(most, offsetTop + offsetHeight + 4 - strip.clientHeight);
  }

  #go(step) {
    const inside = this.strip.contains(document.activeElement);
    this.state.set({ step });
    if (inside) this.#chips()[step - 1].focus();
  }

  /** Go on word by word; from the first, if the last is shown. At the end say it all. */
  run(before = "") {
    const last = this.now.tokens.length;
    if (still()) {
      this.#go(last);
      return this.tell(before);
    }
    if (this.step === last) this.#go(1);
    this.#label("❚❚", WORDS.pause);
    this.element.classList.add("tb-running");
    this.running = setInterval(() => {
      this.#go(Math.min(this.step + 1, last));
      if (this.step < last) return;
      this.stop();
      this.tell();
    }, PAUSE);
  }

  #label(sign, name) {
    this.play.replaceChildren(sign, h("span", {}, name));
    this.play.setAttribute("aria-label", name);
  }

  stop() {
    clearInterval(this.running);
    this.running = null;
    this.#label("▶", WORDS.run);
    this.element.classList.remove("tb-running");
  }
}
