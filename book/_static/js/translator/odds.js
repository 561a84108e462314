/** The distribution over the next word: bars, each a button that puts its word in. */

import { h } from "../kit/dom.js";
import { fixed } from "../kit/format.js";

const BARS = 8;
const MARKS = 3; // padding, unknown and BOS come first, and are not offered

/** Write a probability: three decimals, or where these would say little two digits. */
export function chance(p) {
  if (p < 0.0001) return "<0.0001";
  const digits = p < 0.01 ? 1 - Math.floor(Math.log10(p)) : 3;
  return fixed(p, digits);
}

/**
 * @param {object} words what the reader sees
 * @param {(token: string) => string} gloss the English of a token
 * @param {(id: number) => void} onForce
 * @returns {{element: HTMLElement, set: Function}} set(odds, taken, tokens) shows a distribution,
 *   the id that was taken, and what the ids are called
 */
export function oddsPanel(words, gloss, onForce) {
  const rows = Array.from({ length: BARS }, () => {
    const [word, bar, english, p] = ["tb-word", "tb-bar", "tb-gloss", "tb-p"]
      .map((name) => h("span", { class: name }));
    const row = h("button", { type: "button", onclick: () => onForce(Number(row.value)) },
      word, bar, english, p);
    return { row, word, bar, english, p };
  });
  const rest = h("p", { class: "tb-rest" });
  const list = h("ol", {}, ...rows.map(({ row }) => h("li", {}, row)));
  const element = h("div", { class: "tb-odds" }, list, rest);

  const set = (odds, taken, tokens) => {
    const order = [...odds.keys()].filter((id) => id >= MARKS).sort((a, b) => odds[b] - odds[a]);
    const shown = order.slice(0, BARS);
    if (!shown.includes(taken)) shown[BARS - 1] = taken;
    shown.forEach((id, k) => {
      const { row, word, bar, english, p } = rows[k];
      const text = chance(odds[id]);
      row.value = id;
      row.setAttribute("aria-pressed", String(id === taken));
      const meaning = gloss(tokens[id]);
      row.setAttribute("aria-label", words.odd(tokens[id], meaning, text, id === taken));
      english.replaceChildren(meaning);
      word.replaceChildren(tokens[id]);
      word.lang = "zh";
      word.classList.toggle("tb-sign", tokens[id].length > 1);
      bar.style.setProperty("--p", odds[id]);
      p.replaceChildren(text);
    });
    const left = 1 - shown.reduce((sum, id) => sum + odds[id], 0);
    rest.replaceChildren(words.rest(tokens.length - BARS, chance(Math.max(left, 0))));
  };
  return { element, set };
}
