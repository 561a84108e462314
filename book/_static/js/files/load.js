/** Fetch a model of this site: its weights and its vocabularies. */

import { FileError } from "./errors.js";
import { folderOf } from "./folder.js";
import { readSafetensors } from "./safetensors.js";
import { readVocabularies } from "./vocabulary.js";
import { loadWeights } from "./weights.js";

const WORDS = {
  missing: (file) => `This site has no trained model: ${file} is missing.`,
  status: (file, status) => `The model could not be fetched: ${file} is answered with ${status}.`,
  unreachable: "The model could not be fetched. Check the connection and try again.",
  other: (file) => `${file} is damaged, or not the file of this page; reload it.`,
  vocabulary: "The model's weights and its vocabularies do not belong together.",
};
const FOLDER = folderOf("model"); // of the translator that the build trained
const loading = new Map();

/**
 * What a translation needs.
 * @typedef {object} Model
 * @property {import("../by_hand/transformer.js").Config} config
 * @property {import("../by_hand/transformer.js").Weights} W
 * @property {import("./vocabulary.js").Vocabulary} source words, or subwords, of the English sentence
 * @property {import("./vocabulary.js").Vocabulary} target characters of the Chinese one
 * @property {?import("./subwords.js").Subwords} [subwords] what cuts the words
 * @property {?Set<string>} [known] words that are translated; numbers, and other names, are read as
 *   marks
 * @property {number[]} [copied] ids of these marks, alike in both languages
 */

/**
 * Load a model, the book's if no folder is named, once for the whole page: only the first caller's
 * progress is told. After a failure the next call tries again.
 *
 * @param {function(number, ?number): void} [progress] called with the bytes of the weights that
 *   have arrived, and with all there are, null where the server does not say
 * @param {URL|string} folder
 * @param {Object<string, string>} [sha256] of the files by name, in hexadecimal; compared where the
 *   page may compute it: from https, or from this machine
 * @returns {Promise<Model>}
 * @throws {FileError} the message is a sentence for the reader
 */
export function loadModel(progress = () => {}, folder = FOLDER, sha256 = {}) {
  const key = String(folder);
  if (!loading.has(key)) {
    const model = load(progress, key, sha256);
    loading.set(key, model);
    model.catch(() => loading.delete(key));
  }
  return loading.get(key);
}

/**
 * Fetch what PyTorch made of one sentence while the book was built.
 *
 * @returns {Promise<{source: number[], decoder_input: number[],
 *   logits: {shape: number[], data: Float64Array}}>} ids, n and m of them, and logits
 *   (m, target_words)
 * @throws {FileError} the message is a sentence for the reader
 */
export async function loadExpected() {
  const { source, decoder_input, logits } =
    readSafetensors(await bytesOf(new URL("expected.safetensors", FOLDER))).tensors;
  return { source: [...source.data], decoder_input: [...decoder_input.data], logits };
}

async function load(progress, folder, sha256) {
  const whole = (name, heard) => fileOf(name, folder, sha256, heard);
  const [buffer, text] = await Promise.all([
    whole("model.safetensors", progress),
    whole("vocabulary.json").then(textOf),
  ]);
  const [config, W] = loadWeights(buffer);
  const { source, target, ...reading } = readVocabularies(text);
  if (source.size !== config.source_words || target.size !== config.target_words) {
    throw new FileError(WORDS.vocabulary);
  }
  return { config, W, source, target, ...reading };
}

/**
 * Fetch the English of a model's Chinese words.
 * @param {URL} folder
 * @param {Object<string, string>} sha256 as for loadModel
 * @returns {Promise<import("./gloss.js").Glosses>}
 * @throws {FileError} the message is a sentence for the reader
 */
export async function loadGlosses(folder, sha256) {
  const name = "glosses.json";
  const text = textOf(await fileOf(name, folder, sha256));
  try {
    return JSON.parse(text);
  } catch {
    throw new FileError(WORDS.other(name));
  }
}

const textOf = (bytes) => new TextDecoder().decode(bytes);

async function fileOf(name, folder, sha256, heard) {
  return compared(await bytesOf(new URL(name, folder), heard), name, sha256[name]);
}

async function compared(bytes, name, expected) {
  const { subtle } = globalThis.crypto ?? {};
  if (!subtle || !expected) return bytes;
  const sum = new Uint8Array(await subtle.digest("SHA-256", bytes));
  const hex = Array.from(sum, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (hex !== expected) throw new FileError(WORDS.other(name));
  return bytes;
}

async function bytesOf(address, progress = () => {}) {
  let answer;
  try {
    // A cache may not answer with the file of an earlier build.
    answer = await fetch(address, { cache: "no-cache" });
    if (answer.ok) return await arriving(answer, progress);
  } catch {
    throw new FileError(WORDS.unreachable);
  }
  const file = address.pathname.split("/").at(-1);
  const { status } = answer;
  throw new FileError(status === 404 ? WORDS.missing(file) : WORDS.status(file, status));
}

async function arriving(answer, progress) {
  // Of a compressed answer the length is that of what travels, not of what arrives here.
  const length = answer.headers.get("content-length");
  const all = answer.headers.get("content-encoding") ? null : length && Number(length);
  const chunks = [];
  let received = 0;
  for (const reader = answer.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    received += value.length;
    progress(received, all);
  }
  return new Blob(chunks).arrayBuffer();
}
