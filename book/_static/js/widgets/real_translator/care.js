/** What speaks against a translation: what its sentence has that training had hardly, and loops. */

const JOINT = /@@$/;
const LETTER = /^\p{L}/u;
const LOOPS = { one: 4, more: 3 }; // times that a character, or several, stand one after another
const LONGEST_LOOP = 8; // characters that go round
const FOREIGN = { least: 3, share: 0.5 }; // words never seen that make a text hardly English
// Of the 29,543 pairs that it learned from; tests/browser/test_real_translator_care.py counts them.
export const TRAINING = { usual: 19, cut: 17, pairs: 29543, marks: 3, with: 39 };

/** @typedef {{words: string[][], texts: Object<string, string>, never: boolean[]}} Read see engine.js */

/**
 * Which words never were in the training, capitals aside.
 * @param {string[][]} words in their pieces
 * @param {?Set<string>} known the words of the training; null where nobody knows
 * @returns {boolean[]} of each word; marks, signs and what begins with one are never such
 */
export function neverSeen(words, known) {
  return words.map((pieces) => {
    const word = joined(pieces);
    const bare = word.replace(/\.+$/, "");
    return Boolean(known) && LETTER.test(bare) && !known.has(bare) && !known.has(bare.toLowerCase());
  });
}

/**
 * Find what goes round: one character four times and more, or some of them three times.
 * @param {string[]} tokens
 * @returns {Array<{start: number, size: number, times: number}>} in their order
 */
export function loops(tokens) {
  const found = [];
  for (let start = 0; start < tokens.length; start++) {
    for (let size = 1; size <= LONGEST_LOOP; size++) {
      const times = turns(tokens, start, size);
      if (times < (size === 1 ? LOOPS.one : LOOPS.more)) continue;
      found.push({ start, size, times });
      start += size * times - 1;
      break;
    }
  }
  return found;
}

function turns(tokens, start, size) {
  let end = start + size;
  while (end < tokens.length && tokens[end] === tokens[end - size]) end += 1;
  return Math.floor((end - start) / size);
}

/**
 * @param {Read} read
 * @param {string[]} marked the translation, its marks as they are
 * @param {string[]} target the same with what the marks stand for
 * @param {object} words what the reader sees
 * @returns {string} one sentence; empty where nothing speaks against it
 */
export function careOf(read, marked, target, words) {
  const [round] = loops(target).sort((a, b) => b.size * b.times - a.size * a.times);
  const clauses = [
    ...(round ? [words.loop(target.slice(round.start, round.start + round.size).join(""),
      round.times)] : []),
    ...missing(read, marked, words),
  ];
  const alien = foreign(read, words);
  if (alien) clauses.push(alien);
  else clauses.push(...strange(read, words), ...long(read, words), ...copied(read, marked, words));
  return clauses.length ? words.care(clauses) : "";
}

/** Marks that did not arrive. */
function missing({ texts }, marked, words) {
  const lost = Object.keys(texts).filter((mark) => !marked.includes(mark));
  return lost.length ? [words.missing(lost.map((mark) => texts[mark]))] : [];
}

/** Where most words were never in the training, nothing else needs to be said of them. */
function foreign({ words: all, never }, words) {
  const typed = all.filter(([piece]) => LETTER.test(piece)).length;
  const n = never.filter(Boolean).length;
  return n >= FOREIGN.least && n >= FOREIGN.share * typed ? words.foreign(n, typed) : "";
}

/** Words that the training never had, or so seldom that they are cut. */
function strange({ words: all, never }, words) {
  const name = (keep) => [...new Set(all.filter(keep).map(joined))];
  const unseen = name((_, i) => never[i]);
  const seldom = name((pieces, i) => pieces.length > 1 && !never[i] && LETTER.test(pieces[0]));
  return [
    ...(unseen.length ? [words.never(unseen)] : []),
    ...(seldom.length ? [words.seldom(seldom, TRAINING.cut)] : []),
  ];
}

function long({ words: all }, words) {
  const n = all.flat().length + 1; // with <eos>
  return n > TRAINING.usual ? [words.longer(n, TRAINING.usual)] : [];
}

function copied({ texts }, marked, words) {
  const n = Object.keys(texts).length;
  if (n >= TRAINING.marks) return [words.many(n, TRAINING.with, TRAINING.pairs)];
  const there = Object.keys(texts).filter((mark) => marked.includes(mark));
  return there.length ? [words.copied(there.map((mark) => texts[mark]))] : [];
}

const joined = (pieces) => pieces.map((piece) => piece.replace(JOINT, "")).join("");
