import { Matrix, ShapeError } from "./matrix.js";

/**
 * Give each position a vector of sines and cosines, from fast to slow.
 *
 * PE(pos, 2i) = sin(pos / 10000^(2i / d_model)), PE(pos, 2i + 1) the cosine of the same;
 * section 3.5 of Vaswani et al. (2017).
 *
 * @param {number} n number of positions; rows are positions 0 to n - 1
 * @param {number} d_model width of the vectors; even, because every sine has its cosine
 * @returns {Matrix} (n, d_model)
 * @throws {ShapeError}
 */
export function positionalEncoding(n, d_model) {
  if (!(d_model >= 2 && d_model % 2 === 0)) {
    throw new ShapeError(
      `positionalEncoding: d_model is ${d_model}; expected an even number of at least 2, ` +
        "because dimensions come in pairs of a sine and a cosine.",
    );
  }
  const PE = new Matrix(n, d_model);
  for (let two_i = 0; two_i < d_model; two_i += 2) {
    const wavelength = 10000 ** (two_i / d_model);
    for (let pos = 0; pos < n; pos++) {
      PE.row(pos)[two_i] = Math.sin(pos / wavelength);
      PE.row(pos)[two_i + 1] = Math.cos(pos / wavelength);
    }
  }
  return PE;
}
