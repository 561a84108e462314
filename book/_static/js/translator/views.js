/** The attention weights of a translation, as lines between words or as a matrix. */

import { h } from "../kit/dom.js";
import { fixed } from "../kit/format.js";
import { Table } from "../kit/table.js";
import { labelled } from "./labelled.js";
import { Threads } from "./threads.js";

const TALL = 28; // rows; a longer drawing scrolls by itself

/**
 * @typedef {"self"|"masked"|"cross"} Kind
 * @typedef {{queries: string[], keys: string[], heads: [string, string], langs: [string, string],
 *   english: [?string[], ?string[]]}} Sides english of the words of the queries and of the keys,
 *   where these are Chinese
 */

/**
 * What stands at both sides of an attention.
 * @param {Kind} kind
 * @param {string[]} source words of the sentence, `<eos>` too
 * @param {string[]} target words of the translation
 * @param {string[]} english of each
 * @param {{query: string, key: string, writes: string, reads: string}} words
 * @returns {Sides}
 */
export function sidesOf(kind, source, target, english, words) {
  const { query, key, writes, reads } = words;
  /** @type {{queries: string[], heads: [string, string]}} */
  const own = { queries: target, heads: [`${query}: ${writes}`, `${key}: ${reads}`] };
  const before = (list, first) => [first, ...list.slice(0, -1)];
  /** @type {Record<Kind, Sides>} */
  const all = {
    self: { queries: source, keys: source, heads: [query, key], langs: ["en", "en"],
      english: [null, null] },
    masked: { ...own, keys: before(target, "<bos>"), langs: ["zh", "zh"],
      english: [english, before(english, "")] },
    cross: { ...own, keys: source, langs: ["zh", "en"], english: [english, null] },
  };
  return all[kind];
}

export class View {
  /** @param {object} words what the reader sees */
  constructor(words) {
    this.words = words;
    this.stand = h("div", { class: "tb-attend" });
    this.readout = h("p", { class: "tb-readout" });
    this.element = h("div", {}, this.stand, this.readout);
  }

  /**
   * @param {{kind: Kind, view: "lines"|"matrix", source: string[], target: string[],
   *   english: string[]}} what english: of each of target
   */
  layOut({ kind, view, source, target, english }) {
    const { words } = this;
    const sides = sidesOf(kind, source, target, english, words);
    this.kind = kind;
    this.sides = sides;
    const name = words.kinds[kind];
    if (view === "lines") {
      const height = Math.max(source.length, target.length);
      this.threads = new Threads({ ...sides, name, height }, (...at) => this.#tell(...at),
        (at) => this.#say(at));
      this.table = null;
      this.threads.element.classList.toggle("tb-tall", height > TALL);
      this.stand.replaceChildren(this.threads.element);
      return;
    }
    const { queries, keys, langs } = sides;
    const labels = (tokens, side) => tokens.map((token, i) =>
      h("span", {}, ...labelled(token, langs[side], sides.english[side]?.[i])));
    const values = queries.map(() => keys.map(() => 0));
    this.threads = null;
    this.table = new Table({
      name, label: words.caption(...sides.heads), values, role: "attention",
      rows: labels(queries, 0), columns: labels(keys, 1), showRows: true, showColumns: true,
      onPoint: (i, j) => this.#say([0, i, j]),
      onLeave: () => this.#say(null),
      onPick: (i, j) => this.#say([0, i, j]),
    });
    const onkeydown = (event) => this.#press(event);
    this.stand.replaceChildren(
      h("div", { class: `tb-weights tb-${kind}`, onkeydown }, this.table.element));
  }

  /**
   * @param {number[][]} A (queries, keys)
   * @param {number} step from 1
   * @param {string} where which layer and head, in words
   */
  set(A, step, where) {
    const row = this.kind === "self" ? null : step - 1;
    this.A = A;
    this.row = row;
    this.where = where;
    this.threads?.set(A, row, this.kind === "masked" ? step : A[0].length);
    this.threads?.reveal(row);
    this.table?.set(A);
    if (this.table && this.kind === "masked") this.#blank();
    this.table?.cells.forEach((cells, i) => {
      cells[0].parentElement.classList.toggle("tb-later", row !== null && i > row);
    });
    this.#say(this.threads?.at ?? null);
  }

  /** Home and End lead to the ends of a row. */
  #press(event) {
    const i = this.table.cells.findIndex((row) => row.includes(event.target));
    const to = { Home: 0, End: this.sides.keys.length - 1 }[event.key];
    if (i < 0 || to === undefined) return;
    this.table.focus(i, to);
    event.preventDefault();
  }

  /** A later word is no small weight: it cannot be seen. */
  #blank() {
    this.table.cells.forEach((cells, i) => cells.slice(i + 1).forEach((cell) => {
      cell.replaceChildren();
      cell.setAttribute("aria-label", this.words.masked);
      cell.classList.add("tb-hidden");
    }));
  }

  /** What a token is called: which of them, where it stands more than once. */
  #name(side, i) {
    const names = side === 0 ? this.sides.queries : this.sides.keys;
    const twice = names.indexOf(names[i]) !== names.lastIndexOf(names[i]);
    // <bos> is before the first
    const place = this.kind === "masked" && side === 1 ? i : i + 1;
    return this.words.token(names[i], twice ? place : null);
  }

  /** The keys that a query gives most, or the queries that give a key most. */
  #top(side, i, most) {
    const weights = side === 0 ? this.A[i] : this.A.slice(0, (this.row ?? this.A.length) + 1)
      .map((row) => row[i]);
    const order = [...weights.keys()].sort((a, b) => weights[b] - weights[a]);
    const seen = order.filter((k, place) => place === 0 || weights[k] >= 0.001);
    return seen.slice(0, most).map((k) => `${this.#name(1 - side, k)} ${fixed(weights[k], 3)}`);
  }

  #tell(side, i) {
    const top = this.#top(side, i, 3).join(", ");
    return this.words.told(this.kind, side, this.#name(side, i), top);
  }

  /** Write out what the word or cell under the pointer or focus says; else the current row. */
  #say(at) {
    const { words, A, row, kind } = this;
    if (this.table) {
      this.table.mark((i, j) => (at ? i === at[1] && j === at[2] : i === row));
    }
    const [side, i, j] = at ?? [0, row];
    let said = words.hint;
    if (j !== undefined) {
      const hidden = kind === "masked" && j > i;
      const weight = hidden ? null : fixed(A[i][j], 3);
      said = words.cell(kind, this.#name(0, i), this.#name(1, j), weight);
    } else if (i !== null) said = this.#tell(side, i);
    this.readout.replaceChildren(h("span", { class: "tb-where" }, `${this.where}. `), said);
  }
}
