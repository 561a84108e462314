import { Matrix, mapRows } from "./matrix.js";

/**
 * Turn scores into weights that are positive and sum to 1, each row for itself.
 *
 * softmax(x)_j = exp(x_j) / sum over k of exp(x_k)
 *
 * A score of -Infinity gets weight 0. Where every score is -Infinity all weights are 0: nothing may
 * be attended to.
 *
 * @overload
 * @param {Matrix} x
 * @returns {Matrix} of the same shape
 *
 * @overload
 * @param {Iterable<number> & ArrayLike<number>} x one list of scores
 * @returns {Float64Array} of the same length
 *
 * @param {any} x
 */
export function softmax(x) {
  if (x instanceof Matrix) return mapRows(x, (row) => softmax(row));
  const largest = Math.max(...x);
  if (largest === -Infinity) return new Float64Array(x.length);
  // Shifting all scores alike changes no weight, and keeps exp from overflowing.
  const e = Float64Array.from(x, (score) => Math.exp(score - largest));
  const total = e.reduce((sum, value) => sum + value, 0);
  return e.map((value) => value / total);
}

/** @returns {Float64Array} log of softmax(x), without the detour over numbers near 0 */
export function logSoftmax(x) {
  const largest = Math.max(...x);
  const total = x.reduce((sum, value) => sum + Math.exp(value - largest), 0);
  return x.map((value) => value - largest - Math.log(total));
}
