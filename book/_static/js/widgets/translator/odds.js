/** The distribution over the next word: bars, each a button that puts its word in. */

import { h } from "../../kit/dom.js";
import { fixed } from "../../kit/format.js";

const BARS = 8;
const SURE = [0.8, 0.99]; // of a model that learned with label smoothing, at its own temperature
const MARKS = 3; // padding, unknown and BOS come first, and are not offered

/** Write a probability: three decimals, or where these would say little two digits. */
export function chance(p) {
  if (p < 0.0001) return "<0.0001";
  const digits = p < 0.01 ? 1 - Math.floor(Math.log10(p)) : 3;
  return fixed(p, digits);
}

/**
 * @param {object} words what the reader sees
 * @param {(id: number) => void} onForce
 * @returns {{element: HTMLElement, set: Function}} set(odds, taken, tokens) shows a distribution,
 *   the id that was taken, and what the ids are called
 */
export function oddsPanel(words, onForce) {
  const rows = Array.from({ length: BARS }, () => {
    const [word, bar, p] = ["tb-word", "tb-bar", "tb-p"].map((name) => h("span", { class: name }));
    const row = h("button", { type: "button", onclick: () => onForce(Number(row.value)) },
      word, bar, p);
    return { row, word, bar, p };
  });
  const share = h("span", {});
  const unsure = h("span", {}, words.unsure);
  const rest = h("p", { class: "tb-rest" }, share, " ", unsure);
  const list = h("ol", {}, ...rows.map(({ row }) => h("li", {}, row)));
  const element = h("div", { class: "tb-odds" }, list, rest);

  const set = (odds, taken, tokens) => {
    const order = [...odds.keys()].filter((id) => id >= MARKS).sort((a, b) => odds[b] - odds[a]);
    const shown = order.slice(0, BARS);
    if (!shown.includes(taken)) shown[BARS - 1] = taken;
    shown.forEach((id, k) => {
      const { row, word, bar, p } = rows[k];
      const text = chance(odds[id]);
      row.value = id;
      row.setAttribute("aria-pressed", String(id === taken));
      row.setAttribute("aria-label", words.odd(tokens[id], text, id === taken));
      word.replaceChildren(tokens[id]);
      word.lang = "zh";
      word.classList.toggle("tb-mark", tokens[id].length > 1);
      bar.style.setProperty("--p", odds[id]);
      p.replaceChildren(text);
    });
    const left = 1 - shown.reduce((sum, id) => sum + odds[id], 0);
    share.replaceChildren(words.rest(tokens.length - BARS, chance(left)));
    const most = odds[order[0]];
    unsure.classList.toggle("tb-away", most < SURE[0] || most > SURE[1]);
  };
  return { element, set };
}
