/** The figure of the architecture, with a shape at each arrow and one that runs along them. */

import { svg } from "../../kit/dom.js";
import { still } from "../../kit/motion.js";
import { STACKS } from "./places.js";
import { Ribbons } from "./ribbons.js";

const TIME = 650; // ms from one place to the next
const FAR = 3; // a way round corners takes so many times as long
const POSITIONS = "Positional encoding"; // stands between the columns
const ENCODER = 150; // the right edge of the encoder's boxes
const LETTERS = 10.25; // the height of the open box's shape, and what is above its line
const ABOVE = 8;
const CORNER = 10; // from the middle of a box to the shape on its upper edge, in the figure's units

export class Drawing {
  /**
   * @param {SVGElement} figure
   * @param {Array} arrows see places.js
   */
  constructor(figure, arrows) {
    /** @type {NodeListOf<SVGGraphicsElement>} */
    const links = figure.querySelectorAll("[aria-label]");
    this.boxes = new Map([...links].map((link) => [link.getAttribute("aria-label"), link]));
    this.stacks = [...figure.querySelectorAll("text")].filter((one) => one.textContent === "N×");
    this.labels = new Map(arrows.map((arrow) => [arrow[0], this.#label(...arrow)]));
    const layer = { class: "tb-flow", "aria-hidden": "true" };
    this.dots = [0, 1].map(() => svg("circle", { r: 3.75, class: "tb-dot" }));
    this.back = svg("rect", { rx: 4, class: "tb-chip" });
    this.shape = svg("text", {});
    this.chip = svg("g", {}, this.back, this.shape);
    this.ribbons = new Ribbons((name) => this.place(name));
    figure.prepend(this.ribbons.element); // below the lines and the boxes
    figure.append(svg("g", layer, ...this.labels.values(), this.chip, ...this.dots));
  }

  #label(lower, upper, part = 0.5, aside = 6) {
    const [below, above] = [this.place(lower), upper ? this.place(upper) : { bottom: 144 }];
    const left = below.middle < ENCODER;
    const y = below.top - part * (below.top - above.bottom) + 3.2;
    const x = below.middle + (left ? aside : -aside);
    return svg("text", { x, y, "text-anchor": x > below.middle ? "start" : "end" });
  }

  /** Where a box stands: its edges, and the line it stands on. */
  place(name) {
    const { x, y, width, height } = this.boxes.get(name).getBBox();
    const line = x + width / 2 < ENCODER ? 97.5 : 241.5;
    const middle = name === "Encoder" || name === "Decoder" ? line : x + width / 2;
    const [bottom, centre] = [y + height, y + height / 2];
    return { middle, top: y, bottom, centre, left: x, right: x + width };
  }

  /**
   * Write the shape at each arrow, and how often a layer stands on itself.
   * @param {string[]} shapes
   * @param {import("./places.js").Sizes} sizes
   */
  write(shapes, { n, m, N }) {
    this.ribbons.show(n, m);
    [...this.labels.values()].forEach((label, k) => label.replaceChildren(shapes[k]));
    this.stacks.forEach((one) => one.replaceChildren(`${N}×`));
  }

  /**
   * Open a box: outline it, and let the shape that leaves it arrive there.
   * @param {string} name
   * @param {string} shape
   * @param {?string} before the box it comes from; null where nothing runs
   * @param {?string} memory a box from whose top another way leads here
   */
  open(name, shape, before, memory) {
    for (const [label, box] of this.boxes) {
      box.classList.toggle("tb-open", label === name);
      if (label === name) box.setAttribute("aria-current", "step");
      else box.removeAttribute("aria-current");
    }
    const place = this.place(name);
    const rest = [place.middle, place.top];
    this.#tell(name, place, shape);
    const [dot, other] = this.dots;
    for (const animation of [dot, other, this.chip].flatMap((one) => one.getAnimations())) {
      animation.cancel();
    }
    dot.setAttribute("transform", `translate(${rest})`);
    other.setAttribute("visibility", "hidden");
    if (!before || still()) return;
    const from = this.place(before);
    this.#run(dot, [[from.middle, from.top], ...(memory ? [[rest[0], from.top]] : []), rest], TIME);
    // It comes with the dot: on the way it would cover the names of boxes.
    this.chip.animate([{ opacity: 0 }, { opacity: 0 }, { opacity: 1 }], TIME);
    if (memory) this.#bring(other, this.place(memory), place);
  }

  /** Mark these boxes, and no others. */
  mark(names) {
    this.boxes.forEach((box, name) => box.classList.toggle("tb-touched", names.includes(name)));
  }

  /** The encoder's result goes up, over and down to the keys and values. */
  #bring(dot, from, { left, centre }) {
    dot.removeAttribute("visibility");
    dot.setAttribute("transform", `translate(${left} ${centre})`);
    const way = [[97.5, from.top], [97.5, 162], [169.5, 162], [169.5, centre], [left, centre]];
    this.#run(dot, way, FAR * TIME);
  }

  /** Along straight lines, at one speed. */
  #run(dot, points, duration) {
    const lengths = points.slice(1).map(([x, y], k) =>
      Math.hypot(x - points[k][0], y - points[k][1]));
    const all = lengths.reduce((sum, length) => sum + length, 0) || 1;
    let gone = 0;
    const keys = points.map(([x, y], k) => {
      gone += k ? lengths[k - 1] : 0;
      return { transform: `translate(${x}px, ${y}px)`, offset: Math.min(gone / all, 1) };
    });
    dot.animate(keys, { duration });
  }

  /** The shape stands in the label of its arrow; where the arrow is short, on the box's corner. */
  #tell(name, { middle, top }, shape) {
    const label = this.labels.get(STACKS[name] ?? name);
    for (const one of this.labels.values()) one.classList.toggle("tb-away", one === label);
    const about = name === POSITIONS ? { x: middle, y: top - 6, "text-anchor": "middle" }
      : { x: middle + CORNER, y: top + 0.25, "text-anchor": "start" };
    const at = (key) => label?.getAttribute(key) ?? about[key];
    for (const key of Object.keys(about)) this.shape.setAttribute(key, at(key));
    this.shape.replaceChildren(shape);
    const { x, width } = this.shape.getBBox();
    const size = { x: x - 3, y: at("y") - ABOVE, width: width + 6, height: LETTERS };
    for (const [key, value] of Object.entries(size)) this.back.setAttribute(key, String(value));
  }
}
