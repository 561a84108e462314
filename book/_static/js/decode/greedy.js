import { Sequence } from "./sequences.js";

/**
 * Translate by taking, at each step, the word that is most probable after those taken.
 *
 * @param {import("../files/load.js").Model} model
 * @param {number[]} source ids of one sentence, EOS at the end
 * @param {{maxLength?: ?number}} options the most tokens of a translation, EOS counted
 * @returns {number[]} ids of the translation, without BOS and EOS; never padding or BOS
 * @throws {DecodeError}
 */
export function greedy(model, source, { maxLength = null } = {}) {
  const sequence = new Sequence("greedy", model, source, maxLength);
  return sequence.write((logits) => best(sequence.possible(logits)));
}

/** @returns {number} the id of the largest logit, the first of equals */
export function best(logits) {
  return logits.indexOf(Math.max(...logits));
}
