/** The arithmetic of a cell, written out: pieces of text, each with the role that colours it. */

import { h } from "./dom.js";
import { fixed, trimmed } from "./format.js";

/** @typedef {[text: string, role?: string]} Piece */

/** A negative number behind another sign stands in brackets. */
const factor = (text) => (text.startsWith("\u2212") ? `(${text})` : text);

/**
 * Write a dot product: 1·4 + 0·0.
 * @param {number[]} left
 * @param {number[]} right
 * @param {[string, string]} roles
 * @param {[number, number]} digits the decimals in which each is shown
 * @returns {Piece[]}
 */
export function dotProduct(left, right, roles, digits) {
  return left.flatMap((value, k) => [
    [k ? " + " : ""],
    [factor(fixed(value, digits[0])), roles[0]],
    ["·"],
    [factor(fixed(right[k], digits[1])), roles[1]],
  ]);
}

/**
 * Write a weight of softmax: e^s / (e^a + e^b) = 3 / (3 + 1).
 * @param {number[]} scores a row
 * @param {number} j the score of this weight
 * @returns {Piece[]}
 */
export function share(scores, j) {
  const e = scores.map(Math.exp);
  const power = (s) => [["e"], [fixed(s, 2), "raised"]];
  const sum = (terms) => terms.flatMap((term, k) => (k ? [[" + "], ...term] : term));
  return [
    ...power(scores[j]), [" / ("], ...sum(scores.map(power)), [")"],
    [` ≈ ${fixed(e[j], 2)} / (`], ...sum(e.map((x) => [[fixed(x, 2)]])), [")"],
  ];
}

/**
 * Write the result: "=" where the numbers written give the number written, else "≈".
 * @param {number} value
 * @param {number} given by the numbers as they are written
 * @returns {Piece[]}
 */
export function result(value, given) {
  const text = trimmed(value);
  const same = Math.abs(Number(value.toFixed(8)) - given) < 1e-10;
  return [[same ? " = " : " ≈ "], [text, "result"]];
}

/** Show pieces as one line of text. */
export function line(pieces) {
  const shown = pieces.map(([text, role]) => {
    if (!role) return text;
    return h(role === "raised" ? "sup" : "span", { class: `tb-${role}` }, text);
  });
  return h("span", { class: "tb-arithmetic" }, ...shown);
}
