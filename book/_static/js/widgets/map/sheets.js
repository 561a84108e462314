/** What each box holds of the trained model: its matrices, and where in the model they stand. */

import { Matrix, columns } from "../../by_hand/matrix.js";
import { PLACES } from "./places.js";

/**
 * A matrix of a box.
 * @typedef {object} Sheet
 * @property {string} part its short name, such as "Q"
 * @property {string} key its name in the trace, or among the weights
 * @property {"source"|"target"|"english"|"chinese"|null} rows what the rows are: tokens of a
 *   sentence, words of a vocabulary, or numbered
 * @property {"source"|"target"|"chinese"|null} columns
 * @property {string} role whose colour it has
 * @property {boolean} [heads] one for each head
 * @property {boolean} [alias] made in another box, and only read here
 * @property {boolean} [weight] found by training
 */

/**
 * A number of the model.
 * @typedef {{key: string, head: ?number, i: number, j: number}} Cell head from 0, null where there
 *   is one matrix for all heads
 */

/**
 * What the model makes of the reader's sentence.
 * @typedef {object} Now
 * @property {import("../../decode/trace.js").Trace} trace
 * @property {import("../../by_hand/transformer.js").Weights} W
 * @property {import("../../by_hand/transformer.js").Config} config
 * @property {boolean} own whether the model wrote what the decoder reads
 * @property {{source: number[], target: number[]}} ids
 * @property {{source: string[], target: string[], english: string[], chinese: string[]}} names the
 *   tokens of both sides, and both vocabularies
 */

const PARTS = {
  "Multi-head self-attention, encoder": ["encoder", "self_attention", 1],
  "Add & norm, encoder, after self-attention": ["encoder", "norm", 1],
  "Feed-forward, encoder": ["encoder", "feed_forward", 2],
  "Add & norm, encoder, after feed-forward": ["encoder", "norm", 2],
  "Masked multi-head self-attention, decoder": ["decoder", "self_attention", 1],
  "Add & norm, decoder, after masked self-attention": ["decoder", "norm", 1],
  "Multi-head cross-attention, decoder": ["decoder", "cross_attention", 2],
  "Add & norm, decoder, after cross-attention": ["decoder", "norm", 2],
  "Feed-forward, decoder": ["decoder", "feed_forward", 3],
  "Add & norm, decoder, after feed-forward": ["decoder", "norm", 3],
};
export const SUBS = {
  encoder: ["self_attention", "feed_forward"],
  decoder: ["self_attention", "cross_attention", "feed_forward"],
};
export const sideOf = (stack) => (stack === "encoder" ? "source" : "target");

/** Whether a box stands in a layer, so that one chooses which. */
export const layered = (box) => box in PARTS || box === "Encoder" || box === "Decoder";

/**
 * The name of what sub-layer k, from 1, of a layer reads; k one too many: what leaves the layer. The
 * book's model is Post-LN, as the paper's.
 */
export function readBy(stack, layer, k) {
  if (k > 1) return `${stack}.${layer}.add_and_norm_${k - 1}.normalised`;
  if (layer === 0) return `${sideOf(stack)}.sum`;
  return readBy(stack, layer - 1, SUBS[stack].length + 1);
}

/** What leaves a stack. */
export const leaves = (stack, N) => readBy(stack, N, 1);

const sheet = (part, key, rows, columns, role = "ink", more = {}) =>
  ({ part, key, rows, columns, role, ...more });
const read = (part, key, rows, more = {}) =>
  sheet(part, key, rows, null, "ink", { alias: true, ...more });
const weight = (part, key, role = "ink", more = {}) =>
  sheet(part, key, null, null, role, { weight: true, ...more });

/**
 * @param {string} box its accessible name
 * @param {number} layer from 0
 * @param {number} N layers of a stack
 * @returns {Sheet[]} in the order in which they are made, what training found at the end
 */
export function sheetsOf(box, layer, N) {
  if (PARTS[box]) {
    const [stack, sub, k] = PARTS[box];
    const about = { stack, layer, k, name: `${stack}.${layer}`, rows: sideOf(stack) };
    if (sub === "norm") return ofNorm(about);
    return sub === "feed_forward" ? ofFeedForward(about) : ofAttention(about, sub, N);
  }
  const embedding = (side, words) => [
    sheet("ids", `${side}.ids`, side, null, "ink", { alias: true }),
    sheet("E", `${side}_embedding`, words, null, "ink", { weight: true }),
    sheet("out", `${side}.embedding`, side, null)];
  const addition = (side, elsewhere) => [
    read("in", `${side}.embedding`, side),
    sheet("PE", `${side}.positions`, side, null, "position", { alias: elsewhere }),
    sheet("out", `${side}.sum`, side, null)];
  const stack = (name) => [
    read("in", readBy(name, layer, 1), sideOf(name)),
    read("out", readBy(name, layer + 1, 1), sideOf(name))];
  const all = {
    Inputs: () => [sheet("ids", "source.ids", "source", null)],
    "Input embedding": () => embedding("source", "english"),
    "Positional encoding": () => [sheet("PE", "source.positions", "source", null, "position")],
    "Addition of positions, inputs": () => addition("source", true),
    Encoder: () => stack("encoder"),
    Outputs: () => [sheet("ids", "target.ids", "target", null)],
    "Output embedding": () => embedding("target", "chinese"),
    "Addition of positions, outputs": () => addition("target", false),
    Decoder: () => stack("decoder"),
    Linear: () => [
      read("in", leaves("decoder", N), "target"),
      sheet("logits", "logits", "target", "chinese"),
      sheet("E", "target_embedding", "chinese", null, "ink", { alias: true, weight: true })],
    Softmax: () => [
      sheet("logits", "logits", "target", "chinese", "ink", { alias: true }),
      sheet("probabilities", "probabilities", "target", "chinese", "attention")],
  };
  return all[box]();
}

function ofAttention({ stack, layer, k, name, rows }, sub, N) {
  const cross = sub === "cross_attention";
  const keys = cross ? "source" : rows;
  const own = (what) => `${name}.${sub}.${what}`;
  const head = (part, what, ...others) =>
    sheet(part, own(what), ...others, { heads: true });
  return [
    read("in", readBy(stack, layer, k), rows),
    ...(cross ? [read("memory", leaves("encoder", N), "source")] : []),
    head("Q", "Q", rows, null, "q"), head("K", "K", keys, null, "k"),
    head("V", "V", keys, null, "v"),
    head("scores", "scores", rows, keys, "ink"),
    sheet("mask", own("mask"), rows, keys),
    head("weights", "weights", rows, keys, "attention"),
    head("Z", "Z", rows, null, "attention"),
    sheet("out", own("output"), rows, null, "attention"),
    ...[..."QKV"].map((letter) =>
      weight(`W_${letter}`, own(`W_${letter}`), letter.toLowerCase(), { heads: true })),
    weight("W_O", own("W_O"), "attention"),
  ];
}

function ofNorm({ stack, layer, k, name, rows }) {
  const own = (what) => `${name}.add_and_norm_${k}.${what}`;
  return [
    read("in", readBy(stack, layer, k), rows, { role: "position" }),
    read("f(in)", `${name}.${SUBS[stack][k - 1]}.output`, rows),
    sheet("sum", own("sum"), rows, null, "position"),
    sheet("out", own("normalised"), rows, null),
    weight("γ", own("layer_norm.gamma")), weight("β", own("layer_norm.beta")),
  ];
}

function ofFeedForward({ stack, layer, k, name, rows }) {
  const own = (what) => `${name}.feed_forward.${what}`;
  return [
    read("in", readBy(stack, layer, k), rows),
    sheet("hidden", own("hidden"), rows, null), sheet("ReLU", own("relu"), rows, null),
    sheet("out", own("output"), rows, null),
    weight("W_1", own("W_1")), weight("b_1", own("b_1")),
    weight("W_2", own("W_2")), weight("b_2", own("b_2")),
  ];
}

/** What a box shows first: where it looks, or what it makes. @param {Sheet[]} sheets */
export const firstOf = (sheets) => ["weights", "probabilities", "logits", "out"]
  .map((part) => sheets.find((one) => one.part === part)).find(Boolean) ?? sheets[0];

/**
 * Where a number is made, or where it stands if training made it.
 * @param {string} key
 * @param {number} N
 * @returns {{at: number, layer: number, sheet: Sheet}} at from 1, layer from 0
 */
export function homeOf(key, N) {
  const layer = Number(key.match(/^(?:en|de)coder\.(\d+)/)?.[1] ?? 0);
  for (const [place, { box }] of PLACES.entries()) {
    const sheet = sheetsOf(box, layer, N).find((one) => one.key === key && !one.alias);
    if (sheet) return { at: place + 1, layer, sheet };
  }
  throw new Error(`no box makes ${key}`);
}

/**
 * The numbers of a matrix; of W_Q, W_K and W_V those of one head.
 * @param {Now} now
 * @param {string} key
 * @param {?number} head
 * @returns {Matrix}
 */
export function matrixOf({ trace, W, config, ids }, key, head = null) {
  const [side, what] = key.split(".");
  if (what === "ids") return Matrix.of(ids[side].map((id) => [id]));
  const made = trace[key] ?? W[key] ?? W.source_embedding; // the two may share one matrix
  if (Array.isArray(made)) return made[head];
  if (!(made instanceof Matrix)) return Matrix.of([made]);
  const d_k = config.d_model / config.h;
  return /\.W_[QKV]$/.test(key) ? columns(made, head * d_k, (head + 1) * d_k) : made;
}
