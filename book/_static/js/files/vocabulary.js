/** From tokens to ids and back: the vocabularies that the model was trained with. */

import { FileError } from "./errors.js";
import { MARKS as COPIED } from "./placeholders.js";
import { Subwords } from "./subwords.js";

export const [PAD, UNK, BOS, EOS] = [0, 1, 2, 3];
export const MARKS = ["<pad>", "<unk>", "<bos>", "<eos>"];

const WORDS = {
  damaged: (what) => `The file of the vocabularies is damaged: ${what}.`,
  json: "it is not JSON",
  list: (name) => `${name} is no list of words`,
  marks: (name) => `${name} does not begin with ${MARKS.join(", ")}`,
  twice: (name) => `${name} has a word twice`,
  merges: "its merges are no list of pairs",
  copied: (name) => `${name} has no marks for what is copied`,
};

/** Tokens by id: the marks first, then the most frequent first. */
export class Vocabulary {
  /** @param {string[]} tokens */
  constructor(tokens) {
    this.tokens = tokens;
    this.idOf = new Map(tokens.map((token, id) => [token, id]));
  }

  /** @returns {number} how many tokens there are, marks included */
  get size() {
    return this.tokens.length;
  }

  /** @returns {string[]} all tokens but the marks, the most frequent first */
  get words() {
    return this.tokens.slice(MARKS.length);
  }

  /** @returns {boolean} whether it is a word of the vocabulary; a mark is none */
  knows(word) {
    return (this.idOf.get(word) ?? 0) >= MARKS.length;
  }

  /** @returns {number[]} ids, UNK for what is no word of the vocabulary */
  ids(tokens) {
    return tokens.map((token) => (this.knows(token) ? this.idOf.get(token) : UNK));
  }
}

/**
 * @param {string} text of vocabulary.json
 * @returns {{source: Vocabulary, target: Vocabulary, subwords: ?Subwords, known: ?Set<string>,
 *   copied: number[]}} what cuts the words of the source, null where each is a token; the words that
 *   are translated, null where nothing is read as a mark; the ids of these marks in both languages
 * @throws {FileError}
 */
export function readVocabularies(text) {
  const refuseIf = (wrong, what) => {
    if (wrong) throw new FileError(WORDS.damaged(what));
  };
  let lists;
  try {
    lists = JSON.parse(text);
  } catch {
    refuseIf(true, WORDS.json);
  }
  const listed = (name) => {
    const tokens = lists?.[name];
    const fits = Array.isArray(tokens) && tokens.every((token) => typeof token === "string");
    refuseIf(!fits, WORDS.list(name));
    return tokens;
  };
  const of = (name) => {
    const tokens = listed(name);
    refuseIf(MARKS.some((mark, id) => tokens[id] !== mark), WORDS.marks(name));
    refuseIf(new Set(tokens).size !== tokens.length, WORDS.twice(name));
    return new Vocabulary(tokens);
  };
  const { merges } = lists ?? {};
  const arePairs = (list) => Array.isArray(list) && list.every((pair) => Array.isArray(pair)
    && pair.length === 2 && pair.every((part) => part && typeof part === "string"));
  const vocabularies = { source: of("source"), target: of("target") };
  refuseIf(merges !== undefined && !arePairs(merges), WORDS.merges);
  const known = lists?.known === undefined ? null : new Set(listed("known"));
  const copied = known ? COPIED.map((_, i) => MARKS.length + i) : [];
  for (const [name, { tokens }] of Object.entries(vocabularies))
    refuseIf(copied.some((id, i) => tokens[id] !== COPIED[i]), WORDS.copied(name));
  return { ...vocabularies, subwords: merges ? new Subwords(merges) : null, known, copied };
}
