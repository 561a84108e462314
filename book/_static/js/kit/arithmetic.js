/** The arithmetic of a cell, written out: pieces of text, each with the role that colours it. */

import { h } from "./dom.js";
import { fixed, parse, significant, trimmed } from "./format.js";

const READABLE = [-2, 12]; // the largest score of a row: e of it is 0.14 to 162754.79

/** @typedef {[text: string, role?: string]} Piece */

/** Whether a number is what is written for it, but for rounding in the last bits. */
export const shows = (text, value) => Math.abs(parse(text) - value) <= 1e-12 * Math.abs(value);

/** The sign between two sides: "=" only where every number on both is exact as it is written. */
export const equals = (exact) => (exact ? " = " : " \u2248 ");

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
    [factor(significant(value, digits[0])), roles[0]],
    ["·"],
    [factor(significant(right[k], digits[1])), roles[1]],
  ]);
}

/** Write a sum as a divisor: in brackets, unless it has one term. */
export function divisor(terms) {
  if (terms.length === 1) return terms[0];
  return [["("], ...terms.flatMap((term, k) => (k ? [[" + "], ...term] : term)), [")"]];
}

/** e raised to what is written. */
export const power = (text) => [["e"], [text, "raised"]];

/** What to subtract from each score of a row, where its exponentials could not be read. */
export function shift(scores) {
  const largest = Math.max(...scores);
  return largest > READABLE[1] || largest < READABLE[0] ? largest : 0;
}

/**
 * Write a weight of softmax: ≈ e^s / (e^a + e^b) ≈ 3 / (3 + 1) ≈ 0.75.
 * @param {number[]} scores a row; what shift() says of it is subtracted
 * @param {number} j the score of this weight
 * @param {number} weight
 * @param {number} [digits] the decimals in which its matrix is shown
 * @returns {Piece[]}
 */
export function softmaxOf(scores, j, weight, digits) {
  const largest = shift(scores);
  const raised = scores.map((score) => significant(score - largest, 2));
  const e = scores.map((score) => fixed(Math.exp(score - largest), 2));
  const alone = scores.length === 1; // a number over itself is 1, however it is rounded
  const exactly = alone || scores.every((score, k) => shows(raised[k], score - largest));
  // Of all decimals only 0 has a power of e that is one, even where the computer rounds others so.
  const ofE = alone || scores.every((score) => score === largest);
  return [
    [equals(exactly)], ...power(raised[j]), [" / "], ...divisor(raised.map(power)),
    [equals(exactly && ofE)], [`${e[j]} / `], ...divisor(e.map((text) => [[text]])),
    ...result(weight, ofE, digits),
  ];
}

/**
 * Write the result: as it is, or else rounded as what it is compared with in its matrix.
 * @param {number} value
 * @param {boolean} exact whether what stands before it is
 * @param {number} [digits] the decimals in which its matrix is shown
 * @returns {Piece[]}
 */
export function result(value, exact, digits = 2) {
  const text = trimmed(value);
  const whole = exact && shows(text, value);
  return [[equals(whole)], [whole ? text : significant(value, digits), "result"]];
}

/** Show pieces as one line of text. */
export function line(pieces) {
  const shown = pieces.map(([text, role]) => {
    if (!role) return text;
    return h(role === "raised" ? "sup" : "span", { class: `tb-${role}` }, text);
  });
  return h("span", { class: "tb-arithmetic" }, ...shown);
}
