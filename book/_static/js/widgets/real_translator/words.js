/**
 * What a reader sees of the translator of real sentences, beside what translator/words.js and
 * translator/ask.js have.
 */

export const WORDS = {
  widget: "The translator of real sentences",
  stop: "Stop",
  long: (n, most) => `This sentence has ${n} tokens, and at most ${most} find room. Shorten it.`,
  reads: "It reads:",
  writes: "It writes:",
  lacks: (letters, half, goesOn) =>
    `no “${letters}”${half ? ` ${goesOn ? "before the end" : "at the end"} of a word` : ""}`,
  unseen: (all) => `Its English vocabulary has ${all.join(", ")}: it reads <unk> instead.`,
  several: "Almost everything it learned from was a single sentence, so it may leave one of these "
    + "out. Give it one at a time.",
  about: "A grey box is one word in pieces; @@ says that the word goes on. A mark such as <n1> stands "
    + "for a number, a time, an address or a name that it does not know, which is copied. Capitals count: a small "
    + "first letter may change the translation. The English under the Chinese is a dictionary’s, for "
    + "the longest word that fits; it does not know the sentence.",
  // The terms are those of the files; what else they say is of the list of authors.
  credits: ({ title, terms, dictionary }) => [
    `Trained on ${title}, ${terms.split(";")[0]} (`, "the authors",
    `). English under words: ${dictionary.title}, ${dictionary.terms}.`,
  ],
};
