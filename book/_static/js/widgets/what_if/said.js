/** What changed, in words. */

import { glossOf } from "../../files/gloss.js";
import { EOS } from "../../files/vocabulary.js";
import { h } from "../../kit/dom.js";

/** Write a probability in whole percent. */
export function percent(p) {
  if (p < 0.01) return "under 1%";
  if (p > 0.99) return "over 99%";
  return `${Math.round(100 * p)}%`;
}

/**
 * What a change has made of a translation.
 * @typedef {object} Result
 * @property {boolean} untouched whether nothing is changed
 * @property {boolean} swapped whether it is a swap of words that is looked at
 * @property {number[]} before ids, EOS at the end unless it was cut
 * @property {number[]} after
 * @property {{gone: boolean[], fresh: boolean[]}} marks see differences.js
 * @property {number} part the step at which they part, from 0; -1 where they are the same
 * @property {?number} moved the step whose probability moved most, from 0; null where none did
 * @property {(step: number) => [Float64Array, Float64Array]} odds what the two models give next, both
 *   after the same beginning
 */

/**
 * @param {Result} result
 * @param {{names: string[], gloss: import("../../files/gloss.js").Glosses, words: object}} about
 * @returns {Array<Node|string>} sentences
 */
export function saidOf({ untouched, swapped, before, after, marks, part, odds, moved }, about) {
  const { names, gloss, words } = about;
  if (untouched) return [words.nothing];
  const piece = (id) => {
    const english = id === EOS ? words.end : glossOf(names[id], gloss);
    // Of a character that is no word alone the gloss stands in brackets already.
    const meaning = english.startsWith("(") ? ` ${english}` : english && ` (${english})`;
    return [h("span", { lang: "zh" }, names[id]), meaning];
  };
  const gives = (step, [was, now]) => {
    const id = before[step];
    return [...piece(id), words.instead(percent(now[id]), percent(was[id]))];
  };
  const cut = after.at(-1) === EOS ? [] : [` ${words.cut(after.length)}`];
  const what = swapped ? words.swap_does : "";
  if (part < 0) {
    if (moved === null) return [`${what}${words.same} ${words.unmoved}`, ...cut];
    return [`${what}${words.same} `, words.suffers(moved + 1), ...gives(moved, odds(moved)), ".",
      ...cut];
  }
  const [gone, fresh] = [marks.gone, marks.fresh].map((all) => all.filter(Boolean).length);
  return [`${what}${words.counts(gone, before.length, fresh)} ${words.step_gives(part + 1)}`,
    ...gives(part, odds(part)), words.writes, ...piece(after[part]), ".", ...cut];
}
