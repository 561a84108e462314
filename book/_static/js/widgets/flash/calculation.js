/** Attention in tiles, and what each row keeps after each tile. */

export const ROWS = 2; // queries in a tile

/**
 * @typedef {object} Row what a query keeps
 * @property {number} largest
 * @property {number} total
 * @property {number[]} Z the sum of values, not divided yet
 */

/**
 * @typedef {object} Step
 * @property {number} i the first query of the tile
 * @property {number} j its first key
 * @property {number} rows how many queries
 * @property {number} columns how many keys
 * @property {Row[]} before what all rows kept before this tile
 * @property {Row[]} after
 */

/** Whether query i may see key j. */
export const visible = (causal, i, j) => !causal || j <= i;

/**
 * Go through all tiles.
 * @param {number[][]} scores (n, n), scaled
 * @param {number[][]} values (n, d_v)
 * @param {{columns: number, causal: boolean, shrink: boolean}} how shrink: whether what was summed
 *   is corrected when the largest score grows
 * @returns {Step[]} tiles that lie in the future as a whole are left out
 */
export function run(scores, values, { columns, causal, shrink }) {
  const n = scores.length;
  /** @type {Step[]} */
  const steps = [];
  let kept = scores.map(() => ({ largest: -Infinity, total: 0, Z: values[0].map(() => 0) }));
  for (let i = 0; i < n; i += ROWS)
    for (let j = 0; j < (causal ? Math.min(n, i + ROWS) : n); j += columns) {
      const place = { i, j, rows: Math.min(ROWS, n - i), columns: Math.min(columns, n - j) };
      const inside = (r) => r >= i && r < i + place.rows;
      const after = kept.map((row, r) => (inside(r)
        ? added(row, seen(scores[r], r, place, causal), values, shrink) : row));
      steps.push({ ...place, before: kept, after });
      kept = after;
    }
  return steps;
}

/** The keys of a tile that a query may see, each with its score. */
export function seen(scores, r, { j, columns }, causal) {
  const keys = Array.from({ length: columns }, (_, k) => j + k);
  return keys.filter((key) => visible(causal, r, key)).map((key) => ({ key, score: scores[key] }));
}

/** What a row keeps once these keys are added. */
function added({ largest, total, Z }, keys, values, shrink) {
  const larger = Math.max(largest, ...keys.map(({ score }) => score));
  const by = shrink && larger > largest ? Math.exp(largest - larger) : 1;
  const e = keys.map(({ score }) => Math.exp(score - larger));
  const sum = (terms) => terms.reduce((all, term) => all + term, 0);
  return {
    largest: larger,
    total: by * total + sum(e),
    Z: Z.map((z, d) => by * z + sum(keys.map(({ key }, k) => e[k] * values[key][d]))),
  };
}

/** Whether a row has met all keys that it may see, after some steps. */
export function finished(steps, done, r) {
  return !steps.slice(done).some(({ i, rows }) => r >= i && r < i + rows);
}
