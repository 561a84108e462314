import assert from "node:assert/strict";
import { test } from "node:test";

import { dotProduct, result, shift, softmaxOf } from "../../../book/_static/js/kit/arithmetic.js";
import {
  fixed, grouped, parse, significant, tiny, trimmed, usual,
} from "../../../book/_static/js/kit/format.js";

const text = (pieces) => pieces.map(([piece]) => piece).join("");

test("numbers have a true minus sign, and there is no minus zero", () => {
  assert.equal(fixed(-1.005, 1), "\u22121.0");
  assert.equal(fixed(-0.004, 2), "0.00");
  assert.equal(fixed(-0, 0), "0");
  assert.equal(trimmed(-0), "0");
});

test("no more decimals than there are, and whole hundreds stay hundreds", () => {
  assert.equal(trimmed(0.767917940), "0.76791794");
  assert.equal(trimmed(2.5), "2.5");
  assert.equal(trimmed(100), "100");
  assert.equal(trimmed(-1e-10), "0");
  assert.equal(trimmed(1200, 0), "1200");
});

test("large numbers have a comma at each thousand, tiny ones a power of ten", () => {
  assert.deepEqual([999, 1024, "1234567"].map(grouped), ["999", "1,024", "1,234,567"]);
  assert.equal(tiny(5.94e-7, 1), "5.9 × 10⁻⁷");
  assert.equal(tiny(1e-10, 2), "1.00 × 10⁻¹⁰");
});

test("a matrix of whole numbers is shown in whole numbers", () => {
  assert.equal(usual([[1, -2], [0, 3]]), 0);
  assert.equal(usual([[1, 2], [0.5, 3]]), 2);
});

test("numbers are read as people type them", () => {
  const typed = { " -1.5 ": -1.5, "\u22121.5": -1.5, "1,5": 1.5, ".5": 0.5, "+3": 3, "4.": 4 };
  for (const [given, value] of Object.entries(typed)) assert.equal(parse(given), value, given);
  const refused = ["", "-", ".", "2x", "1 2", "1,2,3", "1e3", "NaN", "Infinity", "0x1F", "--1"];
  for (const given of refused) assert.ok(Number.isNaN(parse(given)), given);
});

test("what was written is read again", () => {
  for (const value of [0, -1.5, 12.25, -0.001, 99.9999]) assert.equal(parse(trimmed(value)), value);
});

test("a dot product stands in pairs, negative factors in brackets", () => {
  const pieces = dotProduct([1, -2], [0.5, -4], ["q", "k"], [0, 2]);
  assert.equal(text(pieces), "1·0.50 + (\u22122)·(\u22124.00)");
  assert.deepEqual(pieces.filter(([, role]) => role).map(([, role]) => role), ["q", "k", "q", "k"]);
});

test("the result is equal to what is written, or nearly", () => {
  assert.equal(text(result(8, true)), " = 8");
  assert.equal(text(result(0.1 + 0.2, true)), " = 0.3");
  assert.equal(text(result(0.015625, true)), " = 0.015625");
  assert.equal(text(result(1e-13, true)), " ≈ 0.00"); // a small weight is no hidden one
  assert.equal(text(result(2, false)), " ≈ 2.00");
});

test("what is rounded has the two decimals of what it is made of, not eight", () => {
  assert.equal(text(result(Math.SQRT2, true)), " ≈ 1.41");
  assert.equal(text(result(0.767917940, false)), " ≈ 0.77");
  assert.equal(text(result(0.767917940, false, 4)), " ≈ 0.7679");
  assert.equal(text(result(-2262741699.79695177, false)), " ≈ \u22122262741700");
});

test("a weight of softmax shows its row", () => {
  const shown = text(softmaxOf([0, Math.log(3)], 1, 0.75));
  assert.equal(shown, " ≈ e1.10 / (e0.00 + e1.10) ≈ 3.00 / (1.00 + 3.00) ≈ 0.75");
  assert.equal(text(softmaxOf([0, 0], 1, 0.5)), " = e0.00 / (e0.00 + e0.00) = 1.00 / (1.00 + 1.00) = 0.5");
  assert.equal(text(softmaxOf([1.5], 0, 1)), " = e1.50 / e1.50 = 4.48 / 4.48 = 1");
});

test("a weight that the computer rounds to 1 is not 1", () => {
  const shown = / ≈ 1\.00 \/ \(1\.00 \+ 0\.00 \+ 0\.00\) ≈ 1\.00$/;
  assert.match(text(softmaxOf([75.853, -129.2, 34.86], 0, 1)), shown);
  assert.match(text(softmaxOf([2000, 0, 500], 0, 1)), shown); // the others are 0 in 64 bits
});

test("what e would make too large or too small to read is shifted", () => {
  const at = (by) => [by, by + Math.log(3)];
  for (const by of [-1000, -40, 20, 1000]) {
    const shown = text(softmaxOf(at(by), 0, 0.25));
    assert.equal(shown, " ≈ e\u22121.10 / (e\u22121.10 + e0.00) ≈ 0.33 / (0.33 + 1.00) ≈ 0.25");
    assert.equal(shift(at(by)), by + Math.log(3));
  }
  assert.equal(shift([0, 5.66, 5.66]), 0);
  assert.doesNotMatch(text(softmaxOf([-2.3e9, 2.3e9], 0, 0)), /Infinity|NaN|e\+/);
});

test("no number has more than eight significant digits", () => {
  const cases = { 5.65685425: "5.6568543", 0.767917944: "0.76791794", 99999999.9: "100000000" };
  for (const [value, shown] of Object.entries(cases)) assert.equal(trimmed(Number(value)), shown);
  assert.equal(trimmed(-2262741699.79695177), "\u22122262741700");
  assert.equal(significant(-2262741699.79695177, 2), "\u22122262741700");
  assert.equal(significant(1.5, 2), "1.50");
});
