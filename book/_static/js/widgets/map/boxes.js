/** The boxes of the figure as buttons: each opens here, and one Tab leads to all of them. */

import { rove } from "../../kit/rove.js";
import { PLACES } from "./places.js";

const POSITIONS = "Positional encoding"; // stands between the columns
const TARGET = PLACES.findIndex(({ box }) => box === "Outputs"); // the first on the right
const BETWEEN = 2; // the row of the additions, from the bottom

/** The boxes' names as they stand, from the top: the left column, between the columns, the right one. */
function rows() {
  const names = PLACES.map(({ box }) => box);
  const left = names.slice(0, TARGET).filter((name) => name !== POSITIONS);
  const right = names.slice(TARGET);
  return right.map((name, k) =>
    [left[k] ?? null, k === BETWEEN ? POSITIONS : null, name]).reverse();
}

/**
 * Let each box be pressed as a button is, and the arrow keys lead from box to box.
 * @param {Map<string, SVGGraphicsElement>} boxes by their names
 * @returns {(name: string) => void} to call with the one that Tab is to reach
 */
export function pressable(boxes) {
  const all = /** @type {Map<string, any>} */ (boxes);
  const figure = all.get(POSITIONS).ownerSVGElement;
  for (const box of all.values()) box.setAttribute("role", "button"); // it leads to no other page
  figure.addEventListener("keydown", (event) => {
    const box = event.key === " " && event.target.closest(".tb-link");
    if (!box) return;
    event.preventDefault();
    box.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  });
  const reach = rove(figure, rows().map((row) => row.map((name) => all.get(name) ?? null)));
  return (name) => reach(all.get(name));
}
