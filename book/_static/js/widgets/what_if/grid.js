/** Every head and every residual connection of the model, each a button that takes it away. */

import { h } from "../../kit/dom.js";
import { rove } from "../../kit/rove.js";

const GONE = "✕";

/**
 * @param {import("./parts.js").SubLayer[]} subs
 * @param {object} words what the reader sees
 * @param {(parts: string[], off: boolean) => void} onPress take these parts away, or put them back
 * @returns {{element: HTMLElement, set: (off: string[]) => void}}
 */
export function partsGrid(subs, words, onPress) {
  const most = Math.max(...subs.map(({ heads }) => heads.length));
  /** @type {Array<{parts: string[], button: HTMLElement, sign: string}>} */
  const all = [];
  const button = (sign, name, parts) => {
    const pressed = () => made.getAttribute("aria-pressed") === "true";
    const made = h("button", {
      type: "button", "aria-label": name, title: name, "aria-pressed": "false",
      onclick: () => onPress(parts, !pressed()),
    }, sign);
    all.push({ parts, button: made, sign });
    return made;
  };
  const rows = subs.map(({ stack, layer, kind, heads, residual }) => {
    const place = words.place(words.stacks[stack], layer, words.kinds[kind]);
    const own = heads.map((part, k) => button(String(k + 1), words.headOf(place, k + 1), [part]));
    const whole = heads.length ? [button(words.all, words.allOf(place), heads)] : [];
    const empty = new Array(most + 1 - own.length - whole.length).fill(null);
    const short = words.place(words.stacks[stack], layer, words.short[kind]);
    return { short, buttons: [...own, ...whole, ...empty,
      button("+", words.residualOf(place), [residual])] };
  });
  const table = h("table", { role: "grid", "aria-label": words.grid, class: "tb-parts" },
    h("thead", {}, h("tr", {}, h("td", {}),
      h("th", { scope: "colgroup", colspan: most }, words.heads),
      h("th", { scope: "colgroup", colspan: 2 }, words.residual))),
    h("tbody", {}, ...rows.map(({ short, buttons }) => h("tr", {},
      h("th", { scope: "row" }, short),
      ...buttons.map((one) => h("td", {}, ...(one ? [one] : [])))))));
  rove(table, rows.map(({ buttons }) => buttons));
  const set = (off) => all.forEach(({ parts, button: one, sign }) => {
    const gone = parts.every((part) => off.includes(part));
    one.setAttribute("aria-pressed", String(gone));
    one.replaceChildren(gone && sign !== words.all ? GONE : sign);
  });
  return { element: table, set };
}
