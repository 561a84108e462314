/** What the page asks of the thread that translates, worker.js. */

import { Matrix } from "../../by_hand/matrix.js";

const WORDS = {
  none: "The part that translates could not be started in this browser. Reload the page; it needs "
    + "a browser of 2023 or later, and a site that is served, not opened as a file.",
};

/**
 * @typedef {{tokens: number[], score?: number, halted?: boolean}} Translation EOS at the end where
 *   it ended; halted where `stop` ended it
 */

export class Engine {
  /**
   * @param {URL} folder of the model
   * @param {Object<string, string>} sha256 of its files, see files/load.js
   */
  constructor(folder, sha256) {
    this.about = { folder: String(folder), sha256 };
    this.asked = new Map();
    this.count = 0;
    this.ready = false; // whether the thread has the model
  }

  /**
   * @param {(received: number) => void} progress
   * @returns {Promise<{names: string[], copied: number[], longest: number}>} what its ids are called,
   *   which of them are marks for what is copied, and the most tokens that a sentence may have
   * @throws {Error} the message is a sentence for the reader
   */
  async load(progress) {
    const model = await this.#ask("load", this.about, progress);
    this.ready = true;
    return model;
  }

  /**
   * @param {string} text
   * @returns {Promise<{words: string[][], ids: number[], pieces: string[], unknown: boolean[],
   *   halves: boolean[], never: boolean[], texts: Object<string, string>}>} the subwords of each
   *   word, as they are written and as the model reads them; for each in turn whether the model
   *   lacks it, and whether it has the same letters where the word goes on, or where it does not;
   *   for each word whether the training never had it; and what each mark among them stands for
   */
  read(text) {
    return this.#ask("read", { text });
  }

  /**
   * Translate; what was being translated before is given up, and answered with null.
   * @param {number[]} source ids, EOS at the end
   * @param {object} way as for `translations` of translation.js
   * @param {(tokens: number[]) => void} hear called with each beginning
   * @returns {Promise<?Translation[]>} best first
   */
  translate(source, way, hear) {
    return this.#ask("translate", { source, way }, hear);
  }

  /** End the translation under way where it is. */
  stop() {
    this.#ask("stop", {});
  }

  /** @returns {Promise<any>} as `look` of translation.js */
  async look(source, tokens, temperature) {
    const { odds, weights } = await this.#ask("look", { source, tokens, temperature });
    // What a thread sends has lost its class.
    const matrices = (heads) => heads.map((A) => new Matrix(A.rows, A.cols, A.data));
    const revived = Object.entries(weights).map(([name, heads]) => [name, matrices(heads)]);
    return { odds, weights: Object.fromEntries(revived) };
  }

  /** @returns {Promise<any>} */
  #ask(ask, what, hear = (_) => {}) {
    const id = (this.count += 1);
    return new Promise((resolve, reject) => {
      this.worker ??= this.#started();
      this.asked.set(id, { resolve, reject, hear });
      this.worker.postMessage({ id, ask, ...what });
    });
  }

  #started() {
    let worker;
    try {
      worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    } catch {
      throw new Error(WORDS.none);
    }
    worker.onmessage = ({ data: { id, told, answer, error } }) => {
      const { resolve, reject, hear } = this.asked.get(id);
      if (told !== undefined) return hear(told);
      this.asked.delete(id);
      if (error === undefined) resolve(answer);
      else reject(new Error(error));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.worker = null; // the next time another is started
      this.ready = false;
      for (const { reject } of this.asked.values()) reject(new Error(WORDS.none));
      this.asked.clear();
    };
    return worker;
  }
}
