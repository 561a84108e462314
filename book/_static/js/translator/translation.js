/** What the model makes of a sentence: its translations, and at each step what it thought. */

import { softmax } from "../by_hand/softmax.js";
import { decode, embed, logits, targetEmbedding } from "../by_hand/transformer.js";
import { beamSearching } from "../decode/beam.js";
import { Sequence, whole } from "../decode/sequences.js";
import { best } from "../decode/greedy.js";
import { draw, narrowed, seeded, withTemperature } from "../decode/sampling.js";
import { BOS, EOS } from "../files/vocabulary.js";

/** @typedef {import("../files/load.js").Model} Model */

/**
 * @param {Model} model
 * @param {number[]} source ids, EOS at the end
 * @param {{mode: "greedy"|"beam"|"sample", begin: number[], temperature: number, seed: number}} way
 *   begin: words that the translation must begin with
 * @returns {Array<{tokens: number[], score?: number}>} best first; EOS at the end where one ended
 */
export function translations(model, source, way) {
  return whole(translating(model, source, way));
}

/**
 * The same, with a rest after each token: what comes is the translation so far, EOS at its end if
 * it has ended; of a beam search the best beginning.
 */
export function* translating(model, source, { mode, begin, temperature, seed }) {
  if (mode === "beam") {
    const found = yield* beamSearching(model, source, 4, 0.6, { begin });
    return found.map(({ ids, finished, score }) =>
      ({ tokens: finished ? [...ids, EOS] : ids, score }));
  }
  const sequence = new Sequence("translator", model, source);
  const random = seeded(seed);
  sequence.begin(begin);
  yield* sequence.writing((logits) => {
    const possible = sequence.possible(logits);
    return mode === "greedy" ? best(possible) : draw(narrowed(possible, { temperature }), random);
  });
  return [{ tokens: sequence.target.slice(1) }];
}

/**
 * The words that the address says a translation must begin with; what is no token ends them.
 * @param {string} text tokens with spaces between
 * @param {string[]} names of all tokens, by their ids
 * @returns {number[]}
 */
export function beginning(text, names) {
  const ids = text.split(" ").filter(Boolean).map((token) => names.indexOf(token));
  const wrong = ids.findIndex((id) => id < EOS);
  const end = ids.indexOf(EOS) + 1;
  return ids.slice(0, wrong < 0 ? undefined : wrong).slice(0, end || undefined);
}

/**
 * Look at all steps of a translation at once: the decoder sees no later word, so one pass over the
 * whole gives what each step gave.
 *
 * @param {Model} model
 * @param {number[]} source
 * @param {number[]} tokens m of them, EOS at the end if it ended
 * @param {number} temperature that the words were drawn with, else 1
 * @returns {{odds: Float64Array[], weights: Object<string, import("../by_hand/matrix.js")
 *   .Matrix[]>}} for each step the distribution that its token was taken from; the weights of
 *   every attention, where row j of a decoder's is that of step j + 1
 */
export function look(model, source, tokens, temperature) {
  const { W, config } = model;
  const { memory, mask, encoderWeights } = new Sequence("translator", model, source);
  const y = embed([BOS, ...tokens.slice(0, -1)], targetEmbedding(W), config);
  const [x, weights] = decode(y, memory, mask, W, config);
  const all = logits(x, W);
  const odds = tokens.map((_, j) => softmax(withTemperature(all.row(j), temperature)));
  return { odds, weights: { ...encoderWeights, ...weights } };
}

/**
 * One head's weights, or the mean of all heads.
 * @param {Object<string, import("../by_hand/matrix.js").Matrix[]>} weights
 * @param {"self"|"masked"|"cross"} kind
 * @param {number} layer from 1
 * @param {string} head from "1", or "mean"
 * @returns {number[][]} (queries, keys)
 */
export function weightsOf(weights, kind, layer, head) {
  const part = kind === "self" ? "encoder" : "decoder";
  const name = kind === "cross" ? "cross_attention" : "self_attention";
  const heads = weights[`${part}.${layer - 1}.${name}`].map((A) => A.toLists());
  if (head !== "mean") return heads[Number(head) - 1];
  return heads[0].map((row, i) => row.map((_, j) =>
    heads.reduce((sum, A) => sum + A[i][j], 0) / heads.length));
}
