import assert from "node:assert/strict";
import { test } from "node:test";

import { softmax } from "../../book/_static/js/by_hand/softmax.js";
import { beamSearch, beamSearching } from "../../book/_static/js/decode/beam.js";
import { Sequence } from "../../book/_static/js/decode/sequences.js";
import { DecodeError } from "../../book/_static/js/decode/errors.js";
import { best, greedy } from "../../book/_static/js/decode/greedy.js";
import {
  draw, keepTopK, keepTopP, narrowed, sample, seeded, withTemperature,
} from "../../book/_static/js/decode/sampling.js";
import { nextWord, steps } from "../../book/_static/js/decode/steps.js";
import { EOS } from "../../book/_static/js/files/vocabulary.js";
import { Matrix, infinite, model, near, numbers } from "./numbers.mjs";

const learner = model("learner");
const cases = numbers("learner");
const refused = (what) => (error) => error instanceof DecodeError && what.test(error.message);

test("greedy decoding takes the words that Python's takes", () => {
  for (const { source, greedy: expected, short } of cases) {
    assert.deepEqual(greedy(learner, source), expected);
    assert.deepEqual(greedy(learner, source, { maxLength: 3 }), short);
  }
});

test("a beam search finds what Python's finds, in its order", () => {
  for (const { source, beams: settings } of cases) {
    for (const { beams, alpha, longest, found } of settings) {
      const ours = beamSearch(learner, source, beams, alpha, { maxLength: longest });
      assert.deepEqual(ours.map(({ ids }) => ids), found.map(({ ids }) => ids));
      assert.deepEqual(ours.map((one) => one.finished), found.map((one) => one.finished));
      near(ours.map((one) => one.logProbability), found.map((one) => one.log_probability), 1e-5);
      near(ours.map(({ score }) => score), found.map(({ score }) => score), 1e-5);
    }
  }
});

test("what is copied stands in a translation once, as in Python's", () => {
  let marks = 0;
  for (const { source, copied: { ids, greedy: expected, beam } } of cases) {
    const copying = { ...learner, copied: ids };
    assert.deepEqual(greedy(copying, source), expected);
    const ours = beamSearch(copying, source, 4, 0.6);
    assert.deepEqual(ours.map((one) => one.ids), beam.map((one) => one.ids));
    near(ours.map(({ score }) => score), beam.map(({ score }) => score), 1e-5);
    const due = ids.filter((id) => source.includes(id));
    marks += due.length;
    const written = (one) => one.filter((id) => ids.includes(id)).sort();
    for (const one of ours.filter(({ finished }) => finished)) assert.deepEqual(written(one.ids), due);
  }
  assert.ok(marks > 3);
});

test("of words as likely as each other a beam search takes the first", () => {
  // Without its output layer the model finds all words equally likely.
  const W = { ...learner.W, output: new Matrix(learner.config.target_words, learner.config.d_model) };
  const found = beamSearch({ ...learner, W }, cases[0].source, 3, 0, { maxLength: 1 });
  // 0 is padding, 2 begins a sentence: neither may stand in one.
  assert.deepEqual(found.map(({ ids, finished }) => [ids, finished]), [[[], true], [[1], false], [[4], false]]);
});

test("weights that are no numbers are refused, and no word is made of them", () => {
  const output = new Matrix(learner.config.target_words, learner.config.d_model);
  output.row(4).fill(NaN);
  const broken = { ...learner, W: { ...learner.W, output } };
  for (const decode of [greedy, beamSearch]) {
    assert.throws(() => decode(broken, cases[0].source), refused(/logits is not all finite/));
  }
});

test("with a rest after each token both begin as they end, and end in the same", () => {
  for (const { source, greedy: expected } of cases) {
    const sequence = new Sequence("test", learner, source);
    const written = [...sequence.writing((logits) => best(sequence.possible(logits)))];
    const whole = written.at(-1);
    assert.deepEqual(whole.filter((id) => id !== EOS), expected);
    written.forEach((part, i) => assert.deepEqual(part, whole.slice(0, i + 1)));
    const steps = beamSearching(learner, source, 3, 0.6);
    let [step, count] = [steps.next(), 0];
    for (; !step.done; step = steps.next()) assert.equal(step.value.length, (count += 1));
    assert.deepEqual(step.value, beamSearch(learner, source, 3, 0.6));
  }
});

test("the steps: tokens, distributions, cross-attention", () => {
  for (const { source, steps: expected } of cases) {
    const ours = steps(learner, source);
    assert.deepEqual(ours.map(({ token }) => token), expected.map(({ token }) => token));
    expected.forEach(({ probabilities, cross_attention: A }, i) => {
      near(ours[i].probabilities, probabilities, 1e-6);
      near(ours[i].cross_attention, A, 1e-6);
    });
  }
});

test("the next word without a cache is the next word with it", () => {
  const [{ source }] = cases;
  const sequence = new Sequence("test", learner, source);
  for (const token of [5, 9, 9, 4]) {
    const cached = sequence.nextLogits();
    const { logits, probabilities, weights } = nextWord(learner, source, sequence.target.slice(1));
    near(logits, Array.from(cached), 1e-10);
    near(probabilities, Array.from(softmax(cached)), 1e-10);
    const m = sequence.target.length;
    for (const [name, heads] of Object.entries(sequence.weights)) {
      heads.forEach((A, i) => near(weights[name][i].row(m - 1), Array.from(A.row(0)), 1e-10));
    }
    near(weights["encoder.0.self_attention"], sequence.encoderWeights["encoder.0.self_attention"]
      .map((A) => A.toLists()));
    assert.deepEqual(weights["decoder.1.cross_attention"][0].shape, [m, source.length]);
    sequence.append(token);
  }
});

test("a copy of a sequence goes its own way", () => {
  const sequence = new Sequence("test", learner, cases[0].source);
  sequence.nextLogits();
  const copy = sequence.copy();
  copy.append(7);
  copy.nextLogits();
  sequence.append(5);
  near(sequence.nextLogits(), Array.from(nextWord(learner, cases[0].source, [5]).logits), 1e-10);
});

test("padding after the source changes nothing", () => {
  const [{ source }] = cases;
  const padded = [...source, 0, 0];
  assert.deepEqual(greedy(learner, padded), greedy(learner, source));
  assert.equal(new Sequence("test", learner, padded).limit, new Sequence("test", learner, source).limit);
});

test("temperature, top-k and top-p, as Python's", () => {
  const own = { with_temperature: withTemperature, keep_top_k: keepTopK, keep_top_p: keepTopP };
  for (const { name, value, logits, kept } of numbers("choices")) {
    near(own[name](infinite(logits), value), Array.from(infinite(kept)), 1e-12, `${name} ${value}`);
  }
  const logits = Float64Array.of(1, 2, 3, 4);
  const expected = keepTopP(keepTopK(withTemperature(logits, 2), 3), 0.6);
  near(narrowed(logits, { temperature: 2, topK: 3, topP: 0.6 }), Array.from(expected));
});

test("a draw has the probabilities of its logits", () => {
  const logits = Float64Array.of(1, -Infinity, 2, 0, 2.5);
  const [random, draws, counts] = [seeded(1), 40_000, new Array(5).fill(0)];
  for (let i = 0; i < draws; i++) counts[draw(logits, random)] += 1;
  softmax(logits).forEach((p, id) => {
    const deviation = Math.sqrt(draws * p * (1 - p));
    assert.ok(Math.abs(counts[id] - draws * p) <= 4 * deviation, `${counts[id]} of ${draws * p}`);
  });
  assert.equal(draw(logits, () => 1 - 2 ** -53), 4, "what rounding leaves goes to the last");
  assert.equal(draw(logits, () => 0), 0);
});

test("the generator is even, and the same for the same seed", () => {
  const [one, same, other] = [seeded(5), seeded(5), seeded(6)];
  const [a, b, c] = [one, same, other].map((random) => Array.from({ length: 20_000 }, random));
  assert.deepEqual(a, b);
  assert.notDeepEqual(a, c);
  assert.ok(a.every((x) => x >= 0 && x < 1));
  const counts = new Array(10).fill(0);
  for (const x of a) counts[Math.floor(10 * x)] += 1;
  assert.ok(counts.every((count) => Math.abs(count - 2000) < 4 * Math.sqrt(2000)), `${counts}`);
});

test("sampling: repeatable, and greedy where one word is left", () => {
  for (const { source, greedy: expected } of cases) {
    assert.deepEqual(sample(learner, source, { random: seeded(1), topK: 1 }), expected);
    assert.deepEqual(sample(learner, source, { random: seeded(1), temperature: 1e-3 }), expected);
  }
  const [{ source }] = cases;
  const texts = Array.from({ length: 8 }, (_, seed) =>
    sample(learner, source, { random: seeded(seed), temperature: 2, maxLength: 6 }));
  assert.ok(new Set(texts.map(String)).size > 4);
  assert.ok(texts.every((ids) => ids.length <= 6 && !ids.includes(0) && !ids.includes(2)));
  assert.deepEqual(
    sample(learner, source, { random: seeded(3), temperature: 2, maxLength: 6 }), texts[3]);
});

test("what cannot be decoded is refused by name", () => {
  const source = [4, 3];
  assert.throws(() => greedy(learner, []), refused(/greedy: source is empty/));
  assert.throws(() => greedy(learner, [0, 0]), refused(/greedy: source is empty/));
  for (const maxLength of [0, 1.5, 65]) {
    assert.throws(() => greedy(learner, source, { maxLength }), refused(/maxLength .* 1 to 64/));
  }
  assert.throws(() => beamSearch(learner, source, 0), refused(/beamSearch: beams is 0/));
  assert.throws(() => beamSearch(learner, source, 2, -1), refused(/lengthPenalty is -1/));
  const logits = Float64Array.of(1, 2);
  for (const T of [0, -1, NaN, Infinity]) {
    assert.throws(() => withTemperature(logits, T), refused(/temperature .* use greedy/));
  }
  assert.throws(() => keepTopK(logits, 0), refused(/keepTopK: k is 0/));
  for (const p of [0, 1.1, NaN]) assert.throws(() => keepTopP(logits, p), refused(/keepTopP: p/));
});
