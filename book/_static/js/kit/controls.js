/** The controls of widgets, each {element, set}; set shows another value and calls nobody. */

import { h } from "./dom.js";

const ARROWS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
let count = 0;
const fresh = () => `tb-control-${(count += 1)}`;

/**
 * A button. Set to false it rests: it keeps its place, and the focus if it was just pressed.
 * @param {string|Node} label
 * @param {() => void} onPress
 * @param {string} [name] for screen readers, where the label is a sign
 * @returns {{element: HTMLButtonElement, set: (enabled: boolean) => void}}
 */
export function button(label, onPress, name) {
  const onclick = () => { if (element.getAttribute("aria-disabled") !== "true") onPress(); };
  const about = { type: "button", class: "tb-button", "aria-label": name, title: name };
  const element = h("button", { ...about, onclick }, label);
  // aria-disabled, not disabled: the latter would drop the focus.
  return { element, set: (enabled) => element.setAttribute("aria-disabled", String(!enabled)) };
}

/**
 * On or off.
 * @param {string|Node} label
 * @param {boolean} on
 * @param {(on: boolean) => void} onChange
 */
export function toggle(label, on, onChange) {
  const onchange = () => onChange(input.checked);
  const input = h("input", { type: "checkbox", role: "switch", onchange });
  input.checked = on;
  const element = h("label", { class: "tb-toggle" }, input, h("span", {}, label));
  return { element, set: (value) => { input.checked = value; } };
}

/**
 * One of a few; arrow keys move.
 * @param {string} name what is chosen
 * @param {Array<[value: string, label: string|Node]>} options
 * @param {string} chosen
 * @param {(value: string) => void} onChange
 */
export function choice(name, options, chosen, onChange) {
  const group = fresh();
  const inputs = options.map(([value]) =>
    h("input", { type: "radio", name: group, value, onchange: () => onChange(value) }));
  const labels = options.map(([, label], k) => h("label", {}, inputs[k], h("span", {}, label)));
  const element = h("fieldset", { class: "tb-choice" }, h("legend", {}, name), ...labels);
  const set = (value) => inputs.forEach((input) => { input.checked = input.value === value; });
  set(chosen);
  return { element, set };
}

/**
 * A slider with its number. The reader moves it from stop to stop, low + step, low + 2 step, and so
 * on; a number that is set may lie between two stops, and has its place there.
 * @param {string|Node} label
 * @param {{low: number, high: number, step: number, value: number,
 *   write?: (value: number) => string}} about
 * @param {(value: number) => void} onInput called while it moves
 * @returns {{element: HTMLElement, set: (value: number, label?: string|Node) => void}}
 */
export function slider(label, { low, high, step, value, write = String }, onInput) {
  const id = fresh();
  const shown = h("output", { for: id });
  const name = h("label", { for: id }, label);
  const input = h("input", { type: "range", id, min: low, max: high, step });
  const show = (now) => {
    shown.value = write(now);
    input.setAttribute("aria-valuetext", write(now));
    const [least, most] = [Number(input.min), Number(input.max)];
    input.style.setProperty("--at", String((Number(input.value) - least) / (most - least)));
  };
  const stop = (number, round = Math.round) => low + round((number - low) / step) * step;
  const move = (to) => {
    set(to);
    onInput(to);
  };
  input.addEventListener("input", () => move(stop(Number(input.value))));
  input.addEventListener("keydown", (event) => {
    const way = ARROWS[event.key];
    if (!way || input.step !== "any") return;
    event.preventDefault(); // between two stops browsers disagree on how far an arrow goes
    move(stop(Number(input.value), way > 0 ? Math.ceil : Math.floor));
  });
  const set = (now, text) => {
    input.min = String(Math.min(low, Math.floor(now))); // a number typed elsewhere may lie beyond
    input.max = String(Math.max(high, Math.ceil(now)));
    input.step = stop(now) === now ? String(step) : "any";
    input.value = String(now);
    if (text !== undefined) name.replaceChildren(text);
    show(now);
  };
  set(value);
  return { element: h("div", { class: "tb-slider" }, name, input, shown), set };
}

/**
 * Steps on a line, each a button, with one button back and one forward.
 * @param {string} name what the steps are of
 * @param {Array<string|Node>} labels
 * @param {number} step the current one, from 1
 * @param {(step: number) => void} onStep
 * @param {{back: string, forward: string}} names of the two buttons
 * @returns {{element: HTMLElement, pair: HTMLElement, forward: HTMLButtonElement,
 *   set: (step: number) => void}} pair holds the two buttons, to stand where the widget wants them
 */
export function steps(name, labels, step, onStep, names) {
  let now = step;
  const go = (to) => { if (to >= 1 && to <= labels.length) onStep(to); };
  const buttons = labels.map((label, k) =>
    h("button", { type: "button", onclick: () => go(k + 1) }, label));
  const back = button("\u2190", () => go(now - 1), names.back).element;
  const forward = button("\u2192", () => go(now + 1), names.forward).element;
  const set = (to) => {
    now = to;
    buttons.forEach((one, k) => {
      if (k + 1 === to) one.setAttribute("aria-current", "step");
      else one.removeAttribute("aria-current");
    });
    // aria-disabled, not disabled: the button that was just pressed keeps the focus.
    back.setAttribute("aria-disabled", String(to === 1));
    forward.setAttribute("aria-disabled", String(to === labels.length));
  };
  set(step);
  const list = h("ol", {}, ...buttons.map((one) => h("li", {}, one)));
  const element = h("div", { class: "tb-steps", role: "group", "aria-label": name }, list);
  return { element, pair: h("div", { class: "tb-pair" }, back, forward), forward, set };
}
