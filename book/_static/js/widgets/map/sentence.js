/** What the model of the map reads: the reader's sentence, and what the decoder has written. */

import { wordTokens } from "../../files/tokens.js";
import { announce } from "../../kit/announce.js";
import { button } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { ASKING } from "../../translator/ask.js";
import { foreign } from "../../translator/foreign.js";
import { replaceWord, strangers } from "../../translator/suggest.js";
import { unknownWords } from "../../translator/unknown.js";
import { WORDS } from "./live_words.js";

const REST = 250; // ms after the last key

export class Sentence {
  /**
   * @param {import("./live.js").Live} live
   * @param {import("../../translator/suggest.js").Follows} follows
   * @param {string} such a sentence of the kind that the model knows
   * @param {{values: Object<string, *>, set: (changes: Object<string, *>) => void}} state the map's
   * @param {number} longest characters
   */
  constructor(live, follows, such, state, longest) {
    this.live = live;
    this.follows = follows;
    this.state = state;
    const field = (key, rows, lang) => {
      const made = { input: null, count: h("span", { class: "tb-count" }), waiting: null };
      const oninput = () => {
        clearTimeout(made.waiting);
        made.waiting = setTimeout(() => {
          made.waiting = null;
          const text = made.input.value.trim();
          if (text.length > longest) this.#refuse(made, ASKING.characters(text.length, longest));
          else if (text === state.values[key]) this.read(); // it was another one, and refused
          else state.set({ [key]: text });
        }, REST);
      };
      const about = { rows, lang, spellcheck: "false", oninput };
      made.input = h("textarea", about);
      return made;
    };
    this.source = field("source", 3, "en");
    this.forced = field("forced", 2, "zh");
    this.notice = h("p", { class: "tb-notice" });
    this.model = button(WORDS.model, () => state.set({ forced: "" }));
    this.whose = h("span", { class: "tb-whose" });
    const known = new Set(live.model.source.tokens.filter((token) => /^\p{L}/u.test(token))
      .map((token) => token.toLowerCase()));
    const label = (name, { input, count }) =>
      h("label", { class: "tb-phrase" }, name, input, count);
    this.element = h("div", { class: "tb-sizes tb-sentence" },
      label(WORDS.sentence, this.source), this.notice,
      h("p", { class: "tb-knows" }, WORDS.knows(known.size, such)),
      label(h("span", {}, WORDS.chinese, ": ", this.whose), this.forced), this.model.element);
  }

  /** Say why what was typed is not read, and whose numbers the old ones are. */
  #refuse({ input }, why) {
    input.setAttribute("aria-invalid", "true");
    this.notice.replaceChildren(h("span", { class: "tb-wrong" }, why));
    announce(why);
    if (!this.live.now) return;
    this.source.count.replaceChildren(WORDS.stale(this.live.text));
    this.live.stale(true);
  }

  /** Run the model on what stands in the state. @returns {boolean} whether there are numbers */
  read() {
    const { source, forced } = this.state.values;
    const wrong = (source && foreign(source)) || this.live.read(source, forced);
    const { now } = this.live;
    const put = ({ input, waiting }, text) => { // not over what is being typed
      if (!waiting && input.value.trim() !== text) input.value = text;
    };
    put(this.source, source);
    this.source.input.setAttribute("aria-invalid", String(Boolean(wrong)));
    this.forced.input.setAttribute("aria-invalid", "false");
    const odd = strangers(wordTokens(source), this.follows);
    const { line, heard } = unknownWords(odd, (word, nearest) =>
      this.state.set({ source: replaceWord(source, word, nearest) }));
    const lines = line ? [line] : [];
    const missing = now && forced ? [...new Set([...forced].filter((piece) =>
      piece.trim() && !this.live.model.target.knows(piece)))] : [];
    if (missing.length) {
      lines.push(h("span", { class: "tb-stranger" }, WORDS.unknown(missing.join(" "))));
    }
    this.notice.replaceChildren(...(wrong ? [h("span", { class: "tb-wrong" }, wrong)] : lines));
    if (wrong || heard) announce(wrong || heard);
    if (!now) return false;
    if (!wrong) put(this.forced, forced || this.live.written);
    this.live.stale(Boolean(wrong));
    this.source.count.replaceChildren(wrong ? WORDS.stale(this.live.text)
      : WORDS.given(now.ids.source.length));
    this.forced.count.replaceChildren(WORDS.read(now.ids.target.length));
    this.whose.replaceChildren(forced ? WORDS.forced : WORDS.own);
    this.model.set(Boolean(forced));
    return true;
  }
}
