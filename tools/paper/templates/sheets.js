// Lays the chapters out on sheets, with notes at the foot of each and the numbers of sheets where
// they are asked for. Chromium prints no footnotes of its own.
//
// All heights are measured first, in one long column as wide as a sheet's text. Then blocks that
// are never parted (paragraphs, figures with their titles, code) are dealt out to sheets.

const WHOLE = ".cover, p, h1, h2, h3, h4, h5, figure, pre, dt, tr, div.math, .citation, .footnote";
// These are not parted either, if they are small.
const SMALL = ".exercise, .solution, .live, ul, ol, dl, dd, table";
const HEADS = "h1, h2, h3, h4, h5, dt, .admonition-title, .where, .about, .keep, thead tr";

const RULE = 14; // pixels above the first note
const SHRUNK = 0.78; // how small a figure may be drawn to stay on the sheet of its text
const FEW = 0.15; // of a sheet: a chapter that ends on so little is set closer, if that spares the sheet
const FULL = 0.6; // of a sheet: on one so full, no further chapter of the part begins

/** The blocks of an element that are never parted, in order. */
function blocks(element, high) {
  const bare = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const small = element.matches(SMALL) && element.getBoundingClientRect().height < high / 5;
  if (element.matches(WHOLE) || bare || small || !element.firstElementChild) return [element];
  return [...element.children].flatMap((child) => blocks(child, high));
}

/** Whether a block belongs to the next: a heading, a sentence with a colon, code and its output. */
function leadsOn(element) {
  if (element.matches(HEADS)) return true;
  if (element.matches("p")) return /:\s*$/.test(element.textContent);
  if (element.matches("tr")) return titles(element);
  return element.matches(".cell_input pre") && element.closest(".cell").matches(":has(.cell_output)");
}

/** Whether a row of a table is a title of the rows below: one bold cell, the others empty. */
function titles(row) {
  const said = row.textContent.trim();
  return said !== "" && said === row.cells[0].querySelector("strong")?.textContent.trim();
}

/** Make what is wider than the column as wide as it, and figures no higher than a sheet. */
function fit(column, high) {
  const wide = column.clientWidth;
  for (const table of column.querySelectorAll("table, div.math > mjx-container")) {
    const needed = table.scrollWidth;
    if (needed > wide) table.style.zoom = String(Math.max(0.5, wide / needed));
    for (const cell of table.querySelectorAll("th, td")) {
      cell.style.width = `${cell.getBoundingClientRect().width}px`;
    }
  }
  for (const figure of column.querySelectorAll("figure")) {
    const over = figure.getBoundingClientRect().height - high;
    for (const drawing of over > 0 ? figure.querySelectorAll("svg") : []) {
      const box = drawing.getBoundingClientRect();
      drawing.style.width = `${(box.width * (box.height - over)) / box.height}px`;
    }
  }
}

/** What dealing asks of a block: where it stands in the column, and what it brings along. */
function measured(element) {
  const { top, bottom } = element.getBoundingClientRect();
  const head = element.matches("tbody tr") && element.closest("table").tHead;
  return {
    element, top, bottom, leads: leadsOn(element), chapter: element.closest("[data-part]"),
    again: head ? head.getBoundingClientRect().height : 0, // a table that goes on repeats its head
    notes: [...element.querySelectorAll("sup.mark")].map((mark) => mark.dataset.note),
  };
}

/** Deal a chapter out so that no few lines are left for its last sheet, if closer lines are enough. */
function dealWell(chapter, high, noteHeight) {
  const wide = deal(chapter, high, noteHeight);
  const last = wide[wide.length - 1];
  const left = last[last.length - 1].getBoundingClientRect().bottom - last[0].getBoundingClientRect().top;
  if (wide.length === 1 || left > high * FEW || chapter.matches(".of-part")) return wide;
  chapter.classList.add("close");
  const close = deal(chapter, high, noteHeight);
  if (close.length < wide.length) return close;
  chapter.classList.remove("close");
  return deal(chapter, high, noteHeight);
}

/** Deal a chapter's blocks out: the lists of blocks of its sheets. */
function deal(chapter, high, noteHeight) {
  for (const drawing of chapter.querySelectorAll("svg[data-before]")) {
    drawing.style.width = drawing.dataset.before;
  }
  const all = blocks(chapter, high).map(measured);
  const sheets = [];
  for (let first = 0; first < all.length; ) {
    const notes = new Set();
    let foot = all[first].again;
    let end = first;
    for (; end < all.length; end += 1) {
      const begins = end > first && all[end].chapter !== all[end - 1].chapter;
      if (begins && all[end].top - all[first].top > high * FULL) break;
      for (const note of all[end].notes) {
        if (!notes.has(note)) foot += noteHeight(note) + (notes.size ? 0 : RULE);
        notes.add(note);
      }
      const over = all[end].bottom - all[first].top + foot - high;
      if (over > 0 && end > first && !shrunk(all, end, over)) break;
    }
    // What leads on to the next block goes to the next sheet with it.
    let back = end;
    while (end < all.length && back > first && all[back - 1].leads) back -= 1;
    if (back > first) end = back;
    sheets.push(all.slice(first, end).map((block) => block.element));
    first = end;
  }
  return sheets;
}

/** Draw a figure a little smaller, if it then fits; what comes after it moves up. */
function shrunk(all, at, over) {
  const drawings = all[at].element.matches("figure") ? all[at].element.querySelectorAll("svg") : [];
  if (drawings.length !== 1) return false;
  const { width, height } = drawings[0].getBoundingClientRect();
  const scale = (height - over - 1) / height;
  if (scale < SHRUNK) return false;
  drawings[0].dataset.before ??= drawings[0].style.width;
  drawings[0].style.width = `${width * scale}px`;
  all[at].bottom -= over + 1;
  for (const block of all.slice(at + 1)) {
    block.top -= over + 1;
    block.bottom -= over + 1;
  }
  return true;
}

/** The heads of tables, to be repeated where one goes on; the table itself loses its rows to sheets. */
function headsOf(column) {
  const tables = [...column.querySelectorAll("table")].filter((table) => table.tHead);
  return new Map(tables.map((table) => [table, table.tHead.cloneNode(true)]));
}

/** Make a sheet of these blocks, each within copies of what it stood in. */
function makeSheet(chapter, elements, heads) {
  const sheet = document.createElement("div");
  sheet.className = "sheet";
  const text = document.createElement("div");
  text.className = "text";
  sheet.append(text);
  const copies = new Map();
  for (const element of elements) {
    const within = [];
    for (let up = element.parentElement; up !== chapter.parentElement; up = up.parentElement) {
      within.unshift(up);
    }
    let place = text;
    for (const original of within) {
      if (!copies.has(original)) {
        const copy = original.cloneNode(false);
        original.removeAttribute("id"); // the first copy bears the name
        if (original.dataset.begun) copy.classList.add("goes-on");
        original.dataset.begun = "yes";
        place.append(copy);
        copies.set(original, copy);
        const head = original.matches("tbody") && heads.get(original.parentElement);
        if (head && copy.classList.contains("goes-on")) copy.before(head.cloneNode(true));
      }
      place = copies.get(original);
    }
    place.append(element);
  }
  for (let top = text.firstElementChild; top; top = top.firstElementChild) {
    top.style.marginTop = "0";
    top.style.paddingTop = "0";
    if (top.matches(WHOLE)) break;
  }
  for (let last = text.lastElementChild; last; last = last.lastElementChild) {
    last.style.marginBottom = "0";
    if (last.matches(WHOLE)) break;
  }
  return sheet;
}

/** Put what the sheet's marks point to at its foot, once each, counted from 1. */
function addNotes(sheet, sources) {
  const found = [...new Set([...sheet.querySelectorAll("sup.mark")].map((m) => m.dataset.note))];
  for (const mark of sheet.querySelectorAll("sup.mark")) {
    mark.textContent = String(found.indexOf(mark.dataset.note) + 1);
  }
  if (!found.length) return;
  const list = document.createElement("div");
  list.className = "notes";
  found.forEach((note, at) => {
    const line = sources.get(note).cloneNode(true);
    line.querySelector("sup").textContent = String(at + 1);
    list.append(line);
  });
  sheet.append(list);
}

function addEdges(sheet, chapter, number) {
  if (chapter.dataset.bare !== undefined) return;
  const head = document.createElement("div");
  head.className = "running";
  // Solutions say of which chapter the first of a sheet are.
  const within = [...sheet.querySelectorAll("[data-short]")].at(1);
  for (const words of [chapter.dataset.part, (within ?? chapter).dataset.short]) {
    const one = document.createElement("span");
    one.textContent = words;
    head.append(one);
  }
  const foot = document.createElement("div");
  foot.className = "folio";
  foot.textContent = String(number);
  sheet.append(head, foot);
}

/** What is larger than the sheet's text may be, each said in words. */
function tooLarge(sheet, high) {
  const text = sheet.querySelector(".text");
  const { top, bottom, right } = text.getBoundingClientRect();
  const notes = sheet.querySelector(".notes");
  const limit = notes ? notes.getBoundingClientRect().top : top + high;
  const said = [];
  if (bottom > limit + 1) said.push(`${Math.round(bottom - limit)} px too high`);
  for (const element of text.querySelectorAll("p, pre, table, figure, mjx-container, svg")) {
    const past = element.getBoundingClientRect().right - right;
    const words = element.textContent.trim().slice(0, 40);
    if (past > 1) said.push(`${element.localName} "${words}" ${Math.round(past)} px too wide`);
  }
  return said;
}

/**
 * Lay out the whole book.
 * @returns {{sheets: number, over: string[], headings: string[]}} how many sheets, what did not
 *   fit on its own, and what the headings say
 */
function layOut() {
  const column = document.querySelector("main");
  const probe = document.querySelector("#probe");
  const high = probe.getBoundingClientRect().height;
  fit(column, high);
  const sources = new Map();
  const heights = new Map();
  for (const line of document.querySelectorAll("#notes > p")) {
    sources.set(line.dataset.note, line);
    heights.set(line.dataset.note, line.getBoundingClientRect().height);
  }
  const chapters = [...column.children];
  const heads = headsOf(column);
  const dealt = chapters.map((one) => dealWell(one, high, (note) => heights.get(note)));
  const made = [];
  chapters.forEach((chapter, at) => {
    for (const elements of dealt[at]) {
      const sheet = makeSheet(chapter, elements, heads);
      addNotes(sheet, sources);
      addEdges(sheet, chapter, made.length + 1);
      made.push(sheet);
    }
  });
  document.body.replaceChildren(...made);
  const numbers = new Map();
  made.forEach((sheet, at) => {
    for (const named of sheet.querySelectorAll("[id]")) numbers.set(named.id, at + 1);
  });
  for (const place of document.querySelectorAll("[data-page-of]")) {
    const number = numbers.get(place.dataset.pageOf);
    if (!number) throw new Error(`No sheet bears the name ${place.dataset.pageOf}.`);
    place.textContent = String(number);
  }
  const over = made.slice(1).flatMap((sheet, at) => tooLarge(sheet, high).map((said) => `page ${at + 2}: ${said}`));
  // The cover is a whole sheet, and the first.
  const headings = [...document.querySelectorAll("h1, h2, h3, h4, h5")].map((e) => e.textContent);
  return { sheets: made.length, over, headings };
}
