/** A translation under way: what every way of decoding does between two choices of a word. */

import { paddingMask } from "../by_hand/masks.js";
import { logSoftmax } from "../by_hand/softmax.js";
import { decode, embed, encode, logits, targetEmbedding } from "../by_hand/transformer.js";
import { BOS, EOS } from "../files/vocabulary.js";
import { DecoderCache } from "./cache.js";
import { check, checkWhole } from "./errors.js";

export const ROOM = 50; // tokens beyond those of the source, as in section 6.1 of the paper

/** @typedef {import("../files/load.js").Model} Model */
/** @typedef {import("../by_hand/matrix.js").Matrix} Matrix */

/** The translation so far of one sentence. */
export class Sequence {
  /**
   * @param {string} name who asks, for errors
   * @param {Model} model
   * @param {number[]} source ids of the sentence, EOS at the end
   * @param {?number} maxLength the most tokens a translation may have, EOS counted; by default 50
   *   more than its source, but no more than the model has positions
   */
  constructor(name, model, source, maxLength = null) {
    const { W, config, copied = [] } = model;
    const n = source.filter((id) => id !== config.pad_id).length;
    check(n > 0, name, "source", "empty", "a sentence of a token or more");
    if (maxLength !== null) checkWhole(name, "maxLength", maxLength, 1, config.max_length);
    this.name = name;
    this.model = model;
    this.limit = maxLength ?? Math.min(n + ROOM, config.max_length);
    this.mask = paddingMask(source, config.pad_id);
    const x = embed(source, /** @type {Matrix} */ (W.source_embedding), config);
    const [memory, encoderWeights] = encode(x, source, W, config);
    this.memory = memory;
    this.encoderWeights = encoderWeights;
    this.cache = new DecoderCache(config.N);
    this.target = [BOS];
    this.copied = new Set(copied);
    this.due = new Set(source.filter((id) => this.copied.has(id))); // not yet in the target
  }

  /**
   * The logits of the word that comes next.
   *
   * `this.weights` are then the decoder's attention weights at this step, by name: h matrices with
   * one row, that of the last word.
   *
   * @returns {Float64Array} (target_words)
   * @throws {DecodeError} if one of them is not finite
   */
  nextLogits() {
    const { W, config } = this.model;
    const start = this.cache.length;
    const y = embed(this.target.slice(start), targetEmbedding(W), config, start);
    const [x, weights] = decode(y, this.memory, this.mask, W, config, this.cache);
    this.weights = weights;
    const row = logits(x, W).row(x.rows - 1);
    const finite = row.every(Number.isFinite);
    check(finite, this.name, "the model's logits", "not all finite", "numbers: load its weights again");
    return row;
  }

  /**
   * Rule out padding and BOS, which no sentence contains; a mark that is not due, and the end while
   * one is due: a translation has each of `model.copied` that its source has, once. Where the model
   * would end, or the room runs out, all but the marks that are due.
   */
  possible(values) {
    const { due, copied, model: { config: { pad_id } } } = this;
    const possible = values.map((value, id) => (id === pad_id || id === BOS ? -Infinity : value));
    const wouldEnd = possible.indexOf(Math.max(...possible)) === EOS;
    const isNow = due.size > 0 && (wouldEnd || due.size >= this.limit + 1 - this.target.length);
    const isOut = (id) => (copied.has(id) ? !due.has(id) : isNow || (id === EOS && due.size > 0));
    return possible.map((value, id) => (isOut(id) ? -Infinity : value));
  }

  /** Put a token at the end. */
  append(token) {
    this.target.push(token);
    this.due.delete(token);
  }

  /**
   * Append words that somebody else has chosen.
   * @param {number[]} tokens
   * @returns {number} their log-probability, in nats
   */
  begin(tokens) {
    return tokens.reduce((sum, token) => {
      const term = logSoftmax(this.nextLogits())[token];
      this.append(token);
      return sum + term;
    }, 0);
  }

  /** @returns {boolean} whether nothing may follow: it has ended, or it is as long as it may be */
  get complete() {
    return this.target.length > this.limit || this.target.at(-1) === EOS;
  }

  /** @returns {Sequence} one that goes on in its own way */
  copy() {
    const other = Object.create(Sequence.prototype);
    const own = { target: [...this.target], due: new Set(this.due), cache: this.cache.copy() };
    return Object.assign(other, this, own);
  }

  /**
   * Append what `choose` makes of the logits, until the sentence has ended.
   * @param {function(Float64Array): number} choose
   * @returns {number[]} the translation, without BOS and EOS
   */
  write(choose) {
    whole(this.writing(choose));
    return untilEnd(this.target.slice(1));
  }

  /** The same, with a rest after each token: what comes is the translation so far, without BOS. */
  *writing(choose) {
    while (!this.complete) {
      this.append(choose(this.nextLogits()));
      yield this.target.slice(1);
    }
  }
}

/** Go through all that a generator gives, and return what it returns. */
export function whole(steps) {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** @returns {number[]} what stands before the first EOS, or all if there is none */
export function untilEnd(tokens) {
  const end = tokens.indexOf(EOS);
  return end < 0 ? tokens : tokens.slice(0, end);
}
