/** A pair of dimensions as the hand of a clock: the sine to the right, the cosine upwards. */

import { svg } from "../../kit/dom.js";

const SIZE = 176; // px
const RADIUS = 76;

/** @type {(angle: number, r: number) => [number, number]} */
const tip = (angle, r) => [r * Math.sin(angle), -r * Math.cos(angle)];
const line = (kind, [x1, y1], [x2, y2]) => svg("line", { class: kind, x1, y1, x2, y2 });

/** The way of the hand, outwards a little with each turn so that no turn hides the one before. */
function spiral(from, turn) {
  const steps = Math.max(2, Math.ceil(turn * 16));
  const grow = turn > 6 ? 0.3 : 0;
  const points = Array.from({ length: steps + 1 }, (_, s) =>
    tip(from + turn * s / steps, RADIUS * (0.38 + grow * s / steps)));
  return `M${points.map(([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`).join("L")}`;
}

function head(angle, turn) {
  const [x, y] = tip(angle, RADIUS * (turn > 6 ? 0.68 : 0.38));
  const degrees = angle * 180 / Math.PI;
  return svg("path", { class: "tb-turn-head", d: "M6 0L-3 4V-4Z",
    transform: `translate(${x} ${y}) rotate(${degrees})` });
}

/**
 * @param {string} label for screen readers
 * @param {[number, number]} hand sine and cosine at the position
 * @param {number} turn radians from there to the other position
 * @param {string} role whose colour the pair has
 */
export function clock(label, hand, turn, role) {
  const from = Math.atan2(...hand);
  const [a, b] = [tip(from, RADIUS), tip(from + turn, RADIUS)];
  const hours = Array.from({ length: 12 }, (_, hour) => hour * Math.PI / 6)
    .map((angle) => line("tb-grid", tip(angle, RADIUS - 4), tip(angle, RADIUS)));
  const box = `${-SIZE / 2} ${-SIZE / 2} ${SIZE} ${SIZE}`;
  const picture = { class: `tb-clock tb-${role}`, role: "img", "aria-label": label, viewBox: box };
  return svg("svg", { ...picture, width: SIZE, height: SIZE },
    svg("circle", { class: "tb-face", r: RADIUS }), ...hours,
    line("tb-cosine", [0, 0], [0, a[1]]), line("tb-sine", [0, a[1]], a),
    ...(turn > 0.08 ? [svg("path", { class: "tb-turn", d: spiral(from, turn) }),
      head(from + turn, turn)] : []),
    line("tb-mark1", [0, 0], b), line("tb-mark0", [0, 0], a),
    svg("circle", { class: "tb-mark1", cx: b[0], cy: b[1], r: 5 }),
    svg("circle", { class: "tb-mark0", cx: a[0], cy: a[1], r: 5 }));
}
