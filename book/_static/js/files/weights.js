/** The weights of a Transformer, as Python's nn.save_weights writes them. */

import { Matrix, columns } from "../by_hand/matrix.js";
import { FileError } from "./errors.js";
import { readSafetensors } from "./safetensors.js";

const WORDS = {
  config: (what) => `The file of weights carries no configuration that can be read: ${what}.`,
  unfit: (what) => `The file of weights does not fit its own configuration: ${what}.`,
  missing: (name) => `${name} is missing`,
  extra: (name) => `${name} is not of this model`,
  unscaled: (name) => `${name} holds whole numbers, and there is no ${name}.scale for its rows`,
  shape: (name, given, expected) => `${name} has shape (${given}), expected (${expected})`,
};
const COUNTS = ["source_words", "target_words", "d_model", "d_ff", "h", "N", "max_length"];

/**
 * @param {ArrayBuffer} buffer a safetensors file
 * @returns {[import("../by_hand/transformer.js").Config,
 *   import("../by_hand/transformer.js").Weights]} the configuration, and the weights by name
 * @throws {FileError} if the file is damaged, or of another configuration than it names
 */
export function loadWeights(buffer) {
  const { metadata, tensors: stored } = readSafetensors(buffer);
  const config = configOf(metadata);
  const tensors = scaled(stored);
  checkNames(tensors, shapesOf(config));
  /** @type {Object<string, Matrix|Float64Array>} */
  const W = {};
  for (const [name, { shape, data }] of Object.entries(tensors)) {
    const value = shape.length === 2 ? new Matrix(shape[0], shape[1], data) : data;
    if (name.endsWith(".W_QKV")) Object.assign(W, parted(name, value));
    else W[name] = value;
  }
  return [config, W];
}

/** Each row of whole numbers times the scale that stands beside its matrix. */
function scaled(stored) {
  const tensors = { ...stored };
  for (const [name, { dtype, shape, data }] of Object.entries(stored)) {
    if (dtype !== "I8") continue;
    const scale = stored[`${name}.scale`];
    const [rows, cols] = shape;
    if (scale?.shape.join() !== String(rows)) throw new FileError(WORDS.unfit(WORDS.unscaled(name)));
    data.forEach((whole, i) => { data[i] = whole * scale.data[Math.floor(i / cols)]; });
    delete tensors[`${name}.scale`];
  }
  return tensors;
}

/** Three matrices stand side by side; they are cut here, once, and not at each step. */
function parted(name, W_QKV) {
  const d_model = W_QKV.rows;
  const start = name.slice(0, -"QKV".length);
  const cut = (letter, i) => [start + letter, columns(W_QKV, i * d_model, (i + 1) * d_model)];
  return Object.fromEntries(["Q", "K", "V"].map(cut));
}

function configOf(metadata) {
  let config;
  try {
    config = { ...JSON.parse(metadata.config) };
  } catch {
    throw new FileError(WORDS.config("its metadata has none"));
  }
  const wrong = COUNTS.filter((name) => !(Number.isInteger(config[name]) && config[name] >= 1));
  if (!(Number.isInteger(config.pad_id) && config.pad_id >= 0)) wrong.push("pad_id");
  if (!["post", "pre"].includes(config.norm)) wrong.push("norm");
  if (!["all", "target", "none"].includes(config.share)) wrong.push("share");
  if (wrong.length) throw new FileError(WORDS.config(`${wrong[0]} is ${config[wrong[0]]}`));
  return config;
}

/** What a file of this configuration holds: shapes by name. */
function shapesOf({ source_words, target_words, d_model, d_ff, N, norm, share }) {
  const shapes = { source_embedding: [source_words, d_model] };
  if (share !== "all") shapes.target_embedding = [target_words, d_model];
  if (share === "none") shapes.output = [target_words, d_model];
  const put = (place, own) => {
    for (const [name, shape] of Object.entries(own)) shapes[`${place}.${name}`] = shape;
  };
  const attention = { W_QKV: [d_model, 3 * d_model], W_O: [d_model, d_model] };
  const feedForward = { W_1: [d_model, d_ff], b_1: [d_ff], W_2: [d_ff, d_model], b_2: [d_model] };
  const layerNorm = { gamma: [d_model], beta: [d_model] };
  for (let i = 0; i < N; i++) {
    for (const [stack, parts] of Object.entries({ encoder: 2, decoder: 3 })) {
      put(`${stack}.${i}.self_attention`, attention);
      if (stack === "decoder") put(`${stack}.${i}.cross_attention`, attention);
      put(`${stack}.${i}.feed_forward`, feedForward);
      for (let k = 1; k <= parts; k++) put(`${stack}.${i}.add_and_norm_${k}.layer_norm`, layerNorm);
    }
  }
  if (norm === "pre") ["encoder_norm", "decoder_norm"].forEach((name) => put(name, layerNorm));
  return shapes;
}

function checkNames(tensors, expected) {
  const refuse = (what) => {
    throw new FileError(WORDS.unfit(what));
  };
  for (const [name, shape] of Object.entries(expected)) {
    if (!Object.hasOwn(tensors, name)) refuse(WORDS.missing(name));
    const given = tensors[name].shape;
    if (given.join() !== shape.join()) {
      refuse(WORDS.shape(name, given.join(", "), shape.join(", ")));
    }
  }
  const extra = Object.keys(tensors).find((name) => !Object.hasOwn(expected, name));
  if (extra !== undefined) refuse(WORDS.extra(extra));
}
