/** Buttons in rows of which one at a time is reached with Tab, and the others with the arrow keys. */

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * @param {HTMLElement} element that holds them all
 * @param {Array<Array<?HTMLElement>>} rows null where there is none; an arrow steps over it
 * @returns {(one: HTMLElement) => void} to call with the one that Tab is to reach
 */
export function rove(element, rows) {
  const all = rows.flat().filter(Boolean);
  const reach = (one) => all.forEach((other) => { other.tabIndex = other === one ? 0 : -1; });
  const beside = (i, j, [down, right]) => {
    do {
      i += down;
      j += right;
      if (!rows[i] || j < 0 || j >= rows[i].length) return null;
    } while (!rows[i][j]);
    return rows[i][j];
  };
  reach(all[0]);
  element.addEventListener("focusin", ({ target }) => {
    const one = all.find((button) => button === target);
    if (one) reach(one);
  });
  element.addEventListener("keydown", (event) => {
    const i = rows.findIndex((row) => row.some((one) => one && one === event.target));
    if (i < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const own = rows[i].filter(Boolean);
    const at = rows[i].findIndex((one) => one === event.target);
    const to = { Home: own[0], End: own.at(-1) }[event.key]
      ?? (ARROWS[event.key] && (beside(i, at, ARROWS[event.key]) ?? rows[i][at]));
    if (!to) return;
    event.preventDefault();
    to.focus();
  });
  return reach;
}
