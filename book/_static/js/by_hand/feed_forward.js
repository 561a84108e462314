import { addToRows, map, matmul } from "./matrix.js";

/** @typedef {import("./matrix.js").Matrix} Matrix */

/** @returns {Matrix} max(0, x), entry by entry, of a matrix */
export function relu(x) {
  return map(x, (entry) => Math.max(0, entry));
}

/**
 * Pass each position through the same two layers, alone.
 *
 * FFN(x) = max(0, x W_1 + b_1) W_2 + b_2, equation (2) of Vaswani et al. (2017).
 *
 * @param {Matrix} x (n, d_model)
 * @param {Matrix} W_1 (d_model, d_ff)
 * @param {ArrayLike<number>} b_1 (d_ff)
 * @param {Matrix} W_2 (d_ff, d_model)
 * @param {ArrayLike<number>} b_2 (d_model)
 * @param {function(Matrix): Matrix} activation what stands between the two layers
 * @returns {Matrix} (n, d_model)
 * @throws {ShapeError}
 */
export function feedForward(x, W_1, b_1, W_2, b_2, activation = relu) {
  const hidden = activation(addToRows(matmul(x, W_1), b_1)); // (n, d_ff)
  return addToRows(matmul(hidden, W_2), b_2); // (n, d_model)
}
