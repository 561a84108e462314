/** The places of the architecture, in the order of a sentence's way, and their shapes. */

/**
 * @typedef {object} Sizes
 * @property {number} n tokens of the source
 * @property {number} m tokens of the target
 * @property {number} d_model
 * @property {number} h
 * @property {number} d_k
 * @property {number} d_ff
 * @property {number} N
 * @property {number} vocabulary
 */

/**
 * A place: a box of the figure, what goes in, what it makes on the way, and what comes out. A shape
 * is written in the symbols of the sizes: "h n d_k".
 * @typedef {object} Place
 * @property {string} box its accessible name in the figure
 * @property {string} text which of the texts of the widget is about it
 * @property {Array<[what: string, shape: string]>} passes from the bottom up; the last comes out
 */

const stream = (length) => `${length} d_model`;

const attention = (queries, keys) => [
  ["in", stream(queries)], ...(queries === keys ? [] : [["memory", stream(keys)]]),
  ...(queries === keys ? [["Q, K, V", `h ${keys} d_k`]]
    : [["Q", `h ${queries} d_k`], ["K, V", `h ${keys} d_k`]]),
  ["A", `h ${queries} ${keys}`], ["out", stream(queries)],
];
const kept = (length) => [["in", stream(length)], ["out", stream(length)]];
const feedForward = (length) => [
  ["in", stream(length)], ["inside", `${length} d_ff`], ["out", stream(length)],
];
const place = (box, text, passes) => ({ box, text, passes });

/** @type {Place[]} */
export const PLACES = [
  place("Inputs", "inputs", [["ids", "n"]]),
  place("Input embedding", "embedding", [["in", "n"], ["out", stream("n")]]),
  place("Positional encoding", "positions", [["PE", stream("n")]]),
  place("Addition of positions, inputs", "addition", kept("n")),
  place("Multi-head self-attention, encoder", "self", attention("n", "n")),
  place("Add & norm, encoder, after self-attention", "norm", kept("n")),
  place("Feed-forward, encoder", "feedForward", feedForward("n")),
  place("Add & norm, encoder, after feed-forward", "norm", kept("n")),
  place("Encoder", "encoder", kept("n")),
  place("Outputs", "outputs", [["ids", "m"]]),
  place("Output embedding", "embedding", [["in", "m"], ["out", stream("m")]]),
  place("Addition of positions, outputs", "addition", kept("m")),
  place("Masked multi-head self-attention, decoder", "masked", attention("m", "m")),
  place("Add & norm, decoder, after masked self-attention", "norm", kept("m")),
  place("Multi-head cross-attention, decoder", "cross", attention("m", "n")),
  place("Add & norm, decoder, after cross-attention", "norm", kept("m")),
  place("Feed-forward, decoder", "feedForward", feedForward("m")),
  place("Add & norm, decoder, after feed-forward", "norm", kept("m")),
  place("Decoder", "decoder", kept("m")),
  place("Linear", "linear", [["in", stream("m")], ["out", "m vocabulary"]]),
  place("Softmax", "softmax", [["in", "m vocabulary"], ["out", "m vocabulary"]]),
];

/**
 * The arrows long enough to carry a shape: from the top of one box to the next (null: to the line
 * that leads over), at which part of it, and how far from it the shape stands: on the side of the
 * other column, or (below 0) on the outer side.
 */
export const ARROWS = [
  ["Inputs", "Input embedding", 0.5, -6],
  ["Input embedding", "Addition of positions, inputs", 0.5, -6],
  ["Addition of positions, inputs", "Multi-head self-attention, encoder", 0.25, -6],
  ["Add & norm, encoder, after self-attention", "Feed-forward, encoder"],
  ["Add & norm, encoder, after feed-forward", null, 0.5],
  ["Outputs", "Output embedding", 0.5, -6],
  ["Output embedding", "Addition of positions, outputs", 0.5, -6],
  ["Addition of positions, outputs", "Masked multi-head self-attention, decoder", 0.25, -6],
  ["Add & norm, decoder, after masked self-attention", "Multi-head cross-attention, decoder", 0.35,
    17],
  ["Add & norm, decoder, after cross-attention", "Feed-forward, decoder"],
  ["Add & norm, decoder, after feed-forward", "Linear", 0.75],
  ["Linear", "Softmax"],
];

/** What leaves a stack leaves its last box. */
export const STACKS = {
  Encoder: "Add & norm, encoder, after feed-forward",
  Decoder: "Add & norm, decoder, after feed-forward",
};

/** The numbers of a shape: "h n d_k" is [8, 14, 64]. */
export const numbers = (shape, sizes) => shape.split(" ").map((symbol) => sizes[symbol]);

/** A shape as it is written: (8, 14, 64). */
export const written = (shape, sizes) => `(${numbers(shape, sizes).join(", ")})`;

/** What a place hands on. */
export const outOf = (box) => PLACES.find((one) => one.box === box).passes.at(-1)[1];

/** The boxes whose shapes differ between two sizes. */
export function touched(before, after) {
  const differs = ([, shape]) => written(shape, before) !== written(shape, after);
  return PLACES.filter(({ passes }) => passes.some(differs)).map(({ box }) => box);
}
