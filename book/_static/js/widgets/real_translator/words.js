/** What a reader sees of the translator of real sentences, beside what translator/words.js has. */

export const WORDS = {
  widget: "The translator of real sentences",
  sentence: "An English sentence",
  load: (size) => `Load the model (${size}) and translate`,
  go: "Translate",
  stop: "Stop",
  ready: "Or take one of these:",
  loading: (percent) => `The model is on its way: ${percent} %.`,
  progress: "Loading the model",
  loaded: "The model is here.",
  failed: (reason) => `${reason} Nothing was lost; you may try again.`,
  empty: "Type a sentence first, or take one of those under the line.",
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
