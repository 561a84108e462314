/** Beam search with the length penalty of Wu et al. (2016), as in section 6.1 of the paper. */

import { logSoftmax } from "../by_hand/softmax.js";
import { EOS } from "../files/vocabulary.js";
import { Sequence, untilEnd, whole } from "./sequences.js";
import { check, checkWhole } from "./errors.js";

/**
 * A translation that a beam search found.
 *
 * ids: without BOS and EOS. logProbability: the sum over its tokens, EOS among them, in nats.
 * score: the same divided by the length penalty. finished: whether it ended with EOS; if not, it
 * was cut at its greatest length.
 *
 * @typedef {{ids: number[], logProbability: number, score: number, finished: boolean}} Hypothesis
 */

/**
 * Translate by following the most probable few beginnings at once.
 *
 * At each step each live sequence is continued with every word, and the `beams` best of all these
 * stay. One that ends with EOS is put aside, and keeps its place: the others get one fewer. The
 * search stops as soon as nothing can beat the best hypothesis put aside.
 *
 * score(Y) = log p(Y | X) / ((5 + |Y|) / 6)^lengthPenalty, equation (14) of Wu et al. (2016).
 *
 * @param {import("../files/load.js").Model} model
 * @param {number[]} source ids of one sentence, EOS at the end
 * @param {number} beams how many beginnings are followed; 1 is greedy decoding
 * @param {number} lengthPenalty at least 0; 0 compares bare log-probabilities
 * @param {{maxLength?: ?number, begin?: number[]}} options the most tokens of a translation, EOS
 *   counted; words that it must begin with, which count in its score
 * @returns {Hypothesis[]} at most `beams`, best first: those that ended, then those that were cut
 * @throws {DecodeError}
 */
export function beamSearch(model, source, beams = 4, lengthPenalty = 0.6, options = {}) {
  return whole(beamSearching(model, source, beams, lengthPenalty, options));
}

/**
 * The same, with a rest after each step: what comes is the best beginning so far, without BOS.
 * @returns {Generator<number[], Hypothesis[]>}
 */
export function* beamSearching(model, source, beams, lengthPenalty, options = {}) {
  const { maxLength = null, begin = [] } = options;
  checkWhole("beamSearch", "beams", beams, 1);
  const fits = Number.isFinite(lengthPenalty) && lengthPenalty >= 0;
  check(fits, "beamSearch", "lengthPenalty", lengthPenalty, "a finite number of at least 0");
  const sequence = new Sequence("beamSearch", model, source, maxLength);
  const found = yield* search(sequence, sequence.begin(begin), beams, lengthPenalty);
  return found.sort((a, b) => b.finished - a.finished || b.score - a.score);
}

function* search(sequence, log_p, beams, alpha) {
  const { limit } = sequence;
  if (sequence.complete) return [hypothesis({ sequence, log_p }, alpha)];
  const found = [];
  let live = [{ sequence, log_p }];
  while (live.length) {
    const grown = grow(live, beams - found.length);
    yield grown[0].sequence.target.slice(1);
    const ended = (one) => one.sequence.complete;
    found.push(...grown.filter(ended).map((one) => hypothesis(one, alpha)));
    live = grown.filter((one) => !ended(one));
    const best = Math.max(...found.map(({ score }) => score));
    // A sequence's log-probability only falls as it grows: this is the most that can come of one.
    const hoped = Math.max(...live.map(({ log_p }) => log_p)) / penalty(limit, alpha);
    if (hoped <= best) break;
  }
  return found;
}

/** Continue the sequences by one token; of all continuations the most probable few, best first. */
function grow(live, places) {
  const all = live.flatMap(({ sequence, log_p }) => {
    const step = sequence.possible(logSoftmax(sequence.nextLogits()));
    // No more words of one sequence can stay than there are places.
    const tokens = largest(step, places);
    return tokens.map((token) => ({ sequence, token, log_p: log_p + step[token] }));
  });
  const kept = all.filter(({ log_p }) => log_p > -Infinity).sort((a, b) => b.log_p - a.log_p);
  return kept.slice(0, places).map(({ sequence, token, log_p }) => {
    const copy = sequence.copy();
    copy.append(token);
    return { sequence: copy, log_p };
  });
}

/** Say where the k largest values stand, the largest first, of equal ones the first. */
function largest(values, k) {
  const places = [];
  values.forEach((value, i) => {
    let at = places.length;
    while (at > 0 && value > values[places[at - 1]]) at--;
    if (at === k) return;
    places.splice(at, 0, i);
    places.length = Math.min(places.length, k);
  });
  return places;
}

function hypothesis({ sequence, log_p }, alpha) {
  const tokens = sequence.target.slice(1);
  const score = log_p / penalty(tokens.length, alpha);
  const finished = tokens.at(-1) === EOS;
  return { ids: untilEnd(tokens), logProbability: log_p, score, finished };
}

/**
 * lp = ((5 + length) / 6)^alpha, equation (14) of Wu et al. (2016).
 * @param {number} length tokens of the translation, EOS counted
 * @param {number} alpha 0 for no penalty; the paper's is 0.6
 * @returns {number}
 */
export function penalty(length, alpha) {
  return ((5 + length) / 6) ** alpha;
}
