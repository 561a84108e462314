/** One pass through the whole model with everything it makes on the way, and what-ifs. */

import { relu } from "../by_hand/feed_forward.js";
import { mergeHeads, splitHeads } from "../by_hand/heads.js";
import { part } from "../by_hand/layers.js";
import { causalMask, paddingMask } from "../by_hand/masks.js";
import { Matrix, add, addToRows, map, matmul, matmulTransposed } from "../by_hand/matrix.js";
import { layerNorm } from "../by_hand/norm.js";
import { positionalEncoding } from "../by_hand/positions.js";
import { softmax } from "../by_hand/softmax.js";
import { embed, logits, targetEmbedding } from "../by_hand/transformer.js";

/** @typedef {import("../by_hand/transformer.js").Config} Config */
/** @typedef {import("../by_hand/transformer.js").Weights} Weights */

/**
 * Everything by name: one matrix, or h of them, one per head. For a layer such as `encoder.0`:
 *   `source.embedding` (times sqrt(d_model)), `.positions`, `.sum`; the same of `target`
 *   `encoder.0.input`, `encoder.0.output`
 *   `encoder.0.self_attention.Q`, `.K`, `.V`, `.scores` (scaled, before the mask), `.weights`, `.Z`:
 *   h each; `.mask` (queries, keys), 1 where a query may attend; `.output`, what W_O makes
 *   `encoder.0.add_and_norm_1.sum`, `.normalised`; numbered on to 2, in a decoder to 3
 *   `encoder.0.feed_forward.hidden`, `.relu`, `.output`
 *   `decoder.0.cross_attention.Q` and so on
 *   `encoder.output`, the memory, `decoder.output`, `logits`, `probabilities` (m, target_words)
 * @typedef {Object<string, *>} Trace
 */

/**
 * What is done otherwise than in the paper.
 * @typedef {object} Changes
 * @property {Array<[attention: string, head: number]>} [silenced] heads, from 0, whose output Z
 *   becomes zero before W_O: ["encoder.0.self_attention", 2]
 * @property {boolean} [scale] false: scores are not divided by sqrt(d_k)
 * @property {boolean} [causal] false: the decoder sees later words too
 * @property {boolean} [padding] false: padding of the source is attended to
 * @property {boolean|Array<"source"|"target">} [positions] false: no positions are added; or the
 *   sides where none are
 * @property {boolean|string[]} [residual] false: no sub-layer's input is added to its output; or
 *   the sub-layers where it is not: ["encoder.0.feed_forward", "decoder.1.cross_attention"]
 */

/**
 * As `transformer` of by_hand/transformer.js, with all that it computes; without changes the logits
 * are the same to the last bit.
 *
 * @param {{W: Weights, config: Config}} model
 * @param {number[]} source ids, n of them, EOS at the end
 * @param {number[]} target ids so far, m of them, BOS in front
 * @param {Changes} [changes]
 * @param {?Trace} [earlier] of the same source with the same changes: the encoder is not passed
 *   again, and what it made is taken from there
 * @returns {Trace}
 * @throws {ShapeError}
 */
export function trace(model, source, target, changes = {}, earlier = null) {
  const { W, config } = model;
  const run = { W, config, changes, seen: { ...earlier } };
  const [n, m] = [source.length, target.length];
  const present = changes.padding === false ? filled(1, n) : paddingMask(source, config.pad_id);
  const before = changes.causal === false ? filled(m, m) : causalMask(m);
  const memory = earlier?.["encoder.output"] ?? read(run, source, tall(present, n));
  let x = enter(run, "target", target, targetEmbedding(W));
  for (let i = 0; i < config.N; i++) {
    const name = `decoder.${i}`;
    x = layer(run, name, x, {
      self_attention: (y) => attend(run, `${name}.self_attention`, y, y, before),
      cross_attention: (y) =>
        attend(run, `${name}.cross_attention`, y, memory, tall(present, m)),
    });
  }
  const all = logits(leave(run, "decoder", x), W);
  return { ...run.seen, logits: all, probabilities: softmax(all) };
}

function read(run, source, mask) {
  let x = enter(run, "source", source, run.W.source_embedding);
  for (let i = 0; i < run.config.N; i++) {
    const name = `encoder.${i}`;
    const attention = (y) => attend(run, `${name}.self_attention`, y, y, mask);
    x = layer(run, name, x, { self_attention: attention });
  }
  return leave(run, "encoder", x);
}

const filled = (height, width) => map(new Matrix(height, width), () => 1);

/** One row of a mask, the same for every query. */
const tall = (mask, height) => Matrix.of(Array.from({ length: height }, () => mask.row(0)));

/** Keep what was made under its name. */
function note({ seen }, name, made) {
  for (const [what, it] of Object.entries(made)) seen[`${name}.${what}`] = it;
}

function enter(run, side, ids, E) {
  const { config, changes } = run;
  let sum = embed(ids, E, config); // it also checks the ids
  const root = Math.sqrt(config.d_model);
  const embedding = Matrix.of(ids.map((id) => E.row(id).map((entry) => entry * root)));
  const positions = positionalEncoding(ids.length, config.d_model);
  const { positions: added = true } = changes;
  if (Array.isArray(added) ? added.includes(side) : !added) sum = embedding;
  note(run, side, { embedding, positions, sum });
  return sum;
}

/** The sub-layers of a layer, the feed-forward network last, with Add & Norm around each. */
function layer(run, name, x, attentions) {
  note(run, name, { input: x });
  const all = { ...attentions, feed_forward: (y) => digest(run, `${name}.feed_forward`, y) };
  Object.entries(all).forEach(([sub, f], k) => {
    x = around(run, x, f, `${name}.${sub}`, `${name}.add_and_norm_${k + 1}`);
  });
  note(run, name, { output: x });
  return x;
}

function around(run, x, f, sub, name) {
  const { config: { norm }, changes: { residual = true } } = run;
  const normalised = (y) => {
    const { gamma, beta } = part(run.W, `${name}.layer_norm`);
    const made = layerNorm(y, gamma, beta);
    note(run, name, { normalised: made });
    return made;
  };
  const made = f(norm === "pre" ? normalised(x) : x);
  const cut = Array.isArray(residual) ? residual.includes(sub) : !residual;
  const sum = cut ? made : add(x, made);
  note(run, name, { sum });
  return norm === "post" ? normalised(sum) : sum;
}

function attend(run, name, queries, keys, mask) {
  const { W, config: { h }, changes: { scale = true, silenced = [] } } = run;
  const { W_Q, W_K, W_V, W_O } = part(W, name);
  const of = (x, projection) => splitHeads(matmul(x, projection), h);
  const [Q, K, V] = [of(queries, W_Q), of(keys, W_K), of(keys, W_V)];
  const root = scale ? Math.sqrt(Q[0].cols) : 1;
  const scores = Q.map((q, i) => map(matmulTransposed(q, K[i]), (score) => score / root));
  const weights = scores.map((S) => softmax(masked(S, mask)));
  const silent = (i) => silenced.some(([attention, head]) => attention === name && head === i);
  const Z = weights.map((A, i) => (silent(i) ? new Matrix(A.rows, V[i].cols) : matmul(A, V[i])));
  const output = matmul(mergeHeads(Z), W_O);
  note(run, name, { Q, K, V, scores, mask, weights, Z, output });
  return output;
}

const masked = (S, { data: may }) =>
  new Matrix(S.rows, S.cols, S.data.map((score, i) => (may[i] ? score : -Infinity)));

function digest(run, name, y) {
  const { W_1, b_1, W_2, b_2 } = part(run.W, name);
  const hidden = addToRows(matmul(y, W_1), b_1);
  const positive = relu(hidden);
  const output = addToRows(matmul(positive, W_2), b_2);
  note(run, name, { hidden, relu: positive, output });
  return output;
}

function leave(run, stack, x) {
  if (run.config.norm === "pre") {
    const { gamma, beta } = part(run.W, `${stack}_norm`);
    x = layerNorm(x, gamma, beta);
  }
  note(run, stack, { output: x });
  return x;
}
