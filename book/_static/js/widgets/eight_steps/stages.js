/** What each of the eight steps shows, what made each of its cells, and how. */

import { dotProduct, equals, result, shift, shows, softmaxOf } from "../../kit/arithmetic.js";
import { parse, significant, trimmed, usual } from "../../kit/format.js";
import { known } from "./exact.js";

const ROLES = {
  X: "ink", Q: "q", K: "k", V: "v", S: "ink", A: "attention", Z: "attention", H: "attention",
};

/**
 * What a step shows: matrices in a row, or A at the left with each B above its product A B.
 * @typedef {{row?: string[], left?: string, pairs?: Array<[string, string]>, main: string}} Stage
 */

/** @typedef {[name: string, i: ?number, j: ?number]} Cell null stands for all */

/** @typedef {import("../../kit/arithmetic.js").Piece} Piece */

/** The role of a matrix: that of W_Q1 is Q's. */
export function roleOf(name) {
  if (name === "W_O") return "attention";
  return ROLES[name.startsWith("W_") ? name[2] : name[0]];
}

/**
 * @param {number} step 1 to 8
 * @param {string|number} i the head
 */
export function stageOf(step, i) {
  /** @type {Stage[]} */
  const stages = [
    { row: ["X"], main: "X" },
    { row: [`W_Q${i}`, `W_K${i}`, `W_V${i}`, "W_O"], main: `W_Q${i}` },
    { left: "X", pairs: [..."QKV"].map((c) => [`W_${c}${i}`, `${c}${i}`]), main: `Q${i}` },
    { left: `Q${i}`, pairs: [[`K${i}T`, `S${i}`]], main: `S${i}` },
    { row: [`S${i}`, "→", `A${i}`], main: `A${i}` },
    { left: `A${i}`, pairs: [[`V${i}`, `Z${i}`]], main: `Z${i}` },
    { row: ["Z1", "Z2", "→", "Z"], main: "Z" },
    { left: "Z", pairs: [["W_O", "H"]], main: "H" },
  ];
  return stages[step - 1];
}

/** The matrices a stage shows. @param {Stage} stage */
export const namesOf = ({ row, left, pairs }) =>
  row?.filter((name) => name !== "→") ?? [left, ...pairs.flat()];

/** The matrices a stage makes; the matrices of step 2, which it only shows. @param {Stage} stage */
export const resultsOf = ({ row, pairs, main }) => {
  if (pairs) return pairs.map(([, made]) => made);
  return row.includes("→") || row.length === 1 ? [main] : row.slice(0, 3);
};

/** How many columns stand side by side in a stage. */
export const widthOf = (stage, all) => {
  const beside = stage.row ? namesOf(stage) : [stage.left, ...resultsOf(stage)];
  return beside.reduce((count, name) => count + all[name][0].length, 0);
};

/** The equations of a step: every word in them is the name of a matrix or stands for itself. */
export const equationsOf = (step, i) => [
  ["X"],
  [`W_Q${i} W_K${i} W_V${i} W_O`],
  [..."QKV"].map((part) => `${part}${i} = X W_${part}${i}`),
  [`S${i} = Q${i} K${i}T / √d_k`],
  [`A${i} = softmax(S${i})`],
  [`Z${i} = A${i} V${i}`],
  ["Z = [Z1 Z2]"],
  ["H = Z W_O"],
][step - 1];

/**
 * The cells that made a cell of a result, or that an operand goes into; its own comes last.
 * @param {Stage} stage
 * @param {string} name
 * @param {number} i
 * @param {number} j
 * @param {number} width of Z1
 * @returns {Cell[]}
 */
export function related(stage, name, i, j, width) {
  /** @type {Cell} */
  const own = [name, i, j];
  const { left, pairs = [] } = stage;
  const pair = pairs.find((names) => names.includes(name));
  if (name === left) {
    /** @type {Cell[]} */
    const made = pairs.map(([, one]) => [one, i, null]);
    return [...made, own];
  }
  if (pair?.[1] === name) return [[left, i, null], [pair[0], null, j], own];
  if (pair) return [[pair[1], null, j], own];
  if (stage.main[0] === "A") return [[stage.row[name === stage.main ? 0 : 2], i, null], own];
  if (name === "Z") return [[j < width ? "Z1" : "Z2", i, j % width], own];
  if (stage.main === "Z") return [["Z", i, name === "Z1" ? j : j + width], own];
  return [own];
}

/**
 * The arithmetic of a cell; of one that the stage does not make, its number alone.
 * @param {Object<string, number[][]>} all every matrix by its name
 * @param {{shifted: (largest: string) => string}} words
 * @returns {Piece[]}
 */
export function arithmeticOf(stage, name, i, j, all, words) {
  const value = all[name][i][j];
  const pair = stage.pairs?.find(([, made]) => made === name);
  if (pair) return product(all, [stage.left, pair[0]], i, j, value, name[0] === "S");
  if (stage.row?.includes("→") && name === stage.main && name !== "Z") {
    const scores = all[stage.row[0]][i];
    const largest = shift(scores);
    /** @type {Piece[]} */
    const why = largest ? [[`; ${words.shifted(trimmed(largest, 2))}`]] : [];
    return [...softmaxOf(scores, j, value), ...why];
  }
  return result(value, known(all, name, i, j));
}

/** @returns {Piece[]} */
function product(all, names, i, j, value, scaled) {
  const [A, B] = names.map((one) => all[one]);
  /** @type {[number, number]} */
  const digits = [usual(A), usual(B)];
  const column = B.map((row) => row[j]);
  const [left, right] = [A[i], column].map((numbers, k) =>
    numbers.map((x) => significant(x, digits[k])));
  const exact = column.every((b, k) => shows(left[k], A[i][k]) && shows(right[k], b)
    && known(all, names[0], i, k) && known(all, names[1], k, j));
  const terms = dotProduct(A[i], column, [roleOf(names[0]), roleOf(names[1])], digits);
  if (!scaled) return [[equals(exact)], ...terms, ...result(value, exact)];
  const sum = left.reduce((total, text, k) => total + parse(text) * parse(right[k]), 0);
  const [d_k, text] = [column.length, trimmed(sum)];
  const whole = exact && shows(text, sum);
  return [[`${equals(exact)}(`], ...terms,
    [`) / √${d_k}${equals(whole)}${text} / √${d_k}`], ...result(value, whole)];
}
