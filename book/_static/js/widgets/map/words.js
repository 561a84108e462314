/** What a reader sees and hears of the map. */

import { grouped } from "../../kit/format.js";

export const WORDS = {
  widget: "The map, live",
  lost: "the figure is not on this page.",
  source: "English sentence",
  target: "Chinese sentence",
  count: (symbol, count, more) => `${symbol} = ${count} token${count === 1 ? "" : "s"}${more}`,
  full: (most) => `No more than ${most} characters fit.`,
  begin: ", with <bos> in front",
  end: ", with <eos> at the end",
  empty: "Type at least one word.",
  sliders: { d_model: "", h: ", heads", N: ", layers" },
  view: "What the map shows",
  views: {
    shapes: "the paper’s base model: shapes",
    numbers: "the book’s trained model: numbers",
  },
  open: (size) => `Show its numbers${size}`,
  below: "See its numbers",
  waiting: "The model is on its way.",
  loading: (percent) => `The model is on its way: ${percent}%.`,
  loaded: "The numbers are here.",
  lacking: (reason) => `The numbers cannot be shown; the shapes stay. ${
    reason[0].toUpperCase()}${reason.slice(1)}`,
  speed: "Speed",
  play: "Play",
  pause: "Pause",
  back: "One box back",
  forward: "One box forward",
  of: (at, all) => `${at} of ${all}`,
  chapter: "Read its chapter",
  reset: "Reset",
  resetDone: "The sentences and sizes are those of the page again.",
  sizes: ({ n, m, d_model, h, d_k, N }) =>
    `n = ${n}, m = ${m}, d_model = ${d_model}, h = ${h}, d_k = ${d_k}, N = ${N}.`,
  touched: (boxes, all) => (boxes.length ? " Other shapes in "
    + `${boxes.length === all ? "all boxes" : boxes.join("; ")}.` : ""),
  bands: ({ n, m }) => `A band is as wide as its sentence is long: ${n} English tokens, ${m} Chinese.`,
  marked: (n, all) => (n ? `${n === all ? "All" : `${n} of ${all}`} boxes have other shapes now: `
    + "those with a broken edge." : ""),
  what: { in: "in", out: "out", inside: "inside", ids: "ids", memory: "memory" },
  about: {
    inputs: "The English sentence is cut into tokens, and <eos> is put at its end. Each gets its "
      + "id, a number.",
    outputs: "The Chinese sentence as far as it is written, moved one place to the right: <bos> "
      + "stands in front. Here each character is a token.",
    embedding: "Each id selects a row of a matrix. From here on a token is a vector.",
    positions: "Sines and cosines that differ from place to place. They depend on the place alone, "
      + "not on the token there.",
    addition: "Each vector gets the vector of its place added. Without that, two equal tokens "
      + "would be one and the same.",
    self: "Each token asks with a query, and all answer with keys and values. Each head has "
      + "weights of its own, a row for each token that asks.",
    masked: "As in the encoder, but a token sees only itself and what was written before it. What "
      + "comes later gets weight 0.",
    cross: "Queries come from the Chinese side, keys and values from the English one. So the "
      + "weights have a row for each Chinese token and a column for each English one.",
    norm: (_, numbers) => "What went into the box below is added to what came out. Then each "
      + `vector gets mean 0 and variance 1${numbers ? ", is multiplied by γ and has β added" : ""}.`,
    feedForward: ({ d_model, d_ff }) => `Two layers: ${d_model} numbers become ${d_ff}, and these `
      + `${d_model} again. Each token goes through on its own.`,
    encoder: "The layers stand on top of each other, each with weights of its own. What comes out "
      + "has the shape of what went in, so there may be any number of them.",
    decoder: "As many layers here; each also reads what the last encoder layer put out. The shape "
      + "stays that of the Chinese side.",
    linear: ({ vocabulary }, numbers) => "A score, or logit, for each piece of the vocabulary, at "
      + `each place. The vocabulary has ${grouped(vocabulary)} pieces${numbers ? "" : " in the paper"}.`,
    softmax: "Each row of logits becomes probabilities that sum to 1: what may follow the row’s "
      + "token. The last row is about the token to be written next.",
  },
};
