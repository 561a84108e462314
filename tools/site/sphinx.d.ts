/** What Sphinx's own scripts share with book/_static/js/search.js. */

declare const Search: {
  makeSearchSummary(html: string, keywords: Iterable<string>, anchor: string): HTMLElement | null;
};

interface Window {
  splitQuery(query: string): string[];
}
