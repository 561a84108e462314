/** The translator in a thread of its own: it answers what engine.js asks, and the page stays free. */

import { loadModel } from "../../files/load.js";
import { readText } from "../../files/tokens.js";
import { look, translating } from "../../translator/translation.js";
import { neverSeen } from "./care.js";

let model;
let latest = 0; // the translation that was asked for last
let stopped = false;
const { port1, port2 } = new MessageChannel();
const waiting = [];
port1.onmessage = () => waiting.shift()();

/** Let what was asked meanwhile be heard. */
const rest = () => new Promise((resolve) => {
  waiting.push(resolve);
  port2.postMessage(null);
});

const answers = {
  async load({ folder, sha256 }, tell) {
    model = await loadModel(tell, folder, sha256);
    const { target, config, copied = [] } = model;
    return { names: target.tokens, copied, longest: config.max_length };
  },

  read({ text }) {
    const { source, known } = model;
    const { words, ids, texts } = readText(text, model);
    const other = (piece) => (piece.endsWith("@@") ? piece.slice(0, -2) : `${piece}@@`);
    return {
      words, ids, texts, pieces: ids.map((id) => source.tokens[id]),
      unknown: words.flat().map((piece) => !source.knows(piece)),
      never: neverSeen(words, known),
      halves: words.flat().map((piece) => source.knows(other(piece))),
    };
  },

  /** Tell each beginning; null if another translation was asked for meanwhile. */
  async translate({ source, way }, tell, id) {
    [latest, stopped] = [id, false];
    const steps = translating(model, source, way);
    let tokens = way.begin;
    for (let step = steps.next(); !stopped; step = steps.next()) {
      if (step.done) return step.value;
      tokens = step.value;
      tell(tokens);
      await rest();
      if (latest !== id) return null;
    }
    return tokens.length ? [{ tokens, halted: true }] : null;
  },

  stop() {
    stopped = true;
  },

  look: ({ source, tokens, temperature }) => look(model, source, tokens, temperature),
};

self.onmessage = async ({ data: { id, ask, ...what } }) => {
  try {
    const answer = await answers[ask](what, (told) => self.postMessage({ id, told }), id);
    self.postMessage({ id, answer });
  } catch (error) {
    self.postMessage({ id, error: /** @type {Error} */ (error).message });
  }
};
