/** What the model reads of a sentence: its words, where they were cut, and what it never saw. */

import { h } from "../../kit/dom.js";

// Full stops that end no sentence: Mr. Smith, J. Smith, 5 p.m., and three of them.
const NO_END = /(?<!\p{L})(?:Mr|Mrs|Ms|Dr|St|Prof|Jr|Sr|[ap]\.m|(?!I)\p{Lu})\.|\.{2,}/gu;

/** @returns {boolean} whether a text seems to have more than one sentence */
export const isSeveral = (text) =>
  /[.?!]\)?\s+["'“‘(]*\p{Lu}/u.test(text.replace(NO_END, ""));

/**
 * @param {{words: string[][], unknown: boolean[], halves: boolean[]}} read see engine.js
 * @param {{reads: string, lacks: Function}} texts what the reader sees
 * @returns {{element: HTMLElement, unseen: string[]}} what it lacks, each once, in words
 */
export function reading({ words, unknown, halves }, texts) {
  const unseen = new Set();
  let i = 0; // of the pieces
  const shown = words.map((pieces) => h("span", { class: pieces.length > 1 ? "tb-cut" : null },
    ...pieces.map((piece) => {
      const [isOdd, half] = [unknown[i], halves[i]];
      i += 1;
      if (isOdd) unseen.add(texts.lacks(piece.replace(/@@$/, ""), half, piece.endsWith("@@")));
      return h("span", { class: isOdd ? "tb-wrong" : null }, piece, h("wbr", {}));
    })));
  const element = h("span", {}, h("span", { class: "tb-where" }, texts.reads), " ",
    h("span", { lang: "en" }, ...shown.flatMap((word) => [word, " "])));
  return { element, unseen: [...unseen] };
}
