/** A token as the rows and columns of an attention show it. */

import { h } from "../kit/dom.js";

/**
 * @param {string} token
 * @param {string} lang
 * @param {string} [english] of the word that it belongs to, which is then set beside it
 */
export function labelled(token, lang, english = "") {
  return [h("span", { lang }, token), ...(english ? [" ", h("small", { lang: "en" }, english)] : [])];
}
