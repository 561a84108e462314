/** What a reader sees where a translation is written. */

export const WORDS = {
  mode: "How words are chosen",
  modes: { greedy: "greedy", beam: "beam", sample: "sample" },
  steps: "The translation, word by word",
  back: "One word back",
  forward: "One word forward",
  run: "Run",
  pause: "Pause",
  title: (step, of) => `Next token, step ${step} of ${of}`,
  said: (step, word, p) => `Step ${step}: ${word}, probability ${p}.`,
  odd: (word, english, p, taken) =>
    `${word}${english && `, ${english}`}, probability ${p}${taken ? ", taken" : ", put it in"}`,
  rest: (n, p) => `${n} others share ${p}.`,
  force: "Click one to put it in.",
  undo: "Let the model choose",
  temperature: "Temperature",
  seed: (seed) => `Seed ${seed}`,
  again: "Draw again",
  beams: "The beams, by score",
  score: "Score of n tokens: their log-probability, <eos> included, divided by ((5 + n)/6)^0.6. "
    + "4 beams; what could no longer win is not listed.",
  given: (n, added, recased = []) => {
    const other = recased.slice(0, 2).map(([typed, read]) => `“${typed}” as “${read}”`);
    if (recased.length > 2) other.push("and so on");
    if (added) other.push("a full stop was added");
    const more = other.length ? `${other.join(", ")}, and <eos>` : "<eos> is one";
    return `The model reads ${n} tokens: ${more}.`;
  },
  cut: (n) => `Cut at ${n}, its limit, without <eos>.`,
  halted: (n) => `You stopped it after ${n}, without <eos>.`,
  whole: "The translation:",
  kind: "Whose attention",
  kinds: { self: "Self-attention", masked: "Masked self-attention", cross: "Cross-attention" },
  short: { self: "encoder self", masked: "decoder masked", cross: "decoder cross" },
  layer: "layer", head: "head", mean: "mean",
  view: "Drawn as", lines: "lines", matrix: "matrix",
  where: (kind, layer, head) =>
    `${kind}, layer ${layer}, ${head === "mean" ? "mean" : `head ${head}`}`,
  query: "query", key: "key", writes: "writes", reads: "reads",
  caption: (rows, columns) => `row = ${rows}, column = ${columns}`,
  hint: "Point at a word, or move with the arrow keys, to see its lines alone.",
  token: (name, place) => `“${name}”${place === null ? "" : ` (token ${place})`}`,
  masked: "masked",
  told: (kind, side, name, top) => {
    if (side === 1) return `${name} gets most from ${top}.`;
    return `${kind === "self" ? name : `Writing ${name}, it`} looks most at ${top}.`;
  },
  cell: (kind, query, key, w) => {
    const who = kind === "self" ? query : `Writing ${query}, it`;
    if (w === null) return `${who} cannot see ${key}: masked.`;
    return `${who} gives ${key} ${w} of its weight.`;
  },
};
