/** What no model here can read: another script, or no word at all; and emoji, which are left out. */

const PART = "\\p{Extended_Pictographic}[\\u{FE0F}\\u{1F3FB}-\\u{1F3FF}]*";
const EMOJI = new RegExp("\\p{Regional_Indicator}{1,2}|[\\u{FE0F}\\u{20E3}\\u{200D}]"
  + `|(?![©®™])${PART}(?:\\u{200D}${PART})*`, "gu");
const SHOWN = 3; // emoji that are named

export const FOREIGN = {
  script: (script) => `This is written in ${script}, and the model reads English only. It was not `
    + "translated.",
  wordless: "There is no word in this. Type an English sentence.",
  emoji: (some, more) => `Left out: ${some.join(" ")}${more ? " and others" : ""}. The model knows `
    + "no emoji.",
  scripts: {
    Han: "Chinese characters", Kana: "Japanese", Hangul: "Korean", Cyrillic: "Cyrillic letters",
    Greek: "Greek letters", Arabic: "Arabic letters", Hebrew: "Hebrew letters",
    Devanagari: "Devanagari", Thai: "Thai",
  },
  other: "letters that are not Latin",
};

/** @type {Array<[string, RegExp]>} Kana first: Japanese has Chinese characters, too */
const SCRIPTS = [
  ["Kana", /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ...["Han", "Hangul", "Cyrillic", "Greek", "Arabic", "Hebrew", "Devanagari", "Thai"]
    .map((name) => /** @type {[string, RegExp]} */ ([name, new RegExp(`\\p{Script=${name}}`, "gu")])),
];

/**
 * @param {string} text
 * @returns {{text: string, emoji: string[]}} the text without its emoji, and these, each once
 */
export function withoutEmoji(text) {
  const all = text.match(EMOJI) ?? [];
  const emoji = [...new Set(all)].filter((one) => /\p{Extended_Pictographic}|\p{RI}/u.test(one));
  if (!all.length) return { text, emoji };
  return { text: text.replace(EMOJI, " ").replace(/\s+/g, " ").trim(), emoji };
}

/** @returns {string} a sentence about the emoji that were left out; empty where there were none */
export const leftOut = (emoji) =>
  (emoji.length ? FOREIGN.emoji(emoji.slice(0, SHOWN), emoji.length > SHOWN) : "");

/**
 * @param {string} text
 * @returns {string} why the model cannot read it, as a sentence: less than half of its letters are
 *   Latin, or it has neither letters nor digits; empty where it can
 */
export function foreign(text) {
  const count = (pattern) => (text.match(pattern) ?? []).length;
  const letters = count(/\p{L}/gu);
  if (!letters) return count(/\p{N}/gu) ? "" : FOREIGN.wordless;
  if (2 * count(/\p{Script=Latin}/gu) >= letters) return "";
  const [name] = SCRIPTS.find(([, pattern]) => 4 * count(pattern) >= letters) ?? [];
  return FOREIGN.script(name ? FOREIGN.scripts[name] : FOREIGN.other);
}
