/** How numbers become colour: one hue for a role, or two where only the sign matters. */

import { svg } from "./dom.js";

// The fullest a hue may be under ink that must stay legible, as figures.palette.fullest has it.
const FULLEST = 0.48;
const FULLEST_INK = 0.38;
const CELL = 8; // px, in a miniature

/**
 * Return the colour of each cell, for CSS: as in the book's figures, two hues if there are minuses.
 * @param {number[][]} matrix
 * @param {string} role
 * @param {number} [strength] above 1 where no text lies on it
 * @param {number} [most] the number with the full colour, if it is not the largest of matrix
 * @param {boolean} [signed] whether there are minuses, if not in matrix then beside it
 * @returns {string[][]}
 */
export function heat(matrix, role, strength = 1, most = largest(matrix), signed = least(matrix) < 0) {
  return matrix.map((row) => row.map((value) => {
    const hue = !signed ? role : value > 0 ? "q" : "k";
    const fullest = strength * (hue === "ink" ? FULLEST_INK : FULLEST);
    const percent = (100 * fullest * Math.abs(value) / (most || 1)).toFixed(1);
    return `color-mix(in srgb, var(--tb-${hue}) ${percent}%, transparent)`;
  }));
}

const least = (matrix) => Math.min(...matrix.flat());
const largest = (matrix) => Math.max(...matrix.flat().map(Math.abs));

/**
 * Draw matrices side by side as small pictures without numbers; negative cells have a stroke.
 * @param {Array<{values: number[][], role: string, changed?: (i: number, j: number) => boolean}>}
 *   items changed(i, j) tells which cells get a dot
 */
export function miniature(items) {
  let x = 0.5;
  const parts = [];
  for (const { values, role, changed = () => false } of items) {
    parts.push(...cells(values, role, changed, x));
    x += values[0].length * CELL + 4;
  }
  const rows = Math.max(...items.map(({ values }) => values.length));
  const size = { width: x - 3.5, height: rows * CELL + 1 };
  const box = { viewBox: `0 0 ${size.width} ${size.height}`, ...size };
  return svg("svg", { class: "tb-miniature", "aria-hidden": "true", ...box }, ...parts);
}

function cells(values, role, changed, left) {
  const parts = heat(values, role, 1.6).flatMap((row, i) => row.flatMap((colour, j) => {
    const [x, y] = [left + j * CELL, 0.5 + i * CELL];
    const dot = { cx: x + CELL / 2, cy: y + CELL / 2, r: 1.8 };
    const square = svg("rect", { x, y, width: CELL, height: CELL, style: `fill: ${colour}` });
    const stroke = { d: `M${x} ${y + CELL}l${CELL} ${-CELL}`, class: "tb-edge" };
    return [square, ...(values[i][j] < 0 ? [svg("path", stroke)] : []),
      ...(changed(i, j) ? [svg("circle", dot)] : [])];
  }));
  const size = { width: values[0].length * CELL, height: values.length * CELL };
  return [...parts, svg("rect", { x: left, y: 0.5, ...size, class: "tb-edge" })];
}
