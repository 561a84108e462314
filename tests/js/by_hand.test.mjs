import assert from "node:assert/strict";
import { test } from "node:test";

import { scaledDotProductAttention } from "../../book/_static/js/by_hand/attention.js";
import { feedForward, relu } from "../../book/_static/js/by_hand/feed_forward.js";
import { mergeHeads, multiHeadAttention, splitHeads } from "../../book/_static/js/by_hand/heads.js";
import { causalMask, paddingMask } from "../../book/_static/js/by_hand/masks.js";
import {
  ShapeError, add, addToRows, columns, hstack, matmul, matmulTransposed, rows, transpose, vstack,
} from "../../book/_static/js/by_hand/matrix.js";
import { layerNorm } from "../../book/_static/js/by_hand/norm.js";
import { positionalEncoding } from "../../book/_static/js/by_hand/positions.js";
import { logSoftmax, softmax } from "../../book/_static/js/by_hand/softmax.js";
import { transformer } from "../../book/_static/js/by_hand/transformer.js";
import { Matrix, infinite, matrix, model, near, numbers } from "./numbers.mjs";

const refused = (what) => (error) => error instanceof ShapeError && what.test(error.message);

test("matrices", () => {
  const A = Matrix.of([[1, 2, 3], [4, 5, 6]]);
  assert.deepEqual([A.shape, A.at(1, 2), [...A.row(0)]], [[2, 3], 6, [1, 2, 3]]);
  near(transpose(A), [[1, 4], [2, 5], [3, 6]]);
  near(matmul(A, transpose(A)), [[14, 32], [32, 77]]);
  near(matmulTransposed(A, A), [[14, 32], [32, 77]]);
  near(add(A, A), [[2, 4, 6], [8, 10, 12]]);
  near(addToRows(A, [1, 0, -1]), [[2, 2, 2], [5, 5, 5]]);
  near(rows(A, 1), [[4, 5, 6]]);
  near(columns(A, 1, 3), [[2, 3], [5, 6]]);
  near(hstack([A, columns(A, 0, 1)]), [[1, 2, 3, 1], [4, 5, 6, 4]]);
  near(vstack([A, rows(A, 0, 1)]), [[1, 2, 3], [4, 5, 6], [1, 2, 3]]);
  rows(A, 0).row(0)[0] = 9;
  assert.equal(A.at(0, 0), 1, "rows are a copy");
});

test("shapes that do not fit are refused by name", () => {
  const [A, B] = [new Matrix(2, 3), new Matrix(2, 4)];
  assert.throws(() => Matrix.of([[1, 2], [3]]), refused(/row 1 has shape \(1\); .*columns=2/));
  assert.throws(() => new Matrix(2, 2, new Float64Array(3)), refused(/3 numbers/));
  assert.throws(() => matmul(A, B), refused(/matmul: B has shape \(2, 4\); .*columns of A=3/));
  assert.throws(() => add(A, B), refused(/add: B/));
  assert.throws(() => hstack([A, new Matrix(3, 3)]), refused(/hstack/));
  assert.throws(() => vstack([A, B]), refused(/vstack/));
  const attend = (...given) => () => scaledDotProductAttention(...given);
  assert.throws(attend(A, B, B), refused(/: K has shape \(2, 4\); expected \(n, d_k=3\)/));
  assert.throws(attend(A, A, new Matrix(5, 3)), refused(/: V has shape \(5, 3\); .*n=2/));
  assert.throws(attend(A, A, B, new Matrix(2, 3)), refused(/: mask .*\(m=2, n=2\)/));
  assert.throws(() => layerNorm(A, [1, 1], [1, 1, 1]), refused(/gamma .*d_model=3/));
  assert.throws(() => splitHeads(B, 3), refused(/h is 3 .*\(2, 4\)/));
  assert.throws(() => positionalEncoding(3, 5), refused(/d_model is 5/));
});

test("softmax, as torch's", () => {
  const { scores, weights, logits, log } = numbers("softmax");
  near(softmax(Matrix.of(scores.map(infinite))), weights);
  scores.forEach((row, i) => near(softmax(infinite(row)), weights[i]));
  logits.forEach((row, i) => near(logSoftmax(infinite(row)), infinite(log[i])));
});

test("attention, with every kind of mask", () => {
  const { Q, K, V, cases, causal } = numbers("attention");
  for (const { mask, output, weights } of Object.values(cases)) {
    const given = mask && matrix(mask);
    const [Z, A] = scaledDotProductAttention(matrix(Q), matrix(K), matrix(V), given);
    near(Z, output);
    near(A, weights);
  }
  near(causalMask(5), causal.map((row) => row.map(Number)));
  near(paddingMask([7, 7, 3, 0, 0], 0), cases.padding.mask.map((row) => row.map(Number)));
});

test("the worked example of the eight steps", () => {
  const given = numbers("worked_example");
  const [X, W_Q, W_K, W_V, W_O] = ["X", "W_Q", "W_K", "W_V", "W_O"].map((k) => matrix(given[k]));
  const [H, A] = multiHeadAttention(X, X, X, W_Q, W_K, W_V, W_O, 2);
  near(H, given.H, 1e-7);
  near(A, [given.WEIGHTS_1, given.WEIGHTS_2], 1e-8);
  const V = splitHeads(matmul(X, W_V), 2);
  near(matmul(A[0], V[0]), given.Z_1, 1e-8);
  near(matmul(A[1], V[1]), given.Z_2, 1e-8);
  const [, causal] = multiHeadAttention(X, X, X, W_Q, W_K, W_V, W_O, 2, causalMask(3));
  near(causal, [given.CAUSAL_1, given.CAUSAL_2], 1e-8);
});

test("heads", () => {
  const given = numbers("heads");
  const { mask, output, weights, split, ...rest } = given;
  const [queries, keys, values, W_Q, W_K, W_V, W_O] = Object.values(rest).map(matrix);
  const [Z, A] = multiHeadAttention(queries, keys, values, W_Q, W_K, W_V, W_O, 3, matrix(mask));
  near(Z, output);
  near(A, weights);
  near(splitHeads(keys, 4), split);
  near(mergeHeads(splitHeads(keys, 4)), given.keys);
});

test("positions", () => {
  near(positionalEncoding(60, 34), numbers("positions"));
  const [first, ...figures] = [[0, 1, 0, 1], [0.84147098, 0.54030231, 0.82185619, 0.56969501]];
  const PE = positionalEncoding(2, 512);
  near(PE.row(0).slice(0, 4), first);
  near(PE.row(1).slice(0, 4), figures[0], 1e-8);
});

test("layer norm and the feed-forward network, as torch's", () => {
  const norm = numbers("norm");
  near(layerNorm(matrix(norm.x), norm.gamma, norm.beta), norm.y);
  const { x, W_1, b_1, W_2, b_2, y } = numbers("feed_forward");
  near(feedForward(matrix(x), matrix(W_1), b_1, matrix(W_2), b_2), y);
  near(relu(Matrix.of([[-1, 0, 2]])), [[0, 0, 2]]);
});

for (const norm of ["post", "pre"]) {
  for (const share of ["all", "target", "none"]) {
    test(`a whole Transformer, ${norm}, sharing ${share}: logits and all weights`, () => {
      const { W, config } = model(`${norm}-${share}`);
      for (const { source, target, logits, weights } of numbers(`${norm}-${share}`)) {
        const [ours, A] = transformer(source, target, W, config);
        near(ours, logits, 1e-10);
        assert.deepEqual(Object.keys(A).sort(), Object.keys(weights).sort());
        for (const name of Object.keys(A)) near(A[name], weights[name], 1e-10, name);
      }
    });
  }
}

test("ids and lengths that the model does not have are refused", () => {
  const { W, config } = model("post-all");
  const run = (source, target) => () => transformer(source, target, W, config);
  assert.throws(run([4, 99], [2]), refused(/an id is 99; expected 0 to 13/));
  assert.throws(run([4], [2, 14]), refused(/an id is 14/));
  assert.throws(run([4], [2, -1]), refused(/an id is -1/));
  assert.throws(run([4, 5.5], [2]), refused(/an id is 5.5/));
  assert.throws(run(Array(25).fill(4), [2]), refused(/25 tokens; expected at most 24/));
});
