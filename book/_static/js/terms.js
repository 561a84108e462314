/**
 * Terms: the definition of one shows where the pointer, the focus or a finger is on its link. Pages
 * that hold a term load this; the definitions stand in them (tools/site/terms.py). A plain script
 * and no module, so that it runs where the book is opened as files, too.
 */
{
  const LEAVE = 250; // ms for the pointer to get from a term to its tip
  const EDGE = 8; // px between a tip and the edge of the window
  const GAP = 4; // px between a term and its tip

  class Term {
    /** @param {HTMLElement} element */
    constructor(element) {
      this.element = element;
      this.link = element.querySelector("a");
      this.tip = /** @type {HTMLElement} */ (element.querySelector(".tb-tip"));
      this.leaving = 0;
    }

    get shown() { return this.tip.classList.contains("tb-shown"); }

    show() {
      clearTimeout(this.leaving);
      if (this.shown) return;
      hide();
      now = this;
      this.tip.classList.add("tb-shown");
      this.tip.showPopover?.(); // above all else, and cut off by no box
      this.place();
    }

    hide() {
      clearTimeout(this.leaving);
      if (!this.shown) return;
      this.tip.hidePopover?.();
      this.tip.classList.remove("tb-shown");
      now = null;
    }

    /** Under the first line of the term, or above it where there is no room; within the window. */
    place() {
      const term = this.link.getClientRects()[0];
      const { width, height } = this.tip.getBoundingClientRect();
      const wide = document.documentElement.clientWidth;
      const left = Math.max(EDGE, Math.min(term.left, wide - width - EDGE));
      const below = term.bottom + GAP + height <= innerHeight;
      const top = below ? term.bottom + GAP : Math.max(EDGE, term.top - GAP - height);
      Object.assign(this.tip.style, { left: `${left}px`, top: `${top}px` });
    }

    enliven() {
      let touch = false; // whether a finger came last, and found no tip
      this.link.setAttribute("aria-describedby", this.tip.firstElementChild.id);
      this.element.addEventListener("pointerenter", (event) => {
        if (event.pointerType !== "touch") this.show();
      });
      this.element.addEventListener("pointerleave", (event) => {
        if (event.pointerType === "touch" || this.element.contains(document.activeElement)) return;
        this.leaving = setTimeout(() => this.hide(), LEAVE);
      });
      this.link.addEventListener("pointerdown", (event) => {
        touch = event.pointerType === "touch" && !this.shown;
      });
      this.link.addEventListener("focus", () => this.show());
      this.element.addEventListener("focusout", (event) => {
        if (!this.element.contains(/** @type {Node} */ (event.relatedTarget))) this.hide();
      });
      this.link.addEventListener("click", (event) => {
        if (!touch) return;
        touch = false;
        event.preventDefault();
        this.show();
      });
    }
  }

  /** The term whose tip is shown. @type {Term|null} */
  let now = null;
  const hide = () => now?.hide();

  /** @type {NodeListOf<HTMLElement>} */
  const all = document.querySelectorAll(".tb-term");
  all.forEach((element) => new Term(element).enliven());
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  document.addEventListener("pointerdown", (event) => {
    if (now && !now.element.contains(/** @type {Node} */ (event.target))) hide();
  });
  for (const moved of ["scroll", "resize"])
    addEventListener(moved, () => now?.place(), { passive: true, capture: true });
}
