import assert from "node:assert/strict";
import { test } from "node:test";

import {
  MODELS, bytesOf, computed, rows,
} from "../../../book/_static/js/widgets/kv_cache/calculation.js";

const count = (states, state) => states.filter((one) => one === state).length;

test("the prefill computes every row, with the cache and without", () => {
  for (const cached of [true, false]) assert.deepEqual(rows(3, 1, cached), ["now", "now", "now"]);
});

test("each further pass computes one new row; what is old is kept or computed again", () => {
  assert.deepEqual(rows(2, 3, true), ["kept", "kept", "kept", "now"]);
  assert.deepEqual(rows(2, 3, false), ["again", "again", "again", "now"]);
  for (const pass of [2, 3, 6])
    for (const cached of [true, false]) assert.equal(count(rows(6, pass, cached), "now"), 1);
});

test("with the cache a row is computed once, without it once a pass", () => {
  for (const pass of [1, 2, 3, 6]) {
    const n = 6 + pass - 1;
    assert.deepEqual(computed(6, pass, true), { now: pass === 1 ? 6 : 1, all: n });
    assert.deepEqual(computed(6, pass, false), { now: n, all: (pass * (6 + n)) / 2 });
  }
});

test("the bytes are those of two matrices in each layer", () => {
  const { book, gpt2, "70b": llama } = MODELS;
  const matrix = new Float32Array(11 * 4 * 32);
  assert.equal(bytesOf(book, 11, 4), 2 * (2 * matrix.byteLength));
  assert.equal(bytesOf(gpt2, 1, 2), 36_864);
  assert.equal(bytesOf(llama, 1, 2) / 1024, 320);
});
