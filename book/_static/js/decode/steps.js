/** What the model thinks while it decodes: each step's distribution, and where it looked. */

import { softmax } from "../by_hand/softmax.js";
import { transformer } from "../by_hand/transformer.js";
import { BOS } from "../files/vocabulary.js";
import { Sequence } from "./sequences.js";
import { best } from "./greedy.js";

/** @typedef {import("../files/load.js").Model} Model */
/** @typedef {import("../by_hand/matrix.js").Matrix} Matrix */

/**
 * Look at a translation so far: which word comes next, and who attends to whom.
 *
 * It keeps nothing from call to call, so a reader may step back, or put in a word of his own.
 *
 * @param {Model} model
 * @param {number[]} source ids of one sentence, EOS at the end: n of them
 * @param {number[]} target ids of the translation so far, without BOS: m - 1 of them
 * @returns {{logits: Float64Array, probabilities: Float64Array,
 *   weights: Object<string, Matrix[]>}} of the next word, padding and BOS included (target_words);
 *   and all weights by the names that nn uses, h matrices each: `encoder.0.self_attention` (n, n),
 *   `decoder.0.self_attention` (m, m), `decoder.0.cross_attention` (m, n), where row 0 is that of
 *   BOS, which chooses the first word
 * @throws {ShapeError}
 */
export function nextWord(model, source, target) {
  const [all, weights] = transformer(source, [BOS, ...target], model.W, model.config);
  const logits = all.row(target.length);
  return { logits, probabilities: softmax(logits), weights };
}

/**
 * Decode one sentence greedily and keep what the model thought at each step.
 *
 * @param {Model} model
 * @param {number[]} source ids of one sentence, EOS at the end
 * @param {{maxLength?: ?number}} options the most tokens of a translation, EOS counted
 * @returns {{token: number, probabilities: Float64Array, cross_attention: Float64Array[][]}[]} for
 *   each step the id taken, EOS at the last; the whole distribution that it was taken from; and for
 *   each layer and head how much it looked at each token of the source, (N, h, n)
 * @throws {DecodeError}
 */
export function steps(model, source, { maxLength = null } = {}) {
  const sequence = new Sequence("steps", model, source, maxLength);
  const taken = [];
  sequence.write((logits) => {
    const token = best(sequence.possible(logits));
    const layers = Array.from({ length: model.config.N }, (_, i) =>
      sequence.weights[`decoder.${i}.cross_attention`].map((A) => A.row(0)));
    taken.push({ token, probabilities: softmax(logits), cross_attention: layers });
    return token;
  });
  return taken;
}
