/** The encoding of positions live: two waves, the clock they make, what a shift does, similarity. */

import { announce } from "../kit/announce.js";
import { button, choice, slider, toggle } from "../kit/controls.js";
import { h, symbol } from "../kit/dom.js";
import { fixed, grouped } from "../kit/format.js";
import { flag, oneOf, pageState, whole } from "../kit/state.js";
import {
  POSITIONS, frequency, handAt, rotation, similarities, table,
} from "./positions/calculation.js";
import { clock } from "./positions/clock.js";
import { equation } from "./positions/equation.js";
import { Plot, key } from "./positions/plot.js";
import { significant } from "./positions/significant.js";

const number = (value) => (value < 100 ? fixed(value, 2) : grouped(fixed(value, 0)));

const WORDS = {
  widget: "Positions, live",
  position: "position",
  shift: "shift",
  pair: "pair",
  width: "d_model",
  M1: "mistake M1: the exponent doubled",
  reset: "Reset",
  resetDone: "Position 1, shift 8, pair 32 of 512 dimensions, without the mistake.",
  waves: (pair) => `Pair ${pair} is two waves:`,
  wave: (name, dimension) => `${name}, dimension ${dimension}`,
  ghost: "right sine",
  turnOf: (period) => `one turn in ${number(period)} positions`,
  clock: "and a clock hand",
  radians: (k, omega) => `${k} × ${significant(omega, 4, 3)} rad`,
  degrees: (degrees) => `= ${degrees}${degrees.includes("×") ? " degrees" : "°"}`,
  rotation: "The shift is a rotation: the same from every position",
  at: (pos) => `position ${pos}`,
  by: (k) => `turn by k = ${k}`,
  similar: (pos) => `Similarity to position ${pos}`,
  cosine: (pos, other) => `cosine of ${pos} and ${other}`,
  instead: (value) => `instead of ${value}`,
  wavesPicture: (pair, period, pos, other) =>
    `Sine and cosine of pair ${pair} at positions 0 to ${POSITIONS - 1}; ${WORDS.turnOf(period)}. ` +
    `Marked: positions ${pos} and ${other}.`,
  clockPicture: (pos, other, degrees) =>
    `A clock hand at position ${pos}, turned by ${degrees} degrees to position ${other}.`,
  similarPicture: (pos, lowest) =>
    `Cosine similarity of position ${pos} to positions 0 to ${POSITIONS - 1}: 1 at itself, ` +
    `at the lowest ${fixed(lowest, 2)}.`,
  said: (pos, other, value, pair, degrees) => `Positions ${pos} and ${other}: cosine ${value}. ` +
    `Pair ${pair} turns by ${degrees} degrees.`,
};
const WIDTHS = ["4", "16", "64", "512"];
const FIELDS = {
  pos: whole(1, 0, 63), k: whole(8, 0, 32), pair: whole(32, 0, 255), d_model: oneOf("512", WIDTHS),
  M1: flag(false),
};
const DIGITS = 5;
const named = (word, letter) => h("span", {}, `${word} `, symbol(letter));

export function mount(element) {
  element.setAttribute("aria-label", WORDS.widget);
  new Positions(element);
}

const within = (value, high) => Math.max(0, Math.min(high, value));

class Positions {
  constructor(element) {
    this.state = pageState("positions", FIELDS, (changed) => this.#update(changed));
    const both = { n: POSITIONS, axis: WORDS.position, onDrag: (mark, pos) => this.#drag(mark, pos) };
    this.plots = {
      waves: new Plot({ height: 202, low: -1, high: 1, ticks: [-1, 0, 1], ...both }),
      similar: new Plot({ height: 182, low: -0.5, high: 1, ticks: [-0.5, 0, 0.5, 1], ...both }),
    };
    this.#build(element);
    this.#calculate();
    // Also called at once, when the places have their widths.
    new ResizeObserver(() => this.#show()).observe(element);
  }

  #build(element) {
    const { state, plots } = this;
    const { pos, k, d_model, M1 } = state.values;
    this.pos = slider(WORDS.position, { low: 0, high: 63, step: 1, value: pos },
      (value) => state.set({ pos: value }));
    this.k = slider(named(WORDS.shift, "k"), { low: 0, high: 32, step: 1, value: k },
      (value) => state.set({ k: value }));
    this.pair = this.#pairSlider();
    this.width = choice(WORDS.width, WIDTHS.map((width) => [width, width]), d_model,
      (value) => this.#widen(value));
    const width = h("div", { class: "tb-named" },
      h("span", { "aria-hidden": "true" }, symbol(WORDS.width)), this.width.element);
    this.M1 = toggle(WORDS.M1, M1, (on) => state.set({ M1: on }));
    this.reset = button(WORDS.reset, () => {
      state.reset(Object.keys(FIELDS));
      announce(WORDS.resetDone);
    });
    this.wavesTitle = h("div", {});
    this.legend = h("div", {});
    this.clockPlace = h("div", {});
    this.rotation = h("div", { class: "tb-scroll" });
    this.similarTitle = h("div", {});
    const heading = (text) => h("p", { class: "tb-heading" }, text);
    element.append(
      h("div", { class: "tb-knobs" }, this.pos.element, this.k.element, this.pair.element, width),
      h("div", { class: "tb-foot tb-last" }, this.M1.element, this.reset.element),
      h("div", { class: "tb-duo" },
        h("div", {}, this.wavesTitle, plots.waves.element, this.legend),
        h("div", {}, heading(WORDS.clock), this.clockPlace)),
      heading(WORDS.rotation), this.rotation,
      this.similarTitle, plots.similar.element);
  }

  #pairSlider() {
    const high = Number(this.state.values.d_model) / 2 - 1;
    return slider(named(WORDS.pair, "i"), { low: 0, high, step: 1, value: this.#shownPair() },
      (value) => this.state.set({ pair: value }));
  }

  /** An address may ask for a pair that the width does not have. */
  #shownPair() {
    const { pair, d_model } = this.state.values;
    return within(pair, Number(d_model) / 2 - 1);
  }

  /** At another width, the pair that turns as fast, or nearly. */
  #widen(d_model) {
    const share = this.#shownPair() / Number(this.state.values.d_model);
    this.state.set({ d_model, pair: within(Math.round(share * d_model), d_model / 2 - 1) });
  }

  #drag(mark, position) {
    const { pos } = this.state.values;
    this.state.set(mark ? { k: within(position - pos, 32) } : { pos: within(position, 63) });
  }

  #calculate() {
    const width = Number(this.state.values.d_model);
    this.right = table(width, false);
    this.wrong = table(width, true);
  }

  #update(changed) {
    const { pos, k, d_model, M1 } = this.state.values;
    if (changed.includes("d_model")) {
      this.#calculate();
      const fresh = this.#pairSlider();
      this.pair.element.replaceWith(fresh.element);
      this.pair = fresh;
    }
    this.pos.set(pos);
    this.k.set(k);
    this.pair.set(this.#shownPair());
    this.width.set(d_model);
    this.M1.set(M1);
    this.#show();
    announce(this.sentence);
  }

  #show() {
    const { pos, k, M1 } = this.state.values;
    const [PE, pair, other] = [M1 ? this.wrong : this.right, this.#shownPair(), pos + k];
    const omega = frequency(PE, pair);
    const role = M1 ? "wrong" : "position";
    const degrees = significant(k * omega * 180 / Math.PI, 1, 2);
    this.#waves(pair, omega, role, [pos, other]);
    this.clockPlace.replaceChildren(
      clock(WORDS.clockPicture(pos, other, degrees), handAt(PE, pos, pair), k * omega, role),
      h("p", { class: "tb-caption" },
        h("span", {}, WORDS.radians(k, omega)), " ", h("span", {}, WORDS.degrees(degrees))));
    const upright = (at) => handAt(PE, at, pair).map((value) => [value]);
    this.rotation.replaceChildren(equation([WORDS.at(other), upright(other)],
      [[WORDS.by(k), rotation(PE, k, pair)], [WORDS.at(pos), upright(pos)]]));
    const value = this.#similar(PE, role, [pos, other]);
    this.reset.set(this.state.moved(Object.keys(FIELDS)));
    this.sentence = WORDS.said(pos, other, value, pair, degrees);
  }

  #waves(pair, omega, role, marks) {
    const { M1 } = this.state.values;
    const period = 2 * Math.PI / omega;
    const waves = (speed) => [(pos) => Math.sin(speed * pos), (pos) => Math.cos(speed * pos)];
    const names = ["sine", "cosine"];
    const [at] = waves(frequency(this.right, pair));
    const ghost = { at, fine: true, kind: "tb-ghost tb-sine" };
    const curves = waves(omega).map((wave, k) =>
      ({ at: wave, fine: true, kind: `tb-${role} tb-${names[k]}`, marked: true }));
    const label = WORDS.wavesPicture(pair, period, ...marks);
    this.plots.waves.draw(label, [...(M1 ? [ghost] : []), ...curves], marks);
    this.wavesTitle.replaceChildren(h("p", { class: "tb-heading" }, WORDS.waves(pair), " ",
      h("span", { class: `tb-${role}` }, WORDS.turnOf(period))));
    /** @type {Array<[string, string]>} */
    const items = names.map((name, k) => [`tb-${role} tb-${name}`, WORDS.wave(name, 2 * pair + k)]);
    this.legend.replaceChildren(key([...items, ["tb-ghost tb-sine", WORDS.ghost, !M1]]));
  }

  #similar(PE, role, [pos, other]) {
    const { M1 } = this.state.values;
    const [now, right] = [PE, this.right].map((rows) => similarities(rows, pos));
    const ghost = { at: (at) => right[at], kind: "tb-ghost" };
    const curve = { at: (at) => now[at], kind: `tb-${role}`, marked: true };
    const label = WORDS.similarPicture(pos, Math.min(...now));
    this.plots.similar.draw(label, [...(M1 ? [ghost] : []), curve], [pos, other]);
    const value = fixed(now[other], DIGITS);
    const was = M1 ? h("span", {}, " ", WORDS.instead(fixed(right[other], DIGITS))) : "";
    const result = h("span", { class: "tb-cosine-of" }, WORDS.cosine(pos, other), ": ",
      h("b", { class: `tb-${role}` }, value), was);
    this.similarTitle.replaceChildren(
      h("p", { class: "tb-heading" }, WORDS.similar(pos)), h("p", {}, result));
    return value;
  }
}
