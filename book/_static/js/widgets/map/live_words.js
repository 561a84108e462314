/** What a reader sees and hears of the map's numbers. */

export const WORDS = {
  longest: 32, // tokens
  layer: "layer", head: "head", part: "Matrix",
  row: "row", column: "column",
  of: (rows, all, columns, every) => `Rows ${rows} of ${all}, columns ${columns} of ${every}`,
  caption: (part, head, hides) => (head === null ? part : `${part}, head ${head + 1}`)
    + (hides ? "; hatched: masked" : ""),
  cell: (part, row, column) => `${part}[${row}, ${column}]`,
  twice: (token, place) => `${token} (${place})`, // a token that stands at more than one place
  where: (box, layer, head) => box + (layer ? `, layer ${layer}` : "")
    + (head ? `, head ${head}` : ""),
  at: (name, where) => `${name}: ${where}`,
  trail: "The way here",
  follow: (name) => `Follow ${name}`,
  terms: (name) => `What made ${name}`,
  press: "Press a number to see what made it.",
  after: "after",
  sentence: "English sentence",
  chinese: "What the decoder reads",
  own: "The model’s own translation",
  forced: "Your pieces, one after another",
  model: "Let the model translate",
  given: (n) => `n = ${n} tokens, <eos> at the end`,
  knows: (words, such) => `The model knows ${words} English words and learned from one kind of `
    + `sentence, such as “${such}” Others may become nonsense.`,
  stale: (text) => `All numbers are still those of “${text}”`,
  read: (m) => `m = ${m} tokens, <bos> in front`,
  empty: "Type at least one word.",
  several: "The model reads one sentence at a time. Leave one, with its full stop at the end.",
  long: (n, most) => `This sentence has ${n} tokens, and at most ${most} find room here.`,
  unknown: (pieces) => `The model does not know ${pieces} and reads <unk> there.`,
  said: (box, name, value) => `${box}: ${name} = ${value}.`,
  made: {
    id: (word, id) => `“${word}” stands in the vocabulary under the number ${id}.`,
    written: (word, id, before) => `“${word}” stands in the vocabulary under the number ${id}. The `
      + `model wrote it: no other piece had so large a probability after “${before}”.`,
    weight: () => "A number of the model itself. Training found it.",
    embedding: (word, id, d) => `The row of E for id ${id}, that of “${word}”, times √${d}. Ids `
      + `count from 0, so it is row ${id + 1}.`,
    position: (place, wave, d, wavy) =>
      `A formula, no weight: ${wavy}(${place} / 10000^(${wave}/${d})) for place ${place}. Places `
      + `count from 0, so it is in row ${place + 1}.`,
    addition: () => "The token’s number plus that of its place.",
    projection: (column, W, head) => `The row of what comes in, times column ${column} of head `
      + `${head}’s part of ${W}.`,
    score: (key, d) => `The query times the key of “${key}”, term by term, divided by √${d}.`,
    causal: () => "1 where the row’s token may look: at itself and at what stands before it.",
    padding: () => "1 where the column has a token. A sentence alone has no padding, so all are 1.",
    softmax: (score, largest, share) => `e to the power of the ${score}, divided by the sum of all `
      + `such powers. The largest ${score}, ${largest}, is taken off first; that changes no ${share}.`,
    hidden: () => "The mask hides it, so its weight is 0.",
    average: () => "The values of all tokens, each times its weight, added up.",
    mixed: (column) => `The heads’ results side by side, times column ${column} of W_O.`,
    residual: () => "What went into the part below, plus what came out of it.",
    normalised: (j) => `Number ${j} of the row, less the row’s mean, divided by the root of its `
      + "variance; then times γ plus β, which training found.",
    layer: (column, k) => `The row times column ${column} of W_${k}, plus b_${k}.`,
    relu: () => "The number as it is where it is above 0, else 0.",
    logit: (token) => `The row of what comes in, times the row of E that belongs to “${token}”.`,
  },
};
