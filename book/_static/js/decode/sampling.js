/** Decoding by chance, and the three ways to tame it: temperature, top-k, top-p. */

import { softmax } from "../by_hand/softmax.js";
import { Sequence } from "./sequences.js";
import { check, checkWhole } from "./errors.js";

export { seeded } from "./seeded.js";

/**
 * Divide the logits: below 1 the distribution gets sharper, above 1 flatter.
 * @param {Float64Array} logits
 * @param {number} temperature above 0; towards 0 only the largest logit is left
 * @returns {Float64Array}
 * @throws {DecodeError}
 */
export function withTemperature(logits, temperature) {
  const fits = Number.isFinite(temperature) && temperature > 0;
  const expected = "a finite number above 0; for the most probable word use greedy";
  check(fits, "withTemperature", "temperature", temperature, expected);
  return logits.map((logit) => logit / temperature);
}

/**
 * Keep the k largest logits. Fan et al. (2018).
 * @param {Float64Array} logits
 * @param {number} k how many words to keep, at least 1; all of them if there are no more
 * @returns {Float64Array} -Infinity where a word is removed; of equal logits the first is kept
 * @throws {DecodeError}
 */
export function keepTopK(logits, k) {
  checkWhole("keepTopK", "k", k, 1);
  return without(logits, order(logits).slice(k));
}

/**
 * Keep the fewest words whose probabilities sum to p or more. Holtzman et al. (2020).
 * @param {Float64Array} logits
 * @param {number} p above 0 and at most 1; the most probable word always stays
 * @returns {Float64Array} -Infinity where a word is removed; of equal logits the first is kept
 * @throws {DecodeError}
 */
export function keepTopP(logits, p) {
  check(p > 0 && p <= 1, "keepTopP", "p", p, "a probability above 0 and at most 1");
  if (p === 1) return logits; // rounding must not remove the last
  const probabilities = softmax(logits);
  let before = 0;
  return without(logits, order(logits).filter((id) => {
    const removed = before >= p;
    before += probabilities[id];
    return removed;
  }));
}

/**
 * Translate by drawing each word with the probability that the model gives it.
 *
 * @param {import("../files/load.js").Model} model
 * @param {number[]} source ids of one sentence, EOS at the end
 * @param {object} options
 * @param {function(): number} options.random what draws, from `seeded`
 * @param {number} [options.temperature] comes first
 * @param {?number} [options.topK] comes second
 * @param {?number} [options.topP] comes last
 * @param {?number} [options.maxLength] the most tokens of a translation, EOS counted
 * @returns {number[]} ids of the translation, without BOS and EOS; never padding or BOS
 * @throws {DecodeError}
 */
export function sample(model, source, options) {
  const { random, temperature = 1, topK = null, topP = null, maxLength = null } = options;
  const sequence = new Sequence("sample", model, source, maxLength);
  return sequence.write((logits) =>
    draw(narrowed(sequence.possible(logits), { temperature, topK, topP }), random));
}

/**
 * The logits of the distribution that is drawn from: temperature, then top-k, then top-p.
 * @param {Float64Array} logits
 * @param {{temperature?: number, topK?: ?number, topP?: ?number}} options
 * @returns {Float64Array}
 */
export function narrowed(logits, { temperature = 1, topK = null, topP = null }) {
  logits = withTemperature(logits, temperature);
  if (topK !== null) logits = keepTopK(logits, topK);
  if (topP !== null) logits = keepTopP(logits, topP);
  return logits;
}

/**
 * Draw one id with probability softmax(logits).
 * @param {Float64Array} logits
 * @param {() => number} random
 */
export function draw(logits, random) {
  const probabilities = softmax(logits);
  let left = random();
  let last;
  for (const [id, p] of probabilities.entries()) {
    if (p === 0) continue;
    if (left < p) return id;
    left -= p;
    last = id;
  }
  return last; // the sum may have been rounded to less than 1
}

/** Ids from the largest logit to the smallest; equals in their order. */
function order(logits) {
  return Array.from(logits.keys()).sort((a, b) => logits[b] - logits[a]);
}

function without(logits, removed) {
  const kept = logits.slice();
  for (const id of removed) kept[id] = -Infinity;
  return kept;
}
