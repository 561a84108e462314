/** Symbols as in the book's text: W_Q is an italic W with a Q below the line. */

import { symbol } from "../../kit/dom.js";

const BELOW = /(\b[A-Za-z]_[A-Za-z0-9])/; // a letter, and what is below the line
const ALONE = /^[A-Zγβ]$/; // Q, K, V, Z, E, γ, β

/**
 * A sentence, or a label, with its symbols set.
 * @param {string} text
 * @returns {Array<Node|string>}
 */
export function typeset(text) {
  if (ALONE.test(text)) return [symbol(text)];
  return text.split(BELOW).filter(Boolean).map((part) => (BELOW.test(part) ? symbol(part) : part));
}

/** The name of a number: what stands before the bracket is a symbol, or a word. */
export function typesetCell(name) {
  const at = name.indexOf("[");
  return at < 0 ? typeset(name) : [...typeset(name.slice(0, at)), name.slice(at)];
}
