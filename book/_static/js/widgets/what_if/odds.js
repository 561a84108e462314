/** What the model as it is and the changed one give the next piece, side by side. */

import { glossOf } from "../../files/gloss.js";
import { h } from "../../kit/dom.js";
import { chance } from "../../translator/odds.js";

const EACH = 4; // of the likeliest of either
const MARKS = 3; // padding, unknown and BOS come first, and are not listed

/** The ids that either gives most, the likeliest of the first in front; always as many. */
export function listed(was, now) {
  const order = (odds) => [...odds.keys()].slice(MARKS).sort((a, b) => odds[b] - odds[a]);
  const ids = new Set([was, now].flatMap((odds) => order(odds).slice(0, EACH)));
  for (const id of order(was)) if (ids.size < 2 * EACH) ids.add(id);
  return [...ids];
}

/**
 * @param {object} words what the reader sees
 * @param {import("../../files/gloss.js").Glosses} gloss
 * @returns {{element: HTMLElement, set: Function}} set(was, now, names, compared): two distributions,
 *   what the ids are called, and what the two are
 */
export function twoOdds(words, gloss) {
  const body = h("tbody", {});
  const [first, second] = [h("th", { scope: "col" }), h("th", { scope: "col" })];
  const element = h("table", { class: "tb-two-odds" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, words.piece), first, second)), body);
  const cell = (kind, odds, id) => {
    const most = id === odds.indexOf(Math.max(...odds));
    const bar = h("span", { class: "tb-bar", style: `--p: ${odds[id]}` });
    const taken = most ? [h("span", { class: "tb-taken", title: words.taken }, "✓")] : [];
    return h("td", { class: `tb-${kind}` }, h("span", { class: "tb-p" }, chance(odds[id])),
      ...taken, bar);
  };
  const set = (was, now, names, compared) => {
    first.replaceChildren(compared.was);
    second.replaceChildren(compared.now);
    body.replaceChildren(...listed(was, now).map((id) =>
      h("tr", {}, h("th", { scope: "row" }, h("span", { lang: "zh" }, names[id]),
        h("small", {}, glossOf(names[id], gloss))),
      cell("was", was, id), cell("now", now, id))));
  };
  return { element, set };
}
