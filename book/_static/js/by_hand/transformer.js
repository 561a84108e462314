/** The whole Transformer, from ids to logits, for one sentence. */

import { decoderLayer, encoderLayer, part } from "./layers.js";
import { paddingMask } from "./masks.js";
import { ShapeError, matmulTransposed, rows } from "./matrix.js";
import { layerNorm } from "./norm.js";
import { positionalEncoding } from "./positions.js";

/** @typedef {import("./matrix.js").Matrix} Matrix */

/**
 * The settings of transformer_book.TransformerConfig that the forward pass needs.
 * @typedef {{source_words: number, target_words: number, d_model: number, d_ff: number, h: number,
 *   N: number, norm: "post"|"pre", share: "all"|"target"|"none", max_length: number,
 *   pad_id: number}} Config
 */

/**
 * Weights by name: `loadWeights` of files/weights.js makes them.
 * @typedef {Object<string, Matrix|Float64Array>} Weights
 */

/**
 * Every attention's weights by name, such as `encoder.0.self_attention` or
 * `decoder.1.cross_attention`: h matrices (queries, keys) each.
 * @typedef {Object<string, Matrix[]>} AttentionWeights
 */

/**
 * Return a logit for each word of the vocabulary after each position of the target.
 *
 * @param {number[]} source ids, n of them
 * @param {number[]} target ids so far, m of them, the sign for "begin" first
 * @param {Weights} W
 * @param {Config} config
 * @returns {[Matrix, AttentionWeights]} logits (m, target_words): row j is about the word after
 *   target position j, and depends on positions 0 to j
 * @throws {ShapeError}
 */
export function transformer(source, target, W, config) {
  const E = /** @type {Matrix} */ (W.source_embedding);
  const [memory, seen] = encode(embed(source, E, config), source, W, config);
  const mask = paddingMask(source, config.pad_id);
  const y = embed(target, targetEmbedding(W), config);
  const [x, alsoSeen] = decode(y, memory, mask, W, config);
  return [logits(x, W), { ...seen, ...alsoSeen }];
}

/**
 * Look up the ids' embeddings, times sqrt(d_model), and add the positions.
 *
 * @param {number[]} ids
 * @param {Matrix} E (words, d_model)
 * @param {Config} config
 * @param {number} start the position of the first
 * @returns {Matrix} (length, d_model)
 * @throws {ShapeError}
 */
export function embed(ids, E, config, start = 0) {
  checkIds(ids, E.rows, start + ids.length, config.max_length);
  const root = Math.sqrt(config.d_model);
  const x = rows(positionalEncoding(start + ids.length, config.d_model), start);
  ids.forEach((id, i) => {
    const row = x.row(i);
    E.row(id).forEach((entry, j) => (row[j] += entry * root));
  });
  return x;
}

/** Pass embedded source words (n, d_model) through the encoder: the memory, and its weights. */
export function encode(x, source, W, config) {
  const mask = paddingMask(source, config.pad_id);
  const weights = {};
  for (let i = 0; i < config.N; i++) {
    const [y, seen] = encoderLayer(x, part(W, `encoder.${i}`), config.h, mask, config.norm);
    x = y;
    note(weights, `encoder.${i}`, seen);
  }
  return [end(x, W, "encoder_norm", config), weights];
}

/**
 * Pass embedded target words (m, d_model) through the decoder: their vectors, and its weights.
 * With a DecoderCache of decode/cache.js they are only those that have not gone through yet.
 */
export function decode(x, memory, memoryMask, W, config, cache = null) {
  const { h, N, norm } = config;
  const weights = {};
  for (let i = 0; i < N; i++) {
    const [layer, kept] = [part(W, `decoder.${i}`), cache?.layers[i]];
    const [y, seen] = decoderLayer(x, memory, layer, h, memoryMask, norm, kept);
    x = y;
    note(weights, `decoder.${i}`, seen);
  }
  return [end(x, W, "decoder_norm", config), weights];
}

/** The output layer: logits (m, target_words) of vectors (m, d_model). */
export function logits(x, W) {
  return matmulTransposed(x, W.output ?? targetEmbedding(W));
}

/** A shared matrix is stored once, under the first of its names. */
export function targetEmbedding(W) {
  return W.target_embedding ?? W.source_embedding;
}

function end(x, W, name, config) {
  if (config.norm !== "pre") return x;
  const { gamma, beta } = part(W, name);
  return layerNorm(x, gamma, beta);
}

function note(weights, layer, seen) {
  for (const [name, A] of Object.entries(seen)) weights[`${layer}.${name}`] = A;
}

function checkIds(ids, words, length, longest) {
  if (length > longest) {
    throw new ShapeError(
      `transformer: a sentence has ${length} tokens; expected at most ${longest}. ` +
        "Cut the sentence, or use a model with a larger max_length.",
    );
  }
  const wrong = ids.find((id) => !(Number.isInteger(id) && id >= 0 && id < words));
  if (wrong !== undefined) {
    throw new ShapeError(
      `transformer: an id is ${wrong}; expected 0 to ${words - 1}. ` +
        "Use the vocabulary of this model.",
    );
  }
}
