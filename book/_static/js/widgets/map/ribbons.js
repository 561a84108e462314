/** Bands below the lines of the map: each as wide as its sentence is long. */

import { svg } from "../../kit/dom.js";

const TOKEN = 0.6; // the width of a token, in the figure's units
const MOST = 24; // the widest band
const [ENGLISH, CHINESE] = [97.5, 241.5]; // the lines that the boxes of a side stand on
const ACROSS = { top: 162, right: 169.5 }; // how the encoder's result gets to the decoder
const SOURCE = ["Inputs", "Input embedding", "Addition of positions, inputs",
  "Multi-head self-attention, encoder", "Add & norm, encoder, after self-attention",
  "Feed-forward, encoder", "Add & norm, encoder, after feed-forward"];
const TARGET = ["Outputs", "Output embedding", "Addition of positions, outputs",
  "Masked multi-head self-attention, decoder",
  "Add & norm, decoder, after masked self-attention", "Multi-head cross-attention, decoder",
  "Add & norm, decoder, after cross-attention", "Feed-forward, decoder",
  "Add & norm, decoder, after feed-forward", "Linear", "Softmax"];
const CROSS = "Multi-head cross-attention, decoder";

/** How wide a token is, so that the longer of the two sentences still finds room. */
export const widthOf = (n, m) => Math.min(TOKEN, MOST / Math.max(n, m));

export class Ribbons {
  /** @param {(name: string) => {top: number, bottom: number, left: number}} place of a box */
  constructor(place) {
    const up = (x, from, to) => svg("path", { d: `M${x} ${from}V${to}` });
    const column = (x, boxes) => boxes.slice(1).map((upper, k) =>
      up(x, place(boxes[k]).top, place(upper).bottom));
    const { left, top, bottom } = place(CROSS);
    const [last, middle] = [place(SOURCE.at(-1)).top, (top + bottom) / 2];
    const bridge = svg("path", {
      d: `M${ENGLISH} ${last}V${ACROSS.top}H${ACROSS.right}V${middle}H${left}` });
    const side = (paths) => svg("g", { fill: "none", "stroke-linejoin": "round" }, ...paths);
    this.source = side([...column(ENGLISH, SOURCE), bridge]);
    this.target = side([...column(CHINESE, TARGET),
      up(CHINESE, place("Softmax").top, place("Softmax").top - 9)]);
    this.element = svg("g", { class: "tb-ribbons", "aria-hidden": "true" }, this.source,
      this.target);
  }

  /** Show n English and m Chinese tokens. */
  show(n, m) {
    const width = widthOf(n, m);
    this.source.setAttribute("stroke-width", String(n * width));
    this.target.setAttribute("stroke-width", String(m * width));
  }
}
