/** A sentence cut into words and punctuation marks, by the rules of NLTK's word tokeniser. */

/**
 * As NLTKWordTokenizer has them, in its order; text may be any that a reader types.
 * @type {Array<[RegExp, string]>}
 */
const RULES = [
  // Quotation marks that open
  [/([«“‘„]|`+)/gu, " $1 "],
  [/^"/g, "``"],
  [/(``)/g, " $1 "],
  [/([ ([{<])("|'{2})/g, "$1 `` "],
  [/(?<![\p{L}\p{N}_])(')(?!(?:re|ve|ll|m|t|s|d|n)(?![\p{L}\p{N}_]))(?=[\p{L}\p{N}_])/giu, "$1 "],
  // Punctuation
  [/([^.])(\.)([\])}>"'»”’ ]*)\s*$/gu, "$1 $2 $3 "],
  [/([:,])([^\d])/g, " $1 $2"],
  [/([:,])$/g, " $1 "],
  [/\.{2,}/g, " $& "],
  [/[;@#$%&]/g, " $& "],
  [/[\u2012-\u2015]/g, " $& "],
  [/([^.])(\.)([\])}>"']*)\s*$/g, "$1 $2$3 "],
  [/[?!]/g, " $& "],
  [/([^'])' /g, "$1 ' "],
  [/[*]/g, " $& "],
  [/[\][(){}<>]/g, " $& "],
  [/--/g, " -- "],
  [/^|$/g, " "],
  // Quotation marks that close
  [/([»”’])/gu, " $1 "],
  [/''/g, " '' "],
  [/"/g, " '' "],
  [/\s+/g, " "],
  [/([^' ])('[sS]|'[mM]|'[dD]|') /g, "$1 $2 "],
  [/([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) /g, "$1 $2 "],
  // Contractions
  [/\b(can)(not)\b/gi, " $1 $2 "],
  [/\b(d)('ye)\b/gi, " $1 $2 "],
  [/\b(gim)(me)\b/gi, " $1 $2 "],
  [/\b(gon)(na)\b/gi, " $1 $2 "],
  [/\b(got)(ta)\b/gi, " $1 $2 "],
  [/\b(lem)(me)\b/gi, " $1 $2 "],
  [/\b(more)('n)\b/gi, " $1 $2 "],
  [/\b(wan)(na)(?=\s)/gi, " $1 $2 "],
  [/ ('t)(is)\b/gi, " $1 $2 "],
  [/ ('t)(was)\b/gi, " $1 $2 "],
];

/**
 * Cut a text as data.word_tokens does.
 * @param {string} text taken for one sentence
 * @returns {string[]}
 */
export function wordTokens(text) {
  const parted = RULES.reduce((now, [pattern, apart]) => now.replace(pattern, apart), text);
  return parted.split(/\s+/).filter(Boolean);
}
