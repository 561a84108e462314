/** The eight steps themselves: every matrix from X and the weight matrices to H. */

import { scaledDotProductAttention } from "../../by_hand/attention.js";
import { Matrix, hstack, map, matmul, transpose } from "../../by_hand/matrix.js";

/**
 * @param {Object<string, number[][]>} given X, W_Q1, W_K1, W_V1, W_Q2, W_K2, W_V2 and W_O
 * @returns {Object<string, number[][]>} these, and what they make, by name; K1T is K1 transposed
 */
export function calculate(given) {
  const all = Object.fromEntries(Object.entries(given).map(([name, M]) => [name, Matrix.of(M)]));
  for (const i of [1, 2]) {
    const [Q, K, V] = [..."QKV"].map((part) => matmul(all.X, all[`W_${part}${i}`]));
    const S = map(matmul(Q, transpose(K)), (score) => score / Math.sqrt(Q.cols));
    const [Z, A] = scaledDotProductAttention(Q, K, V);
    const made = { Q, K, V, S, A, Z };
    for (const [name, M] of Object.entries(made)) all[`${name}${i}`] = M;
    all[`K${i}T`] = transpose(K);
  }
  all.Z = hstack([all.Z1, all.Z2]);
  all.H = matmul(all.Z, all.W_O);
  return Object.fromEntries(Object.entries(all).map(([name, M]) => [name, M.toLists()]));
}
