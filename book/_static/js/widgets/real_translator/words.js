const MOST = 3; // of a list; how many more there are is said
const few = (all, name = (one) => one) => [...all.slice(0, MOST).map(name),
  ...(all.length > MOST ? [`${all.length - MOST} more`] : [])];
const both = (all) => {
  const list = few(all, (one) => `“${one}”`);
  return list.length > 1 ? `${list.slice(0, -1).join(", ")} and ${list.at(-1)}` : list[0];
};
const are = (all) => (all.length > 1 ? "are" : "is");
const were = (all) => (all.length > 1 ? "were" : "was");

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
  unseen: (all) => `Its English vocabulary has ${few(all).join(", ")}: it reads <unk> instead.`,
  several: "Almost everything it learned from was a single sentence, so it may leave one of these "
    + "out. Give it one at a time.",
  levels: { sure: "It was sure:", half: "It was half sure:", unsure: "It was unsure:" },
  mean: (p) => ` a piece had probability ${p} on average (geometric mean), and “`,
  least: (p) => `” the least, ${p}.`,
  piece: "Probability of “",
  likely: (p, doubt) => `”: ${p}${doubt ? ", so all other pieces together were likelier" : ""}.`,
  care: (clauses) => `Take care: ${clauses.join("; ")}.`,
  loop: (what, times) => `it went round in a loop, “${what}” ${times} times`,
  missing: (all) => `${both(all)} ${are(all)} missing in the translation`,
  foreign: (n, of) => `${n === of ? "none" : `only ${of - n}`} of its ${of} words `
    + `${of - n > 1 ? "were" : "was"} in the training, so it may not be English`,
  never: (all) => `${both(all)} ${were(all)} never in the training`,
  seldom: (all, most) => `${both(all)} ${were(all)} in the training at most ${most} times`,
  longer: (n, usual) => `it has ${n} tokens, and 99 of 100 sentences of the training had at most `
    + usual,
  copied: (all) => `${both(all)} ${are(all)} copied, not understood`,
  many: (n, few, pairs) => `${n} numbers or names are copied, and only ${few} of `
    + `${pairs.toLocaleString("en")} sentences of the training had three or more`,
  about: "How sure it was is computed from its own probabilities, and is no proof. Of 200 test "
    + "sentences it was sure of 55, which scored 56 by the measure chrF on average, and unsure of 53, "
    + "which scored 16. A dotted line marks a piece that was less likely than all others together. A grey box is one word in pieces; @@ says that the word goes on. A mark such as <n1> stands "
    + "for a number, a time, an address or a name that it does not know, which is copied. Capitals count: a small "
    + "first letter may change the translation. The English under the Chinese is a dictionary’s, for "
    + "the longest word that fits; it does not know the sentence.",
  // The terms are those of the files; what else they say is of the list of authors.
  credits: ({ title, terms, dictionary }) => [
    `Trained on ${title}, ${terms.split(";")[0]} (`, "the authors",
    `). English under words: ${dictionary.title}, ${dictionary.terms}.`,
  ],
};
