/** The English of each Chinese word, as data.gloss gives it. */

/** @typedef {Object<string, string>} Glosses English for each word of the grammar and each
 *   character of it, as data.glosses; empty for punctuation */

const UNKNOWN = "?";

/**
 * Put the English under each word of a translation, right or wrong: at each place the longest word
 * of the grammar that the tokens go on with.
 *
 * @param {string[]} tokens characters, and marks such as `<eos>`, which have none
 * @param {Glosses} glosses
 * @returns {Array<{length: number, english: string}>} how many tokens each word has, together all
 */
export function glossed(tokens, glosses) {
  const longest = Math.max(...Object.keys(glosses).map((word) => word.length));
  const words = [];
  for (let i = 0; i < tokens.length;) {
    const word = { length: 1, english: glossOf(tokens[i], glosses) };
    for (let n = 2; n <= longest && i + n <= tokens.length; n++) {
      const english = glosses[tokens.slice(i, i + n).join("")];
      if (english !== undefined) Object.assign(word, { length: n, english });
    }
    words.push(word);
    i += word.length;
  }
  return words;
}

/** The English of one token alone. */
export function glossOf(token, glosses) {
  return glosses[token] ?? (token.length > 1 ? "" : UNKNOWN);
}
