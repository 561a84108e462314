/** How the weight of a cell came about, or what a mask made of a score, written out. */

import { divisor, equals, power, shows, softmaxOf } from "../../kit/arithmetic.js";
import { fixed, parse } from "../../kit/format.js";
import { DIGITS } from "./tables.js";

/** @typedef {import("../../kit/arithmetic.js").Piece} Piece */

/**
 * A score: 2.83, 2.83 → −∞, or 2.83 + 10,000.
 * @returns {Piece[]}
 */
export function ofScore(score, shown, wrongSign) {
  const text = fixed(score, 2);
  const sign = equals(shows(text, score));
  if (shown) return [[sign], [text, "result"]];
  if (!wrongSign) return [[`${sign}${text} → `], ["−∞", "result"]];
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  const raised = (parse(text) + 10000).toLocaleString("en", digits);
  return [[`${sign}${text} + 10,000 = `], [raised, "result"]];
}

/**
 * A weight: its share of what its row may attend to.
 * @param {number[]} scores of the row, before the mask
 * @param {number[]} mask of the row
 * @param {number} j
 * @param {number} weight
 * @param {boolean} wrongSign
 * @param {{nothing: string, drowned: string, cancels: string}} words
 * @returns {Piece[]}
 */
export function ofWeight(scores, mask, j, weight, wrongSign, words) {
  const raised = wrongSign && mask.includes(0);
  // With the wrong sign those that were to be hidden share everything among them.
  const counts = (k) => Boolean(mask[k]) !== raised;
  const among = scores.filter((_, k) => counts(k));
  if (!among.length) return [[" = "], ["0", "result"], [`: ${words.nothing}`]];
  if (!counts(j)) {
    if (raised) return [[" = "], ["0", "result"], [`: ${words.drowned}`]];
    const terms = divisor(among.map((score) => power(fixed(score, 2))));
    return [[" = "], ...power("−∞"), [" / "], ...terms, [" = "], ["0", "result"]];
  }
  const at = scores.slice(0, j).filter((_, k) => counts(k)).length;
  /** @type {Piece[]} */
  const why = raised ? [[`; ${words.cancels}`]] : [];
  return [...softmaxOf(among, at, weight, DIGITS), ...why];
}
