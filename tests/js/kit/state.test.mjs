import assert from "node:assert/strict";
import { test } from "node:test";

import * as state from "../../../book/_static/js/kit/state.js";

const fields = {
  step: state.whole(8, 1, 8),
  scale: state.decimal(1, 0, 4),
  head: state.oneOf("1", ["1", "2"]),
  causal: state.flag(false),
  sentence: state.words("the cat", 20),
  cell: state.cell(["", 0, 1]),
  X: state.matrix([[1, 0], [0, 2]], -100, 100),
};
const initial = state.readState("", "w", fields);
const there = (values, query = "") => state.writeState(query, "w", fields, values);
const back = (query) => state.readState(query, "w", fields);

test("an address without a state gives the defaults, and the defaults leave none", () => {
  assert.deepEqual(initial, {
    step: 8, scale: 1, head: "1", causal: false, sentence: "the cat",
    cell: ["", 0, 1], X: [[1, 0], [0, 2]],
  });
  assert.equal(there(initial), "");
  assert.equal(there(initial, "?w.step=3"), "");
});

test("what was written is read again, and only what differs is written", () => {
  const values = {
    ...initial, scale: 0.5, causal: true, sentence: "1+1 = 2 & \"so?\" 猫",
    cell: ["W_Q1", 2, 10], X: [[-1.5, 1e-9], [1e-12, 2]],
  };
  const query = there(values);
  assert.deepEqual(new Set([...new URLSearchParams(query).keys()]),
    new Set(["w.scale", "w.causal", "w.sentence", "w.cell", "w.X"]));
  assert.deepEqual(back(query), { ...values, X: [[-1.5, 0.000000001], [0, 2]] });
  assert.doesNotThrow(() => new URL(`http://localhost/${query}`));
});

test("a matrix can be read by people, too", () => {
  assert.equal(there({ ...initial, X: [[1, 0], [0, 5]] }), "?w.X=1,0;0,5");
});

test("other widgets and whatever else is there stay as they are", () => {
  const query = "?from=lecture&v.step=2&w.step=1&w2.step=4";
  assert.equal(there({ ...initial, step: 3 }, query), "?from=lecture&v.step=2&w2.step=4&w.step=3");
});

const BROKEN = [
  ["step", ["0", "9", "1.5", "", "one", "1e0", "0x1", " 2"]],
  ["scale", ["-1", "5", "NaN", "Infinity", "1e1", "0.5.1"]],
  ["head", ["3", "constructor", ""]],
  ["causal", ["true", "1", "toString", "constructor", "__proto__"]],
  ["sentence", ["a".repeat(21)]],
  ["cell", ["X", "X.1", "X.1.x", "X.-1.0", "<b>.0.1", "X.0.1.2", "X.0.1234"]],
  ["X", ["1,2", "1,2;3", "1,2;3,4;5,6", "1,2;3,x", "1,2;3,101", "1,2;3,", "1,2;3,NaN", ""]],
];
for (const [key, texts] of BROKEN) {
  test(`a broken ${key} falls back to its default, and the rest still counts`, () => {
    for (const text of texts) {
      const other = key === "step" ? "w.scale=2" : "w.step=2";
      const read = back(`?w.${key}=${encodeURIComponent(text)}&${other}`);
      assert.deepEqual(read[key], initial[key], JSON.stringify(text));
      assert.equal(key === "step" ? read.scale : read.step, 2);
    }
  });
}

test("an address that is not even text is read", () => {
  assert.deepEqual(back("?w.X=%E0%A4%A&%&=&w.step"), initial);
});

test("a sentence may set widgets of the page, and nothing else", () => {
  const location = { search: "", hash: "", pathname: "/" };
  Object.assign(globalThis, { location, history: { replaceState() {} } });
  const changed = [];
  const own = state.pageState("w", fields, (keys) => changed.push(...keys));
  assert.equal(state.follow("?w.step=3&w.causal=on"), true);
  assert.deepEqual([own.values.step, own.values.causal], [3, true]);
  assert.deepEqual(changed, ["step", "causal"]);
  for (const query of ["", "?w.step=99", "?w.none=1", "?other.step=3", "?step=3"])
    assert.equal(state.follow(query), false, query);
  assert.equal(own.values.step, 3);
});
