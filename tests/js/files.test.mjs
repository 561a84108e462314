import assert from "node:assert/strict";
import { test } from "node:test";

import { FileError } from "../../book/_static/js/files/errors.js";
import { readSafetensors } from "../../book/_static/js/files/safetensors.js";
import { readVocabularies } from "../../book/_static/js/files/vocabulary.js";
import { loadWeights } from "../../book/_static/js/files/weights.js";
import { bytes, model, numbers, text } from "./numbers.mjs";

const refused = (what) => (error) => error instanceof FileError && what.test(error.message);

/** A safetensors file of a header and of the numbers as bytes. */
function file(header, body) {
  const written = typeof header === "string" ? header : JSON.stringify(header);
  const json = new TextEncoder().encode(written);
  const whole = new Uint8Array(8 + json.length + body.byteLength);
  new DataView(whole.buffer).setBigUint64(0, BigInt(json.length), true);
  whole.set(json, 8);
  whole.set(new Uint8Array(body.buffer, body.byteOffset, body.byteLength), 8 + json.length);
  return whole.buffer;
}

/** The parts of a real file, to be changed. */
function parts(name = "post-target.safetensors") {
  const whole = bytes(name);
  const length = Number(new DataView(whole).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(whole, 8, length)));
  return { header, body: new Uint8Array(whole, 8 + length) };
}

test("every number of 16 bits is read as Python reads it", () => {
  const { half, single, double } = readSafetensors(bytes("halves.safetensors")).tensors;
  assert.equal(half.data.length, 63_488); // all but the infinite and those that are no number
  assert.deepEqual(half.data, single.data);
  assert.deepEqual(half.data, double.data);
  const bfloats = readSafetensors(bytes("bfloats.safetensors")).tensors;
  assert.equal(bfloats.half.data.length, 65_280);
  assert.deepEqual(bfloats.half.data, bfloats.single.data);
});

test("numbers of 32 bits, at a place that no array of them could begin", () => {
  const header = {
    a: { dtype: "F16", shape: [1], data_offsets: [0, 2] },
    b: { dtype: "F32", shape: [2, 1], data_offsets: [2, 10] },
    none: { dtype: "F32", shape: [0], data_offsets: [10, 10] },
  };
  const body = new DataView(new ArrayBuffer(10));
  body.setUint16(0, 0x3c00, true);
  body.setFloat32(2, -2.5, true);
  body.setFloat32(6, 1e-3, true);
  const { tensors, metadata } = readSafetensors(file(header, body));
  assert.deepEqual(tensors.a, { dtype: "F16", shape: [1], data: Float64Array.of(1) });
  assert.deepEqual(tensors.b, {
    dtype: "F32", shape: [2, 1], data: Float64Array.of(-2.5, Math.fround(1e-3)),
  });
  assert.equal(tensors.none.data.length, 0);
  assert.deepEqual(metadata, {});
});

test("whole numbers of 8 bits are scaled row by row", () => {
  const [, exact] = loadWeights(bytes("post-target.safetensors"));
  const [, W] = loadWeights(bytes("rows.safetensors"));
  const { scaled } = numbers("rows");
  for (const [name, rows] of Object.entries(scaled)) {
    assert.deepEqual(W[name].toLists(), rows, name);
    assert.deepEqual(W[name].shape, exact[name].shape);
  }
  assert.deepEqual(W["encoder.0.feed_forward.b_1"], exact["encoder.0.feed_forward.b_1"]);
});

test("whole numbers without a scale for each row are refused", () => {
  const { header, body } = parts("rows.safetensors");
  const moved = { ...header, "other.scale": header["source_embedding.scale"] };
  delete moved["source_embedding.scale"];
  assert.throws(() => loadWeights(file(moved, body)),
    refused(/there is no source_embedding.scale for its rows/));
});

test("a truncated file is refused, wherever it ends", () => {
  const whole = bytes("post-target.safetensors");
  for (const keep of [0, 1, 7, 8, 9, 100, whole.byteLength >> 1, whole.byteLength - 1]) {
    assert.throws(() => loadWeights(whole.slice(0, keep)), refused(/weights is damaged: it/), keep);
  }
});

const one = (changes) => ({ a: { dtype: "F16", shape: [2], data_offsets: [0, 4], ...changes } });
const two = (begin) => ({
  ...one({}), b: { dtype: "F16", shape: [1], data_offsets: [begin, begin + 2] },
});
const MALFORMED = {
  "no JSON": ["{a", 4, /header is not JSON/],
  "a list": ["[]", 0, /header is not JSON/],
  "nothing": ["null", 0, /header is not JSON/],
  "an entry that is no object": [{ a: 3 }, 4, /entry for a/],
  "no shape": [one({ shape: undefined }), 4, /entry for a/],
  "a negative size": [one({ shape: [-2] }), 4, /entry for a/],
  "half a size": [one({ shape: [0.5, 4] }), 4, /entry for a/],
  "three offsets": [one({ data_offsets: [0, 4, 4] }), 4, /entry for a/],
  "a negative offset": [one({ data_offsets: [-4, 0] }), 4, /entry for a/],
  "offsets as text": [one({ data_offsets: ["0", "4"] }), 4, /entry for a/],
  "whole numbers of 16 bits": [one({ dtype: "I16" }), 4, /a holds I16, and only BF16, F16, F32/],
  "no dtype": [one({ dtype: undefined }), 4, /a holds undefined/],
  "a dtype of every object": [one({ dtype: "constructor" }), 4, /a holds constructor/],
  "too few bytes for the shape": [one({ shape: [3] }), 4, /a needs 6 bytes, and has 4/],
  "offsets backwards": [one({ data_offsets: [4, 0] }), 4, /a needs 4 bytes, and has -4/],
  "offsets beyond the end": [one({}), 3, /need 4 bytes, and it has 3/],
  "bytes left over": [one({}), 5, /need 4 bytes, and it has 5/],
  "a gap": [two(6), 8, /b does not begin where/],
  "an overlap": [two(2), 4, /b does not begin where/],
  "a first tensor that begins late": [one({ data_offsets: [2, 6] }), 6, /a does not begin where/],
  "numbers too great to count": [one({ shape: [2 ** 52, 2 ** 52] }), 4, /a needs/],
};
for (const [name, [header, size, what]] of Object.entries(MALFORMED)) {
  test(`refused: ${name}`, () => {
    assert.throws(() => readSafetensors(file(header, new Uint8Array(size))), refused(what));
  });
}

test("a header longer than the file, or than any file, is refused", () => {
  const buffer = file(one({}), new Uint8Array(4));
  for (const length of [BigInt(buffer.byteLength - 7), 2n ** 31n, 2n ** 64n - 1n]) {
    new DataView(buffer).setBigUint64(0, length, true);
    assert.throws(() => readSafetensors(buffer), refused(/its header should have \d+ bytes/));
  }
});

test("what is no finite number is refused by the name of its tensor", () => {
  for (const bits of [0x7c00, 0xfc00, 0x7e00, 0x7c01]) {
    const buffer = file(one({}), Uint16Array.of(0x3c00, bits));
    assert.throws(() => readSafetensors(buffer), refused(/a holds something that is no finite/));
  }
  for (const value of [NaN, Infinity, -Infinity]) {
    const header = one({ dtype: "F32", shape: [1] });
    assert.throws(() => readSafetensors(file(header, Float32Array.of(value))), refused(/a holds/));
  }
});

test("a damaged header is an error that says so, or harms nothing", () => {
  const whole = new Uint8Array(bytes("post-target.safetensors"));
  const length = Number(new DataView(whole.buffer).getBigUint64(0, true));
  for (let at = 0; at < 8 + length; at += 37) {
    const damaged = whole.slice();
    damaged[at] ^= 1 + (at % 255);
    try {
      loadWeights(damaged.buffer);
    } catch (error) {
      assert.ok(error instanceof FileError, `byte ${at}: ${error}`);
    }
  }
});

test("a file that does not fit its configuration is refused", () => {
  const { header, body } = parts();
  const { __metadata__, ...tensors } = header;
  const load = (changed, metadata = __metadata__) => () =>
    loadWeights(file({ __metadata__: metadata, ...changed }, body));
  load(tensors)();
  const renamed = (from, to) => Object.fromEntries(
    Object.entries(tensors).map(([name, entry]) => [name === from ? to : name, entry]));
  const lost = renamed("decoder.1.feed_forward.b_2", "decoder.1.feed_forward.b_3");
  assert.throws(load(lost), refused(/decoder.1.feed_forward.b_2 is missing/));
  const W = tensors["encoder.0.self_attention.W_O"];
  const turned = { ...tensors, "encoder.0.self_attention.W_O": { ...W, shape: [8, 32] } };
  assert.throws(load(turned), refused(/W_O has shape \(8, 32\), expected \(16, 16\)/));
  const config = JSON.parse(__metadata__.config);
  const of = (changes) => ({ config: JSON.stringify({ ...config, ...changes }) });
  assert.throws(load(tensors, of({ N: 1 })), refused(/is not of this model/));
  assert.throws(load(tensors, of({ share: "all" })), refused(/target_embedding is not of this/));
  assert.throws(load(tensors, {}), refused(/its metadata has none/));
  assert.throws(load(tensors, { config: "{" }), refused(/its metadata has none/));
  for (const [name, value] of Object.entries({
    d_model: 16.5, h: 0, N: "2", pad_id: -1, norm: "batch", share: true, max_length: null,
  })) {
    assert.throws(load(tensors, of({ [name]: value })), refused(new RegExp(`${name} is ${value}`)));
  }
});

test("the three projections are cut apart", () => {
  const { W } = model("post-target");
  const { data } = readSafetensors(bytes("post-target.safetensors"))
    .tensors["encoder.0.self_attention.W_QKV"];
  for (const [i, letter] of ["Q", "K", "V"].entries()) {
    const own = W[`encoder.0.self_attention.W_${letter}`];
    assert.deepEqual(own.row(1), data.slice((3 + i) * 16, (4 + i) * 16));
  }
});

test("vocabularies that are none are refused", () => {
  const good = numbers("vocabulary");
  const of = (source) => JSON.stringify({ ...good, source });
  readVocabularies(JSON.stringify(good));
  assert.throws(() => readVocabularies(text("vocabulary.json").slice(0, 50)), refused(/not JSON/));
  assert.throws(() => readVocabularies("null"), refused(/source is no list of words/));
  assert.throws(() => readVocabularies(of("words")), refused(/source is no list/));
  assert.throws(() => readVocabularies(of([...good.source, 7])), refused(/source is no list/));
  assert.throws(() => readVocabularies(of(good.source.slice(1))), refused(/begin with <pad>/));
  assert.throws(() => readVocabularies(of([...good.source, "a"])), refused(/has a word twice/));
});
