/** The model's logits, computed in this browser, beside those that PyTorch wrote at the build. */

import { transformer } from "../by_hand/transformer.js";
import { loadExpected, loadModel } from "../files/load.js";
import { announce } from "../kit/announce.js";
import { button } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { fixed, grouped, tiny } from "../kit/format.js";

const SHOWN = 5; // tokens
const WORDS = {
  widget: "The same logits, in your browser",
  go: "Compute them here",
  wait: "The model is on its way.",
  caption: (token, ids) => `After ${ids} tokens, the last of them “${token}”: the ${SHOWN} largest.`,
  before: (n) => `The ${n} largest logits of one position will stand here.`,
  none: "–",
  next: "next token", built: "PyTorch, at the build", here: "JavaScript, here",
  found: ({ m, words, ms, off, low, high }) =>
    `${m} × ${words} = ${grouped(m * words)} logits in ${ms} ms, from ${fixed(low, 1)} to `
    + `${fixed(high, 1)}. Largest difference from PyTorch’s: ${distance(off)}.`,
};

const distance = (off) => (off > 0 && off < 0.01 ? tiny(off, 1) : fixed(off, 2));

export function mount(element) {
  element.setAttribute("aria-label", WORDS.widget);
  const said = h("p", { class: "tb-hint" });
  const numbers = h("div", {}, empty()); // its place is there from the first: nothing moves when it comes
  const say = (sentence, kind = "tb-hint") => {
    said.replaceChildren(sentence);
    said.className = kind;
    announce(sentence);
  };
  const go = button(WORDS.go, async () => {
    go.set(false);
    say(WORDS.wait);
    try {
      const [model, expected] = await Promise.all([loadModel(), loadExpected()]);
      const now = compared(model, expected);
      say(WORDS.found(now));
      numbers.replaceChildren(table(model, expected, now));
    } catch (error) {
      say(/** @type {Error} */ (error).message, "tb-wrong");
    }
    go.set(true);
  });
  element.append(go.element, said, numbers);
}

/** Compute the logits, and what there is to say of them. */
function compared(model, { source, decoder_input, logits: { data } }) {
  const start = performance.now();
  const [logits] = transformer(source, decoder_input, model.W, model.config);
  const ms = Math.round(performance.now() - start);
  const off = logits.data.reduce((most, x, i) => Math.max(most, Math.abs(x - data[i])), 0);
  const [low, high] = [Math.min(...logits.data), Math.max(...logits.data)];
  return { logits, m: logits.rows, words: logits.cols, ms, off, low, high };
}

/** The largest logits of the middle row, in both versions. */
function table({ target }, { decoder_input, logits: { data } }, { logits, m, words }) {
  const i = m >> 1;
  const row = [...logits.row(i)];
  const order = [...row.keys()].sort((a, b) => row[b] - row[a]).slice(0, SHOWN);
  const lines = order.map((k) => h("tr", {}, h("th", { scope: "row" }, target.tokens[k]),
    ...[data[i * words + k], row[k]].map((x) => h("td", {}, fixed(x, 7)))));
  const caption = WORDS.caption(target.tokens[decoder_input[i]], i + 1);
  return h("table", { class: "tb-agreement" }, h("caption", {}, caption), head(),
    h("tbody", {}, ...lines));
}

const head = () => h("thead", {}, h("tr", {}, ...[WORDS.next, WORDS.built, WORDS.here].map((name) =>
  h("th", { scope: "col" }, name))));

/** As many lines as the table will have, before it has numbers. */
function empty() {
  const line = () => h("tr", {}, h("td", {}, WORDS.none), h("td", {}, WORDS.none),
    h("td", {}, WORDS.none));
  return h("table", { class: "tb-agreement tb-empty", "aria-hidden": "true" },
    h("caption", {}, WORDS.before(SHOWN)), head(), h("tbody", {}, ...Array.from({ length: SHOWN }, line)));
}
