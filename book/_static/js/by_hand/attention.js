import { checkShape, map, matmul, matmulTransposed } from "./matrix.js";
import { softmax } from "./softmax.js";

/** @typedef {import("./matrix.js").Matrix} Matrix */

/**
 * Average the values, each weighted by how well its key matches the query.
 *
 * Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V, equation (1) of Vaswani et al. (2017).
 *
 * @param {Matrix} Q (m, d_k), one query per row
 * @param {Matrix} K (n, d_k), one key per row
 * @param {Matrix} V (n, d_v), one value per row, in the order of the keys
 * @param {?Matrix} mask (m, n) or (1, n): 1 where the query of that row may attend to the key of
 *   that column, 0 elsewhere
 * @returns {[Matrix, Matrix]} the output (m, d_v), and the weights (m, n); each row of the weights
 *   sums to 1, or is 0 where a query may attend to nothing, as is its output
 * @throws {ShapeError}
 */
export function scaledDotProductAttention(Q, K, V, mask = null) {
  const name = "scaledDotProductAttention";
  const d_k = Q.cols;
  checkShape(name, "K", K, { n: null, d_k });
  checkShape(name, "V", V, { n: K.rows, d_v: null });
  const root = Math.sqrt(d_k);
  const scores = map(matmulTransposed(Q, K), (score) => score / root); // (m, n)
  if (mask) hide(scores, mask);
  const weights = softmax(scores); // (m, n)
  return [matmul(weights, V), weights]; // (m, d_v)
}

function hide(scores, mask) {
  const m = mask.rows === 1 ? 1 : scores.rows;
  checkShape("scaledDotProductAttention", "mask", mask, { m, n: scores.cols });
  for (let i = 0; i < scores.rows; i++) {
    const may = mask.row(mask.rows === 1 ? 0 : i);
    scores.row(i).forEach((_, j, row) => {
      if (!may[j]) row[j] = -Infinity;
    });
  }
}
