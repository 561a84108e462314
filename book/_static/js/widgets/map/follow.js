/** What made a number of the model, each part of it a number that can be followed in its turn. */

import { EPSILON } from "../../by_hand/norm.js";
import { fixed, tiny, trimmed } from "../../kit/format.js";
import { SUBS, homeOf, leaves, matrixOf, readBy } from "./sheets.js";

const DIGITS = 4;
const LAYER = new RegExp("^(encoder|decoder)\\.(\\d+)\\."
  + "(self_attention|cross_attention|feed_forward|add_and_norm_(\\d))\\.(\\w+)$");

/** @typedef {import("./sheets.js").Cell} Cell */
/** @typedef {import("./sheets.js").Now} Now */

/**
 * A calculation: a sentence, its terms, and how the terms become the number.
 * @typedef {object} Made
 * @property {string} text which rule it is, by its name in the words
 * @property {Array<string|number>} [given] what the sentence is about
 * @property {string[]} [columns] over the terms
 * @property {Array<{label: string, cells: Array<{value: number, to?: Cell}>, own?: boolean}>} [rows]
 *   own: the one that the number is about
 * @property {string[]} [lines] what becomes of the terms; ≈, as they are rounded
 */

/** Whole numbers as they are, others with four decimals, or a power of ten where these are all 0. */
export function show(value, digits = DIGITS) {
  if (Number.isInteger(value)) return fixed(value, 0);
  const small = Math.abs(value) < 0.5 * 10 ** -digits;
  return small ? `${value < 0 ? "−" : ""}${tiny(Math.abs(value), 1)}` : fixed(value, digits);
}
const sumOf = (values) => values.reduce((sum, value) => sum + value, 0);

/**
 * @param {Now} now
 * @param {Cell} cell
 * @returns {Made}
 */
export function madeOf(now, cell) {
  const { key } = cell;
  if (homeOf(key, now.config.N).sheet.weight) return { text: "weight" };
  if (key === "logits") return ofLogit(now, cell);
  if (key === "probabilities") {
    return ofSoftmax(now, cell, (j) => ({ ...cell, key: "logits", j }), now.names.chinese);
  }
  const found = key.match(LAYER);
  if (!found) return ofInput(now, cell, ...key.split("."));
  const [, stack, layer, sub, k, what] = found;
  const about = { stack, layer: Number(layer), name: `${stack}.${layer}.${sub}` };
  if (k) return ofNorm(now, cell, { ...about, k: Number(k) }, what);
  if (sub === "feed_forward") return ofFeedForward(now, cell, about, what);
  return ofAttention(now, cell, { ...about, cross: sub === "cross_attention" }, what);
}

/** The number of a cell. @param {Now} now @param {Cell} cell */
export const valueOf = (now, { key, head, i, j }) => matrixOf(now, key, head).at(i, j);

const one = (key, i, j, head = null) => ({ key, head, i, j });

/** A row times a column; left(k) and right(k) are the cells of a term. */
function product(now, n, left, right, label = (k) => String(k + 1)) {
  const rows = Array.from({ length: n }, (_, k) => {
    const [to, other] = [left(k), right(k)];
    const [a, b] = [valueOf(now, to), valueOf(now, other)];
    const cells = [{ value: a, to }, { value: b, to: other }, { value: a * b }];
    return { label: label(k), cells };
  });
  return { rows, sum: sumOf(rows.map(({ cells }) => cells[2].value)) };
}

function ofInput(now, { i, j }, side, what) {
  const { config: { d_model }, ids, names } = now;
  const name = names[side][i];
  if (what === "ids") {
    const about = [name, ids[side][i]];
    if (side === "source" || !i || !now.own) return { text: "id", given: about };
    const to = one("probabilities", i - 1, ids.target[i]); // of the row of the token before
    return { text: "written", given: [...about, names.target[i - 1]], columns: ["probability"],
      rows: [{ label: name, cells: [{ value: valueOf(now, to), to }] }] };
  }
  if (what === "positions") {
    const wave = j - (j % 2);
    return { text: "position", given: [i, wave, d_model, j % 2 ? "cos" : "sin"] };
  }
  if (what === "embedding") {
    const to = one(`${side}_embedding`, ids[side][i], j);
    const value = valueOf(now, to);
    return {
      text: "embedding", given: [name, ids[side][i], d_model], columns: ["number"],
      rows: [{ label: "id", cells: [{ value: ids[side][i], to: one(`${side}.ids`, i, 0) }] },
        { label: "E", cells: [{ value, to }] }],
      // With as many decimals as the product needs to have its four.
      lines: [`${show(value, DIGITS + 2)} · √${d_model} ≈ ${show(value * Math.sqrt(d_model))}`],
    };
  }
  return ofSum(now, "addition", [["embedding", one(`${side}.embedding`, i, j)],
    ["PE", one(`${side}.positions`, i, j)]]);
}

function ofSum(now, text, cells) {
  const rows = cells.map(([label, to]) => ({ label, cells: [{ value: valueOf(now, to), to }] }));
  const values = rows.map((row) => row.cells[0].value);
  const [a, b] = values;
  const second = b < 0 ? `− ${show(-b)}` : `+ ${show(b)}`;
  return { text, columns: ["number"], rows, lines: [`${show(a)} ${second} ≈ ${show(a + b)}`] };
}

function ofAttention(now, cell, { stack, layer, name, cross }, what) {
  const { i, j, head } = cell;
  const { config: { d_model, h, N }, names } = now;
  const d_k = d_model / h;
  const own = (part, r, c) => one(`${name}.${part}`, r, c, part === "mask" ? null : head);
  const keys = names[cross || stack === "encoder" ? "source" : "target"];
  if ("QKV".includes(what)) {
    const from = cross && what !== "Q" ? leaves("encoder", N) : readBy(stack, layer, cross ? 2 : 1);
    const { rows, sum } = product(now, d_model, (k) => one(from, i, k),
      (k) => own(`W_${what}`, k, j));
    return { text: "projection", given: [j + 1, `W_${what}`, head + 1],
      columns: ["in", `W_${what}`, "product"], rows, lines: [`sum ≈ ${show(sum)}`] };
  }
  if (what === "scores") {
    const { rows, sum } = product(now, d_k, (k) => own("Q", i, k), (k) => own("K", j, k));
    return { text: "score", given: [keys[j], d_k], columns: ["Q", "K", "product"], rows,
      lines: [`sum ≈ ${show(sum)}`, `${show(sum)} / √${d_k} ≈ ${show(sum / Math.sqrt(d_k))}`] };
  }
  if (what === "mask") return { text: stack === "decoder" && !cross ? "causal" : "padding" };
  if (what === "weights") {
    return ofSoftmax(now, cell, (k) => own("scores", i, k), keys, (k) => own("mask", i, k));
  }
  if (what === "Z") {
    const { rows, sum } = product(now, keys.length, (k) => own("weights", i, k),
      (k) => own("V", k, j), (k) => keys[k]);
    return { text: "average", columns: ["weight", "V", "product"], rows,
      lines: [`sum ≈ ${show(sum)}`] };
  }
  const { rows, sum } = product(now, d_model,
    (k) => one(`${name}.Z`, i, k % d_k, Math.floor(k / d_k)), (k) => one(`${name}.W_O`, k, j));
  return { text: "mixed", given: [j + 1], columns: ["Z", "W_O", "product"], rows,
    lines: [`sum ≈ ${show(sum)}`] };
}

/** Of attention, where what the mask hides has no term; without a mask of the last box. */
function ofSoftmax(now, cell, score, labels, mask = null) {
  const [from, share] = mask ? ["score", "weight"] : ["logit", "probability"];
  const all = labels.map((label, j) => ({ label, j, to: score(j), value: valueOf(now, score(j)) }));
  const seen = all.filter(({ j }) => !mask || valueOf(now, mask(j)));
  const largest = Math.max(...seen.map(({ value }) => value));
  const rows = seen.map(({ label, j, value, to }) => ({ label, own: j === cell.j,
    cells: [{ value, to }, { value: Math.exp(value - largest) }] }));
  const total = sumOf(rows.map(({ cells }) => cells[1].value));
  if (mask && !valueOf(now, mask(cell.j))) {
    return { text: "hidden", columns: ["mask"],
      rows: [{ label: labels[cell.j], cells: [{ value: 0, to: mask(cell.j) }] }] };
  }
  const e = Math.exp(valueOf(now, score(cell.j)) - largest);
  return { text: "softmax", given: [from, trimmed(largest, DIGITS), share],
    columns: [from, `e^(${from} − largest)`], rows,
    lines: [`sum of the powers ≈ ${show(total)}`,
      `${show(e)} / ${show(total)} ≈ ${show(e / total)}`] };
}

function ofNorm(now, { i, j }, { stack, layer, name, k }, what) {
  if (what === "sum") {
    const sub = `${stack}.${layer}.${SUBS[stack][k - 1]}.output`;
    return ofSum(now, "residual", [["in", one(readBy(stack, layer, k), i, j)],
      ["f(in)", one(sub, i, j)]]);
  }
  const { config: { d_model } } = now;
  const [x, gamma, beta] = [one(`${name}.sum`, i, j), one(`${name}.layer_norm.gamma`, 0, j),
    one(`${name}.layer_norm.beta`, 0, j)];
  const row = Array.from({ length: d_model }, (_, c) => one(`${name}.sum`, i, c));
  const values = row.map((to) => valueOf(now, to));
  const mean = sumOf(values) / d_model;
  const squares = values.map((value) => (value - mean) ** 2);
  const variance = sumOf(squares) / d_model;
  const [own, scale, shift] = [x, gamma, beta].map((to) => valueOf(now, to));
  const root = Math.sqrt(variance + EPSILON);
  const pick = (label, to) => ({ label, cells: [{ value: valueOf(now, to), to }] });
  return { text: "normalised", given: [j + 1], columns: ["number", "(number − mean)²"],
    rows: [pick("x", x), pick("γ", gamma), pick("β", beta),
      ...row.map((to, c) => ({ label: String(c + 1),
        cells: [{ value: values[c], to }, { value: squares[c] }] }))],
    lines: [`mean ≈ ${show(mean)}, variance ≈ ${show(variance)}`,
      `${show(scale)} · (${show(own)} − ${bracket(mean)}) / √(${show(variance)} + 0.00001) + `
        + `${bracket(shift)} ≈ ${show((scale * (own - mean)) / root + shift)}`] };
}

const bracket = (value) => (value < 0 ? `(${show(value)})` : show(value));

function ofFeedForward(now, { i, j }, { stack, layer, name }, what) {
  const { config: { d_model, d_ff } } = now;
  const own = (part, r, c) => one(`${name}.${part}`, r, c);
  if (what === "relu") {
    const to = own("hidden", i, j);
    const value = valueOf(now, to);
    return { text: "relu", columns: ["number"], rows: [{ label: "hidden", cells: [{ value, to }] }],
      lines: [`max(0, ${show(value)}) = ${show(Math.max(0, value))}`] };
  }
  const first = what === "hidden";
  const number = first ? 1 : 2;
  const from = readBy(stack, layer, SUBS[stack].length);
  const left = first ? (k) => one(from, i, k) : (k) => own("relu", i, k);
  const { rows, sum } = product(now, first ? d_model : d_ff, left,
    (k) => own(`W_${number}`, k, j));
  const bias = own(`b_${number}`, 0, j);
  const value = valueOf(now, bias);
  return { text: "layer", given: [j + 1, number],
    columns: [first ? "in" : "ReLU", `W_${number}`, "product"],
    rows: [...rows, { label: `b_${number}`, cells: [{ value, to: bias }] }],
    lines: [`sum ≈ ${show(sum)}`,
      `${show(sum)} + ${bracket(value)} ≈ ${show(sum + value)}`] };
}

function ofLogit(now, { i, j }) {
  const { config: { d_model, N }, names } = now;
  const { rows, sum } = product(now, d_model, (k) => one(leaves("decoder", N), i, k),
    (k) => one("target_embedding", j, k));
  return { text: "logit", given: [names.chinese[j]], columns: ["in", "E", "product"], rows,
    lines: [`sum ≈ ${show(sum)}`] };
}
