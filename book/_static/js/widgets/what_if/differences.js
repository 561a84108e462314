/** What is gone of one translation and what is new in the other. */

/**
 * @param {number[]} before
 * @param {number[]} after
 * @returns {{gone: boolean[], fresh: boolean[]}} what is no part of the longest sequence that stands
 *   in both, in this order: of the first translation, and of the second
 */
export function differences(before, after) {
  const [n, m] = [before.length, after.length];
  // longest[i][j]: of what follows place i of the one and place j of the other
  const longest = Array.from({ length: n + 1 }, () => new Array(m + 1).fill(0));
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      longest[i][j] = before[i] === after[j] ? 1 + longest[i + 1][j + 1]
        : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const [gone, fresh] = [new Array(n).fill(true), new Array(m).fill(true)];
  for (let i = 0, j = 0; i < n && j < m;) {
    if (before[i] === after[j]) gone[i++] = fresh[j++] = false;
    else if (longest[i + 1][j] >= longest[i][j + 1]) i += 1;
    else j += 1;
  }
  return { gone, fresh };
}

/**
 * The first place at which two translations differ.
 * @returns {number} from 0; -1 where they are the same
 */
export function parting(before, after) {
  if (String(before) === String(after)) return -1;
  const found = before.findIndex((token, k) => token !== after[k]);
  return found < 0 ? before.length - 1 : found; // the one goes on where the other was cut
}
