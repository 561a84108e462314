/** What Sphinx's own scripts share with book/_static/js/search*.js. */

/** A page's address, its title, an anchor, a description, a score and a file's name. */
type SearchResult = [string, string, string, string | null, number, string];

/** What searchindex.js holds: of each word the numbers of the pages that have it, and of each heading its places. */
interface SearchIndex {
  terms: Record<string, number | number[]>;
  titleterms: Record<string, number | number[]>;
  docnames: string[];
  alltitles: Record<string, [number, string | null][]>;
}

declare const Documentation: { TRANSLATIONS: Record<string, string> };
declare const Search: {
  _index: SearchIndex;
  makeSearchSummary(html: string, keywords: Iterable<string>, anchor: string): HTMLElement | null;
  _performSearch(query: string, ...terms: Set<string>[]): SearchResult[];
};
declare class Stemmer {
  stemWord(word: string): string;
}
declare const stopwords: string[];
declare function splitQuery(query: string): string[];

/** A page of the table that tools/site/search_names.py writes. */
interface NamedPage {
  page: string;
  kind: string;
  name: string;
  title: string;
  terms: string[];
}

interface Window {
  splitQuery(query: string): string[];
  pagesByName: NamedPage[];
}
