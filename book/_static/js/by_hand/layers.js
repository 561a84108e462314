/**
 * One layer of the encoder and one of the decoder, section 3.1 of Vaswani et al. (2017).
 *
 * W holds a layer's weights by the names that they have in Python, for example
 * `self_attention.W_O` or `add_and_norm_1.layer_norm.gamma`.
 */

import { feedForward } from "./feed_forward.js";
import { attendInHeads, multiHeadAttention } from "./heads.js";
import { causalMask } from "./masks.js";
import { add, matmul, rows } from "./matrix.js";
import { layerNorm } from "./norm.js";

/** @typedef {import("./matrix.js").Matrix} Matrix */
/** @typedef {import("../decode/cache.js").KeyValueCache} Kept */

/**
 * @param {Object<string, *>} W
 * @param {string} name
 * @returns {Object<string, *>} the weights whose names begin with `name` and a dot, without that
 */
export function part(W, name) {
  const start = `${name}.`;
  const own = Object.entries(W).filter(([key]) => key.startsWith(start));
  return Object.fromEntries(own.map(([key, value]) => [key.slice(start.length), value]));
}

/**
 * Self-attention, then the feed-forward network, each with "Add & Norm" around it.
 *
 * @param {Matrix} x (n, d_model)
 * @param {Object<string, *>} W the layer's weights by name
 * @param {number} h number of heads
 * @param {?Matrix} mask (n, n) or (1, n), 1 where a query may attend
 * @param {"post"|"pre"} norm Post-LN is LayerNorm(x + f(x)) around each sub-layer f; Pre-LN is
 *   x + f(LayerNorm(x))
 * @returns {[Matrix, {self_attention: Matrix[]}]} x (n, d_model), and the weights of the attention,
 *   h matrices (n, n)
 */
export function encoderLayer(x, W, h, mask = null, norm = "post") {
  let y = before(x, W, 1, norm);
  const { W_Q, W_K, W_V, W_O } = part(W, "self_attention");
  const [Z, A] = multiHeadAttention(y, y, y, W_Q, W_K, W_V, W_O, h, mask);
  x = after(x, Z, W, 1, norm);
  y = before(x, W, 2, norm);
  return [after(x, digest(y, W), W, 2, norm), { self_attention: A }];
}

/**
 * Masked self-attention, cross-attention to the encoder's output, feed-forward network.
 *
 * @param {Matrix} x (m, d_model)
 * @param {Matrix} memory (n, d_model), what the encoder made of the source
 * @param {Object<string, *>} W
 * @param {number} h
 * @param {?Matrix} memoryMask (m, n) or (1, n), 1 where the source has a word
 * @param {"post"|"pre"} norm
 * @param {?{self_attention: Kept, cross_attention: Kept}} cache with it, x holds only the words
 *   that have not gone through yet
 * @returns {[Matrix, {self_attention: Matrix[], cross_attention: Matrix[]}]} x (m, d_model), and
 *   the weights, h matrices (m, m; with a cache, m and all words so far) and (m, n)
 */
export function decoderLayer(x, memory, W, h, memoryMask = null, norm = "post", cache = null) {
  let y = before(x, W, 1, norm);
  const [Z, A] = maskedSelfAttention(y, part(W, "self_attention"), h, cache?.self_attention);
  x = after(x, Z, W, 1, norm);
  y = before(x, W, 2, norm);
  const cross = part(W, "cross_attention");
  const [attended, B] = crossAttention(y, memory, cross, h, memoryMask, cache?.cross_attention);
  x = after(x, attended, W, 2, norm);
  y = before(x, W, 3, norm);
  return [after(x, digest(y, W), W, 3, norm), { self_attention: A, cross_attention: B }];
}

function maskedSelfAttention(y, W, h, kept) {
  const [K, V] = keysAndValues(y, W, kept);
  const mask = rows(causalMask(K.rows), K.rows - y.rows); // those kept come first
  return attendInHeads(matmul(y, W.W_Q), K, V, W.W_O, h, mask);
}

function crossAttention(y, memory, W, h, mask, kept) {
  // The memory does not change, so its keys and values are made once.
  const [K, V] = kept?.K ? [kept.K, kept.V] : keysAndValues(memory, W, kept);
  return attendInHeads(matmul(y, W.W_Q), K, V, W.W_O, h, mask);
}

function keysAndValues(x, W, kept) {
  const made = [matmul(x, W.W_K), matmul(x, W.W_V)];
  return kept ? kept.extend(...made) : made;
}

function digest(y, W) {
  const { W_1, b_1, W_2, b_2 } = part(W, "feed_forward");
  return feedForward(y, W_1, b_1, W_2, b_2);
}

function before(x, W, i, norm) {
  return norm === "pre" ? normalised(x, W, i) : x;
}

function after(x, y, W, i, norm) {
  const sum = add(x, y);
  return norm === "post" ? normalised(sum, W, i) : sum;
}

function normalised(x, W, i) {
  const { gamma, beta } = part(W, `add_and_norm_${i}.layer_norm`);
  return layerNorm(x, gamma, beta);
}
