/** What the page knows of the model before it is loaded. */

const ABOUT = new URL("../../../model/about.json", import.meta.url);
const WORDS = {
  missing: "this site has no trained model.",
  status: (status) => `what it knows of the model is answered with ${status}. Try again later.`,
  unreachable: "the site cannot be reached. Check the connection and reload the page.",
  damaged: "what it knows of the model is damaged. Reload the page to try again.",
};

/**
 * @returns {Promise<{bytes: number, sha256: Object<string, string>, N: number, h: number,
 *   sentences: string[], follows: import("./suggest.js").Follows,
 *   gloss: import("../../files/gloss.js").Glosses}>} its size, the sums of its files, its layers
 *   and heads, sentences to choose from, what follows what in the grammar, and its words' English
 * @throws {Error} the message is a sentence for the reader
 */
export async function readAbout() {
  const answer = await fetch(ABOUT, { cache: "no-cache" }).catch(() => null);
  if (!answer) throw new Error(WORDS.unreachable);
  if (answer.status === 404) throw new Error(WORDS.missing);
  if (!answer.ok) throw new Error(WORDS.status(answer.status));
  const about = await answer.json().catch(() => null);
  const counts = [about?.bytes, about?.N, about?.h];
  const fits = counts.every((n) => Number.isInteger(n) && n > 0) && about.sentences?.length;
  if (!fits || !about.follows?.[""] || !about.gloss) throw new Error(WORDS.damaged);
  return about;
}
