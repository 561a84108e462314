/** A small equation of matrices: [a] = [b c] [d], each with a word above it. */

import { h } from "../../kit/dom.js";
import { fixed } from "../../kit/format.js";

const DIGITS = 4;

function block(word, rows) {
  const numbers = rows.flat().map((value) => h("span", {}, fixed(value, DIGITS)));
  const style = `grid-template-columns: repeat(${rows[0].length}, auto)`;
  return h("span", { class: "tb-block" }, h("span", { class: "tb-word" }, word),
    h("span", { class: "tb-numbers", style }, ...numbers));
}

/**
 * @param {[string|Node, number[][]]} made
 * @param {Array<[string|Node, number[][]]>} factors
 */
export function equation(made, factors) {
  return h("div", { class: "tb-blocks" }, block(...made), h("span", { class: "tb-equals" }, "="),
    ...factors.map((factor) => block(...factor)));
}
