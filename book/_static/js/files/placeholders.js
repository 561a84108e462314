/** Numbers, times, names and addresses as marks that a model copies: data.placeholders. */

import { SPACE, wordTokens } from "./treebank.js";

const KINDS = [..."ntyow"]; // number, time, year, ordinal, word
const PER_KIND = 4;
export const MARKS = KINDS.flatMap((kind) =>
  Array.from({ length: PER_KIND }, (_, i) => `<${kind}${i + 1}>`));

const LETTER = "[A-Za-z\\u00C0-\\u024F]";
const WORD = `${LETTER}+(?:-${LETTER}+)*`;
const ADDRESS = "(?:https?://|www\\.)[^ \"<>]*[A-Za-z0-9/]"
  + "|[A-Za-z0-9._+-]+@[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)+"
  + "|[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)*\\.(?:com|org|net|edu|gov|io|cn|de|fr|jp|uk|info)"
  + "(?:/[^ \"<>]*[A-Za-z0-9/])?(?![A-Za-z0-9])";
const NUMBER = "(?:(?<![^ (])-)?[0-9]+(?:[.,:/-][0-9]+)*%?";
const SCALES = { hundred: 2, thousand: 3, million: 6, billion: 9, trillion: 12 };
const SCALE = ` (?:${Object.keys(SCALES).join("|")})(?![A-Za-z])`;
// Their order counts: the first that fits is taken.
const SPAN = new RegExp([
  `(?<address>${ADDRESS})`,
  `(?<code>(?<![A-Za-z0-9])(?:${LETTER}+|[A-Z]${LETTER}*-)[0-9][A-Za-z0-9]*)`,
  "(?<t>[0-9]{1,2}:[0-9][0-9](?::[0-9][0-9])?(?![0-9:]))",
  "(?<o>[0-9]+)(?=(?:st|nd|rd|th)(?![A-Za-z]))",
  `(?<large>[0-9]+(?:,[0-9]{3})*(?:\\.[0-9]+)?${SCALE})`,
  "(?<y>(?:1[0-9]|20)[0-9][0-9])(?![0-9%]|[.,:/-][0-9])",
  `(?<n>${NUMBER})`,
  `(?<name>(?<![A-Za-z0-9])(?:O')?${WORD})(?!${LETTER}|['’]t(?![A-Za-z]))`,
].join("|"), "g");
const CURRENCY = { $: "dollars", "€": "euros", "£": "pounds", "¥": "yen" };
const PRICE = new RegExp(`([$€£¥]) ?(${NUMBER}(?:${SCALE})?)`, "g");
const PERCENT = /(?<=[0-9])(?: %| percent(?![A-Za-z]))/g;
// A first word has its capital anyway: it is a name only where what follows says so.
const FIRST_WORD =
  /(?:^|["“(]|(?<!Mr)(?<!Mrs)(?<!Ms)(?<!Dr)(?<![A-Z])[.?!]["”]? )$/;
const AFTER_NAME = new RegExp("^(?:['’]s(?![A-Za-z])"
  + "|(?: [A-Z][a-z]+)* (?:(?!(?:this|its|his|us|as)(?![a-z]))[a-z]+s|[a-z]+ed|and|or|will|would|can"
  + "|could|may|might|must|should|had|did|said|told|went|came|got|made|never|always)(?![A-Za-z]))");
const ENDINGS = ["s", "ly", "ed", "ing"];
// While a text is cut into words, each mark is one character that no text has.
const FIRST = 0xe000;
// What the cutter would leave in one word with a mark.
const JOINS_BEFORE = /[^ ([{"“;!?]$/;
const JOINS_AFTER = /^(?!'s(?:[ ,;:!?)"”]|\.?$))[^ )\]}"”,;:!?]/;

/** @typedef {{start: number, end: number, kind: string, text: string}} Span */

/** @returns {string} single spaces, amounts of money with a word: $40 is 40 dollars */
export function plain(sentence) {
  const text = sentence.split(SPACE).filter(Boolean).join(" ").replace(/[\ue000-\uf8ff]/g, "\ufffd");
  return text.replace(PRICE, (_, sign, amount) => `${amount} ${CURRENCY[sign]}`)
    .replace(PERCENT, "%");
}

/**
 * @param {string} text as of `plain`
 * @param {Set<string>} known words that the model translates
 * @returns {Span[]} what marks can stand for
 */
export function spans(text, known) {
  const found = [];
  const shouts = !/[a-z]/.test(text); // then a capital says nothing
  for (const match of text.matchAll(SPAN)) {
    const groups = /** @type {Object<string, string>} */ (match.groups);
    const [kind] = Object.entries(groups).find(([, part]) => part !== undefined);
    const [start, word] = [match.index, match[0]];
    let end = start + word.length;
    if (kind === "name") {
      if (shouts || !isName(word, known, text.slice(0, start), text.slice(end))) continue;
      const before = found.at(-1);
      if (before?.kind === "w" && text.slice(before.end, start) === " ") {
        Object.assign(before, { end, text: text.slice(before.start, end) });
        continue;
      }
    }
    if (kind === "o") end += 2;
    if (kind === "large") found.push({ start, end, kind: "n", text: inMyriads(word) });
    else found.push({ start, end, kind: KINDS.includes(kind) ? kind : "w", text: word });
  }
  return found;
}

function isName(word, known, before, after) {
  const small = word.toLowerCase();
  if (small === word || known.has(word) || known.has(small)) return false;
  if (word.length === 1 && after.startsWith(".")) return false; // of U.S., or of J. Smith
  if (FIRST_WORD.test(before) && !AFTER_NAME.test(after)) return false;
  // What English makes of a word that is known.
  return !ENDINGS.some((end) => small.endsWith(end) && known.has(small.slice(0, -end.length)));
}

/** Write a large number as Chinese counts: 2.5 million is 250万, 3 billion 30亿. */
function inMyriads(text) {
  const [number, scale] = text.replaceAll(",", "").split(" ");
  const [whole, decimals = ""] = number.split(".");
  const zeros = SCALES[scale] - decimals.length;
  if (zeros < 0) return text;
  const digits = (whole + decimals).replace(/^0+/, "") + "0".repeat(zeros);
  for (const [sign, count] of /** @type {Array<[string, number]>} */ ([["亿", 8], ["万", 4]])) {
    if (digits.endsWith("0".repeat(count))) return digits.slice(0, -count) + sign;
  }
  return digits;
}

/** Give spans their marks, those of a kind numbered from 1; what is too many gets none. */
function numbered(some) {
  const counts = Object.fromEntries(KINDS.map((kind) => [kind, 0]));
  return some.filter(({ kind }) => (counts[kind] += 1) <= PER_KIND).map((span, i, all) => {
    const number = all.slice(0, i + 1).filter(({ kind }) => kind === span.kind).length;
    return { ...span, mark: `<${span.kind}${number}>` };
  });
}

/**
 * Cut an English sentence into words, with a mark for all that is copied.
 * @param {string} sentence
 * @param {Set<string>} known as of `spans`
 * @returns {{words: string[], texts: Object<string, string>}} and what each mark stands for
 */
export function mask(sentence, known) {
  const text = plain(sentence);
  const marked = numbered(spans(text, known));
  let cut = "";
  let end = 0;
  marked.forEach((span, i) => {
    const before = text.slice(end, span.start);
    cut += before + (JOINS_BEFORE.test(before) ? " " : "") + String.fromCharCode(FIRST + i);
    end = span.end;
    if (/^-[A-Za-z]/.test(text.slice(end))) end += 1; // in "13-year" a word of its own follows
    if (JOINS_AFTER.test(text.slice(end))) cut += " ";
  });
  const words = wordTokens(cut + text.slice(end))
    .map((word) => marked[word.length === 1 ? word.charCodeAt(0) - FIRST : -1]?.mark ?? word);
  return { words, texts: Object.fromEntries(marked.map((span) => [span.mark, span.text])) };
}

/** @returns {string[]} tokens, with what each mark stands for in its place */
export const restored = (tokens, texts) => tokens.map((token) => texts[token] ?? token);

/**
 * The tokens of a translation, with a space between two copied texts that would run together.
 * @param {number[]} ids
 * @param {string[]} names what each id stands for
 * @param {number[]} copied ids of marks
 * @returns {string[]}
 */
export function spaced(ids, names, copied) {
  return ids.map((id, i) => {
    const runsOn = i > 0 && [id, ids[i - 1]].every((one) => copied.includes(one))
      && /[\p{L}\p{N}]$/u.test(names[ids[i - 1]]) && /^[\p{L}\p{N}]/u.test(names[id]);
    return runsOn ? ` ${names[id]}` : names[id];
  });
}
