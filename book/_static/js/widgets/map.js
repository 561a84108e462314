/**
 * The map: a sentence goes through the architecture, and every place tells its shapes, at the sizes
 * of the paper, or its numbers in the book's own model, which comes when it is asked for.
 */

import { announce } from "../kit/announce.js";
import { choice } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { oneOf, pageState, whole, words } from "../kit/state.js";
import { pressable } from "./map/boxes.js";
import { Drawing } from "./map/drawing.js";
import { ARROWS, PLACES, STACKS, outOf, touched, written } from "./map/places.js";
import { Panel } from "./map/panel.js";
import { LONGEST, Sizes, sizing } from "./map/sizes.js";
import { WORDS } from "./map/words.js";
import { readOwnAbout } from "../translator/about.js";

const PACE = 4000; // ms at each box
const MOST = 512; // rows and columns of a matrix that an address may name
const NUMBERS = ["layer", "head", "word", "part", "column", "forced"]; // they open the numbers
const FIRST = { part: "", column: 0 }; // of a box: its first matrix, and the column that tells most
const CROSS = "Multi-head cross-attention, decoder";
const POINTS = ["part", "word", "column"]; // a link that has one is about a number
const SLACK = 4; // px
const JUMPS = ["Positional encoding", "Outputs"]; // no arrow leads there from the box before

export function mount(element, { data }) {
  const figure = document.querySelector("figure.tb-figure:has(.tb-link)");
  if (!figure) throw new Error(WORDS.lost);
  element.setAttribute("aria-label", WORDS.widget);
  const map = new TheMap(element, figure, data);
  addEventListener("click", ({ target, defaultPrevented }) => { // a sentence of the page led here
    const link = target instanceof Element ? target.closest("a.tb-poke") : null;
    if (defaultPrevented && /[?&]map\./.test(link?.getAttribute("href"))) map.arrive();
  });
  if (location.hash !== `#${element.parentNode.id}`) return;
  // Whoever opens a shared address sees the box; first the page scrolls to the widget.
  const arrive = () => setTimeout(() => map.arrive());
  if (document.readyState === "complete") arrive();
  else addEventListener("load", arrive, { once: true });
}

class TheMap {
  constructor(element, figure, data) {
    this.data = data;
    this.playing = null;
    this.speed = "1";
    this.live = null; // the numbers, once they are asked for
    this.turned = Promise.resolve(); // settled once what the state asks for is shown
    const fields = {
      ...sizing(data), at: whole(1, 1, PLACES.length), view: oneOf("shapes", ["shapes", "numbers"]),
      layer: whole(1, 1, 12), head: whole(1, 1, 16), part: words("", 20),
      word: whole(1, 1, MOST), column: whole(0, 0, MOST), forced: words("", LONGEST),
    };
    this.state = pageState("map", fields, (changed) => this.#update(changed));
    this.drawing = new Drawing(figure.querySelector("svg"), ARROWS);
    this.reach = pressable(this.drawing.boxes);
    this.sizes = new Sizes(data, this.state);
    this.#measure();
    this.panel = new Panel(WORDS, {
      go: (by) => this.#go(by), play: () => this.#toggle(), pace: (speed) => this.#pace(speed),
      numbers: () => (this.numbers ? this.live.element.scrollIntoView()
        : this.state.set({ view: "numbers" })),
    });
    this.view = choice(WORDS.view, Object.entries(WORDS.views), "shapes", (view) =>
      this.state.set({ view }));
    this.bands = h("p", { class: "tb-bands" });
    this.picture = h("div", { class: "tb-picture" });
    this.place = h("div", { class: "tb-map" }, this.view.element, this.panel.element,
      this.picture, this.panel.rest, this.sizes.element); // with Tab, Play comes before the boxes
    element.append(this.place);
    this.#showSizes();
    this.#listen(figure);
    this.#open(null);
    figure.append(this.bands);
    this.picture.append(figure); // last, so that it stays where it was if anything failed
    this.#begin();
  }

  /** Open the numbers, if the address asks for them; else say how much there is to load. */
  #begin() {
    const asked = NUMBERS.some((key) => new URLSearchParams(location.search).has(`map.${key}`));
    if (this.state.values.view === "numbers") this.turned = this.#turn();
    else if (asked) this.state.set({ view: "numbers" });
    readOwnAbout().then((about) => this.panel.size(about.bytes), () => {});
  }

  /** Show shapes or numbers; these first bring what they need. */
  async #turn() {
    const { state, place } = this;
    const pressed = document.activeElement === this.panel.open.element;
    this.view.set(state.values.view);
    if (state.values.view === "numbers" && !this.live) {
      try {
        await this.#load();
      } catch (error) {
        this.panel.say(WORDS.lacking(/** @type {Error} */ (error).message), true);
        state.set({ view: "shapes" });
        return;
      }
    }
    const numbers = this.numbers;
    place.classList.toggle("tb-numbered", numbers);
    this.sizes.element.hidden = numbers;
    this.panel.number(numbers);
    if (this.live) {
      this.live.element.hidden = !numbers;
      this.sentence.element.hidden = !numbers;
      this.sentence.read();
      this.live.show();
    }
    this.#measure();
    this.#showSizes();
    this.#open(null);
    if (!numbers) return;
    this.drawing.mark([]);
    this.panel.say("");
    // On a wide page the button that was pressed has gone: what it brought has the focus.
    if (pressed && !this.panel.open.element.getClientRects().length) this.live.grid.focus();
  }

  async #load() {
    this.panel.say(WORDS.waiting);
    const [about, { loadModel }, { Live }, { Sentence }] = await Promise.all([readOwnAbout(),
      import("../files/load.js"), import("./map/live.js"), import("./map/sentence.js")]);
    const progress = (received) =>
      this.panel.say(WORDS.loading(Math.round(100 * Math.min(received / about.bytes, 1))));
    const model = await loadModel(progress, undefined, about.sha256);
    const live = new Live(model, about.gloss, this.state);
    live.read(this.data.source, ""); // stays, where the reader's own sentence cannot be read
    this.live = live;
    this.sentence = new Sentence(live, about.follows, about.sentences[1], this.state, LONGEST);
    this.place.append(live.element, this.sentence.element);
    announce(WORDS.loaded);
  }

  /** Whether numbers are shown. */
  get numbers() {
    return Boolean(this.live) && this.state.values.view === "numbers";
  }

  #listen(figure) {
    const others = (event) => {
      if (this.playing && !this.panel.player.contains(event.target)) this.#pause();
    };
    for (const name of ["pointerdown", "input"]) this.place.addEventListener(name, others);
    figure.addEventListener("click", (event) => {
      const box = event.target.closest("[aria-label].tb-link");
      const at = PLACES.findIndex((one) => one.box === box?.getAttribute("aria-label")) + 1;
      const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
      if (!at || !plain) return; // a new tab or window gets the chapter
      event.preventDefault();
      this.#pause();
      this.state.set({ at, ...FIRST });
    });
  }

  #measure() {
    this.all = this.numbers ? this.live.sizes : this.sizes.measure();
  }

  #showSizes() {
    const { all } = this;
    this.drawing.write(ARROWS.map(([lower]) => written(outOf(lower), all)), all);
    this.bands.replaceChildren(WORDS.bands(all));
    if (!this.numbers) this.sizes.show();
  }

  /** Show the box that is open; from another, if the shapes are to run here. */
  #open(before) {
    const { at } = this.state.values;
    const { box } = PLACES[at - 1];
    const memory = box === CROSS ? STACKS.Encoder : null;
    const from = JUMPS.includes(box) ? null : before;
    this.drawing.open(box, written(outOf(box), this.all), from, memory);
    this.reach(box);
    this.panel.show(at, this.drawing.boxes.get(box).getAttribute("href"), this.all);
  }

  /** Bring the open box into view. @returns {number} where the page then stands */
  #uncover() {
    const { box } = PLACES[this.state.values.at - 1];
    return this.panel.uncover(this.drawing.boxes.get(box), Boolean(this.playing));
  }

  /** Show what a link is about: a number, or a box; not to someone who meanwhile reads elsewhere. */
  async arrive() {
    let left = false;
    for (const name of ["wheel", "touchmove", "keydown"]) {
      addEventListener(name, () => { left = true; }, { once: true, passive: true });
    }
    await this.turned;
    if (left) return;
    if (this.numbers && this.state.moved(POINTS)) this.live.reveal();
    else this.#uncover();
  }

  #go(by) {
    this.#pause();
    const at = this.state.values.at + by;
    if (at >= 1 && at <= PLACES.length) this.state.set({ at, ...FIRST });
  }

  #toggle() {
    if (this.playing) this.#pause();
    else this.#play();
  }

  /** At once, and then after each time to read. Where the reader has scrolled, the page stays. */
  #play() {
    let stands = scrollY;
    this.panel.play.replaceChildren(WORDS.pause);
    const step = () => {
      const at = this.state.values.at % PLACES.length + 1;
      const own = Math.abs(scrollY - stands) <= SLACK;
      this.state.set({ at, ...FIRST });
      if (own) stands = this.#uncover();
      if (at === PLACES.length) this.#pause();
    };
    this.playing = setInterval(step, PACE / Number(this.speed));
    step();
  }

  #pace(speed) {
    this.speed = speed;
    if (!this.playing) return;
    clearInterval(this.playing);
    this.#play();
  }

  #pause() {
    clearInterval(this.playing);
    this.playing = null;
    this.panel.play.replaceChildren(WORDS.play);
  }

  #update(changed) {
    if (changed.includes("view")) {
      this.turned = this.#turn();
      return;
    }
    const { at } = this.state.values;
    const { numbers } = this;
    const following = numbers && this.live.following;
    if (numbers && ["source", "forced"].some((key) => changed.includes(key))) this.sentence.read();
    const moved = changed.includes("at");
    const before = moved && at > 1 ? PLACES[at - 2].box : null;
    const was = this.all;
    this.#measure();
    if (!moved) this.#showSizes();
    this.#open(before);
    if (moved && !following && !this.playing) this.#uncover();
    if (numbers) this.live.changed(changed);
    else announce(moved ? this.#said() : this.#resized(changed, touched(was, this.all)));
  }

  /** The open box and its shapes, in a sentence. */
  #said() {
    const { box, passes } = PLACES[this.state.values.at - 1];
    const shapes = passes.map(([what, shape]) =>
      `${WORDS.what[what] ?? what} ${written(shape, this.all)}`);
    return `${box}: ${shapes.join(", ")}.`;
  }

  /** Mark the boxes with other shapes, until the next change; return what there is to say. */
  #resized(changed, boxes) {
    this.drawing.mark(boxes);
    this.panel.say(WORDS.marked(boxes.length, PLACES.length));
    const { values } = this.state;
    const empty = changed.filter((key) => this.sizes.empty[key]);
    if (empty.length) return `${WORDS[empty[0]]}: ${WORDS.empty}`;
    const full = changed.some((key) => WORDS[key] && values[key].length >= LONGEST);
    return WORDS.sizes(this.all) + WORDS.touched(boxes, PLACES.length)
      + (full ? ` ${WORDS.full(LONGEST)}` : "");
  }
}
