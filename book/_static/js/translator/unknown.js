/** The words that the model does not know, in one sentence, with a button for a near known word. */

import { button } from "../kit/controls.js";
import { h } from "../kit/dom.js";

const MOST = 3; // words that are named; how many more there are is said
const LONGEST = 24; // letters of a word that are shown

export const UNKNOWN = {
  before: "The model does not know ",
  more: (n) => `${n} more`,
  after: " it reads <unk> and guesses.",
  instead: (word) => `Take “${word}”`,
};

/**
 * @param {Array<{word: string, nearest: ?string}>} odd see strangers
 * @param {(word: string, nearest: string) => void} onTake
 * @returns {{line: ?HTMLElement, heard: string}} one line for all of them, null where there are
 *   none; heard is what screen readers say
 */
export function unknownWords(odd, onTake) {
  if (!odd.length) return { line: null, heard: "" };
  const named = [...odd].sort((a, b) => rank(a) - rank(b)).slice(0, MOST);
  const { before, more, after, instead } = UNKNOWN;
  const rest = odd.length - named.length;
  const names = [...named.map(({ word }) => quoted(word)), ...(rest ? [more(rest)] : [])];
  const said = names.map((name, i) => ({ name, ...behind(i, names.length) }));
  const parts = said.map(({ name, mark, gap }, i) => {
    const { word, nearest } = named[i] ?? {};
    if (!nearest) return name + mark + gap;
    const take = button(instead(nearest), () => onTake(word, nearest)).element;
    return h("span", {}, h("span", { class: "tb-kept" }, name, " ", take, mark), gap);
  });
  const line = h("span", { class: "tb-stranger" }, before, ...parts, after);
  const heard = said.map(({ name, mark, gap }) => name + mark + gap).join("");
  return { line, heard: before + heard + after };
}

/** What English has behind the i-th of n parts: a, b and c. The mark stays with its part. */
function behind(i, n) {
  if (i === n - 1) return { mark: ":", gap: "" };
  return i === n - 2 ? { mark: "", gap: " and " } : { mark: ",", gap: " " };
}

/** What can be mended comes first, then other words, then signs; each in the sentence's order. */
function rank({ word, nearest }) {
  if (nearest) return 0;
  return /\p{L}|\p{N}/u.test(word) ? 1 : 2;
}

const quoted = (word) =>
  `“${word.length > LONGEST ? `${word.slice(0, LONGEST - 1)}…` : word}”`;
