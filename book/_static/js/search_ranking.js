/**
 * Which pages a query means. Each of its words counts where it stands: in a page's name more than in
 * its text, more if it is rare, and a name of several words as far as the query has them.
 */

const KINDS = ["lesson", "tour", "workshop", "laboratory", "reference"];
// How much a word counts in the page's own name, in its terms and title, and in a heading; in the text, 1.
const OF_LESSONS = { name: 4, term: 3, heading: 1.6 };
const OF_OTHERS = { name: 2.5, term: 2.5, heading: 1.5 };

/** Of each page what it is called, as sets of words, and of two words those that one may write as one. */
class Names {
  constructor(pages, headings) {
    this.joined = new Map(); // multihead: multi, head
    this.words = new Map(); // of each the pages that are called by it
    this.pages = pages.map((page) => {
      const counts = ["lesson", "tour"].includes(page.kind) ? OF_LESSONS : OF_OTHERS;
      const fields = [
        this.field(page, page.name, counts.name),
        ...[page.title, ...page.terms].map((text) => this.field(page, text, counts.term)),
        ...(headings.get(page.page) ?? []).map((text) => this.field(page, text, counts.heading)),
      ];
      return { ...page, fields };
    });
  }

  field({ page }, text, weight) {
    const plain = plainWords(text), words = plain.map(stem);
    for (const word of words) this.words.set(word, (this.words.get(word) ?? new Set()).add(page));
    for (let i = 1; i < words.length; i += 1)
      if (plain[i].length > 1) this.joined.set(stem(plain[i - 1] + plain[i]), [words[i - 1], words[i]]);
    return { words: new Set(words), weight };
  }

  /** The words of a query, those written as one apart and those written apart as one besides. */
  asked(query) {
    const plain = plainWords(query);
    const words = plain.map(stem);
    const apart = words.flatMap((word) => this.joined.get(word) ?? []);
    const together = plain.slice(1).map((word, i) => stem(plain[i] + word));
    return [...new Set([...words, ...apart, ...together.filter((word) => this.words.has(word))])];
  }
}

/** The index of Sphinx: which pages have a word in their text. */
class Texts {
  constructor({ terms, titleterms, docnames }) {
    this.tables = [terms, titleterms];
    this.docnames = docnames;
  }

  /** The pages that have a word; of Chinese, those that have its characters. */
  with(word) {
    const parts = CHINESE.test(word) ? [...word] : [word];
    const found = parts.map((part) =>
      new Set(this.tables.flatMap((table) => Object.hasOwn(table, part) ? table[part] : [])));
    const files = [...found[0]].filter((file) => found.every((others) => others.has(file)));
    return new Set(files.map((file) => this.docnames[file]));
  }

  /** What is meant by a word that the index has not: words that it is a part of, or else a slip of. */
  near(word, names) {
    if (word.length < 4 || CHINESE.test(word)) return [];
    const all = [...names, ...this.tables.flatMap((table) => Object.keys(table))];
    const longer = all.filter((other) => other.includes(word));
    return longer.length || word.length < 5 ? longer : all.filter((other) => alike(word, other));
  }
}

/** Ranks pages for queries. */
class Ranking {
  constructor(pages, index) {
    const headings = new Map();
    for (const [title, places] of Object.entries(index.alltitles)) {
      for (const page of places.map(([file]) => index.docnames[file]))
        headings.set(page, [...headings.get(page) ?? [], title]);
    }
    this.names = new Names(pages, headings);
    this.texts = new Texts(index);
    this.rarities = new Map(); // as they are asked for
  }

  /** A word of a query, with the pages that have it: the rarer it is, the more it counts. */
  known(word) {
    const has = this.names.words.has(word) || this.texts.with(word).size > 0;
    const others = has ? [word] : this.texts.near(word, this.names.words.keys());
    const texts = new Set(others.flatMap((other) => [...this.texts.with(other)]));
    const pages = new Set([...texts, ...others.flatMap((other) => [...this.names.words.get(other) ?? []])]);
    const rarity = pages.size ? Math.log(1 + this.names.pages.length / pages.size) : 0;
    return { words: others, pages, texts, rarity };
  }

  /** How much of a name a query has, by the words' rarity; 0 to 1. */
  share({ words }, asked) {
    let had = 0, all = 0;
    for (const word of words) {
      const rarity = this.rarity(word);
      all += rarity;
      if (asked.some((one) => one.words.includes(word))) had += rarity;
    }
    return all ? had / all : 0;
  }

  rarity(word) {
    if (!this.rarities.has(word)) this.rarities.set(word, this.known(word).rarity);
    return this.rarities.get(word);
  }

  /** A page with how well it fits, and how much of the query it has at all. */
  fit(page, asked) {
    let score = 0, found = 0;
    for (const one of asked.filter(({ pages }) => pages.has(page.page))) {
      const fields = page.fields.filter(({ words }) => one.words.some((word) => words.has(word)));
      const named = fields.map((field) => field.weight * this.share(field, asked));
      score += one.rarity * Math.max(one.texts.has(page.page) ? 1 : 0, ...named);
      found += one.rarity;
    }
    return { ...page, score, found };
  }

  /**
   * The pages for a query, the best first, equal ones in the order of reading; `named` says that
   * its names made a page one of them. A page that has far less than the best is none.
   */
  pages(query) {
    const asked = this.names.asked(query).map((word) => this.known(word)).filter(({ pages }) => pages.size);
    const all = asked.reduce((sum, { rarity }) => sum + rarity, 0);
    const found = this.names.pages.map((page) => this.fit(page, asked));
    const best = Math.max(...found.map((page) => page.score));
    const most = Math.max(...found.map((page) => page.found));
    return found.filter(({ score, found }) => found > 0 && (found >= most / 2 || score >= best / 3))
      .sort((a, b) => b.score - a.score || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
      .map(({ page, name, title, kind, score }) => ({ page, name, title, kind, named: score > 1.2 * all }));
  }
}
