/** What the address keeps of the translator. */

import { oneOf, whole, words } from "../kit/state.js";

export const LONGEST = 240; // characters of a sentence

/** A number of tenths from low to high; one that lies beyond becomes the nearest of these. */
const tenths = (initial, low, high) => ({
  initial,
  read(text) {
    if (!/^-?\d+(\.\d+)?$/.test(text)) return undefined;
    return Math.max(low, Math.min(Math.round(10 * Number(text)) / 10, high));
  },
  write: String,
});

/**
 * @param {{N: number, h: number, sentences: string[]}} about the model, see about.js
 * @param {number} longest characters of a sentence
 * @param {number} steps the most tokens of a translation
 */
export function fieldsOf(about, longest = LONGEST, steps = 99) {
  const heads = ["mean", ...Array.from({ length: about.h }, (_, i) => String(i + 1))];
  return {
    sentence: words(about.sentences[0], longest),
    mode: oneOf("greedy", ["greedy", "beam", "sample"]),
    temperature: tenths(1, 0.1, 2),
    seed: whole(1, 1, 999),
    begin: words("", longest), // what the translation must begin with, token by token
    beam: whole(1, 1, 4),
    step: whole(1, 1, steps),
    kind: oneOf("cross", ["self", "masked", "cross"]),
    layer: whole(about.N, 1, about.N),
    head: oneOf("mean", heads),
    view: oneOf("lines", ["lines", "matrix"]),
  };
}
