/** The masks that the controls make, what they do to the scores, and the weights that follow. */

import { causalMask, paddingMask } from "../../by_hand/masks.js";
import { Matrix, transpose } from "../../by_hand/matrix.js";
import { softmax } from "../../by_hand/softmax.js";

const LARGE = 10000; // what published code takes for infinity
const [WORD, PAD] = [1, 0]; // ids: which word it is does not matter here

/**
 * @param {number[][]} scores (n, n), scaled
 * @param {{causal: boolean, filling: number, built: "right"|"sign"|"way", own: number[][]}} how
 *   filling tokens at the end; own is 1 where the reader shows a cell, -1 where they hide it
 * @returns {{given: number[][], mask: number[][], masked: number[][], weights: number[][],
 *   leaks: number, meant: number, shown: number, covered: number}} given: the mask of the controls
 *   alone; masked: S + M; of the cells that are meant to be hidden, leaks have a weight; of those
 *   that a right mask hides (covered), the reader shows some
 */
export function calculate(scores, { causal, filling, built, own }) {
  const n = scores.length;
  const right = controlled(n, causal, filling);
  const given = (built === "way" ? transpose(right) : right).toLists();
  const mask = given.map((row, i) => row.map((may, j) =>
    (own[i][j] ? Number(own[i][j] > 0) : may)));
  const hidden = (score) => (built === "sign" ? score + LARGE : -Infinity);
  const masked = scores.map((row, i) => row.map((s, j) => (mask[i][j] ? s : hidden(s))));
  const weights = softmax(Matrix.of(masked)).toLists();
  const covered = right.toLists().map((row) => row.map((may) => !may));
  const shown = covered.map((row, i) => row.map((hides, j) => hides && own[i][j] > 0));
  const meant = covered.map((row, i) => row.map((hides, j) => (own[i][j] ? own[i][j] < 0 : hides)));
  const leaking = weights.map((row, i) => row.map((weight, j) => meant[i][j] && weight > 0));
  const count = (cells) => cells.flat().filter(Boolean).length;
  return {
    given, mask, masked, weights, leaks: count(leaking), meant: count(meant),
    shown: count(shown), covered: count(covered),
  };
}

/** Both masks, where both are chosen: a cell must be shown by each. */
function controlled(n, causal, filling) {
  const ids = Array.from({ length: n }, (_, j) => (j < n - filling ? WORD : PAD));
  const may = paddingMask(ids, PAD).row(0);
  const order = causal ? causalMask(n) : new Matrix(n, n, new Float64Array(n * n).fill(1));
  return new Matrix(n, n, order.data.map((shown, at) => shown * may[at % n]));
}
