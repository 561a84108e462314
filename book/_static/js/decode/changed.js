/** Greedy decoding of a model from which parts are taken away, one step at a time. */

import { BOS } from "../files/vocabulary.js";
import { best } from "./greedy.js";
import { Sequence } from "./sequences.js";
import { trace } from "./trace.js";

/** @typedef {import("../files/load.js").Model} Model */
/** @typedef {import("./trace.js").Changes} Changes */
/** @typedef {import("./trace.js").Trace} Trace */

/**
 * Translate with changes. All that is written passes the decoder again at each step: without the
 * causal mask what was written before sees what came later, so nothing could be kept.
 *
 * @param {Model} model
 * @param {number[]} source ids of one sentence, EOS at the end
 * @param {Changes} changes
 * @param {{maxLength?: ?number}} options the most tokens of a translation, EOS counted
 * @yields {{token: number, probabilities: Float64Array}} for each step the id taken, EOS at the last
 *   unless it was cut; and the distribution that it was taken from. A generator, so that a page may
 *   do other things between two steps.
 * @throws {DecodeError}
 */
export function* changedSteps(model, source, changes, { maxLength = null } = {}) {
  const sequence = new Sequence("changedSteps", model, source, maxLength);
  /** @type {?Trace} */
  let seen = null;
  while (!sequence.complete) {
    seen = trace(model, source, sequence.target, changes, seen);
    const last = sequence.target.length - 1;
    const token = best(sequence.possible(seen.logits.row(last)));
    sequence.append(token);
    yield { token, probabilities: seen.probabilities.row(last) };
  }
}

/**
 * What a changed model gives the word after a beginning that somebody else has written.
 *
 * @param {Model} model
 * @param {number[]} source ids of one sentence, EOS at the end
 * @param {number[]} begun ids, without BOS
 * @param {Changes} changes
 * @returns {Float64Array} probabilities (target_words)
 */
export function changedOdds(model, source, begun, changes) {
  return trace(model, source, [BOS, ...begun], changes).probabilities.row(begun.length);
}
