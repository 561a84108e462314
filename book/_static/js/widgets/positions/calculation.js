/** Tables of positions, right and with mistake M1, and what is read from them. */

import { Matrix, map, matmulTransposed, rows } from "../../by_hand/matrix.js";
import { positionalEncoding } from "../../by_hand/positions.js";

export const POSITIONS = 96; // shown

/** The table of someone who doubles the exponent: mistake M1, the chapter's `doubled`. */
function doubled(n, d_model) {
  const PE = new Matrix(n, d_model);
  for (let i = 0; i < d_model; i += 2) {
    const wavelength = 10000 ** (2 * i / d_model); // wrong: i is 2i
    for (let pos = 0; pos < n; pos++) {
      PE.row(pos)[i] = Math.sin(pos / wavelength);
      PE.row(pos)[i + 1] = Math.cos(pos / wavelength);
    }
  }
  return PE;
}

/**
 * @param {number} d_model
 * @param {boolean} M1 with the mistake
 * @returns {Matrix} (POSITIONS, d_model)
 */
export const table = (d_model, M1) => (M1 ? doubled : positionalEncoding)(POSITIONS, d_model);

/** The angle by which a pair turns with each position, from 1 down: where its hand is at 1. */
export const frequency = (PE, pair) => Math.atan2(...handAt(PE, 1, pair));

/** @returns {[number, number]} sine and cosine of a pair at a position */
export const handAt = (PE, pos, pair) => [PE.at(pos, 2 * pair), PE.at(pos, 2 * pair + 1)];

/** @returns {number[][]} what turns a pair k positions on: one block of R_k */
export function rotation(PE, k, pair) {
  const [sin, cos] = handAt(PE, k, pair); // the hand starts at 12, so at k it has turned by that
  return [[cos, sin], [-sin, cos]];
}

/** @returns {Float64Array} (POSITIONS,) the cosine similarity of a position to every position */
export function similarities(PE, pos) {
  const products = matmulTransposed(rows(PE, pos, pos + 1), PE); // (1, POSITIONS)
  return map(products, (product) => product / (PE.cols / 2)).row(0);
}
