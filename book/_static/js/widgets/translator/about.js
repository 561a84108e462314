/** What the page knows of the model before it is loaded. */

const ABOUT = new URL("../../../model/about.json", import.meta.url);
const WORDS = {
  missing: "this site has no trained model.",
  damaged: "what it knows of the model is damaged. Reload the page to try again.",
};

/**
 * @returns {Promise<{bytes: number, N: number, h: number, sentences: string[],
 *   follows: import("./suggest.js").Follows}>} its size, its layers and heads, sentences to choose
 *   from, and what follows what in the grammar
 * @throws {Error} the message is a sentence for the reader
 */
export async function readAbout() {
  const answer = await fetch(ABOUT, { cache: "no-cache" }).catch(() => null);
  if (!answer?.ok) throw new Error(WORDS.missing);
  const about = await answer.json().catch(() => null);
  const counts = [about?.bytes, about?.N, about?.h];
  const fits = counts.every((n) => Number.isInteger(n) && n > 0) && about.sentences?.length;
  if (!fits || !about.follows?.[""]) throw new Error(WORDS.damaged);
  return about;
}
