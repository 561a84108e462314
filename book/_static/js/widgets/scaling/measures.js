/** How hard a choice is, and how much it still responds: the chapter's `entropy` and `jacobian`. */

import { Matrix } from "../../by_hand/matrix.js";

/** @returns {number} bits: 0 where one weight is 1, log2(n) where n weights are equal */
export const entropy = (weights) =>
  -weights.reduce((sum, a) => sum + (a > 0 ? a * Math.log2(a) : 0), 0) || 0;

/** @returns {Matrix} (n, n) diag(a) - a a^T: how weight i responds to score j */
export function jacobian(weights) {
  const J = new Matrix(weights.length, weights.length);
  weights.forEach((a, i) => J.row(i).set(weights.map((b, j) => (i === j ? a : 0) - a * b)));
  return J;
}

/** @returns {number} the size of the cell of J that is largest, whatever its sign */
export const largest = (J) => Math.max(...J.data.map(Math.abs));
