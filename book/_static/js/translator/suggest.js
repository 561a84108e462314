/** Which words may come next, by what follows what in the grammar. */

import { nearest } from "./nearest.js";

const MOST = 8;

/** @typedef {Object<string, string[]>} Follows for each word those that may follow it, the most
 *   frequent first; the empty word stands for the beginning */

/**
 * @param {string} text what is typed so far, up to the caret
 * @param {Follows} follows
 * @returns {string[]} words that may stand where the last one is being typed, likeliest first
 */
export function suggestions(text, follows) {
  const [before, begun] = parts(text);
  const previous = before.trim().split(/\s+/).at(-1);
  const known = follows[inside(previous, follows)];
  const small = begun.toLowerCase();
  const fits = (word) => word.toLowerCase().startsWith(small) && word !== begun;
  let found = (known ?? []).filter(fits);
  if (!found.length && small) found = Object.keys(follows).filter((word) => word && fits(word));
  const shown = (word) => (before ? word : capital(word));
  return found.slice(0, MOST).map(shown).filter((word) => word !== begun);
}

/** Put a word in place of the one that is being typed. */
export function accept(text, word) {
  const [before] = parts(text);
  return word === "." ? `${before.trimEnd()}.` : `${before}${word} `;
}

/** Put one word in place of another, wherever that stands. */
export function replaceWord(text, word, other) {
  const bare = (piece) => piece.replace(/[.,;:?!]+$/, "");
  return text.split(/(\s+)/).map((piece, k) => {
    if (bare(piece) !== word) return piece;
    return (k === 0 ? capital(other) : other) + piece.slice(word.length);
  }).join("");
}

/** The words of a sentence that the grammar does not have, each with the nearest it has, if any. */
export function strangers(tokens, follows) {
  const all = Object.keys(follows).filter((word) => word && word !== ".");
  const odd = tokens.filter((word) => word !== "." && !(inside(word, follows) in follows));
  return [...new Set(odd)].map((word) => ({ word, nearest: nearest(word, all) }));
}

/** What is typed, up to the last space, and what stands behind it. */
function parts(text) {
  const at = text.search(/\S*$/);
  return [text.slice(0, at), text.slice(at)];
}

/** A word as it is in the middle of a sentence. */
function inside(word, follows) {
  if (word in follows) return word;
  const small = word.toLowerCase();
  return small in follows ? small : capital(small);
}

const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);
