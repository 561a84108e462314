/** Numbers as the book writes them, and as readers type them. */

const SIGNIFICANT = 8;
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/**
 * Write a number with so many decimals: a true minus sign, no minus zero.
 * @param {number} value
 * @param {number} digits decimals
 */
export function fixed(value, digits) {
  const text = value.toFixed(digits);
  return (/[1-9]/.test(text) ? text : text.replace("-", "")).replace("-", "\u2212");
}

/** Write a number with so many decimals, or fewer where it would show more than eight digits. */
export function significant(value, digits) {
  const power = Number(value.toExponential(SIGNIFICANT - 1).split("e")[1]);
  const decimals = Math.max(0, SIGNIFICANT - 1 - Math.max(-1, power)); // a 0 in front is no digit
  return fixed(Number(value.toPrecision(SIGNIFICANT)), Math.min(digits, decimals));
}

/** Write a number with no more decimals than it has, and at most so many: 2, 0.5, 0.015625. */
export function trimmed(value, most = 8) {
  const text = significant(value, most);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Write a whole number: 1,024. */
export const grouped = (whole) => String(whole).replace(/\B(?=(\d{3})+$)/g, ",");

/** Write a number below 1 with so many decimals and a power of ten: 5.9 × 10⁻⁷. */
export function tiny(value, decimals) {
  const [first, power] = value.toExponential(decimals).split("e-");
  return `${first} × 10⁻${[...power].map((digit) => RAISED[digit]).join("")}`;
}

/** The decimals in which a matrix is shown: none where all numbers are whole, else two. */
export function usual(matrix) {
  return matrix.flat().every(Number.isInteger) ? 0 : 2;
}

/**
 * Read a number that someone typed: either minus sign, point or comma; NaN for anything else.
 * @param {string} text
 */
export function parse(text) {
  const plain = text.trim().replace("\u2212", "-").replace(",", ".");
  return /^[-+]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : NaN;
}
