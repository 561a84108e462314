/** Multi-head attention, section 3.2.2 of Vaswani et al. (2017). */

import { scaledDotProductAttention } from "./attention.js";
import { ShapeError, columns, hstack, matmul } from "./matrix.js";

/** @typedef {import("./matrix.js").Matrix} Matrix */

/**
 * Cut each row into h equal slices, one per head.
 *
 * @param {Matrix} x (n, h * d)
 * @param {number} h number of heads
 * @returns {Matrix[]} h matrices (n, d); the first is head 0, columns 0 to d - 1 of x
 * @throws {ShapeError} if h does not divide the width of x
 */
export function splitHeads(x, h) {
  if (!(Number.isInteger(h) && h >= 1 && x.cols % h === 0)) {
    throw new ShapeError(
      `splitHeads: h is ${h} and x has shape (${x.shape.join(", ")}); expected a positive whole ` +
        `number that divides the width ${x.cols}. Choose another h or another width.`,
    );
  }
  const d = x.cols / h;
  return Array.from({ length: h }, (_, i) => columns(x, i * d, (i + 1) * d));
}

/**
 * Put the heads back side by side: the inverse of splitHeads.
 *
 * @param {Matrix[]} heads h matrices (n, d)
 * @returns {Matrix} (n, h * d)
 */
export function mergeHeads(heads) {
  return hstack(heads);
}

/**
 * Attend h times in parallel, each head with its slice of the projections.
 *
 * @param {Matrix} queries (m, d_model), the words that look
 * @param {Matrix} keys (n, d_model), the words looked at
 * @param {Matrix} values (n, d_model); in self-attention all three are the same
 * @param {Matrix} W_Q (d_model, h * d_k), the heads' projections side by side
 * @param {Matrix} W_K (d_model, h * d_k)
 * @param {Matrix} W_V (d_model, h * d_v)
 * @param {Matrix} W_O (h * d_v, d_out)
 * @param {number} h number of heads
 * @param {?Matrix} mask (m, n) or (1, n), 1 where a query may attend; the same for every head
 * @returns {[Matrix, Matrix[]]} the output (m, d_out), and the weights, h matrices (m, n)
 * @throws {ShapeError}
 */
export function multiHeadAttention(queries, keys, values, W_Q, W_K, W_V, W_O, h, mask = null) {
  const [Q, K, V] = [matmul(queries, W_Q), matmul(keys, W_K), matmul(values, W_V)];
  return attendInHeads(Q, K, V, W_O, h, mask);
}

/**
 * The same, of what is already projected: Q (m, h * d_k), K (n, h * d_k), V (n, h * d_v).
 *
 * @returns {[Matrix, Matrix[]]}
 */
export function attendInHeads(Q, K, V, W_O, h, mask = null) {
  const [Qs, Ks, Vs] = [Q, K, V].map((x) => splitHeads(x, h));
  const heads = Qs.map((_, i) => scaledDotProductAttention(Qs[i], Ks[i], Vs[i], mask));
  const Z = heads.map(([output]) => output); // h times (m, d_v)
  return [matmul(mergeHeads(Z), W_O), heads.map(([, weights]) => weights)]; // (m, d_out)
}
