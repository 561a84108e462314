/** The known word that a typed one is nearest to, where a slip of two fingers is one edit. */

/**
 * @param {string} word
 * @param {string[]} words
 * @returns {?string} the one that is fewest edits away, capitals aside, the first of equals; null
 *   for what has no letters
 */
export function nearest(word, words) {
  if (!/\p{L}/u.test(word)) return null;
  const small = word.toLowerCase();
  const distances = words.map((other) => edits(small, other.toLowerCase()));
  return words[distances.indexOf(Math.min(...distances))];
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
