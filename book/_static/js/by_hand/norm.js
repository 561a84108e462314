import { checkLength, mapRows } from "./matrix.js";

/** @typedef {import("./matrix.js").Matrix} Matrix */

export const EPSILON = 1e-5;

/**
 * Give each vector mean 0 and variance 1 over its own entries, then scale and shift.
 *
 * LayerNorm(x) = gamma * (x - mu) / sqrt(variance + epsilon) + beta, Ba et al. (2016). The variance
 * is the biased one: a mean over all entries.
 *
 * @param {Matrix} x (n, d_model)
 * @param {ArrayLike<number>} gamma (d_model), learned scale of each entry
 * @param {ArrayLike<number>} beta (d_model), learned shift of each entry
 * @param {number} epsilon keeps the root from zero where all entries are equal
 * @returns {Matrix} (n, d_model)
 * @throws {ShapeError}
 */
export function layerNorm(x, gamma, beta, epsilon = EPSILON) {
  checkLength("layerNorm", "gamma", gamma, "d_model", x.cols);
  checkLength("layerNorm", "beta", beta, "d_model", x.cols);
  return mapRows(x, (row) => {
    const mu = mean(row);
    const variance = mean(row.map((entry) => (entry - mu) ** 2));
    const root = Math.sqrt(variance + epsilon);
    return row.map((entry, j) => (gamma[j] * (entry - mu)) / root + beta[j]);
  });
}

function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
