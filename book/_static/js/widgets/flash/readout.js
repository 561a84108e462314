/** What a tile did to one row, written out: the largest, the factor, the total. */

import { power } from "../../kit/arithmetic.js";
import { fixed, trimmed } from "../../kit/format.js";
import { seen } from "./calculation.js";

/** @typedef {import("../../kit/arithmetic.js").Piece} Piece */

const DIGITS = 3;
/** @type {(text: string) => Piece[]} */
const raised = (text) => /** @type {Piece[]} */ (power(text));
const written = (score) => (score === -Infinity ? "−∞" : trimmed(score));

/**
 * largest max(3, 2, 5) = 5, total e^(3 − 5) · 1.135 + e^(2 − 5) + e^(5 − 5) ≈ 1.203
 * @param {import("./calculation.js").Step} step
 * @param {number} r the row
 * @param {number[]} scores of the row
 * @param {{causal: boolean, shrink: boolean}} how
 * @param {{largest: string, total: string, none: string}} words
 * @returns {Piece[]}
 */
export function ofRow(step, r, scores, { causal, shrink }, words) {
  const [before, after] = [step.before[r], step.after[r]];
  const keys = seen(scores, r, step, causal);
  if (!keys.length) return [[` ${words.none}`]];
  const top = written(after.largest);
  const minus = (score) => `${written(score)} − ${top}`;
  const list = [before.largest, ...keys.map(({ score }) => score)].map(written).join(", ");
  /** @type {Piece[]} */
  const factor = shrink ? [...raised(minus(before.largest)), [" · "]] : [];
  /** @type {Piece[]} */
  const old = before.total === 0 ? [] : [...factor, [`${fixed(before.total, DIGITS)} + `]];
  /** @type {Piece[]} */
  const terms = keys.flatMap(({ score }, k) => [[k ? " + " : ""], ...raised(minus(score))]);
  return [
    [` ${words.largest} max(${list}) = `], [top, "result"], [`, ${words.total} `],
    ...old, ...terms, [" ≈ "], [fixed(after.total, DIGITS), "result"],
  ];
}
