/** One query and some keys, drawn at random: entries of mean 0 and variance 1. */

import { Matrix, columns, matmulTransposed } from "../../by_hand/matrix.js";
import { seeded } from "../../decode/seeded.js";

export const KEYS = 8;
const LONGEST = 1024;

/** A generator of normal numbers, mean 0 and variance 1: Box and Muller (1958), the cosine. */
function normal(seed) {
  const random = seeded(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * Draw a query, row 0, and the keys, the rows below.
 * @param {number} seed
 * @returns {Matrix} (1 + KEYS, LONGEST); the first d_k columns are the vectors at width d_k, so that
 *   they grow as d_k grows, and do not change
 */
export function draw(seed) {
  const next = normal(seed);
  const vectors = new Matrix(1 + KEYS, LONGEST);
  for (let i = 0; i < vectors.data.length; i++) vectors.data[i] = next();
  return vectors;
}

/** @returns {Float64Array} (KEYS,) the dot product of the query with each key */
export function dotProducts(vectors, d_k) {
  const short = columns(vectors, 0, d_k);
  return matmulTransposed(short, short).row(0).slice(1);
}
