import assert from "node:assert/strict";
import { test } from "node:test";

import { changedOdds, changedSteps } from "../../book/_static/js/decode/changed.js";
import { steps } from "../../book/_static/js/decode/steps.js";
import { trace } from "../../book/_static/js/decode/trace.js";
import { EOS } from "../../book/_static/js/files/vocabulary.js";
import { model, near, numbers } from "./numbers.mjs";

const learner = model("learner");
const cases = numbers("learner");
const MOST = { maxLength: 12 };

test("what a changed model writes, and the odds of each step, are PyTorch's", () => {
  let different = 0;
  for (const { source, changed } of cases) {
    for (const { changes, greedy, odds } of changed) {
      const ours = [...changedSteps(learner, source, changes, MOST)];
      const expected = greedy.length < MOST.maxLength ? [...greedy, EOS] : greedy;
      assert.deepEqual(ours.map(({ token }) => token), expected, JSON.stringify(changes));
      near(ours.map((one) => one.probabilities), odds, 1e-6, JSON.stringify(changes));
      if (String(greedy) !== String(changed[0].greedy)) different += 1;
      if (!greedy.length) continue;
      const begun = greedy.slice(0, -1);
      near(changedOdds(learner, source, begun, changes), odds[begun.length], 1e-6);
    }
  }
  assert.ok(different > 10, `${different}`);
});

test("without changes it writes what decoding with a cache writes", () => {
  for (const { source } of cases) {
    const plain = steps(learner, source, MOST);
    const ours = [...changedSteps(learner, source, {}, MOST)];
    assert.deepEqual(ours.map(({ token }) => token), plain.map(({ token }) => token));
    near(ours.map((one) => one.probabilities), plain.map((one) => Array.from(one.probabilities)));
  }
});

test("a trace that goes on from an earlier one is the trace from the start", () => {
  const [{ source }] = cases;
  for (const changes of [{}, { scale: false, positions: ["source"] }]) {
    const earlier = trace(learner, source, [2, 5], changes);
    const [goesOn, anew] = [earlier, null].map((from) =>
      trace(learner, source, [2, 5, 9], changes, from));
    assert.deepEqual(goesOn, anew);
  }
});

test("without positions the source is a bag of words", () => {
  const { source } = cases.find((one) => one.source.length > 3);
  const turned = [...source.slice(0, -1).reverse(), EOS];
  const written = (ids, changes) =>
    [...changedSteps(learner, ids, changes, MOST)].map(({ token }) => token);
  const bag = { positions: ["source"] };
  assert.deepEqual(written(turned, bag), written(source, bag));
  assert.notDeepEqual(written(turned, {}), written(source, {}));
});

test("it is cut where it is told to stop, and refuses what cannot be decoded", () => {
  const [{ source }] = cases;
  assert.equal([...changedSteps(learner, source, { residual: false }, { maxLength: 1 })].length, 1);
  assert.throws(() => changedSteps(learner, [], {}).next(), /changedSteps: source is empty/);
});
