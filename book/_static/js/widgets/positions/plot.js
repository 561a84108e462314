/** Curves along the positions, with the two positions that are compared marked on them. */

import { h, svg } from "../../kit/dom.js";

const MARGIN = { left: 36, right: 22, top: 26, bottom: 20 };
const EVERY = 16; // positions from one label to the next
const AXIS_NAME = 64; // px
const SLOP = 8; // px that a finger may slip while it taps

/**
 * @typedef {object} Curve
 * @property {(position: number) => number} at its height, between whole positions too if fine
 * @property {boolean} [fine] drawn between the positions, or from one to the next
 * @property {string} kind what it looks like: CSS classes
 * @property {boolean} [marked] whether the marks are on it
 */

/**
 * Say which curve is which.
 * @param {Array<[kind: string, text: string, away?: boolean]>} items away keeps the place only
 */
export function key(items) {
  const sample = (kind) => svg("svg", { "aria-hidden": "true", width: 28, height: 8 },
    svg("g", { class: `tb-curve ${kind}` }, svg("path", { d: "M0 4H28" })));
  return h("p", { class: "tb-key" }, ...items.map(([kind, text, away]) =>
    h("span", { class: away ? "tb-away" : null }, sample(kind), text)));
}

export class Plot {
  /**
   * @param {{height: number, low: number, high: number, ticks: number[], n: number,
   *   axis: string, onDrag: (mark: number, position: number) => void}} about n positions; onDrag
   *   is told which of the two marks is drawn, and to where
   */
  constructor(about) {
    this.about = about;
    this.element = svg("svg", { class: "tb-plot", role: "img", height: about.height });
    this.held = null; // by the pointer: {mark, x, y, moving}
    const on = (name, act) => this.element.addEventListener(name, act);
    on("pointerdown", (event) => this.#grasp(event));
    on("pointermove", (event) => this.#drag(event));
    on("pointerup", (event) => this.#drop(event));
    on("pointercancel", () => { this.held = null; }); // the finger scrolls the page
  }

  #x(position) {
    const inner = this.width - MARGIN.left - MARGIN.right;
    return MARGIN.left + position / (this.about.n - 1) * inner;
  }

  #y(value) {
    const { low, high, height } = this.about;
    const inner = height - MARGIN.top - MARGIN.bottom;
    return MARGIN.top + (high - value) / (high - low) * inner;
  }

  /**
   * @param {string} label what is seen, for screen readers
   * @param {Curve[]} curves
   * @param {[number, number]} marks two positions
   */
  draw(label, curves, marks) {
    this.marks = marks;
    this.width = this.element.clientWidth || 640;
    this.element.setAttribute("viewBox", `0 0 ${this.width} ${this.about.height}`);
    this.element.setAttribute("aria-label", label);
    const points = curves.filter((curve) => curve.marked).flatMap((curve) => marks.map((pos, k) =>
      svg("circle", { class: `tb-mark${k}`, cx: this.#x(pos), cy: this.#y(curve.at(pos)), r: 5 })));
    this.element.replaceChildren(...this.#axes(), ...marks.flatMap((pos, k) => this.#mark(pos, k)),
      ...curves.flatMap((curve) => this.#curve(curve)), ...points);
  }

  #axes() {
    const { n, ticks, axis, height } = this.about;
    const [left, right] = [this.#x(0), this.#x(n - 1)];
    const lines = ticks.flatMap((tick) => [
      svg("line", { class: "tb-grid", x1: left, x2: right, y1: this.#y(tick), y2: this.#y(tick) }),
      svg("text", { x: left - 8, y: this.#y(tick) + 4, "text-anchor": "end" },
        String(tick).replace("-", "\u2212")),
    ]);
    const labels = Array.from({ length: Math.ceil(n / EVERY) }, (_, k) => k * EVERY)
      .map((pos) => svg("text", { x: this.#x(pos), y: height - 4, "text-anchor": "middle" }, pos));
    const room = labels.filter((label) => Number(label.getAttribute("x")) < right - AXIS_NAME);
    return [...lines, ...room,
      svg("text", { x: right, y: height - 4, "text-anchor": "end" }, axis)];
  }

  /** The two labels stand apart, on either side, however near the positions are. */
  #mark(pos, k) {
    const [x, outwards] = [this.#x(pos), k ? 1 : -1];
    const bottom = this.about.height - MARGIN.bottom;
    const side = { x: x + 4 * outwards, y: MARGIN.top - 6, "text-anchor": k ? "start" : "end" };
    return [
      svg("line", { class: `tb-mark${k}`, x1: x, x2: x, y1: MARGIN.top - 14, y2: bottom }),
      svg("text", { class: "tb-at", ...side }, pos),
    ];
  }

  /** @param {Curve} curve */
  #curve({ at, fine, kind, marked }) {
    const { n } = this.about;
    // A fast wave needs a point for each pixel; more would not be seen.
    const steps = fine ? Math.round(this.width) : n - 1;
    const path = Array.from({ length: steps + 1 }, (_, s) => s * (n - 1) / steps)
      .map((pos) => `${this.#x(pos).toFixed(1)} ${this.#y(at(pos)).toFixed(1)}`);
    const dots = Array.from({ length: fine && marked ? n : 0 }, (_, pos) =>
      svg("circle", { cx: this.#x(pos).toFixed(1), cy: this.#y(at(pos)).toFixed(1), r: 1.6 }));
    const line = svg("path", { d: `M${path.join("L")}` });
    return [svg("g", { class: `tb-curve ${kind}` }, line, ...dots)];
  }

  #position(event) {
    const { left } = this.element.getBoundingClientRect();
    const share = (event.clientX - left - MARGIN.left) / (this.#x(this.about.n - 1) - MARGIN.left);
    return Math.round(share * (this.about.n - 1));
  }

  #grasp(event) {
    const [first, second] = this.marks.map((pos) => this.#position(event) - pos);
    const nearest = Math.abs(second) < Math.abs(first) || (first === second && first > 0);
    // A finger that comes down may be about to scroll; a mouse is not.
    const moving = event.pointerType === "mouse";
    this.held = { mark: nearest ? 1 : 0, x: event.clientX, y: event.clientY, moving };
    this.element.setPointerCapture(event.pointerId);
    this.#drag(event);
  }

  #drag(event) {
    if (!this.held) return;
    const [dx, dy] = this.#way(event);
    this.held.moving ||= dx > SLOP && dx > dy;
    if (this.held.moving) this.#put(event);
  }

  #drop(event) {
    if (this.held && Math.max(...this.#way(event)) <= SLOP) this.#put(event);
    this.held = null;
  }

  /** How far the pointer is from where it came down, across and along the page. */
  #way({ clientX, clientY }) {
    return [clientX - this.held.x, clientY - this.held.y].map(Math.abs);
  }

  #put(event) {
    this.about.onDrag(this.held.mark, this.#position(event));
  }
}
