/** Blocks of memory under a load: who holds which, what stands empty, what is shared. */

import { announce } from "../kit/announce.js";
import { button, choice, toggle } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { flag, oneOf, pageState, whole } from "../kit/state.js";
import { counted, requests, run } from "./paged/load.js";

const WORDS = {
  widget: "Blocks and tables, live",
  count: "Requests",
  size: "Tokens in a block",
  request: "Table of",
  alike: "begin alike",
  back: "← step",
  forward: "step →",
  backName: "Back one step",
  forwardName: "On to the next step",
  other: "Another load",
  reset: "Reset",
  resetDone: "The first load, at its sixth step.",
  pool: "Blocks",
  place: (step, all) => `Step ${step} of ${all}`,
  counts: ({ held, shared, written, empty }, blocks) =>
    `${held} of ${blocks} blocks are held, ${shared} of them shared. ${written} places hold a `
    + `token's keys and values, ${empty} of the held stand empty.`,
  runs: (now, room, longest) =>
    `${now} run. With room for ${longest} tokens each, ${room} could.`,
  table: (name, status, length, table) => {
    const about = `${name} ${status}`;
    return table.length ? `${about}, ${length} tokens in blocks ${table.join(", ")}.` : `${about}.`;
  },
  block: (number, names, filled, size) => (names.length
    ? `Block ${number}: ${names.join(", ")}, ${filled} of ${size}`
    : `Block ${number}: free`),
};
const SIZES = ["1", "2", "4", "8", "16"];
const COUNTS = ["4", "8", "12"];
/** How high a block is, in rem: few are higher than many, so that all fill the same room. */
const HEIGHTS = { 1: 1.1, 2: 1.75, 4: 2.3, 8: 2.6, 16: 2.6 };
const NAMES = [..."ABCDEFGHIJKL"];
const FIELDS = {
  step: whole(6, 0, 200), size: oneOf("4", SIZES), requests: oneOf("8", COUNTS),
  alike: flag(false), seed: whole(1, 1, 9), request: oneOf("A", NAMES),
};

export function mount(element, { data }) {
  element.setAttribute("aria-label", WORDS.widget);
  new Paged(element, data);
}

class Paged {
  /** @param {HTMLElement} element
   * @param {{slots: number, longest: number}} data */
  constructor(element, { slots, longest }) {
    this.slots = slots;
    this.longest = longest;
    this.state = pageState("paged", FIELDS, () => this.#update());
    this.#build(element);
    this.#show();
  }

  #build(element) {
    const { state } = this;
    const { values } = state;
    const pairs = (list) => list.map((one) => [one, one]);
    const named = (words, control) => h("div", { class: "tb-named" },
      h("span", { "aria-hidden": "true" }, words), control.element);
    this.count = choice(WORDS.count, pairs(COUNTS), values.requests,
      (count) => state.set({ requests: count }));
    this.size = choice(WORDS.size, pairs(SIZES), values.size, (size) => state.set({ size }));
    this.request = choice(WORDS.request, pairs(NAMES), values.request,
      (request) => state.set({ request }));
    this.alike = toggle(WORDS.alike, values.alike, (alike) => state.set({ alike }));
    const go = (by) => () => state.set({ step: this.step + by });
    this.back = button(WORDS.back, go(-1), WORDS.backName);
    this.forward = button(WORDS.forward, go(1), WORDS.forwardName);
    const other = button(WORDS.other, () => state.set({ seed: (state.values.seed % 9) + 1 }));
    this.reset = button(WORDS.reset, () => {
      state.reset(Object.keys(FIELDS));
      announce(WORDS.resetDone);
    });
    this.place = h("p", { class: "tb-heading" });
    this.pool = h("ol", { class: "tb-pool", "aria-label": WORDS.pool });
    this.table = h("p", { class: "tb-readout" });
    this.counts = h("p", { class: "tb-readout" });
    element.append(
      h("div", { class: "tb-options" }, named(WORDS.count, this.count),
        named(WORDS.size, this.size), this.alike.element),
      h("div", { class: "tb-top" }, this.place,
        h("div", { class: "tb-pair" }, this.back.element, this.forward.element)),
      h("div", { class: "tb-stage" }, this.pool),
      h("div", { class: "tb-options" }, named(WORDS.request, this.request)),
      h("div", { class: "tb-paged-lines" }, this.table, this.counts),
      h("div", { class: "tb-foot" }, other.element, this.reset.element));
  }

  #update() {
    this.#show();
    announce(`${this.place.textContent}. ${this.table.textContent} ${this.counts.textContent}`);
  }

  #show() {
    const { size, requests: count, alike, seed, step, request } = this.state.values;
    const load = requests(seed, Number(count));
    const states = run(load, { slots: this.slots, size: Number(size), alike });
    this.step = Math.min(step, states.length - 1);
    this.count.set(count);
    this.size.set(size);
    this.alike.set(alike);
    const r = Math.min(NAMES.indexOf(request), load.length - 1);
    this.request.set(NAMES[r]);
    this.request.element.querySelectorAll("label").forEach((label, k) => {
      const none = k >= load.length; // its place is kept, so that nothing moves
      label.classList.toggle("tb-away", none);
      label.querySelector("input").disabled = none;
    });
    this.place.textContent = WORDS.place(this.step, states.length - 1);
    this.back.set(this.step > 0);
    this.forward.set(this.step < states.length - 1);
    this.reset.set(this.state.moved(Object.keys(FIELDS)));
    this.#showState(states[this.step], load, Number(size), r);
  }

  #showState(now, load, size, chosen) {
    const { tables, lengths, status } = now;
    const numbers = counted(now, size);
    this.pool.style.setProperty("--size", String(size));
    this.pool.style.setProperty("--tall", `${HEIGHTS[size]}rem`);
    this.pool.replaceChildren(...now.holders.map((holders, number) => {
      const names = holders.map((r) => load[r].name);
      return block(number, names, now.filled[number], size, holders.includes(chosen));
    }));
    this.table.textContent =
      WORDS.table(load[chosen].name, status[chosen], lengths[chosen], tables[chosen]);
    const room = Math.floor(this.slots / this.longest);
    this.counts.textContent = `${WORDS.counts(numbers, now.holders.length)} `
      + WORDS.runs(numbers.running, room, this.longest);
  }
}

/** One block: its number, its places, and a look for who holds it. */
function block(number, names, filled, size, chosen) {
  const look = ["tb-block", names.length > 1 && "tb-shared", !names.length && "tb-free",
    chosen && "tb-chosen"].filter(Boolean).join(" ");
  const place = (i) => h("i", { class: i < filled ? "tb-full" : null });
  const places = Array.from({ length: size }, (_, i) => place(i));
  const words = WORDS.block(number, names, filled, size);
  return h("li", { class: look, title: words },
    h("span", { class: "tb-said" }, words),
    h("b", { "aria-hidden": "true" }, number),
    h("span", { class: "tb-places", "aria-hidden": "true" }, ...places));
}
