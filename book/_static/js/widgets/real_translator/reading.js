/** What the model reads of a sentence: its words, where they were cut, and what it never saw. */

import { h } from "../../kit/dom.js";

/**
 * @param {string[][]} words the subwords of each word
 * @param {boolean[]} unknown whether the model lacks it, for each subword in turn
 * @param {{reads: string}} texts what the reader sees
 * @returns {{element: HTMLElement, unseen: string[]}} what it lacks, each once
 */
export function reading(words, unknown, texts) {
  const odd = [...unknown];
  const unseen = new Set();
  const shown = words.map((pieces) => h("span", { class: pieces.length > 1 ? "tb-cut" : null },
    ...pieces.map((piece) => {
      const isOdd = odd.shift();
      if (isOdd) unseen.add(piece);
      return h("span", { class: isOdd ? "tb-wrong" : null }, piece, h("wbr", {}));
    })));
  const element = h("span", {}, h("span", { class: "tb-where" }, texts.reads), " ",
    h("span", { lang: "en" }, ...shown.flatMap((word) => [word, " "])));
  return { element, unseen: [...unseen] };
}
