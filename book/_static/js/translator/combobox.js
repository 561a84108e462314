/** A line to type in, with a list of words that may come next: the ARIA pattern "combobox". */

import { h } from "../kit/dom.js";

let count = 0; // of the lines on this page

/**
 * @param {{name: string, list: string}} about the names of the line and of its list, for screen
 *   readers
 * @param {string} text
 * @param {object} act
 * @param {(text: string) => string[]} act.suggest what to offer for the text up to the caret
 * @param {(text: string, word: string) => string} act.accept the text up to the caret with a word
 * @param {(text: string) => void} act.onInput
 * @param {() => void} act.onEnter Enter was pressed where no word is chosen
 */
export function combobox({ name, list }, text, act) {
  const id = `tb-suggestions-${(count += 1)}`;
  let offered = [];
  let chosen = -1;
  const box = h("ul", { id, role: "listbox", "aria-label": list, hidden: true });
  const input = h("input", {
    type: "text", role: "combobox", class: "tb-typed", "aria-label": name,
    "aria-controls": id, "aria-expanded": "false", "aria-autocomplete": "list",
    autocomplete: "off", autocapitalize: "off", spellcheck: "false", lang: "en", value: text,
    oninput: () => { act.onInput(input.value); open(); },
    onclick: () => open(),
    onblur: () => close(),
    onkeydown: (event) => { if (press(event.key)) event.preventDefault(); },
  });

  const caret = () => input.value.slice(0, input.selectionStart);
  const choose = (k) => {
    chosen = k;
    [...box.children].forEach((option, i) => {
      option.setAttribute("aria-selected", String(i === k));
      if (i === k) option.scrollIntoView({ block: "nearest" });
    });
    if (k < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", box.children[k].id);
  };
  const open = () => {
    const atEnd = /^\S*$/.test(input.value.slice(input.selectionStart).replace(/^\S+/, ""));
    offered = atEnd ? act.suggest(caret()) : [];
    box.replaceChildren(...offered.map((word, k) => h("li", {
      role: "option", id: `${id}-${k}`,
      onpointerdown: (event) => event.preventDefault(), // the line keeps the focus
      onclick: () => take(k),
    }, word)));
    box.hidden = !offered.length;
    input.setAttribute("aria-expanded", String(!box.hidden));
    choose(-1);
  };
  const close = () => {
    box.hidden = true;
    input.setAttribute("aria-expanded", "false");
    choose(-1);
  };
  const take = (k) => {
    const before = act.accept(caret(), offered[k]);
    input.value = before + input.value.slice(input.selectionStart).trimStart();
    input.setSelectionRange(before.length, before.length);
    act.onInput(input.value);
    open();
  };
  const press = (key) => {
    if (key === "ArrowDown" || key === "ArrowUp") {
      if (box.hidden) open();
      else if (key === "ArrowDown") choose(chosen + 1 < offered.length ? chosen + 1 : -1);
      else choose(chosen < 0 ? offered.length - 1 : chosen - 1);
    } else if (key === "Enter" && !box.hidden && chosen >= 0) take(chosen);
    else if (key === "Enter") {
      close();
      act.onEnter();
    } else if (key === "Escape" && !box.hidden) close();
    else return false;
    return true;
  };
  const set = (value) => {
    input.value = value;
    close();
  };
  return { element: h("div", { class: "tb-combobox" }, input, box), input, set };
}
