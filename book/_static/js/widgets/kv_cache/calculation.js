/** Which keys and values a pass computes, which it finds in the cache, and what the cache holds. */

/**
 * @typedef {object} Size what decides the size of a cache
 * @property {number} layers
 * @property {number} heads of keys, and as many of values
 * @property {number} d_k
 * @property {boolean} [sharing] whether several heads of queries share one of keys
 */

/** @type {Object<string, Size>} */
export const MODELS = {
  book: { layers: 2, heads: 4, d_k: 32 },
  gpt2: { layers: 12, heads: 12, d_k: 64 },
  "70b": { layers: 80, heads: 8, d_k: 128, sharing: true },
};

/** How many words have been read after a pass: the prompt in the first, one more in each further. */
export const read = (prompt, pass) => prompt + pass - 1;

/**
 * What becomes of each word's key and value in a pass, in one layer.
 * @param {number} prompt its length in words
 * @param {number} pass from 1, the prefill
 * @param {boolean} cached whether keys and values are kept from pass to pass
 * @returns {Array<"now"|"kept"|"again">} computed for the first time, kept, or computed once more
 */
export function rows(prompt, pass, cached) {
  const before = pass === 1 ? 0 : read(prompt, pass - 1);
  return Array.from({ length: read(prompt, pass) }, (_, k) => {
    if (k >= before) return "now";
    return cached ? "kept" : "again";
  });
}

/** How many rows of keys one layer computes: in this pass, and in all so far. */
export function computed(prompt, pass, cached) {
  const inPass = (one) => rows(prompt, one, cached).filter((row) => row !== "kept").length;
  let all = 0;
  for (let one = 1; one <= pass; one += 1) all += inPass(one);
  return { now: inPass(pass), all };
}

/**
 * The bytes of the keys and values of n words, in all layers.
 * @param {Size} size
 * @param {number} n
 * @param {number} bytes of a number
 */
export const bytesOf = ({ layers, heads, d_k }, n, bytes) => 2 * layers * n * heads * d_k * bytes;
