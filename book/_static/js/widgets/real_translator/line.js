/** Where any sentence is typed: as many lines as it has, so that all of it is seen. */

import { h } from "../../kit/dom.js";

/**
 * @param {string} name for screen readers
 * @param {string} text
 * @param {{onEnter: () => void, onInput: () => void}} act Enter translates; with Shift it is a space
 * @returns {{element: HTMLElement, text: string}} text: what stands there, in one line
 */
export function sentenceArea(name, text, { onEnter, onInput }) {
  const grow = () => {
    area.style.height = "auto"; // it may have become shorter
    area.style.height = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`;
  };
  const press = (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    onEnter();
  };
  const area = h("textarea", {
    class: "tb-typed", rows: 2, "aria-label": name, autocomplete: "off",
    autocapitalize: "sentences", spellcheck: "false", lang: "en", onkeydown: press,
    oninput: () => { grow(); onInput(); },
  });
  area.value = text;
  new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width !== width) grow();
    width = contentRect.width;
  }).observe(area);
  let width = 0;
  return {
    element: h("div", { class: "tb-combobox" }, area),
    get text() { return area.value.replace(/\s+/g, " ").trim(); },
    set text(now) {
      area.value = now;
      grow();
    },
  };
}
