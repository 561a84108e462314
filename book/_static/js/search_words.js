/**
 * Words as the search compares them: without question words, hyphens and inflection; of Chinese, whose
 * words no space parts, each two characters that stand together. search_ranking.js ranks pages by them.
 */

// Besides Sphinx's own. They ask, and say nothing of what is asked for.
const ASKING = `am an any can could did difference differences do does doing done explain explained explanation from get
  got had has have he how i its me my our please s should so some t tell than them too understand us use used uses using
  versus vs want we were what when where which who whose why work works would you your about between don doesn isn
  aren just really actually`.split(/\s+/);
const ASKING_CHINESE = new RegExp("为什么|怎么样|怎么办|怎么|怎样|如何|什么|哪些|哪个|多少|为何|需要|区别|不同|解释|请问"
  + "|是|吗|呢|和|与", "g");
const BESIDE_CHINESE = /[的了很太要]/g; // stand between words that belong together
const CHINESE = /[\u3400-\u9fff]/;
const CHINESE_RUN = /[\u3400-\u9fff]+/g;
const PART = /_+|(?<=[a-z])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z]{2})/; // of masked_fill, LayerNorm, RMSNorm
const AMERICAN = /(?<=[a-z]{4})iz(?=e[drs]?s?$|ing$|ations?$|ers$)/; // of tokenizer, but not of size or resize

stopwords.push(...ASKING); // those of the pages are in the index; a query has none
const stemmer = new Stemmer();

/** What is left of a word without its inflection, by the spelling of this book. */
const stem = (word) => stemmer.stemWord(word.replace(AMERICAN, "is"));

/** A name of a program's part and what it is made of; of any other word itself. */
function withParts(word) {
  const parts = word.split(PART).filter((part) => part.length > 1);
  return parts.length > 1 && parts.every((part) => part.length > 2 || word.includes("_"))
    ? [word, ...parts] : [word];
}

/** Of a run of Chinese characters each two neighbours, or the only one. */
const pairs = (run) => run.length < 2 ? [run] : [...run].slice(1).map((character, i) => run[i] + character);

/** The words of a text that say what it is about, as they are written, in small letters. */
function plainWords(text) {
  const words = text.replace(CHINESE_RUN, " ").split(/[^\p{Letter}\p{Number}_]+/u).flatMap(withParts)
    .map((word) => word.toLowerCase())
    .filter((word) => word && !/^\d+$/.test(word) && !stopwords.includes(word));
  const asked = text.replace(ASKING_CHINESE, " ").replace(BESIDE_CHINESE, "");
  const runs = asked.match(CHINESE_RUN) ?? text.match(CHINESE_RUN) ?? [];
  return [...words, ...runs.flatMap(pairs)];
}

/** Whether a slip of one letter, or two letters in the wrong order, makes one word of another. */
function alike(one, other) {
  const length = Math.min(one.length, other.length);
  let before = 0, behind = 0;
  while (before < length && one[before] === other[before]) before += 1;
  while (behind < length - before && one.at(-1 - behind) === other.at(-1 - behind)) behind += 1;
  const rest = [one, other].map((word) => word.slice(before, word.length - behind));
  return rest.every((part) => part.length < 2)
    || (rest.every((part) => part.length === 2) && rest[0] === [...rest[1]].reverse().join(""));
}
