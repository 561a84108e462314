import assert from "node:assert/strict";
import { test } from "node:test";

import { causalMask } from "../../../book/_static/js/by_hand/masks.js";
import { matmul } from "../../../book/_static/js/by_hand/matrix.js";
import { softmax } from "../../../book/_static/js/by_hand/softmax.js";
import {
  finished, run,
} from "../../../book/_static/js/widgets/flash/calculation.js";
import { ofRow } from "../../../book/_static/js/widgets/flash/readout.js";
import { Matrix, near } from "../numbers.mjs";

const scores = [[2, 1, 3, 0], [1, 0, 4, 2], [1, 3, 2, 5], [0, 2, 4, 1]];
const values = [[2, 1], [4, 0], [8, 2], [0, 3]];
const how = { columns: 2, causal: false, shrink: true };
const outputs = (rows) => rows.map(({ total, Z }) => Z.map((z) => z / total));

function attention(causal) {
  const may = causalMask(4);
  const shown = scores.map((row, i) => row.map((s, j) => (!causal || may.at(i, j) ? s : -Infinity)));
  return matmul(softmax(Matrix.of(shown)), Matrix.of(values)).toLists();
}

test("whatever the tiles, the end is attention", () => {
  for (const columns of [1, 2, 3, 4]) {
    for (const causal of [false, true]) {
      const steps = run(scores, values, { columns, causal, shrink: true });
      near(outputs(steps.at(-1).after), attention(causal));
    }
  }
});

test("tiles of the future are left out, and no other", () => {
  const places = (causal, columns) => run(scores, values, { ...how, causal, columns })
    .map(({ i, j }) => [i, j]);
  assert.deepEqual(places(false, 2), [[0, 0], [0, 2], [2, 0], [2, 2]]);
  assert.deepEqual(places(true, 2), [[0, 0], [2, 0], [2, 2]]);
  assert.deepEqual(places(true, 4), [[0, 0], [2, 0]]);
  assert.equal(places(true, 1).length, 6);
});

test("without shrinking every row whose record comes late is wrong", () => {
  const wrong = outputs(run(scores, values, { ...how, shrink: false }).at(-1).after);
  attention(false).forEach((row, r) => row.forEach((z, k) =>
    assert.ok(Math.abs(wrong[r][k] - z) > 1e-3)));
  const one = run(scores, values, { columns: 4, causal: false, shrink: false });
  near(outputs(one.at(-1).after), attention(false));
});

test("a row is finished after its last tile", () => {
  const steps = run(scores, values, how);
  assert.deepEqual([0, 1, 2, 3, 4].map((done) => finished(steps, done, 0)),
    [false, false, true, true, true]);
  assert.ok(!finished(steps, 3, 2) && finished(steps, 4, 2));
});

test("what happened to a row is written out", () => {
  const words = { largest: "largest", total: "total", none: "none" };
  const text = (step, r, options) =>
    ofRow(step, r, scores[r], options, words).map(([piece]) => piece).join("");
  const steps = run(scores, values, how);
  assert.equal(text(steps[2], 2, how),
    " largest max(−∞, 1, 3) = 3, total e1 − 3 + e3 − 3 ≈ 1.135");
  assert.equal(text(steps[3], 2, how),
    " largest max(3, 2, 5) = 5, total e3 − 5 · 1.135 + e2 − 5 + e5 − 5 ≈ 1.203");
  const alone = { columns: 1, causal: true, shrink: true };
  assert.equal(text(run(scores, values, alone)[1], 0, alone), " none");
});
