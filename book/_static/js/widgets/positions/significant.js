/** Numbers from 0 up, of which none but 0 is written as 0. */

import { tiny, trimmed } from "../../kit/format.js";

const SENSIBLE = 0.001; // below, a power of ten is easier to read than zeros

/**
 * Write a number with so many decimals, or more where it needs them: 45.8, 0.046, 5.9 × 10⁻⁷.
 * @param {number} value
 * @param {number} decimals
 * @param {number} digits that count, at least, first zeros left out
 */
export function significant(value, decimals, digits) {
  if (value === 0 || value >= 10 ** (digits - 1 - decimals)) return trimmed(value, decimals);
  return value >= SENSIBLE ? value.toPrecision(digits) : tiny(value, digits - 1);
}
