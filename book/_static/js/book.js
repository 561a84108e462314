/**
 * Brings the widgets of a page to life. Every page that holds one loads this module, no other does:
 * the site bundles it with what it imports (tools/site/bundled_scripts.js).
 *
 * A widget in ten lines, widgets/doubling.js (and `{widget} doubling` where it stands):
 *
 *   import { h } from "../kit/dom.js";
 *   import { slider } from "../kit/controls.js";
 *   import { decimal, pageState } from "../kit/state.js";
 *   const WORDS = { x: "x", twice: (x) => `Twice that is ${2 * x}.` };
 *   export function mount(element, { data, lost }) {
 *     const line = h("p", {}), show = () => line.replaceChildren(WORDS.twice(state.values.x));
 *     const state = pageState("doubling", { x: decimal(data.x, 0, 9) }, show);
 *     const about = { low: 0, high: 9, step: 1, value: state.values.x };
 *     element.append(slider(WORDS.x, about, (x) => state.set({ x })).element, line);
 *     show(); // announce() says to screen readers what changed
 *   }
 */

import { h } from "./kit/dom.js";
import { replayable } from "./kit/replay.js";
import { follow } from "./kit/state.js";

const WORDS = {
  lost: "The live version of this figure could not be loaded: ",
  module: "a part of it did not arrive. Reload the page to try again.",
};

/** The nearest figure above. */
function figureBefore(place) {
  const above = [...document.querySelectorAll("figure.tb-figure")].filter((figure) =>
    figure.compareDocumentPosition(place) & Node.DOCUMENT_POSITION_FOLLOWING);
  return above.at(-1) ?? null;
}

/** What makes way for the widget: the figure, with the folded code that drew it alone. */
function stand(figure) {
  const cell = figure?.closest(".cell:has(details.hide)");
  return cell?.querySelectorAll("figure").length === 1 ? cell : figure;
}

async function enliven(place) {
  const figure = place.dataset.insteadOf ? stand(figureBefore(place)) : null;
  const data = place.querySelector('script[type="application/json"]')?.textContent ?? "null";
  const live = h("div", { class: "tb-live", role: "group" });
  const lost = (reason) => {
    live.remove();
    if (figure) figure.hidden = false;
    place.dataset.lost = "";
    place.querySelector(".tb-lost").replaceChildren(WORDS.lost + reason);
  };
  const address = `./widgets/${place.dataset.widget}.js`; // a name, so that no bundle has all of them
  let widget;
  try {
    widget = await import(address);
  } catch (error) {
    console.warn(error);
    return lost(WORDS.module);
  }
  place.append(live);
  try {
    await widget.mount(live, { data: JSON.parse(data), lost });
  } catch (error) {
    console.warn(error);
    return lost(/** @type {Error} */ (error).message);
  }
  const taken = live.contains(figure); // it is a part of the widget now
  if (figure && !taken && !("lost" in place.dataset)) figure.hidden = true;
  if (location.hash === `#${place.id}`) place.scrollIntoView();
}

document.querySelectorAll(".tb-widget").forEach(enliven);
document.querySelectorAll(".tb-figure:has(svg .tb-step)").forEach(replayable);

/** A sentence that sets a widget does so at once; where it cannot, its address is followed. */
document.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest("a.tb-poke");
  if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (link.pathname !== location.pathname || !follow(link.search)) return;
  event.preventDefault();
  document.querySelector(link.hash)?.scrollIntoView({ block: "nearest" });
});
