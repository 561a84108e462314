/** Numbers that Python wrote for these tests, and how near to them is near enough. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Matrix } from "../../book/_static/js/by_hand/matrix.js";
import { readVocabularies } from "../../book/_static/js/files/vocabulary.js";
import { loadWeights } from "../../book/_static/js/files/weights.js";

const FOLDER = process.env.TRANSFORMER_BOOK_NUMBERS;
assert.ok(FOLDER, "Run these tests through pytest: it writes the numbers they compare with.");

export const text = (name) => readFileSync(join(FOLDER, name), "utf8");

export const numbers = (name) => JSON.parse(text(`${name}.json`));

export const bytes = (name) => new Uint8Array(readFileSync(join(FOLDER, name))).buffer;

/** null stands for minus infinity. */
export const infinite = (row) => Float64Array.from(row, (x) => x ?? -Infinity);

export const matrix = (lists) => Matrix.of(lists.map((row) => Float64Array.from(row, Number)));

export function model(name) {
  const [config, W] = loadWeights(bytes(`${name}.safetensors`));
  return { config, W, ...readVocabularies(text("vocabulary.json")) };
}

/** Compare numbers, in lists of lists as deep as may be. */
export function near(given, expected, tolerance = 1e-12, place = "") {
  if (given instanceof Matrix) given = given.toLists();
  if (typeof expected === "number") {
    const same = given === expected || Math.abs(given - expected) <= tolerance;
    assert.ok(same, `${given} is not ${expected} ${place}`);
    return;
  }
  assert.equal(given.length, expected.length, `length ${place}`);
  expected.forEach((one, i) => near(given[i], one, tolerance, `${place}[${i}]`));
}

export { Matrix };
