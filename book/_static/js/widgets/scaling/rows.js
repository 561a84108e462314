/** A table with a row for each key: its dot product, its score and its weight, as bars too. */

import { h, symbol } from "../../kit/dom.js";
import { fixed, grouped } from "../../kit/format.js";

const REACH = 8; // a score's bar ends here, with a torn end where the score goes on

const written = (score) =>
  (Math.abs(score) < 1000 ? fixed(score, 2) : grouped(fixed(score, 0)));
const bar = (kind) => h("span", { class: `tb-bar ${kind}`, "aria-hidden": "true" }, h("i", {}));
const cell = (...children) => h("td", {}, ...children);

export class Rows {
  /** @param {{key: (j: number) => string, columns: Array<string|Node>, name: string}} words */
  constructor(words, n) {
    this.rows = Array.from({ length: n }, () => {
      const [dot, score, weight] = [0, 1, 2].map(() => h("span", { class: "tb-number" }));
      return { dot, score, weight, signed: bar("tb-signed"), share: bar("tb-share") };
    });
    const lines = this.rows.map(({ dot, score, weight, signed, share }, j) =>
      h("tr", {}, h("th", { scope: "row" }, words.key(j)),
        cell(dot), cell(score, signed), cell(weight, share)));
    const heads = ["", ...words.columns].map((text) => h("th", { scope: "col" }, text));
    heads[0] = h("td", {});
    this.element = h("table", { class: "tb-scores", "aria-label": words.name },
      h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...lines));
  }

  /** @param {Float64Array} dots @param {Float64Array} scores @param {Float64Array} weights */
  set(dots, scores, weights) {
    this.rows.forEach(({ dot, score, weight, signed, share }, j) => {
      dot.replaceChildren(fixed(dots[j], 1));
      score.replaceChildren(written(scores[j]));
      weight.replaceChildren(fixed(weights[j], 3));
      signed.style.setProperty("--size", String(Math.min(1, Math.abs(scores[j]) / REACH)));
      signed.classList.toggle("tb-minus", scores[j] < 0);
      signed.classList.toggle("tb-torn", Math.abs(scores[j]) > REACH);
      share.style.setProperty("--size", String(weights[j]));
    });
  }
}

/** The names of the columns: q · k, score, weight. */
export const product = () => h("span", {}, symbol("q", "q"), " · ", symbol("k", "k"));
