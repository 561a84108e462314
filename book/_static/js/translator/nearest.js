/** The known word that a typed one is a slip of, where two letters swapped are one edit. */

const WORD = /^\p{L}[\p{L}'-]*$/u; // what can be a slip of a word at all: no “src=x”, no “42”
const LETTERS_PER_EDIT = 4; // one slip in so many letters; of more, a word is another word
const SHORTEST = 3; // letters of a word that may be a slip by a swap: “teh”

/**
 * @param {string} word
 * @param {string[]} words
 * @returns {?string} the one that is fewest edits away, capitals aside, the first of equals; null
 *   where none is near
 */
export function nearest(word, words) {
  if (!WORD.test(word)) return null;
  const small = word.toLowerCase();
  let [found, least] = [/** @type {?string} */ (null), Infinity];
  for (const other of words) {
    const distance = edits(small, other.toLowerCase());
    if (distance < least && isNear(small, other.toLowerCase(), distance)) {
      [found, least] = [other, distance];
    }
  }
  return found;
}

/**
 * Whether one is a slip of the other: at most one edit in four letters of what was typed (“catt”,
 * but not “Paris” and “cars”), or two neighbours swapped in a word of three letters or more.
 */
function isNear(typed, word, distance) {
  if (distance <= Math.floor(typed.length / LETTERS_PER_EDIT)) return true;
  const sorted = (text) => [...text].sort().join("");
  return distance === 1 && typed.length >= SHORTEST && sorted(typed) === sorted(word);
}

/**
 * How many letters must be put in, taken out, replaced or swapped with their neighbour to make b
 * of a, none of them twice: the optimal string alignment distance.
 */
export function edits(a, b) {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      rows[i][j] = Math.min(replaced, rows[i - 1][j] + 1, rows[i][j - 1] + 1,
        swapped ? rows[i - 2][j - 2] + 1 : Infinity);
    }
  }
  return rows[a.length][b.length];
}
