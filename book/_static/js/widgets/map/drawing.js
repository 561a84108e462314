/** The figure of the architecture, with a shape at each arrow and one that runs along them. */

import { svg } from "../../kit/dom.js";
import { still } from "../../kit/motion.js";

const LINE = 11.5; // from one line of text to the next, in the figure's units (3/4 px)
const TIME = 650; // ms from one place to the next
const FAR = 3; // a way round corners takes so many times as long
const POSITIONS = "Positional encoding"; // stands between the columns
const ENCODER = 150; // the right edge of the encoder's boxes
const [GUTTER_LEFT, GUTTER_RIGHT] = [146, 192]; // where the running shape stands, between columns

export class Drawing {
  /**
   * @param {SVGElement} figure
   * @param {Array} arrows see places.js
   */
  constructor(figure, arrows) {
    const links = [...figure.querySelectorAll("[aria-label]")];
    this.boxes = new Map(links.map((link) => [link.getAttribute("aria-label"), link]));
    this.stacks = [...figure.querySelectorAll("text")].filter((one) => one.textContent === "N×");
    this.labels = arrows.map((arrow) => this.#label(...arrow));
    const layer = { class: "tb-flow", "aria-hidden": "true" };
    this.dots = [0, 1].map(() => svg("circle", { r: 3.75, class: "tb-dot" }));
    this.back = svg("rect", { rx: 4, class: "tb-chip" });
    this.lines = svg("g", {});
    this.chip = svg("g", {}, this.back, this.lines);
    figure.append(svg("g", layer, ...this.labels, this.chip, ...this.dots));
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

  /** Write the shape at each arrow, and how often a layer stands on itself. */
  write(shapes, N) {
    this.labels.forEach((label, k) => label.replaceChildren(shapes[k]));
    this.stacks.forEach((one) => one.replaceChildren(`${N}×`));
  }

  /**
   * Open a box: outline it, and let its shapes arrive there.
   * @param {string} name
   * @param {string[]} shapes what it makes, from the bottom up
   * @param {?string} before the box they come from; null where nothing runs
   * @param {?string} memory a box from whose top another way leads here
   */
  open(name, shapes, before, memory) {
    for (const [label, box] of this.boxes) {
      box.classList.toggle("tb-open", label === name);
      if (label === name) box.setAttribute("aria-current", "step");
      else box.removeAttribute("aria-current");
    }
    const place = this.place(name);
    const rest = [place.middle, name === POSITIONS ? place.centre : place.top];
    this.#tell(name, place, shapes);
    const [dot, other] = this.dots;
    for (const animation of [dot, other, this.chip].flatMap((one) => one.getAnimations())) {
      animation.cancel();
    }
    dot.setAttribute("transform", `translate(${rest})`);
    other.setAttribute("visibility", "hidden");
    if (!before || still()) return;
    const from = this.place(before);
    this.#run(dot, [[from.middle, from.top], ...(memory ? [[rest[0], from.top]] : []), rest], TIME);
    const rise = from.centre - place.centre;
    const keys = [{ transform: `translate(0, ${rise}px)` }, { transform: "none" }];
    this.chip.animate(keys, { duration: TIME, easing: "ease-in-out" });
    if (memory) this.#bring(other, this.place(memory), place);
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

  /** The shapes of the open box: between the columns, or where there is room. */
  #tell(name, { middle, top, centre, left, right }, shapes) {
    const encoder = middle < ENCODER;
    let [x, anchor] = encoder ? [GUTTER_RIGHT - 4, "end"] : [GUTTER_LEFT + 4, "start"];
    if (name.startsWith("Addition")) x = encoder ? left - 4 : right + 4;
    if (name === POSITIONS) [x, anchor] = [middle, "middle"];
    const height = name === POSITIONS ? top - 10 : centre;
    const foot = height + 3.2 + (shapes.length - 1) * LINE / 2;
    this.lines.replaceChildren(...shapes.map((shape, k) =>
      svg("text", { x, y: foot - k * LINE, "text-anchor": anchor }, shape)));
    const box = this.lines.getBBox();
    const size = { x: box.x - 4, y: box.y - 1.5, width: box.width + 8, height: box.height + 3 };
    for (const [key, value] of Object.entries(size)) this.back.setAttribute(key, value);
  }
}
