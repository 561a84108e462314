/** The English of each Chinese word, as data.gloss gives it. */

/** @typedef {Object<string, string>} Glosses English for each word that is known and each
 *   character, as data.glosses; empty for punctuation */

const UNKNOWN = "?";
const HAN = /^\p{Script=Han}$/u; // what has an English at all
const longestOf = new WeakMap(); // how long the longest word of some glosses is

/**
 * Put the English under each word of a translation, right or wrong: at each place the longest word
 * known that the tokens go on with.
 *
 * @param {string[]} tokens characters, and marks such as `<eos>`, which have none
 * @param {Glosses} glosses
 * @returns {Array<{length: number, english: string}>} how many tokens each word has, together all
 */
export function glossed(tokens, glosses) {
  if (!longestOf.has(glosses)) {
    longestOf.set(glosses, Object.keys(glosses).reduce((most, { length }) => Math.max(most, length), 1));
  }
  const longest = longestOf.get(glosses);
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

/** For each token the English of the word that it belongs to. */
export function englishOf(tokens, glosses) {
  return glossed(tokens, glosses).flatMap(({ length, english }) => Array(length).fill(english));
}

/** The English of one token alone. */
export function glossOf(token, glosses) {
  return glosses[token] ?? (HAN.test(token) ? UNKNOWN : "");
}
