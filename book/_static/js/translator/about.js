/** What the page knows of a model before it is loaded. */

import { folderOf } from "../files/folder.js";

const WORDS = {
  missing: "this site has no trained model.",
  status: (status) => `what it knows of the model is answered with ${status}. Try again later.`,
  unreachable: "the site cannot be reached. Check the connection and reload the page.",
  damaged: "what it knows of the model is damaged. Reload the page to try again.",
};

/**
 * @typedef {{bytes: number, sha256: Object<string, string>, N: number, h: number,
 *   sentences: string[]}} About its size, the sums of its files, its layers and heads, and
 *   sentences to choose from
 */

/**
 * @param {URL} folder of the model
 * @param {(about: any) => boolean} fits whether it has what else the widget needs
 * @returns {Promise<any>} an About, with what else the file says
 * @throws {Error} the message is a sentence for the reader
 */
export async function readAbout(folder, fits = () => true) {
  const address = new URL("about.json", folder);
  const answer = await fetch(address, { cache: "no-cache" }).catch(() => null);
  if (!answer) throw new Error(WORDS.unreachable);
  if (answer.status === 404) throw new Error(WORDS.missing);
  if (!answer.ok) throw new Error(WORDS.status(answer.status));
  const about = await answer.json().catch(() => null);
  const counts = [about?.bytes, about?.N, about?.h];
  const whole = counts.every((n) => Number.isInteger(n) && n > 0) && about.sentences?.length;
  if (!whole || !fits(about)) throw new Error(WORDS.damaged);
  return about;
}

/** @type {?Promise<any>} */
let own = null;

/**
 * Asked for once, however many widgets of a page want it; after a failure, again.
 * @returns {Promise<any>} of the book's own model, with the words that may follow and the glosses
 */
export function readOwnAbout() {
  const fits = ({ follows, gloss }) => Boolean(follows?.[""] && gloss);
  own ??= readAbout(folderOf("model"), fits).catch((error) => {
    own = null;
    throw error;
  });
  return own;
}
