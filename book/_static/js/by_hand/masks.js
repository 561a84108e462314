/** Who may attend to whom: 1 means "may attend". */

import { Matrix } from "./matrix.js";

/**
 * Let each position attend to itself and to what came before it.
 *
 * @param {number} n length of the sequence
 * @returns {Matrix} (n, n), 1 at row i, column j where j <= i
 */
export function causalMask(n) {
  const mask = new Matrix(n, n);
  for (let i = 0; i < n; i++) mask.row(i).fill(1, 0, i + 1);
  return mask;
}

/**
 * Let every query attend to the words, none to the padding.
 *
 * @param {ArrayLike<number>} ids token ids of the n keys
 * @param {number} pad_id the id that stands for padding
 * @returns {Matrix} (1, n), the same for every query
 */
export function paddingMask(ids, pad_id) {
  return Matrix.of([Array.from(ids, (id) => Number(id !== pad_id))]);
}
