/**
 * What a reader sees of the translator of real sentences, beside what translator/words.js and
 * translator/ask.js have.
 */

export const WORDS = {
  widget: "The translator of real sentences",
  stop: "Stop",
  long: (n, most) => `This sentence has ${n} tokens, and at most ${most} find room. Shorten it.`,
  reads: "It reads:",
  unseen: (pieces) => {
    const listed = pieces.map((one) => `no “${one}”`).join(", ");
    return `Its vocabulary has ${listed}: it reads <unk> instead.`;
  },
  // The terms are those of the files.
  credits: ({ title, terms, dictionary }) => [
    `Trained on ${title}, ${terms} (`, "the authors", `). English under words: ${dictionary.title}, `
    + `${dictionary.terms}.`,
  ],
};
