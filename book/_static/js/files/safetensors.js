/**
 * Read a safetensors file: eight bytes with the length of the header, the header in JSON, the
 * numbers one tensor after the other. Whatever is not exactly that is refused, with one error.
 */

import { FileError } from "./errors.js";

const WORDS = {
  damaged: (what) => `The file of weights is damaged: ${what}.`,
  short: (bytes) => `it has ${bytes} bytes, too few for a header`,
  header: (bytes) => `its header should have ${bytes} bytes, more than the file`,
  json: "its header is not JSON",
  entry: (name) => `the header's entry for ${name} is not what it should be`,
  dtype: (name, dtype) => `${name} holds ${dtype}, and only BF16, F16, F32, F64 and I8 can be read here`,
  end: (expected, given) => `its tensors need ${expected} bytes, and it has ${given}`,
  gap: (name) => `${name} does not begin where the tensor before it ends`,
  size: (name, expected, given) => `${name} needs ${expected} bytes, and has ${given}`,
  number: (name) => `${name} holds something that is no finite number`,
};
const BYTES = { BF16: 2, F16: 2, F32: 4, F64: 8, I8: 1 };

/**
 * @param {ArrayBuffer} buffer the whole file
 * @returns {{metadata: Object<string, string>,
 *   tensors: Object<string, {dtype: string, shape: number[], data: Float64Array}>}}
 * @throws {FileError}
 */
export function readSafetensors(buffer) {
  const [header, start] = headerOf(buffer);
  const { __metadata__: metadata = {}, ...entries } = header;
  const places = Object.entries(entries).map(([name, entry]) => placeOf(name, entry));
  places.sort((a, b) => a.begin - b.begin || a.end - b.end);
  let end = 0;
  for (const place of places) {
    refuseIf(place.begin !== end, WORDS.gap(place.name));
    end = place.end;
  }
  const bytes = buffer.byteLength - start;
  refuseIf(end !== bytes, WORDS.end(end, bytes));
  const body = new DataView(buffer, start);
  const tensors = places.map((place) => [place.name, tensorOf(body, place)]);
  return { metadata, tensors: Object.fromEntries(tensors) };
}

function refuseIf(wrong, what) {
  if (wrong) throw new FileError(WORDS.damaged(what));
}

function headerOf(buffer) {
  refuseIf(buffer.byteLength < 8, WORDS.short(buffer.byteLength));
  const length = new DataView(buffer).getBigUint64(0, true);
  refuseIf(length > buffer.byteLength - 8, WORDS.header(length));
  const bytes = new Uint8Array(buffer, 8, Number(length));
  let header;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    refuseIf(true, WORDS.json);
  }
  refuseIf(!isObject(header), WORDS.json);
  return [header, 8 + bytes.length];
}

function placeOf(name, entry) {
  refuseIf(!isObject(entry), WORDS.entry(name));
  const { dtype, shape, data_offsets: offsets } = entry;
  refuseIf(!areCounts(shape) || !areCounts(offsets) || offsets.length !== 2, WORDS.entry(name));
  refuseIf(!Object.hasOwn(BYTES, dtype), WORDS.dtype(name, dtype));
  const [begin, end] = offsets;
  const expected = BYTES[dtype] * shape.reduce((product, size) => product * size, 1);
  refuseIf(end - begin !== expected, WORDS.size(name, expected, end - begin));
  return { name, dtype, shape, begin, end };
}

function tensorOf(body, { name, dtype, shape, begin, end }) {
  const bytes = BYTES[dtype];
  const read = {
    BF16: (at) => bfloat(body.getUint16(at, true)),
    F16: (at) => half(body.getUint16(at, true)),
    F32: (at) => body.getFloat32(at, true),
    F64: (at) => body.getFloat64(at, true),
    I8: (at) => body.getInt8(at),
  }[dtype];
  const data = new Float64Array((end - begin) / bytes);
  for (let i = 0; i < data.length; i++) {
    const at = begin + i * bytes;
    data[i] = read(at);
  }
  refuseIf(!data.every(Number.isFinite), WORDS.number(name));
  return { dtype, shape, data };
}

/** The number that 16 bits stand for: a sign, 5 bits of exponent, 10 bits of fraction. */
function half(bits) {
  const sign = bits >> 15 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return NaN; // or infinite: neither is a weight
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** The number of 32 bits that begins with these 16, and ends in as many zeros. */
function bfloat(bits) {
  const whole = new DataView(new ArrayBuffer(4));
  whole.setUint16(0, bits);
  return whole.getFloat32(0);
}

function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function areCounts(list) {
  return Array.isArray(list) && list.every((n) => Number.isSafeInteger(n) && n >= 0);
}
