/** Words cut into subwords, `play@@ house`, by the merges that were learned from the corpus. */

const JOINT = "@@"; // behind every piece but the last of its word
const END = "</w>"; // in merges, behind the last character of a word

/** As data.Subwords. */
export class Subwords {
  /** @param {Array<[string, string]>} merges in the order learned */
  constructor(merges) {
    this.rank = new Map();
    this.halves = new Map();
    merges.forEach(([left, right], i) => {
      const pair = keyOf(left, right);
      if (!this.rank.has(pair)) this.rank.set(pair, i); // of equals the first counts
      if (!this.halves.has(left + right)) this.halves.set(left + right, [left, right]);
    });
  }

  /**
   * Merge the characters of a word, the pair that was learned first before all others; what the
   * vocabulary lacks is cut again where it was merged.
   *
   * @param {string} word without white space
   * @param {{knows: (piece: string) => boolean}} vocabulary
   * @returns {string[]} pieces; a character that the vocabulary lacks stays one
   */
  cut(word, vocabulary) {
    let symbols = Array.from(word);
    symbols[symbols.length - 1] += END;
    for (let first; (first = this.#first(symbols)); ) symbols = merged(symbols, first);
    return symbols.flatMap((symbol) => this.#apart(symbol, vocabulary)).map(written);
  }

  #first(symbols) {
    const pairs = symbols.slice(1).map((right, i) => keyOf(symbols[i], right));
    const rankOf = (pair) => this.rank.get(pair) ?? Infinity;
    const [least] = pairs.sort((a, b) => rankOf(a) - rankOf(b));
    return this.rank.has(least) ? least : null;
  }

  #apart(symbol, vocabulary) {
    const halves = this.halves.get(symbol);
    if (!halves || vocabulary.knows(written(symbol))) return [symbol];
    return halves.flatMap((half) => this.#apart(half, vocabulary));
  }
}

const keyOf = (left, right) => `${left} ${right}`; // no symbol has a space

/** Join the two symbols of a pair wherever they meet, from left to right. */
function merged(symbols, pair) {
  const all = [];
  for (const symbol of symbols) {
    if (all.length && keyOf(all.at(-1), symbol) === pair) all[all.length - 1] += symbol;
    else all.push(symbol);
  }
  return all;
}

function written(symbol) {
  return symbol.endsWith(END) ? symbol.slice(0, -END.length) : symbol + JOINT;
}
