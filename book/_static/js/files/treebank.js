/** Cut an English text into words and punctuation marks, by the rules of NLTK's word_tokenize. */

export const SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
// What is part of a word: to the package regex, which NLTK uses, and to Python's own re.
const [REGEX, RE] = ["\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_C}", "\\p{L}\\p{N}_"];
const [BEGIN, END] = [`(?<![${RE}])`, `(?![${RE}])`];
const any = (pattern) => new RegExp(pattern, "giu");
/** @type {(pattern: string) => [RegExp, string]} */
const parting = (pattern) => [any(pattern), " $1 $2 "];

/**
 * Each in its turn, as in nltk/tokenize/destructive.py; only the spaces are all alike already.
 * @type {Array<[RegExp, string]>}
 */
const RULES = [
  // Quotation marks that open.
  [/[«“‘„]|`+/g, " $& "],
  [/^"/, "``"],
  [/``/g, " $& "],
  [/([ ([{<])("|'')/g, "$1 `` "],
  [any(`(?<![${REGEX}])'(?!(?:re|ve|ll|m|t|s|d|n)(?![${REGEX}]))(?=[${REGEX}])`), "$& "],
  // Punctuation; a full stop only at the end.
  [/([^.])(\.)([\])}>"'»”’ ]*)$/u, "$1 $2 $3 "],
  [/([:,])(\P{Nd})/gu, " $1 $2"],
  [/[:,]$/, " $& "],
  [/\.{2,}/g, " $& "],
  [/[;@#$%&]/g, " $& "],
  [/[\u2012-\u2015]/g, " $& "],
  [/([^.])(\.)([\])}>"']*) *$/u, "$1 $2$3 "],
  [/[?!]/g, " $& "],
  [/([^'])' /gu, "$1 ' "],
  [/\*/g, " $& "],
  [/[\][(){}<>]/g, " $& "],
  [/--/g, " -- "],
  [/^.*$/, " $& "],
  // Quotation marks that close, and what English writes in one.
  [/[»”’]/g, " $& "],
  [/''/g, " $& "],
  [/"/g, " '' "],
  [/ +/g, " "],
  [/([^' ])('[sS]|'[mM]|'[dD]|') /gu, "$1 $2 "],
  [/([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) /gu, "$1 $2 "],
  ...["(can)(not)", "(d)('ye)", "(gim)(me)", "(gon)(na)", "(got)(ta)", "(lem)(me)", "(more)('n)"]
    .map((pair) => parting(`${BEGIN}${pair}${END}`)),
  parting(`${BEGIN}(wan)(na)(?= )`),
  parting(` ('t)(is)${END}`),
  parting(` ('t)(was)${END}`),
];

/**
 * A full stop is a token at the end only: inside the text it stays with its word, as in couch.It.
 *
 * @param {string} text
 * @returns {string[]} none if the text has none
 */
export function wordTokens(text) {
  const spaced = text.split(SPACE).filter(Boolean).join(" ");
  const cut = RULES.reduce((now, [rule, parts]) => now.replace(rule, parts), spaced);
  return cut.split(" ").filter(Boolean);
}
