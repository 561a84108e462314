/** From a sentence to tokens and back. */

import { MARKS, mask } from "./placeholders.js";
import { wordTokens } from "./treebank.js";
import { EOS } from "./vocabulary.js";

/** @typedef {import("./vocabulary.js").Vocabulary} Vocabulary */

export { wordTokens };

/**
 * Read what somebody typed as a sentence of the grammar: it begins with a capital and ends with a
 * full stop, and only names such as Monday have a capital inside.
 *
 * @param {string} text
 * @param {Vocabulary} vocabulary of the source
 * @returns {{tokens: string[], ids: number[]}} without EOS; `ids` has UNK for each unknown word;
 *   no tokens if the text has none
 */
export function readSentence(text, vocabulary) {
  const typed = wordTokens(text);
  if (typed.length && typed.at(-1) !== ".") typed.push(".");
  const tokens = typed.map((word, index) => inItsCase(word, index === 0, vocabulary));
  return { tokens, ids: vocabulary.ids(tokens) };
}

// What phones and word processors write, and the corpus does not.
const CURLY = { "‘": "'", "’": "'", "“": '"', "”": '"', "…": "..." };

/**
 * Read any text as the sentences of Tatoeba were read: as it stands, but for curly quotation marks,
 * with marks for what is copied, its other words cut into subwords.
 *
 * @param {string} text
 * @param {import("./load.js").Model} model with subwords
 * @returns {{words: string[][], ids: number[], texts: Object<string, string>}} the subwords of each
 *   word; `ids` of all of them, without EOS, with UNK where the corpus never had that character;
 *   what each mark stands for
 */
export function readText(text, { source, subwords, known }) {
  const straight = text.replace(/[‘’“”…]/g, (mark) => CURLY[mark]);
  const { words, texts } = known ? mask(straight, known) : { words: wordTokens(straight), texts: {} };
  const cut = words.map((word) => (MARKS.includes(word) ? [word] : subwords.cut(word, source)));
  return { words: cut, ids: source.ids(cut.flat()), texts };
}

function inItsCase(word, isFirst, vocabulary) {
  const small = word.toLowerCase();
  const capital = small.charAt(0).toUpperCase() + small.slice(1);
  const forms = isFirst ? [capital, small] : [small, capital];
  return forms.find((form) => vocabulary.knows(form)) ?? word;
}

/**
 * @param {number[]} ids
 * @param {Vocabulary} vocabulary of the target
 * @returns {string[]} the tokens up to the first EOS, other marks but UNK left out
 */
export function targetWords(ids, vocabulary) {
  const end = ids.indexOf(EOS);
  const tokens = ids.slice(0, end < 0 ? ids.length : end).map((id) => vocabulary.tokens[id]);
  return tokens.filter((token) => token !== "<pad>" && token !== "<bos>");
}

/** @returns {string} the same as a Chinese sentence: characters, and nothing between them */
export function targetSentence(ids, vocabulary) {
  return targetWords(ids, vocabulary).join("");
}
