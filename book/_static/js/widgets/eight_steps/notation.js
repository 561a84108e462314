/** The names of the worked example as formulas have them, and the labels of rows and columns. */

import { h, symbol } from "../../kit/dom.js";
import { roleOf } from "./stages.js";

const NAME = /^(W_[QKVO]|[A-Z])(\d?)(T?)$/; // W_Q1, W_O, X, Q1, K1T
const NAMES = /\b(W_[QKVO]\d?|[A-Z]\d?T?|d_k)\b/;

/** W_Q1 as a symbol in the colour of its role. */
export function sign(name) {
  const [, letters, head, raised] = name.match(NAME);
  const below = letters.includes("_") ? `,${head}` : `_${head}`;
  return symbol(letters + (head && below) + (raised && "ᵀ"), roleOf(name));
}

/** Write equations; what is the name of a matrix becomes its symbol, and so does d_k. */
export function equations(texts) {
  const write = (part, k) => {
    if (k % 2 === 0) return part; // between two names
    return part === "d_k" ? symbol(part) : sign(part);
  };
  const lines = texts.map((text) => h("span", {}, ...text.split(NAMES).map(write)));
  return h("span", { class: "tb-equations" }, ...lines);
}

/**
 * The labels of a matrix: words where a row or column is a word, numbers elsewhere.
 * @param {string} name
 * @param {number[][]} matrix
 * @param {string[]} words
 * @param {{row: (i: number) => string, column: (j: number) => string}} write
 * @returns {{rows: string[], columns: string[]}}
 */
export function labelsOf(name, matrix, words, { row, column }) {
  const columnsAreWords = /^[SA]\d$|T$/.test(name);
  const rowsAreWords = !/^W_|T$/.test(name);
  return {
    rows: rowsAreWords ? words : matrix.map((_, i) => row(i + 1)),
    columns: columnsAreWords ? words : matrix[0].map((_, j) => column(j + 1)),
  };
}
