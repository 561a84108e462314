/**
 * What Sphinx's search lacks, for the search page alone: Chinese, whose words no space parts, is
 * looked for by characters; what is quoted is text that the page shows; a result leads to the
 * section of its words. The index's half is in tools/site/search.py.
 */

const SECTION = "section[id]:not([id^=solution-content])"; // every solution has that name
const AROUND = 120; // characters quoted before what was found; as many behind
const CHINESE = /[\u3400-\u9fff]/g;
const HIDDEN = ".headerlink, script, style, details.hide, .tb-lost, .tb-tip, mjx-assistive-mml";

// searchtools.js takes this one if there is one.
window.splitQuery = (query) => query
  .replace(CHINESE, " $& ")
  .split(/[^\p{Letter}\p{Number}_\p{Emoji_Presentation}]+/gu)
  .filter((term) => term);

/** A formula as one would type it: sqrt(d_k), not its TeX. */
function plain(formula) {
  const text = formula.textContent.replace(/\\[()[\]]/g, "").replace(/\\([A-Za-z]+)/g, "$1 ");
  formula.textContent = text.replace(/\{/g, "(").replace(/\}/g, ")").replace(/\\/g, "");
}

/** The section that has most of the words, the first and innermost of equals. */
function best(main, words) {
  const has = (element) => {
    const text = element.textContent.toLowerCase();
    return words.filter((word) => text.includes(word)).length;
  };
  let section = main.querySelector(SECTION);
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
  return dots[0] + text.slice(from, to).trim() + dots[1];
}

/** What stands under a result, in place of Sphinx's own. */
function summary(html, keywords, anchor) {
  const main = new DOMParser().parseFromString(html, "text/html").querySelector("[role=main]");
  if (!main) return null;
  main.querySelectorAll(HIDDEN).forEach((element) => element.remove());
  main.querySelectorAll(".math").forEach(plain);
  const words = [...keywords].map((word) => word.toLowerCase());
  const there = anchor && main.ownerDocument.getElementById(anchor.slice(1));
  const section = there || best(main, words) || main;
  // A label of a figure leads to its section, and says nothing as part of a sentence.
  section.querySelectorAll("svg").forEach((figure) => figure.remove());
  const line = document.createElement("p");
  line.className = "context";
  line.textContent = quote(section.textContent.replace(/\s+/g, " ").trim(), words);
  if (!anchor && section.id && section !== main.querySelector(SECTION))
    queueMicrotask(() => lead(line.parentElement?.querySelector("a"), section));
  return line;
}

/** Let a result lead to the section, and say so. */
function lead(link, section) {
  if (!link) return;
  link.href = `${link.href.split("#")[0]}#${section.id}`;
  link.append(` › ${section.querySelector("h1, h2, h3, h4").textContent.trim()}`);
}

document.addEventListener("DOMContentLoaded", () => {
  Search.makeSearchSummary = summary; // searchtools.js has made it
});
