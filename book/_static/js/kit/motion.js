/** Motion that shows where something went; none for readers who prefer none. */

/** Whether the reader's system asks for less motion. */
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * Change what an element shows; whatever is there before and after glides to its new place.
 * @param {HTMLElement} element
 * @param {() => void} change redraws it; the same thing has the same data-thing before and after
 */
export function glide(element, change) {
  /** @returns {NodeListOf<HTMLElement>} */
  const all = () => element.querySelectorAll("[data-thing]");
  const things = () => [...all()];
  const before = new Map(things().map((one) => [one.dataset.thing, one.getBoundingClientRect()]));
  change();
  if (still()) return;
  for (const one of things()) {
    const was = before.get(one.dataset.thing);
    const is = one.getBoundingClientRect();
    const from = was && { transform: `translate(${was.x - is.x}px, ${was.y - is.y}px)` };
    one.animate([from ?? { opacity: 0 }, from ? { transform: "none" } : { opacity: 1 }], {
      duration: 280, easing: "ease-out",
    });
  }
}
