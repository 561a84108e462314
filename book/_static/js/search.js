/**
 * What Sphinx's search lacks, for the search page alone: Chinese, whose words no space parts, is
 * looked for by characters; what is quoted is text that the page shows; a result leads to the
 * section of its words. The index's half is in tools/site/search.py; search_ranking.js puts the pages
 * in order.
 */

const SECTION = "section[id]:not([id^=solution-content])"; // every solution has that name
const AROUND = 120; // characters quoted before what was found; as many behind
const HIDDEN = ".headerlink, script, style, details.hide, .tb-lost, .tb-tip, .tb-page-name, .tb-minutes, mjx-assistive-mml";
const EXAMPLES = "You can search for a word, a question, a function of PyTorch or a Chinese term, for example "
  + "“how does the model know word order”, “masked_fill” or “多头注意力”.";
// Sphinx's own sentences.
const FOUND = "Search finished, found ${resultCount} page(s) matching the search query.";
const NOT_FOUND = "Your search did not match any documents. Please make sure that all words are spelled correctly "
  + "and that you've selected enough categories.";

// searchtools.js takes this one if there is one.
window.splitQuery = (query) => query
  .replace(/[\u3400-\u9fff]/g, " $& ")
  .split(/[^\p{Letter}\p{Number}_\p{Emoji_Presentation}]+/gu)
  .filter((term) => term);

/** A formula as one would type it: sqrt(d_k), not its TeX. */
function plain(formula) {
  const text = formula.dataset.tex.replace(/\\([A-Za-z]+)/g, "$1 ");
  formula.textContent = text.replace(/\{/g, "(").replace(/\}/g, ")").replace(/\\/g, "");
}

/** The section that has most of the words, the first and innermost of equals. */
function best(main, words) {
  const has = (element) => {
    const text = element.textContent.toLowerCase();
    return words.filter((word) => text.includes(word)).length;
  };
  let section = main.querySelector(SECTION);
  if (!section || !has(section)) return section; // its name alone was looked for
  for (const other of main.querySelectorAll(SECTION)) {
    const more = has(other) - has(section);
    if (more > 0 || (more === 0 && section.contains(other))) section = other;
  }
  return section;
}

function quote(text, words) {
  const small = text.toLowerCase();
  const found = words.map((word) => small.indexOf(word)).filter((at) => at >= 0);
  const from = found.length ? Math.max(0, Math.min(...found) - AROUND) : 0;
  const to = from + 2 * AROUND;
  const dots = [from > 0 ? "…" : "", to < text.length ? "…" : ""];
  const shown = text.slice(from, to).replace(from > 0 ? /^\S*\s/ : "", ""); // from the first whole word
  return dots[0] + shown.trim() + dots[1];
}

/** What stands under a result, in place of Sphinx's own. */
function summary(html, keywords, anchor) {
  const main = new DOMParser().parseFromString(html, "text/html").querySelector("[role=main]");
  if (!main) return document.createElement("p"); // the page could not be had
  main.querySelectorAll(HIDDEN).forEach((element) => element.remove());
  main.querySelectorAll(".math").forEach(plain);
  const words = [...keywords].map((word) => word.toLowerCase());
  const there = anchor && main.ownerDocument.getElementById(anchor.slice(1));
  const section = there || best(main, words) || main;
  // A label of a figure leads to its section, and says nothing as part of a sentence.
  section.querySelectorAll("svg").forEach((figure) => figure.remove());
  const heading = section.querySelector("h1, h2, h3, h4"); // an exercise has none
  heading?.remove(); // the result's name has it
  const line = document.createElement("p");
  line.className = "context";
  line.textContent = quote(section.textContent.replace(/\s+/g, " ").trim(), words);
  if (!anchor && section.id && section !== main.querySelector(SECTION))
    queueMicrotask(() => lead(line.parentElement?.querySelector("a"), section, heading));
  return line;
}

/** Let a result lead to the section, and say so. */
function lead(link, section, heading) {
  if (!link) return;
  link.href = `${link.href.split("#")[0]}#${section.id}`;
  if (heading) link.append(` › ${heading.textContent.trim()}`);
}

/** What a result is called: by its page's name and its question. */
function called({ name, title, kind }) {
  return kind === "laboratory" || name === title ? title : `${name} – ${title}`;
}

/** Put the pages that the query means first, then headings and functions, then pages that have its words. */
function ranked(results, query) {
  ranking ??= new Ranking(window.pagesByName, Search._index);
  const pages = ranking.pages(query);
  const names = new Map(window.pagesByName.map(({ page, name }) => [page, name]));
  const parts = results.filter(([page, , anchor]) => anchor || !names.has(page));
  for (const result of parts) {
    const [, ...sections] = result[1].split(" > ");
    // The package's functions have a description, and names of their own.
    if (names.has(result[0]) && !result[3]) result[1] = [names.get(result[0]), ...sections].join(" › ");
  }
  const rows = pages.map((page) => [page.page, called(page), "", null, 0, `${page.page}.md`]);
  const first = pages.filter(({ named }) => named).length;
  const all = [...rows.slice(0, first), ...parts.reverse(), ...rows.slice(first)];
  sayHowMany(new Set(all.map(([page]) => page)).size);
  return all.reverse(); // the search shows its last result first
}

/** Have Sphinx's search say in a sentence how many pages it found; it asks for its own in this book's words. */
function sayHowMany(pages) {
  Object.assign(Documentation.TRANSLATIONS, {
    [FOUND]: pages === 1 ? "Found one page." : `Found ${pages} pages, the best ones first.`,
    [NOT_FOUND]: "No page was found. Try another word for the same thing.",
  });
}

/** Say on the empty page what one may look for. */
function explain() {
  const line = document.createElement("p");
  line.textContent = EXAMPLES;
  document.getElementById("search-results").append(line);
}

// This script is deferred: searchtools.js has made the search, which begins when the page is read.
let ranking = null;
const perform = Search._performSearch;
Search._performSearch = (query, ...terms) => ranked(perform(query, ...terms), query);
Search.makeSearchSummary = summary;
if (!new URLSearchParams(location.search).get("q")) explain();
